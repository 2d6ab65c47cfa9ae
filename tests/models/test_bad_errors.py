"""An unreadable error fails the generation at once, with what is known.

The time limits are an hour, so a test that waits for one of them does not end in time.
"""

from __future__ import annotations

import json

import pytest
from tests.models.model_server import Reply
from tests.models.reader import Build, Serve, ask

from redline.errors import (
    AccessRefusedError,
    AuthenticationError,
    ModelCutError,
    ModelError,
    ModelRejectedError,
    ModelServerError,
    QuotaExhaustedError,
    RateLimitedError,
)
from redline.settings.tree import Api
from redline.wire.events import MAX_DELTA_BYTES
from redline.wire.sse import MAX_EVENT_BYTES

LONG = {"first_delta_s": 3600.0, "stall_s": 3600.0, "connect_s": 3600.0}

DEEP = b'{"a":' * 10_000 + b"1" + b"}" * 10_000

BODIES = {
    "latin-1": "Schl\u00fcssel".encode("latin-1"),
    "latin-1 in json": '{"error": "ung\u00fcltig"}'.encode("latin-1"),
    "deep": DEEP,
    "deep in json": b'{"error": {"message": "x", "more": ' + DEEP + b"}}",
    "huge numbers": json.dumps({"error": {"code": 2**80, "n": 10**400}}).encode(),
    "zeros": bytes(1000),
}


@pytest.fixture(params=["responses-socket", "responses-http"])
def api(request: pytest.FixtureRequest) -> Api:
    """Both ways to a model."""
    api: Api = request.param
    return api


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, ModelRejectedError),
        (401, AuthenticationError),
        (429, RateLimitedError),
        (500, ModelServerError),
    ],
)
async def test_a_refusal_with_a_bad_body(
    serve: Serve,
    build: Build,
    api: Api,
    status: int,
    kind: type[ModelError],
    body: str,
) -> None:
    """The status says enough."""
    server = await serve(refusal=(status, {}, BODIES[body]))
    error = (await ask(build(server, api=api, **LONG))).error
    assert type(error) is kind
    assert error.status == status


async def test_a_refusal_whose_body_does_not_come(serve: Serve, build: Build) -> None:
    """The body is not waited for as an answer is."""
    server = await serve(refusal=(400, {"Content-Length": "500"}, b"soon"))
    error = (await ask(build(server, api="responses-http", **LONG))).error
    assert type(error) is ModelRejectedError
    assert str(error) == "Model spark (m at 127.0.0.1) refused the request: soon."


async def test_the_text_of_a_plain_body_is_shown(
    serve: Serve, build: Build, api: Api
) -> None:
    """Frameworks answer a crash so."""
    server = await serve(refusal=(500, {}, b"mock_response cannot be streamed"))
    error = (await ask(build(server, api=api, **LONG))).error
    assert str(error) == (
        "The server of model spark (m at 127.0.0.1) failed: "
        "mock_response cannot be streamed."
    )


@pytest.mark.parametrize(
    "error",
    [
        b'{"type":"error","error":{"message":"\xfc","code":"server_error"}}',
        b'{"type":"error","error":{"message":"m","x":' + DEEP + b"}}",
        b'{"type":"error","error":{"message":"m","code":1e999,"status":' + b"9" * 400,
        b'{"type":"error","status":1e999,"error":{"message":"m","code":%d}}' % 2**80,
        b'{"type":"response.failed","response":{"error":{"code":500,"message":"m"}}}',
        DEEP,
        b"\xff\xfe",
    ],
    ids=["latin-1", "deep", "broken", "numbers", "number as code", "no event", "bytes"],
)
async def test_an_error_event_that_is_hard_to_read(
    serve: Serve, build: Build, api: Api, error: bytes
) -> None:
    """It fails the generation as any other would."""

    async def script(reply: Reply) -> None:
        reply.begin()
        reply.send_raw(error)
        await reply.gone.wait()

    server = await serve(script, has_lanes=False)
    assert isinstance(
        (await ask(build(server, api=api, **LONG))).error, ModelServerError
    )


async def test_a_quota_is_no_rate_limit(serve: Serve, build: Build, api: Api) -> None:
    """Waiting does not help, and the provider says what does."""
    said = {"error": {"code": "insufficient_quota", "message": "Add credit."}}
    server = await serve(refusal=(429, {}, json.dumps(said).encode()))
    error = (await ask(build(server, api=api))).error
    assert type(error) is QuotaExhaustedError
    assert (
        str(error)
        == "The quota of model spark (m at 127.0.0.1) is used up: Add credit."
    )
    assert "Wait" not in error.remedy


@pytest.mark.parametrize(
    ("seconds", "says"),
    [
        ("3", "; it asks to wait 3 s."),
        ("600", "; it asks to wait 10 minutes."),
        ("10800", "; it asks to wait 3 hours."),
        ("1000000000000000000", "; it asks to wait a day or longer."),
    ],
)
async def test_a_wait_is_said_plainly(
    serve: Serve, build: Build, api: Api, seconds: str, says: str
) -> None:
    """Absurdly long waits are not printed as numbers."""
    server = await serve(refusal=(429, {"Retry-After": seconds}, b""))
    error = (await ask(build(server, api=api))).error
    assert str(error) == f"Model spark (m at 127.0.0.1) is at its rate limit{says}"


