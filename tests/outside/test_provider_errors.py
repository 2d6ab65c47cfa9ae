"""What a provider says when it does not answer: quota, wrong paths, broken bodies."""

from __future__ import annotations

import json

import pytest
from tests.e2e.editor_document import Json, lines
from tests.e2e.redline_session import Redline
from tests.models.model_server import ModelServer, Reply
from tests.outside.commands import Desk
from tests.outside.conftest import Aimock, Hostile, Scripted, Serve
from tests.outside.raw_model import SPOILS, always, with_usage
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as serve_websocket

TEXT = "def f(a):\n    return a\n"
EDITED = "def f(b):\n    return b\n"
APIS = ["responses-socket", "responses-http"]
PATIENT = {"first_delta_s": 600, "stall_s": 600, "connect_s": 600}
"""Limits that no test waits for."""

QUOTA = "You exceeded your current quota, please check your plan."
DEEP = b'{"a":' * 10_000 + b"1" + b"}" * 10_000
BODIES = {
    "latin-1": '{"error": {"message": "Modèle surchargé"}}'.encode("latin-1"),
    "deep": DEEP,
    "deep message": b'{"error": {"message": ' + DEEP + b"}}",
    "huge number": b'{"error": {"message": "no", "code": 1' + b"0" * 400 + b"}}",
    "null bytes": b"\x00" * 100,
    "html": b"<html><body><h1>502 Bad Gateway</h1></body></html>",
    "nothing": b"",
}
MARKUP = "\x1b[31m[fix it](command:evil) \x07\u202e[see](file:///etc/passwd)"


def endpoint(server: ModelServer, api: str) -> str:
    return server.url if api == "responses-socket" else server.http_url


async def edit(desk: Desk, redline: Redline) -> Json:
    """Ask for an edit; returns the whole answer."""
    uri = (desk.project / "a.py").as_uri()
    redline.editor.open(uri, TEXT)
    return await redline.editor.answer(redline.editor.edit(uri, lines(0, 2)))


async def failed(desk: Desk, redline: Redline) -> Json:
    """Ask for an edit that must fail as a model's failure; returns the error."""
    answer = await edit(desk, redline)
    assert "error" in answer, answer
    assert answer["error"]["code"] == -32803, answer
    redline.check_log()
    error: Json = answer["error"]
    return error


@pytest.mark.parametrize("api", APIS)
async def test_a_quota_that_is_used_up(
    desk: Desk, serve: Serve, aimock: Aimock, api: str
) -> None:
    """To wait does not help; the provider's own words say what does."""
    error = {"message": QUOTA, "type": "insufficient_quota"}
    error["code"] = "insufficient_quota"
    fixtures = [{"match": {}, "response": {"error": error, "status": 429}}]
    url = await aimock(fixtures)
    if api == "responses-http":
        url = url.replace("ws", "http", 1)
    said = await failed(desk, await serve(desk.settings(url, api=api)))
    assert said["data"]["cause"] != "rate-limited"
    assert QUOTA.rstrip(".") in said["message"]


@pytest.mark.parametrize("api", APIS)
async def test_a_wrong_path(
    desk: Desk, serve: Serve, gateway: Scripted, api: str
) -> None:
    """The key is right: nobody should be sent to look for another."""
    model = await gateway({})
    url = model.url.replace("/responses", "/nope")
    if api == "responses-http":
        url = url.replace("ws", "http", 1)
    said = await failed(desk, await serve(desk.settings(url, api=api)))
    assert said["data"]["cause"] != "authentication"


