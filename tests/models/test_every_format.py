"""Every wire format over HTTP, and every bad case, over real sockets."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import AsyncIterator, Callable

import pytest
from msgspec.structs import replace
from tests.models.formats import FORMATS_AND_FIM, Format
from tests.models.plain_server import Act, PlainServer, serving
from tests.models.reader import Reading, read, request_for, until

from redline.errors import (
    AccessRefusedError,
    AuthenticationError,
    ModelCutError,
    ModelError,
    ModelRejectedError,
    ModelServerError,
    ModelStalledError,
    PromptTooLongError,
    QuotaExhaustedError,
    RateLimitedError,
)
from redline.models.build import build_model
from redline.models.interface import Delta, Model
from redline.prompts.message import CodeGap
from redline.settings.tree import KeySource, LimitSettings, ModelSettings

KEY = "secret-key-1234"
TITLE = "spark (m at 127.0.0.1)"


HI = request_for("hi")
GAP = CodeGap(prefix="a = ", suffix="\n", path="a.py")
REQUEST = replace(HI, prompt=replace(HI.prompt, gap=GAP))
"""An instruction, and a gap for those that only fill in the middle."""


@pytest.fixture(params=FORMATS_AND_FIM)
def wire(request: pytest.FixtureRequest) -> Format:
    """Each wire format."""
    return FORMATS_AND_FIM[request.param]


Build = Callable[..., Model]


@pytest.fixture
async def build(wire: Format) -> AsyncIterator[Build]:
    """Build models of a server; they leave nothing behind."""
    models: list[Model] = []

    def start(server: PlainServer, **limits: float) -> Model:
        settings = ModelSettings(
            api=wire.api,
            url=server.base + wire.path,
            name="m",
            key=KeySource(env="KEY"),
        )
        model = build_model(
            "spark", settings, LimitSettings(**limits), environ={"KEY": KEY}
        )
        models.append(model)
        return model

    yield start
    for model in models:
        await model.aclose()
    gc.collect(1)


async def ask(model: Model) -> Reading:
    """Run one generation to its end."""
    async with asyncio.timeout(30), model.start(REQUEST) as generation:
        return await read(generation)


async def answer_to(build: Build, *acts: Act, **limits: float) -> Reading:
    """Ask a server once."""
    async with serving(*acts) as server:
        model = build(server, **limits)
        reading = await ask(model)
        await model.aclose()
        return reading


async def test_a_whole_answer(wire: Format, build: Build) -> None:
    """Its text, its end, and the key in the header that the provider reads."""
    async with serving(Act(pieces=wire.answer)) as server:
        model = build(server)
        for _ in range(2):
            reading = await ask(model)
            assert (reading.text, reading.reason) == ("Hello", "completed")
        await model.aclose()
    name, value = wire.key_header
    assert [asked.headers[name] for asked in server.asked] == [value] * 2
    assert all(KEY not in asked.line for asked in server.asked)


async def test_an_answer_in_single_bytes(wire: Format, build: Build) -> None:
    pieces = [bytes([byte]) for byte in b"".join(wire.answer)]
    reading = await answer_to(build, Act(pieces=pieces))
    assert (reading.text, reading.reason) == ("Hello", "completed")


@pytest.mark.parametrize("then", ["end", "abort"])
async def test_a_cut_at_every_event(wire: Format, build: Build, then: str) -> None:
    """What came is kept, and never called whole; before any text it is tried again."""
    for n_events in range(wire.n_before_end + 1):
        act = Act(pieces=wire.answer[:n_events], then=then)  # type: ignore[arg-type] # A choice.
        reading = await answer_to(build, act)
        assert type(reading.error) is ModelCutError
        assert "Hello".startswith(reading.text)
        assert TITLE in str(reading.error)


async def test_a_cut_before_any_text_is_not_noticed(wire: Format, build: Build) -> None:
    reading = await answer_to(build, Act(then="abort"), Act(pieces=wire.answer))
    assert (reading.text, reading.reason) == ("Hello", "completed")


async def test_a_stall(wire: Format, build: Build) -> None:
    """Silence has a limit, before the first delta and after it."""
    begun = Act(pieces=wire.answer[: wire.n_before_end], then="hold")
    reading = await answer_to(build, begun, stall_s=0.1)
    assert type(reading.error) is ModelStalledError
    reading = await answer_to(build, Act(then="hold"), first_delta_s=0.1)
    assert type(reading.error) is ModelStalledError
    assert TITLE in str(reading.error)


async def test_a_stop_is_seen_by_the_server(wire: Format, build: Build) -> None:
    """At every point of the answer."""

    def has_come() -> bool:
        has_all = n_events == wire.n_before_end
        return bool(server.asked) and (not has_all or generation.timing.n_deltas > 0)

    for n_events in range(wire.n_before_end + 1):
        held = Act(pieces=wire.answer[:n_events], then="hold")
        async with serving(held) as server:
            model = build(server)
            async with model.start(REQUEST) as generation:
                await until(has_come)
                generation.stop()
                late = [event async for event in generation]
            async with asyncio.timeout(60):
                await server.gone.wait()
            await model.aclose()
        assert not any(isinstance(event, Delta) for event in late)


async def test_what_cannot_be_read(wire: Format, build: Build) -> None:
    reading = await answer_to(build, Act(pieces=[*wire.answer[:1], wire.garbage]))
    assert type(reading.error) is ModelServerError
    assert "unreadable" in str(reading.error)


async def test_an_error_inside_an_answer(wire: Format, build: Build) -> None:
    """It is the server's own sentence; what came before is kept."""
    pieces = [*wire.answer[: wire.n_before_end], wire.error]
    reading = await answer_to(build, Act(pieces=pieces, then="hold"))
    assert reading.text == "Hello"
    assert isinstance(reading.error, ModelError)
    assert str(reading.error).endswith(": Out of luck.")
    assert TITLE in str(reading.error)


