"""Background responses: nothing of an answer is lost or doubled by any failure."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from tests.models.kept_server import RESPONSE_ID, KeptServer, Refusal
from tests.models.model_server import Event, answer_events
from tests.models.reader import Reading, read, request_for, until

from redline.errors import (
    AuthenticationError,
    ModelServerError,
    ModelStalledError,
    ModelUnavailableError,
    RateLimitedError,
    ResponseLostError,
)
from redline.models.build import build_model
from redline.models.http import background_stream, response_retrieval
from redline.models.interface import (
    Delta,
    Generation,
    GenerationRequest,
    Model,
    Restart,
    ResumeRequest,
)
from redline.prompts.message import JsonSchema
from redline.settings.tree import LimitSettings, ModelSettings
from redline.wire.failure import MAX_WAIT_S

HELLO = answer_events(RESPONSE_ID, ["Hel", "lo", ", you"])
TEXT = "Hello, you"

Build = Callable[..., Model]


@pytest.fixture
async def server() -> AsyncIterator[KeptServer]:
    """A server that stores the whole answer."""
    kept = KeptServer(events=list(HELLO))
    await kept.listen()
    yield kept
    await kept.aclose()
    this = asyncio.current_task()
    assert not {task for task in asyncio.all_tasks() if task is not this}
    gc.collect(1)


@pytest.fixture
async def build(server: KeptServer) -> AsyncIterator[Build]:
    """Build models of the server: of one process, and of the next."""
    models: list[Model] = []

    def start(**more: Any) -> Model:
        limits = {
            name: more.pop(name)
            for name in ("connect_s", "first_delta_s", "stall_s")
            if name in more
        }
        fields = {
            "api": "responses-http",
            "url": server.url,
            "name": "m",
            "background": True,
            **more,
        }
        settings = ModelSettings(**fields)
        model = build_model("deep", settings, LimitSettings(**limits), environ={})
        models.append(model)
        return model

    yield start
    for model in models:
        await model.aclose()


def background(**more: Any) -> GenerationRequest:
    """Write a request for a background response."""
    prompt = request_for("hi").prompt
    return GenerationRequest(prompt=prompt, background=True, **more)


async def ask(model: Model, **more: Any) -> Reading:
    """Run one generation to its end."""
    async with asyncio.timeout(30), model.start(background(**more)) as generation:
        return await read(generation)


async def go_on(model: Model, response_id: str = RESPONSE_ID, **more: Any) -> Reading:
    """Resume a response until its end."""
    request = ResumeRequest(response_id=response_id, **more)
    async with asyncio.timeout(30), model.resume(request) as generation:
        return await read(generation)


def texts_up_to(index: int) -> str:
    """What the first events of HELLO say."""
    return "".join(event.get("delta", "") for event in HELLO[:index])


def ended(status: str, **fields: Any) -> list[Event]:
    """Write the only event of a response that ends so."""
    return [{"type": f"response.{status}", "response": fields}]


async def take_text(generation: Generation, n_chars: int) -> str:
    """Read a given part of an answer."""
    text = ""
    while len(text) < n_chars:
        event = await anext(aiter(generation))
        assert isinstance(event, Delta)
        text += event.text
    return text


async def test_the_request(server: KeptServer, build: Build) -> None:
    """It asks for a stored background response and a stream."""
    begun: list[str] = []
    reading = await ask(build(), on_begun=begun.append)
    assert (reading.text, reading.reason) == (TEXT, "completed")
    assert reading.finish is not None
    assert reading.finish.sequence_number == len(HELLO) - 1
    assert begun == [RESPONSE_ID]
    (call,) = server.calls
    assert call.body is not None
    asked = {name: call.body[name] for name in ("background", "stream", "store")}
    assert asked == {"background": True, "stream": True, "store": True}


async def test_a_model_that_keeps_nothing(server: KeptServer, build: Build) -> None:
    """It generates as usual, and nothing is stored."""
    model = build(background=False)
    assert not model.describe().keeps_background
    assert (await ask(model)).text == TEXT
    (call,) = server.calls
    assert call.body is not None
    assert call.body["store"] is False
    assert "background" not in call.body


@pytest.mark.parametrize("is_kept", [True, False, None])
async def test_a_server_that_is_not_known_is_asked_once(
    server: KeptServer, build: Build, is_kept: bool | None
) -> None:
    """Its answer to the first request says whether it keeps responses."""
    if is_kept is not None:
        server.events[0] = {
            "type": "response.created",
            "response": {"id": RESPONSE_ID, "background": is_kept},
        }
    model = build(background=None)
    assert "background" not in model.describe().can
    for _ in range(2):
        assert (await ask(model)).text == TEXT
    assert model.describe().keeps_background is bool(is_kept)
    bodies = [call.body or {} for call in server.named("create")]
    assert [body.get("background") for body in bodies] == [True, is_kept or None]
    assert [body["store"] for body in bodies] == [True, bool(is_kept)]
    await model.aclose()
    # It may have stored the response without working in the background.
    assert [call.path for call in server.named("delete")] == (
        [] if is_kept else [f"/{RESPONSE_ID}"]
    )
    assert not server.named("cancel")


@pytest.mark.parametrize("how", ["stopped", "closed"])
async def test_an_answer_of_a_server_without_background_that_is_given_up(
    how: str, server: KeptServer, build: Build
) -> None:
    """It is discarded once, since nobody can resume it."""
    server.events = HELLO[:6]
    model = build(background=None)
    async with model.start(background()) as generation:
        await take_text(generation, 5)
        if how == "stopped":
            generation.stop()
        else:
            await model.aclose()
    await model.aclose()
    names = [call.name for call in server.calls]
    assert names == ["create", "cancel", "delete"]


async def test_a_server_that_refuses_the_background_is_asked_without(
    server: KeptServer, build: Build
) -> None:
    """As vLLM without a store does; later requests do not try it again."""
    said = b'{"error":{"message":"This engine does not support the background mode."}}'
    server.refusals = {"create": [(400, {}, said)]}
    model = build(background=None)
    for _ in range(2):
        assert (await ask(model)).text == TEXT
    assert not model.describe().keeps_background
    bodies = [call.body or {} for call in server.named("create")]
    assert [body.get("background") for body in bodies] == [True, None, None]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error":{"message":"Out of luck."}}', "Out of luck."),
        (b"<html>Log in</html>", "web page"),
        (b"{}", "unreadable"),
    ],
)
async def test_a_success_without_a_stream_is_a_failure(
    server: KeptServer, build: Build, body: bytes, said: str
) -> None:
    """The user reads what the server says."""
    server.refusals = {"create": [(200, {}, body)]}
    error = (await ask(build())).error
    assert isinstance(error, ModelServerError)
    assert said in str(error)


async def test_a_response_instead_of_a_stream_is_followed(
    server: KeptServer, build: Build
) -> None:
    """Some servers do not stream what works in the background."""
    created = json.dumps({"id": RESPONSE_ID, "status": "queued"}).encode()
    server.refusals = {"create": [(200, {}, created)]}
    server.status = "completed"
    assert (await ask(build())).text == TEXT
    assert [call.name for call in server.calls] == ["create", "poll"]


async def test_a_model_on_a_socket_works_in_the_background_over_http(
    server: KeptServer, build: Build
) -> None:
    """The socket knows no background responses; the same address over HTTP does."""
    url = server.url.replace("http", "ws", 1)
    model = build(api="responses-socket", url=url)
    assert model.describe().keeps_background
    assert (await ask(model)).text == TEXT
    assert (await go_on(model)).text == TEXT
    await model.cancel(RESPONSE_ID)
    await model.forget(RESPONSE_ID)
    names = [call.name for call in server.calls]
    assert names == ["create", "poll", "stream", "cancel", "delete"]


# Cuts.


@pytest.mark.parametrize("status", ["in_progress", "completed"])
@pytest.mark.parametrize("index", range(len(HELLO) + 1))
async def test_cut_at_every_event(
    server: KeptServer, build: Build, index: int, status: str
) -> None:
    """The stream is resumed, or its end fetched; the reader does not notice."""
    server.cuts, server.status = [index], status
    reading = await ask(build())
    assert (reading.text, reading.reason) == (TEXT, "completed")
    assert reading.n_restarts == 0
    # Without an id there is nothing to take up.
    assert len(server.named("create")) == (2 if index == 0 else 1)
    assert len(server.named("stream")) == (
        status == "in_progress" and 0 < index < len(HELLO)
    )


async def test_cut_after_every_event(server: KeptServer, build: Build) -> None:
    """It is resumed after every break, while the response runs."""
    server.cuts = [1] * len(HELLO)
    reading = await ask(build())
    assert (reading.text, reading.n_restarts) == (TEXT, 0)
    after = [call.query["starting_after"] for call in server.named("stream")]
    assert after == [str(number) for number in range(len(HELLO) - 1)]


async def test_a_server_that_begins_anew(server: KeptServer, build: Build) -> None:
    """Known events are skipped."""
    server.cuts, server.is_deaf = [6], True
    reading = await ask(build())
    assert (reading.text, reading.n_restarts) == (TEXT, 0)


async def test_a_server_that_numbers_nothing(server: KeptServer, build: Build) -> None:
    """The last event is unknown: the rest comes at the end."""
    server.cuts, server.is_numbered, server.status = [6], False, "completed"
    reading = await ask(build())
    assert (reading.text, reading.n_restarts) == (TEXT, 0)
    assert not server.named("stream")


async def test_a_server_that_streams_only_once(
    server: KeptServer, build: Build
) -> None:
    """It is polled until the response has ended."""
    server.cuts = [6]
    server.refusals = {"stream": [(400, {}, b'{"error": {"message": "no"}}')]}
    async with build().start(background()) as generation:
        reading = asyncio.create_task(read(generation))
        await server.until(lambda server: len(server.named("stream")) == 1)
        await server.change(status="completed")
        assert (await reading).text == TEXT


async def test_a_server_that_sends_the_response_instead_of_a_stream(
    server: KeptServer, build: Build
) -> None:
    """It is polled, with a pause between polls."""
    server.cuts = [6]
    running = json.dumps({"id": RESPONSE_ID, "status": "in_progress"}).encode()
    server.refusals = {"stream": [(200, {}, running)] * 100}
    async with build().start(background()) as generation:
        reading = asyncio.create_task(read(generation))
        await server.until(lambda server: len(server.named("poll")) == 3)
        await server.change(status="completed")
        assert (await reading).text == TEXT
    assert len(server.named("stream")) == 1


async def test_a_state_with_each_new_stream_is_no_progress(
    server: KeptServer, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streams that bring nothing else are not opened one after the other."""
    pauses: list[int] = []

    def pause_s(n_failures: int, *, random: Callable[[], float]) -> float:
        pauses.append(n_failures)
        return 0.0

    monkeypatch.setattr(background_stream, "backoff_s", pause_s)
    state = {"type": "response.in_progress", "response": {"id": RESPONSE_ID}}
    server.events = [HELLO[0], state, state, state, *HELLO[1:]]
    server.cuts = [1, 1, 1, 1]
    assert (await ask(build())).text == TEXT
    assert len(pauses) == 4