async def test_a_wrong_path_is_not_called_a_wrong_key(
    serve: Serve, build: Build
) -> None:
    """ASGI servers say 403 to an upgrade on a path that is not there."""
    server = await serve(upgrade_refusal=(403, {}, b""))
    error = (await ask(build(server))).error
    assert type(error) is AccessRefusedError
    assert (
        str(error)
        == "The server of model spark (m at 127.0.0.1) refused access (status 403)."
    )
    assert "path" in error.remedy
    assert server.replies == [], "no code is sent to who refused it"


async def test_access_that_is_refused_everywhere(
    serve: Serve, build: Build, api: Api
) -> None:
    """The sentence does not claim to know why; the provider's words are in it."""
    server = await serve(refusal=(403, {}, b'{"detail": "Not for this project"}'))
    error = (await ask(build(server, api=api))).error
    assert type(error) is AccessRefusedError
    assert str(error) == (
        "The server of model spark (m at 127.0.0.1) refused access (status 403): "
        "Not for this project."
    )


REASON = "ssl argument is incompatible with a ws:// URI"


async def _fail_over_the_socket(reply: Reply) -> None:
    if reply.create.get("type") == "response.create":
        reply.close(1011, REASON)
    else:
        reply.answer("Hel", "lo")


async def test_a_server_that_fails_on_the_socket_is_asked_over_http(
    serve: Serve, build: Build
) -> None:
    """The request may work over HTTP; it is tried once."""
    server = await serve(_fail_over_the_socket)
    reading = await ask(build(server))
    assert (reading.text, reading.reason) == ("Hello", "completed")
    assert len(server.replies) == 2


async def test_the_reason_of_a_close_is_shown(serve: Serve, build: Build) -> None:
    """If there is nothing over HTTP, the user reads why the socket was closed."""
    server = await serve(_fail_over_the_socket, socket_only=True)
    error = (await ask(build(server))).error
    assert type(error) is ModelCutError
    assert f"(closed with code 1011: {REASON})" in str(error)


@pytest.mark.parametrize(
    ("code", "reason", "kind", "says"),
    [
        (1008, "one model per connection", ModelRejectedError, "one model per"),
        (1009, "", ModelRejectedError, "too large"),
        (4402, "top up", QuotaExhaustedError, "top up"),
        (4401, "", AuthenticationError, "refused the key"),
        (3999, "odd", ModelCutError, "closed with code 3999: odd"),
    ],
)
async def test_what_a_close_code_means(
    serve: Serve,
    build: Build,
    code: int,
    reason: str,
    kind: type[ModelError],
    says: str,
) -> None:
    """A refusal is not repeated, and says why."""

    async def script(reply: Reply) -> None:
        reply.close(code, reason)

    server = await serve(script)
    error = (await ask(build(server))).error
    assert type(error) is kind
    assert says in str(error)


@pytest.mark.parametrize(
    "frame",
    [
        b"\x89\x7e\x00\x80" + bytes(128),
        b"\x81\x05\xff\xfe{}x",
        b"\x01\x02\xc3\x28\x80\x01x",
        b"\x88\x02\x00\x05",
        b"\x88\x02\x03\xed",
        b"\x88\x02\xff\xff",
        b"\x88\x01\x03",
        b"\x88\x04\x03\xe8\xff\xfe",
        b"\xf1\x00",
        b"\x83\x00",
        b"\x81\x82\x00\x00\x00\x00{}",
        b"\x80\x01x",
        b"\x01\x01{\x81\x01}",
        b"\x09\x00",
        b"\x08\x02\x03\xe8",
        b"\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff",
    ],
    ids=[
        "ping of 128 bytes",
        "no UTF-8",
        "no UTF-8 in fragments",
        "close 5",
        "close 1005",
        "close 65535",
        "half a code",
        "reason is no UTF-8",
        "reserved bits",
        "unknown opcode",
        "masked",
        "end of a message that has not begun",
        "message inside another",
        "ping in fragments",
        "close in fragments",
        "length beyond 63 bits",
    ],
)
async def test_a_frame_that_is_none_ends_the_connection(
    serve: Serve, build: Build, frame: bytes
) -> None:
    """The peer keeps the connection open, but the client does not wait."""

    async def script(reply: Reply) -> None:
        reply.delta("a")
        reply.peer.write_frame(frame)
        await reply.gone.wait()

    server = await serve(script)
    reading = await ask(build(server, **LONG))
    assert isinstance(reading.error, ModelServerError | ModelCutError)


async def test_a_large_frame_is_refused_by_its_head(serve: Serve, build: Build) -> None:
    """Its bytes are not waited for, nor kept."""

    async def script(reply: Reply) -> None:
        n_bytes = MAX_EVENT_BYTES + 1
        reply.peer.write_frame(b"\x81\x7f" + n_bytes.to_bytes(8, "big") + b"{")
        await reply.gone.wait()

    server = await serve(script)
    reading = await ask(build(server, **LONG))
    assert isinstance(reading.error, ModelServerError)


async def test_a_large_increment_is_refused(
    serve: Serve, build: Build, api: Api
) -> None:
    """The layers above copy each line of it."""

    async def script(reply: Reply) -> None:
        reply.delta("a" * MAX_DELTA_BYTES)
        await reply.gone.wait()

    server = await serve(script)
    reading = await ask(build(server, api=api, **LONG))
    assert isinstance(reading.error, ModelServerError)
    assert reading.text == ""
