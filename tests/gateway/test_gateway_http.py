"""The gateway over HTTP, and which clients it admits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.gateway.conftest import TOKEN

from redline.gateway.engines.engine import EngineAnswer, EngineRequest, Piece, TextPiece
from redline.gateway.engines.script import ScriptReply
from redline.gateway.injected_faults import Close, Cut, Refuse, Say, Stall
from redline.gateway.refusals import Refusal
from redline.gateway.serving.server import GatewayHttp

if TYPE_CHECKING:
    from .conftest import Gateway

Start = Callable[..., Awaitable["Gateway"]]

REQUEST = {"model": "m", "input": "hi"}

BEGUN = (
    b"POST /v1/responses HTTP/1.1\r\nHost: localhost\r\n"
    b"Authorization: Bearer test-token\r\nContent-Length: 100\r\n\r\n{"
)
"""A request whose body stops in the middle."""


async def stream(http: httpx.AsyncClient, **fields: Any) -> list[dict[str, Any]]:
    """Return all events of a streamed answer."""
    seen: list[dict[str, Any]] = []
    body = REQUEST | {"stream": True} | fields
    async with http.stream("POST", "/responses", json=body) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["x-accel-buffering"] == "no"
        kind = ""
        async for line in answer.aiter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                seen.append(json.loads(line.removeprefix("data: ")))
                assert seen[-1]["type"] == kind
    return seen


async def test_an_answer_as_a_stream(start: Start) -> None:
    gateway = await start(ScriptReply(text="abcdefgh"))
    async with gateway.http() as http:
        seen = await stream(http, stream_id="ignored")
    assert [each["sequence_number"] for each in seen] == list(range(10))
    assert seen[0]["type"] == "response.created"
    assert seen[-1]["type"] == "response.completed"
    assert not any("stream_id" in each for each in seen)


async def test_an_answer_as_one_body(start: Start) -> None:
    gateway = await start(ScriptReply(text="abcdefgh"))
    async with gateway.http() as http:
        answer = await http.post("/responses", json=REQUEST)
        body = answer.json()
        assert answer.status_code == 200
        assert body["output"][0]["content"][0]["text"] == "abcdefgh"
        again = await http.get(f"/responses/{body['id']}")
        assert again.json() == body


async def test_a_failed_answer_as_one_body(start: Start) -> None:
    gateway = await start(ScriptReply(text="a", failed="server_error"))
    async with gateway.http() as http:
        body = (await http.post("/responses", json=REQUEST)).json()
    assert (body["status"], body["error"]["code"]) == ("failed", "server_error")


async def test_what_is_not_stored_cannot_be_fetched(start: Start) -> None:
    gateway = await start()
    async with gateway.http() as http:
        body = (await http.post("/responses", json=REQUEST | {"store": False})).json()
        answer = await http.get(f"/responses/{body['id']}")
    assert answer.status_code == 404
    assert body["id"] in answer.json()["error"]["message"]


async def test_a_stored_answer_cannot_be_streamed_again(start: Start) -> None:
    gateway = await start()
    async with gateway.http() as http:
        body = (await http.post("/responses", json=REQUEST)).json()
        answer = await http.get(f"/responses/{body['id']}", params={"stream": "true"})
    assert answer.json()["error"]["code"] == "unsupported_parameter"


async def test_a_conversation_goes_on_over_http(start: Start) -> None:
    gateway = await start()
    async with gateway.http() as http:
        first = (await http.post("/responses", json=REQUEST)).json()["id"]
        second = await http.post(
            "/responses", json=REQUEST | {"previous_response_id": first}
        )
    assert second.json()["previous_response_id"] == first


@pytest.mark.parametrize("is_stream", [True, False])
@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"previous_response_id": "resp_x"}, "previous_response_not_found"),
        ({"background": True, "store": False}, "unsupported_parameter"),
        ({"max_output_tokens": 0}, "invalid_value"),
        ({"max_output_tokens": 10**400}, "invalid_value"),
        ({"input": 5}, "invalid_json"),
    ],
)
async def test_a_refused_request_is_an_http_error(
    start: Start, fields: dict[str, Any], code: str, is_stream: bool
) -> None:
    gateway = await start()
    async with gateway.http() as http:
        body = REQUEST | {"stream": is_stream} | fields
        answer = await http.post("/responses", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code


async def test_an_error_inside_a_stream_is_flat(start: Start) -> None:
    error = Refusal(message="Boom.", code="c", status=500)
    gateway = await start(ScriptReply(text="abcd", faults=(Refuse(at=3, error=error),)))
    async with gateway.http() as http:
        last = (await stream(http))[-1]
    assert last == {
        "type": "error",
        "code": "c",
        "message": "Boom.",
        "param": None,
        "sequence_number": 3,
    }


@pytest.mark.parametrize("fault", [Cut(at=3), Close(at=3)])
@pytest.mark.parametrize("is_stream", [True, False])
async def test_an_answer_can_be_cut(
    start: Start, fault: Cut | Close, is_stream: bool
) -> None:
    gateway = await start(ScriptReply(text="abcd", faults=(fault,)))
    async with gateway.http() as http:
        with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
            await http.post("/responses", json=REQUEST | {"stream": is_stream})
    await gateway.saw("stopped")


async def test_garbage_can_be_said_in_a_stream(start: Start) -> None:
    gateway = await start(ScriptReply(text="abcd", faults=(Say(at=1, text="garbage"),)))
    async with gateway.http() as http:
        answer = await http.post("/responses", json=REQUEST | {"stream": True})
    assert "data: garbage\n\n" in answer.text


@pytest.mark.parametrize("is_stream", [True, False])
async def test_when_the_client_goes_the_answer_stops(
    start: Start, is_stream: bool
) -> None:
    gateway = await start(ScriptReply(text="abcdefgh", faults=(Stall(at=5),)))
    async with gateway.http() as http:
        body = REQUEST | {"stream": is_stream}
        asking = asyncio.ensure_future(http.post("/responses", json=body))
        await gateway.saw("sent", n=5)
        asking.cancel()
        await asyncio.wait([asking])
    await gateway.saw("stopped")
    assert not gateway.all("ended")


async def test_a_body_has_a_greatest_size(start: Start) -> None:
    gateway = await start(max_message_bytes=1_000)
    async with gateway.http() as http:
        answer = await http.post("/responses", json={"input": "x" * 1_000})
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "request_too_large"


LARGE = b'{"model": "m", "input": "' + b"x" * 12_000_000 + b'"}'
"""More than the limit, and more than the buffers of a connection hold."""


def _chunks() -> Iterator[bytes]:
    for start in range(0, len(LARGE), 100_000):
        yield LARGE[start : start + 100_000]


def _write_then_read(
    port: int, method: str, path: str, headers: dict[str, str]
) -> tuple[int, bytes]:
    is_chunked = "Transfer-Encoding" in headers
    client = HTTPConnection("127.0.0.1", port, timeout=60)
    with closing(client):
        body = _chunks() if is_chunked else LARGE
        client.request(method, path, body, headers, encode_chunked=is_chunked)
        answer = client.getresponse()
        return answer.status, answer.read()


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", "/responses", {"Connection": "keep-alive"}, 413),
        ("POST", "/responses", {}, 413),
        ("POST", "/responses", {"Transfer-Encoding": "chunked"}, 413),
        ("POST", "/responses/input_tokens", {}, 413),
        ("POST", "/responses/compact", {}, 413),
        ("POST", "/responses", {"Authorization": "Bearer wrong"}, 401),
        ("POST", "/responses", {"Host": "evil.example"}, 403),
        ("POST", "/nothing", {}, 404),
        ("PUT", "/models", {}, 405),
    ],
)
async def test_the_refusal_of_a_large_body_arrives(
    start: Start, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    """A client that writes all before it reads sees the error, and no reset."""
    gateway = await start(body_s=60.0)
    usual = {"Authorization": "Bearer test-token", "Connection": "close"}
    got, body = await asyncio.to_thread(
        _write_then_read, gateway.port, method, f"/v1{path}", usual | headers
    )
    assert got == status
    assert json.loads(body)["error"]["message"]


async def test_a_client_that_waits_for_consent_is_refused_at_once(start: Start) -> None:
    """It sends no body before the answer, so there is none to read."""
    gateway = await start(body_s=1_000.0)
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    wrong = BEGUN.removesuffix(b"\r\n\r\n{").replace(b"test-token", b"wrong")
    writer.write(wrong + b"\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n")
    assert await reader.readuntil(b"\r\n") == b"HTTP/1.1 401 Unauthorized\r\n"
    writer.close()
    await writer.wait_closed()


async def test_a_body_must_come_in_time(start: Start) -> None:
    gateway = await start(body_s=0.01)
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    writer.write(BEGUN)
    assert await reader.readuntil(b"\r\n") == b"HTTP/1.1 408 Request Timeout\r\n"
    writer.close()
    await writer.wait_closed()


async def test_a_client_that_goes_in_the_middle_of_its_body_is_no_error(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    gateway = await start()
    _, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    writer.write(BEGUN)
    await writer.drain()
    writer.close()
    await writer.wait_closed()
    async with gateway.http() as http:
        assert (await http.post("/responses", json=REQUEST)).status_code == 200
    assert not caplog.records


async def test_a_body_that_is_not_utf8_is_refused(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    """Also where nobody reads it."""
    gateway = await start()
    async with gateway.http() as http:
        for body in (b'{"input": "\xff"}', b'{"input": "a", "unknown": "\xff"}'):
            answer = await http.post("/responses", content=body)
            assert answer.status_code == 400
            assert answer.json()["error"]["code"] == "invalid_json"
    assert not caplog.records


async def test_too_many_requests_a_minute(start: Start) -> None:
    gateway = await start(requests_per_minute=1)
    async with gateway.http() as http:
        assert (await http.post("/responses", json=REQUEST)).status_code == 200
        answer = await http.post("/responses", json=REQUEST)
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= 60
    assert 0 < int(answer.headers["retry-after-ms"]) <= 60_000


async def test_the_models(start: Start) -> None:
    gateway = await start()
    async with gateway.http() as http:
        body = (await http.get("/models")).json()
    assert [model["id"] for model in body["data"]] == ["script"]


async def test_health_asks_for_no_token(start: Start) -> None:
    gateway = await start()
    async with httpx.AsyncClient() as http:
        answer = await http.get(f"http://127.0.0.1:{gateway.port}/health")
    assert answer.json() == {"status": "ok"}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("GET", "/responses", 405), ("PUT", "/models", 405)],
)
async def test_what_is_not_served_is_a_json_error(
    start: Start, method: str, path: str, status: int
) -> None:
    gateway = await start()
    async with gateway.http() as http:
        answer = await http.request(method, path)
    assert answer.status_code == status
    assert answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer test-tokenx"}, 401),
        ({"Authorization": "Basic test-token"}, 401),
        ({"Authorization": "bearer test-token"}, 200),
        ({"Host": "localhost:1234"}, 200),
        ({"Host": "[::1]:1234"}, 200),
        ({"Host": "127.9.9.9"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "localhost.evil.example"}, 403),
        ({"Host": "192.168.0.1"}, 403),
        ({"Host": "[::1"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "file://"}, 403),
    ],
)
async def test_who_is_let_in(
    start: Start, headers: dict[str, str], status: int
) -> None:
    gateway = await start()
    async with gateway.http(**headers) as http:
        answer = await http.get("/models")
    assert answer.status_code == status


async def test_a_wrong_token_is_told_how_to_do_it(start: Start) -> None:
    gateway = await start()
    async with gateway.http(Authorization="Bearer wrong") as http:
        answer = await http.get("/models")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["error"]["code"] == "invalid_api_key"
    assert "wrong" not in answer.text.replace("missing or wrong", "")


async def test_only_so_many_requests_run_at_once(start: Start) -> None:
    gateway = await start(
        ScriptReply(text="abcd", faults=(Stall(at=2),)), max_connections=1
    )
    async with gateway.http() as http:
        asking = asyncio.ensure_future(http.post("/responses", json=REQUEST))
        await gateway.saw("sent", n=2)
        answer = await http.get("/models")
        asking.cancel()
        await asyncio.wait([asking])
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"


async def test_an_endless_stream_ends_with_the_gateway(start: Start) -> None:
    """Shutdown does not wait for it, and leaves nothing running."""

    class Endless:
        models = ()

        def answer(self, request: EngineRequest) -> EngineAnswer:
            return EngineAnswer(pieces=self._pieces(), tokens_per_s=100)

        async def _pieces(self) -> AsyncGenerator[Piece, None]:
            while True:
                yield TextPiece("a")

    gateway = await start(Endless())
    client = await gateway.client()
    await client.create()
    await client.until("response.output_text.delta")
    http = gateway.http()
    request = http.build_request("POST", "/responses", json=REQUEST | {"stream": True})
    answer = await http.send(request, stream=True)
    await gateway.end()
    with pytest.raises(httpx.HTTPError):
        await answer.aread()
    await http.aclose()
    await gateway.saw("stopped", n=2)


@pytest.mark.parametrize("n_whole", [0, 1])
async def test_a_request_whose_head_does_not_end(
    start: Start, monkeypatch: pytest.MonkeyPatch, n_whole: int
) -> None:
    """The connection is dropped, though more bytes come; also after a request."""
    monkeypatch.setattr(GatewayHttp, "head_s", 2.0)
    gateway = await start()
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    whole = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{gateway.port}\r\n\r\n"
    for _ in range(n_whole):
        writer.write(whole.encode())
        assert b"200" in await reader.readline()
    writer.write(b"GET /health HTTP/1.1\r\nX: ")
    ending = asyncio.create_task(reader.read())
    with suppress(ConnectionError):
        while not ending.done():
            writer.write(b"x")
            await asyncio.wait([ending], timeout=0.01)
        await ending
    writer.close()


@pytest.mark.parametrize("token", [TOKEN, "wrong"])
async def test_a_request_with_two_lengths_ends_its_connection(
    start: Start, token: str
) -> None:
    """What follows it may be a part of it for a proxy: it is not answered."""
    gateway = await start()
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    body = b'{"model": "m", "input": "hi"}'
    head = (
        f"POST /v1/responses HTTP/1.1\r\nHost: 127.0.0.1:{gateway.port}\r\n"
        f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    ).encode()
    request = head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    writer.write(request + request)
    answer = await reader.read()
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b"connection: close\r\n" in answer.lower()
    assert (b"200 OK" in answer) is (token == TOKEN)
    writer.close()


async def test_a_refused_request_whose_body_does_not_end(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GatewayHttp, "head_s", 0.5)
    gateway = await start()
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    writer.write(
        f"POST /v1/responses HTTP/1.1\r\nHost: 127.0.0.1:{gateway.port}\r\n"
        "Content-Length: 1000000\r\n\r\n".encode()
    )
    assert b"401" in await reader.readline()
    ending = asyncio.create_task(reader.read())
    with suppress(ConnectionError):
        while not ending.done():
            writer.write(b"x")
            await asyncio.wait([ending], timeout=0.01)
        await ending
    writer.close()


async def test_the_head_of_a_request_in_pieces(start: Start) -> None:
    gateway = await start()
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    head = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{gateway.port}\r\n\r\n"
    for byte in head.encode():
        writer.write(bytes([byte]))
        await writer.drain()
    assert b"200" in await reader.readline()
    writer.close()