async def test_an_end_that_is_not_whole(wire: Format, build: Build) -> None:
    reading = await answer_to(build, Act(pieces=wire.length))
    assert (reading.text, reading.reason) == ("Hel", "length")


async def test_a_refusal(wire: Format, build: Build) -> None:
    if wire.refusal is None:
        assert wire.api in ("ollama", "fim")
        return
    reading = await answer_to(build, Act(pieces=wire.refusal))
    assert (reading.text, reading.reason) == ("", "filtered")


async def test_an_answer_without_text(wire: Format, build: Build) -> None:
    reading = await answer_to(build, Act(pieces=wire.empty))
    assert (reading.text, reading.reason) == ("", "completed")


async def test_only_thinking(wire: Format, build: Build) -> None:
    if wire.thinking is None:
        assert wire.api == "fim"
        return
    reading = await answer_to(build, Act(pieces=wire.thinking))
    assert (reading.text, reading.reasoning) == ("", "Hm")


@pytest.mark.parametrize(
    ("status", "body", "kind", "says"),
    [
        (400, b'{"error":{"message":"No.","code":"x"}}', ModelRejectedError, "No."),
        (400, b'{"error":{"message":"No.","code":400}}', ModelRejectedError, "No."),
        (400, b'{"object":"error","message":"No."}', ModelRejectedError, "No."),
        (400, b'[{"error":{"code":400,"message":"No."}}]', ModelRejectedError, "No."),
        (400, b'{"error":"No."}', ModelRejectedError, "No."),
        (
            422,
            b'{"detail":[{"loc":["body","model"],"msg":"Field required"}]}',
            ModelRejectedError,
            "body.model: Field required",
        ),
        (401, b"", AuthenticationError, "refused the key"),
        (402, b"", QuotaExhaustedError, "used up"),
        (403, b'{"error":{"message":"No."}}', AccessRefusedError, "No."),
        (404, b'{"error":{"message":"Not here."}}', ModelRejectedError, "Not here."),
        (408, b"", ModelRejectedError, "408"),
        (413, b"", PromptTooLongError, "413"),
        (429, b'{"error":{"message":"Slow down."}}', RateLimitedError, "Slow down."),
        (
            429,
            b'{"error":{"details":[{"retryDelay":"34s"}]}}',
            RateLimitedError,
            "it asks to wait 34 s",
        ),
        (500, b"", ModelServerError, "500"),
        (502, b"<html>Bad gateway</html>", ModelServerError, "502"),
        (503, b"", ModelServerError, "503"),
        (504, b"", ModelServerError, "504"),
        (529, b'{"error":{"message":"Overloaded"}}', ModelServerError, "Overloaded"),
    ],
)
async def test_a_status(
    wire: Format,
    build: Build,
    status: int,
    body: bytes,
    kind: type[ModelError],
    says: str,
) -> None:
    """One sentence that names the model and where it is; it is not insisted on."""
    async with serving(Act(status=status, pieces=[body] if body else ())) as server:
        model = build(server)
        error = (await ask(model)).error
        await model.aclose()
    assert type(error) is kind
    assert says in str(error)
    assert TITLE in str(error)
    assert error.remedy
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("status", "said", "window"),
    [
        (
            400,
            "request (18023 tokens) exceeds the available context size (4096 tokens)",
            4_096,
        ),
        (400, "This model's maximum context length is 8192 tokens, not 20000.", 8_192),
        (400, "prompt is too long: 208310 tokens > 20000 maximum", 20_000),
        (413, "", 64_000),
    ],
)
async def test_a_prompt_that_is_too_long(
    wire: Format, build: Build, status: int, said: str, window: int
) -> None:
    """The sentence has the numbers, and the model has learnt its window."""
    body = json.dumps({"error": {"message": said}}).encode()
    async with serving(Act(status=status, pieces=[body])) as server:
        model = build(server)
        error = (await ask(model)).error
        assert type(error) is PromptTooLongError
        assert said in str(error)
        assert model.describe().context_tokens == window
        await model.aclose()