async def test_a_stream_that_says_nothing_is_cut_by_the_limit(
    server: KeptServer, build: Build
) -> None:
    """Silence is bounded; the response continues, and can be resumed."""
    server.events = HELLO[:1]
    model = build()
    # On a busy machine the id may take a while; without it the response is cancelled.
    reading = await ask(model, first_delta_s=1.0, stall_s=1.0)
    assert type(reading.error) is ModelStalledError
    await server.tell(*HELLO[1:])
    assert (await go_on(model)).text == TEXT
    assert not server.named("cancel")


@pytest.mark.parametrize(
    "refusal",
    [(500, {}, b""), (503, {"retry-after": "0"}, b""), (429, {}, b"")],
    ids=lambda refusal: str(refusal[0]),
)
async def test_trouble_that_passes(
    server: KeptServer, build: Build, refusal: Refusal
) -> None:
    """A server that cannot report the state is polled again."""
    server.cuts, server.refusals = [6], {"poll": [refusal]}
    assert (await ask(build())).text == TEXT
    assert len(server.named("poll")) == 2


async def test_a_form_that_the_server_refuses(server: KeptServer, build: Build) -> None:
    """It is asked again without; the refusal is an HTTP answer here."""
    said = b'{"error": {"message": "no json_schema here"}}'
    server.refusals = {"create": [(400, {}, said)]}
    form = JsonSchema(name="findings", schema={"type": "object"})
    assert (await ask(build(), text_format=form)).text == TEXT
    bodies = [call.body or {} for call in server.calls]
    assert ["text" in body for body in bodies] == [True, False]