async def test_the_reason_of_a_close(desk: Desk, serve: Serve) -> None:
    """What a server says as it closes is often all that it says."""
    reason = "ssl argument is incompatible with a ws:// URI"

    async def close(connection: ServerConnection) -> None:
        await connection.recv()
        await connection.close(1011, reason)

    async with serve_websocket(close, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        url = f"ws://127.0.0.1:{port}/v1/responses"
        said = await failed(desk, await serve(desk.settings(url)))
    assert reason in said["message"]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("api", APIS)
async def test_a_body_that_cannot_be_read(
    desk: Desk, serve: Serve, hostile: Hostile, api: str, body: str
) -> None:
    """The edit fails with what is known, whatever the limits of time."""
    answer = (500, {"Content-Type": "application/json"}, BODIES[body])
    # An upgrade's refusal cannot hold such bytes: it is an event there.

    async def say(reply: Reply) -> None:
        reply.send_raw(BODIES[body])

    is_http = api == "responses-http"
    server = await hostile(say, refusal=answer if is_http else None)
    settings = desk.settings(endpoint(server, api), api=api, limits=PATIENT)
    said = await failed(desk, await serve(settings))
    assert "Redline failed inside" not in said["message"]


@pytest.mark.parametrize("api", APIS)
async def test_a_count_beyond_64_bits(
    desk: Desk, serve: Serve, hostile: Hostile, api: str
) -> None:
    """The edit is applied and counted; the store takes what it can."""
    server = await hostile(with_usage(2**80, EDITED))
    redline = await serve(desk.settings(endpoint(server, api), api=api))
    answer = await edit(desk, redline)
    assert answer["result"]["outcome"] == "applied", answer
    await redline.editor.run_now("redline.status", {})
    await redline.end()
    ran = await desk.run(
        *("stats", "--json", "--file", str(desk.home / "store.sqlite3"))
    )
    assert ran.report["overall"]["tasks"] == 1


@pytest.mark.parametrize("api", APIS)
async def test_what_a_server_says_is_text(
    desk: Desk, serve: Serve, hostile: Hostile, api: str
) -> None:
    """No control character and no link to a command or file reaches the editor."""

    async def say(reply: Reply) -> None:
        error = {"message": MARKUP, "code": "bad", "type": "invalid_request_error"}
        reply.send({"type": "error", "status": 400, "error": error})

    server = await hostile(say)
    settings = desk.settings(endpoint(server, api), api=api, review={"retries": 0})
    said = await failed(desk, await serve(settings))
    assert_is_text(said["message"])


@pytest.mark.parametrize("command", ["doctor", "review", "demo"])
async def test_nor_a_terminal(desk: Desk, hostile: Hostile, command: str) -> None:
    """The commands show the same sentences."""
    error = {"message": MARKUP, "code": "bad", "type": "invalid_request_error"}
    body = json.dumps({"error": error}).encode()
    server = await hostile(always(), refusal=(400, {}, body))
    desk.write("a.py", TEXT)
    desk.use_model(server.url, tiers=("fast", "deep"), rest="[review]\nretries = 0")
    words = {"review": ["--force", "a.py"], "demo": ["--model", "m"]}
    ran = await desk.run(command, *words.get(command, []))
    assert_is_text(ran.said)


def assert_is_text(said: str) -> None:
    for character in "\x1b\x07\u202e":
        assert character not in said
    for link in ("](command:", "](file:"):
        assert link not in said


async def test_an_absurd_wait(desk: Desk, serve: Serve, hostile: Hostile) -> None:
    """Nobody waits for 30 billion years."""
    refusal: tuple[int, dict[str, str], bytes]
    refusal = (429, {"retry-after": "1000000000000000000"}, b"{}")
    server = await hostile(always(), refusal=refusal)
    url = server.http_url
    settings = desk.settings(url, api="responses-http")
    said = await failed(desk, await serve(settings))
    assert "000000000000" not in said["message"]


@pytest.mark.parametrize("spoil", SPOILS)
async def test_frames_that_break_the_protocol(
    desk: Desk, serve: Serve, hostile: Hostile, spoil: str
) -> None:
    """The connection is over, and so is the edit: no limit has to pass."""

    async def say(reply: Reply) -> None:
        reply.begin()
        reply.peer.write_frame(SPOILS[spoil])

    server = await hostile(say)
    settings = desk.settings(server.url, limits=PATIENT)
    await failed(desk, await serve(settings))


async def test_a_delta_of_ten_million_letters(
    desk: Desk, serve: Serve, hostile: Hostile
) -> None:
    """It is refused, and the next edit works."""
    answers = iter([("x = '" + "y" * 10_000_000,), (EDITED,)])

    async def say(reply: Reply) -> None:
        reply.answer(*next(answers, (EDITED,)))

    server = await hostile(say)
    off = {"repair": False, "escalate": False}
    redline = await serve(desk.settings(server.url, checks=off))
    first = await edit(desk, redline)
    assert first.get("result", {}).get("outcome") != "applied"
    await redline.editor.run_now("redline.stop", {})
    if "result" in first:
        where = {"sessionId": first["result"]["sessionId"]}
        await redline.editor.answer(redline.editor.run("redline.reject", where))
    redline.editor.close_document((desk.project / "a.py").as_uri())
    second = await edit(desk, redline)
    assert second["result"]["outcome"] == "applied"


async def test_an_empty_answer_was_not_repaired(
    desk: Desk, serve: Serve, aimock: Aimock
) -> None:
    """An edit that is held does not claim that it was put right."""
    url = await aimock([{"match": {}, "response": {"content": ""}}])
    redline = await serve(desk.settings(url))
    answer = await edit(desk, redline)
    assert answer["result"]["outcome"] == "held"
    reasons = " ".join(answer["result"]["reasons"])
    assert "was mended" not in reasons
    assert "was fixed" not in reasons
    assert "was repaired" not in reasons