@pytest.mark.parametrize(
    ("status", "headers", "n_requests"),
    [
        (503, {"Retry-After": "0"}, 2),
        (503, {"Retry-After": "0", "x-should-retry": "false"}, 1),
        (529, {"Retry-After": "0"}, 1),
        (529, {"Retry-After": "0", "x-should-retry": "true"}, 2),
        (500, {"x-should-retry": "true"}, 2),
        (429, {"Retry-After": "30", "x-should-retry": "true"}, 1),
    ],
)
async def test_a_server_says_whether_to_try_again(
    wire: Format, build: Build, status: int, headers: dict[str, str], n_requests: int
) -> None:
    """Its header wins over the status, but nobody waits for long."""
    refusal = Act(status=status, headers=tuple(headers.items()))
    async with serving(refusal, Act(pieces=wire.answer)) as server:
        model = build(server)
        reading = await ask(model)
        await model.aclose()
        assert len(server.asked) == n_requests
    assert (reading.text == "Hello") is (n_requests == 2)


NAMES = (
    b'{"data":[{"id":"a"},{"id":"mm"}],'
    b'"models":[{"name":"a","supportedGenerationMethods":["generateContent"]},'
    b'{"name":"mm","supportedGenerationMethods":["generateContent"]}]}'
)


async def test_a_wrong_name_is_answered_with_the_right_ones(
    wire: Format, build: Build
) -> None:
    """The nearest first."""
    unknown = Act(
        status=404,
        pieces=[b'{"error":{"message":"model m not found","code":"model_not_found"}}'],
    )
    async with serving(unknown, Act(pieces=[NAMES])) as server:
        model = build(server)
        error = (await ask(model)).error
        await model.aclose()
    assert isinstance(error, ModelRejectedError)
    assert error.remedy == "Correct the model's `name`: its server has mm, a."


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_server_is_asked_once_more(
    wire: Format, build: Build, status: int
) -> None:
    """If it asks for a short wait; then the sentence has the seconds."""
    busy = Act(status=status, headers=(("Retry-After", "0.01"),))
    reading = await answer_to(build, busy, Act(pieces=wire.answer))
    assert (reading.text, reading.reason) == ("Hello", "completed")
    reading = await answer_to(build, busy, busy, Act(pieces=wire.answer))
    assert reading.reason == "failed"
    late = Act(status=status, headers=(("Retry-After", "3"),))
    reading = await answer_to(build, late, Act(pieces=wire.answer))
    assert isinstance(reading.error, ModelError)
    assert reading.error.retry_after_s == 3