async def test_trouble_that_does_not_pass(server: KeptServer, build: Build) -> None:
    """A key that is refused is reported at once."""
    server.cuts, server.refusals = [6], {"poll": [(401, {}, b"")]}
    reading = await ask(build())
    assert type(reading.error) is AuthenticationError
    assert reading.text == texts_up_to(6)


async def test_retry_after_reaches_the_caller(server: KeptServer, build: Build) -> None:
    """A refused creation says when to retry, also by a date."""
    headers = {"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}
    server.refusals = {
        "create": [(429, {"retry-after": "7"}, b""), (503, headers, b"")]
    }
    model = build()
    first, second = (await ask(model)).error, (await ask(model)).error
    assert isinstance(first, RateLimitedError)
    assert first.retry_after_s == 7.0
    assert isinstance(second, ModelServerError)
    assert second.retry_after_s == MAX_WAIT_S


async def test_the_server_goes_and_comes_back(server: KeptServer, build: Build) -> None:
    """It is polled until it is reachable again."""
    server.events = HELLO[:6]
    async with build().start(background()) as generation:
        assert await take_text(generation, 5) == texts_up_to(6)
        assert server.listener is not None
        server.listener.close()
        for writer in list(server.writers):
            writer.transport.abort()
        await server.listen()
        await server.tell(*HELLO[6:])
        assert texts_up_to(6) + (await read(generation)).text == TEXT


async def test_the_server_stays_away(server: KeptServer, build: Build) -> None:
    """The error says what is wrong, not only that it took too long."""
    server.events = HELLO[:6]
    async with build(stall_s=0.1, first_delta_s=0.1).start(background()) as generation:
        await take_text(generation, 5)
        assert server.listener is not None
        server.listener.close()
        for writer in list(server.writers):
            writer.transport.abort()
        reading = await read(generation)
    assert type(reading.error) is ModelUnavailableError


# Another process.


@pytest.mark.parametrize("knows_text", [True, False])
@pytest.mark.parametrize("index", range(1, len(HELLO)))
async def test_resumed_after_every_event(
    server: KeptServer, build: Build, index: int, knows_text: bool
) -> None:
    """The text read before and after the break is the answer, once."""
    server.events = HELLO[:index]
    begun = asyncio.Event()
    first = build()
    request = background(on_begun=lambda _: begun.set())
    async with first.start(request) as generation:
        await begun.wait()
        text = await take_text(generation, len(texts_up_to(index)))
        response_id, number = generation.response_id, generation.sequence_number
    await first.aclose()
    assert response_id == RESPONSE_ID
    assert not server.named("cancel")
    await server.tell(*HELLO[index:])
    known = text if knows_text else None
    rest = await go_on(build(), starting_after=number, text=known)
    assert rest.reason == "completed"
    if knows_text or number is None:
        assert (text + rest.text, rest.n_restarts) == (TEXT, 0)
    else:
        assert (rest.text, rest.n_restarts) == (TEXT, 1)


async def test_resumed_without_a_number(server: KeptServer, build: Build) -> None:
    """The answer starts again, and the reader's text is void."""
    request = ResumeRequest(response_id=RESPONSE_ID, text="Hel")
    async with build().resume(request) as generation:
        assert await anext(aiter(generation)) == Restart()
        assert (await read(generation)).text == TEXT


async def test_the_number_is_that_of_what_was_taken(
    server: KeptServer, build: Build
) -> None:
    """Events that have come and were not read are not counted."""
    thinking = {"type": "response.reasoning_text.delta", "delta": "hm"}
    server.events = [*HELLO[:4], thinking, *HELLO[4:5]]
    begun = asyncio.Event()
    request = background(on_begun=lambda _: begun.set())
    async with build().start(request) as generation:
        await begun.wait()
        events = aiter(generation)
        taken = await anext(events)
        assert isinstance(taken, Delta)
        assert (taken.kind, generation.sequence_number) == ("reasoning", 4)
        taken = await anext(events)
        assert isinstance(taken, Delta)
        assert (taken.kind, generation.sequence_number) == ("text", 5)


async def test_resumed_when_it_has_ended(server: KeptServer, build: Build) -> None:
    """One request fetches the rest."""
    server.status = "completed"
    reading = await go_on(build(), starting_after=4, text="Hel")
    assert (reading.text, reading.reason) == ("lo, you", "completed")
    assert reading.finish is not None
    assert reading.finish.usage is not None
    assert [call.name for call in server.calls] == ["poll"]


async def test_resumed_when_it_was_cancelled(server: KeptServer, build: Build) -> None:
    """A cancelled response is not a failure."""
    server.status = "cancelled"
    assert (await go_on(build())).reason == "stopped"


async def test_resumed_when_it_has_failed(server: KeptServer, build: Build) -> None:
    """The provider's reason is reported."""
    server.status = "failed"
    server.events = ended("failed", error={"code": "server_error", "message": "Oops."})
    reading = await go_on(build())
    assert type(reading.error) is ModelServerError
    assert "Oops." in str(reading.error)


async def test_resumed_at_its_limit(server: KeptServer, build: Build) -> None:
    """An answer that was cut short by its limit says so."""
    server.status = "incomplete"
    details = {"reason": "max_output_tokens"}
    server.events = ended("incomplete", incomplete_details=details)
    assert (await go_on(build())).reason == "length"


async def test_a_state_nobody_knows(server: KeptServer, build: Build) -> None:
    """It is reported, not waited for."""
    server.status = "evaporated"
    assert type((await go_on(build())).error) is ModelServerError
    assert len(server.calls) == 1


async def test_an_answer_that_is_none(server: KeptServer, build: Build) -> None:
    """A page of something else is reported, not asked for again."""
    server.refusals = {"poll": [(200, {}, b"<html>")]}
    assert type((await go_on(build())).error) is ModelServerError
    assert len(server.calls) == 1


@pytest.mark.parametrize("status", [404, 410])
async def test_a_response_that_is_not_there(
    server: KeptServer, build: Build, status: int
) -> None:
    """A lost id is an error of its own, so that the caller can ask again."""
    server.refusals = {"poll": [(status, {}, b"")]}
    reading = await go_on(build())
    assert type(reading.error) is ResponseLostError
    assert RESPONSE_ID in str(reading.error)
    assert reading.error.remedy


@pytest.mark.parametrize("response_id", ["", "..", "a/b", "a?b", "a\r\nb", "x" * 600])
async def test_an_id_that_is_none(
    server: KeptServer, build: Build, response_id: str
) -> None:
    """An id that is not safe in a URL is not sent."""
    reading = await go_on(build(), response_id)
    assert type(reading.error) is ResponseLostError
    assert not server.calls


async def test_resume_without_background(server: KeptServer, build: Build) -> None:
    """The embedded gateway and unusable models have nothing to resume."""
    model = build(api="responses-socket", url="ws://example.com/v1/responses")
    assert (await go_on(model)).reason == "failed"
    assert not server.calls


async def test_events_that_are_repeated_without_end(
    server: KeptServer, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They count for no other limit: they are neither silence nor text."""
    monkeypatch.setattr(background_stream, "MAX_EVENTS_ASIDE", 100)
    read_before = {**HELLO[3], "sequence_number": 1}
    server.events = [*HELLO[:3], *[read_before] * 200]
    server.is_numbered = False
    for at, event in enumerate(server.events[:3]):
        server.events[at] = {**event, "sequence_number": at}
    error = (await ask(build())).error
    assert type(error) is ModelServerError


# Stopping.


async def test_stop_discards(server: KeptServer, build: Build) -> None:
    """A stop ends the work at the provider too, which forgets the answer."""
    server.events = HELLO[:6]
    async with build().start(background()) as generation:
        await take_text(generation, 5)
        generation.stop()
        assert (await read(generation)).reason == "stopped"
    await server.until(lambda server: bool(server.named("delete")))
    assert server.named("cancel")[0].path == f"/{RESPONSE_ID}/cancel"
    assert server.named("delete")[0].path == f"/{RESPONSE_ID}"


@pytest.mark.parametrize("how", ["stopped", "left", "failed", "closed"])
async def test_an_answer_that_is_given_up_before_it_has_an_id_is_discarded(
    how: str, server: KeptServer, build: Build
) -> None:
    """Its id is waited for: nobody else will know it."""
    server.holds_creation = True
    first_delta_s = 0.05 if how == "failed" else 10.0
    model = build()
    async with model.start(background(first_delta_s=first_delta_s)) as generation:
        await server.until(lambda server: len(server.calls) == 1)
        await until(lambda: generation.timing.sent is not None)
        if how == "stopped":
            generation.stop()
        if how == "failed":
            assert type((await read(generation)).error) is ModelStalledError
    closing = asyncio.create_task(model.aclose()) if how == "closed" else None
    await server.change(holds_creation=False, events=HELLO[:6])
    await server.until(lambda server: bool(server.named("delete")))
    assert server.status == "cancelled"
    if closing is not None:
        await closing


async def test_an_answer_whose_id_does_not_come_before_the_end_is_logged(
    server: KeptServer,
    build: Build,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The provider may keep it."""
    monkeypatch.setattr(response_retrieval, "_DISCARD_LIMIT_S", 0.01)
    server.holds_creation = True
    model = build()
    async with model.start(background()) as generation:
        await server.until(lambda server: len(server.calls) == 1)
        await until(lambda: generation.timing.sent is not None)
    await model.aclose()
    assert "its id did not come" in caplog.text


async def test_stop_of_a_resumed_one(server: KeptServer, build: Build) -> None:
    """Its id is known from the start."""
    server.events = HELLO[:6]
    request = ResumeRequest(response_id=RESPONSE_ID)
    async with build().resume(request) as generation:
        generation.stop()
    await server.until(lambda server: server.status == "cancelled")


async def test_leaving_lets_it_go_on(server: KeptServer, build: Build) -> None:
    """A server that ends does not take the review with it."""
    server.events = HELLO[:6]
    model = build()
    async with model.start(background()) as generation:
        await take_text(generation, 5)
    assert (await read(generation)).reason == "stopped"
    async with model.start(background()) as generation:
        await take_text(generation, 5)
        await model.aclose()
        assert type((await read(generation)).error) is ModelUnavailableError
    assert {call.name for call in server.calls} == {"create"}


async def test_cancel_and_forget(server: KeptServer, build: Build) -> None:
    """Both accept a deleted response, and fail with a reason."""
    model = build()
    await model.cancel(RESPONSE_ID)
    await model.forget(RESPONSE_ID)
    gone: Refusal = (404, {}, b"")
    broken: Refusal = (500, {}, b"")
    server.refusals = {"cancel": [gone, broken], "delete": [gone, broken]}
    await model.cancel(RESPONSE_ID)
    await model.forget(RESPONSE_ID)
    with pytest.raises(ModelServerError):
        await model.cancel(RESPONSE_ID)
    with pytest.raises(ModelServerError):
        await model.forget(RESPONSE_ID)
    names = [call.name for call in server.calls]
    assert names == ["cancel", "delete"] * 3


async def test_a_cancel_that_fails_is_logged(
    server: KeptServer, build: Build, caplog: pytest.LogCaptureFixture
) -> None:
    """No caller waits for it, so it is logged."""
    server.events = HELLO[:6]
    server.refusals = {name: [(500, {}, b"")] for name in ("cancel", "delete")}
    model = build()
    async with model.start(background()) as generation:
        await take_text(generation, 5)
        generation.stop()
    await model.aclose()
    assert f"response {RESPONSE_ID} goes on" in caplog.text
    assert f"response {RESPONSE_ID} stays there" in caplog.text


async def test_a_restart_is_numbered_too(server: KeptServer, build: Build) -> None:
    """A text that the provider corrects is resumed after the correction."""
    final = {**HELLO[-1]["response"], "output": []}
    done = {
        "type": "response.output_text.done",
        "output_index": 0,
        "content_index": 0,
        "text": "Bye",
    }
    server.events = [*HELLO[:5], done]
    async with build().start(background()) as generation:
        events = aiter(generation)
        taken = await anext(events)
        if isinstance(taken, Delta):
            taken = await anext(events)
        assert taken == Restart("Bye")
        assert generation.sequence_number == 5
    await server.tell({"type": "response.completed", "response": final})
    rest = await go_on(build(), starting_after=5, text="Bye")
    assert (rest.text, rest.n_restarts) == ("", 0)