@pytest.mark.parametrize(
    ("name", "value", "wait_s"),
    [
        ("Retry-After", "2.5", 2.5),
        ("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT", 0),
        ("retry-after-ms", "2500", 2.5),
    ],
)
async def test_each_form_of_a_wait(
    wire: Format, build: Build, name: str, value: str, wait_s: float
) -> None:
    """The error has the seconds; a date that has passed asks for none."""
    busy = Act(status=429, headers=((name, value),))
    error = (await answer_to(build, busy)).error
    assert isinstance(error, RateLimitedError)
    assert error.retry_after_s == wait_s


@pytest.mark.parametrize("kind", ["text/plain", "application/json", ""])
async def test_a_wrong_content_type(wire: Format, build: Build, kind: str) -> None:
    """An answer is read all the same; a body that is none is reported as such."""
    headers = (("Content-Type", kind),) if kind else ()
    reading = await answer_to(build, Act(pieces=wire.answer, headers=headers))
    assert (reading.text, reading.reason) == ("Hello", "completed")
    other = Act(pieces=[b'{"ok": true}'], headers=headers)
    reading = await answer_to(build, other)
    assert isinstance(reading.error, ModelError)
    assert TITLE in str(reading.error)


async def test_a_page_in_place_of_an_answer(wire: Format, build: Build) -> None:
    page = b"<!doctype html>\n<title>Sign in: please</title>"
    headers = (("Content-Type", "text/html"),)
    reading = await answer_to(build, Act(pieces=[page], headers=headers))
    assert "web page" in str(reading.error)
    assert TITLE in str(reading.error)


async def test_a_redirect_is_refused(wire: Format, build: Build) -> None:
    """The other host is not asked, so it sees neither key nor code."""
    async with serving(Act(pieces=wire.answer)) as other:
        target = f"http://localhost:{other.port}/v1/other"
        redirect = Act(status=307, headers=(("Location", target),))
        async with serving(redirect) as server:
            model = build(server)
            error = (await ask(model)).error
            await model.aclose()
    assert str(error) == (
        f"The server of model {TITLE} redirects to localhost, another host; neither "
        "key nor code was sent there."
    )
    assert not other.asked
    assert len(server.asked) == 1


async def test_the_connection_is_kept(wire: Format, build: Build) -> None:
    """A second request pays no handshake."""
    n_connections = 0
    async with serving(Act(pieces=wire.answer)) as server:
        inner = server.answer

        async def count(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            nonlocal n_connections
            n_connections += 1
            await inner(reader, writer)

        listener = await asyncio.start_server(count, "127.0.0.1", 0)
        server.port = listener.sockets[0].getsockname()[1]
        async with listener:
            model = build(server)
            for _ in range(3):
                assert (await ask(model)).text == "Hello"
            await model.aclose()
    assert n_connections == 1


async def test_a_reading_is_closed_with_its_model(wire: Format, build: Build) -> None:
    async with serving(Act(pieces=wire.answer[:1], then="hold")) as server:
        model = build(server)
        async with model.start(REQUEST) as generation:
            await until(lambda: bool(server.asked))
            await model.aclose()
            assert (await read(generation)).reason == "failed"
