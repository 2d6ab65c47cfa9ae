"""Retries are bounded, and a stored answer is never paid for twice."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest
from tests.assist.fake_model import FakeModel
from tests.assist.virtual_time import VirtualTimeLoop

from redline.assist.review.job.model_client import (
    MAX_PAUSE_S,
    AnswerMark,
    AskOptions,
    ModelAnswer,
    ask,
    cancel_answer,
    delete_answer,
)
from redline.errors import (
    AuthenticationError,
    HeldBackError,
    ModelCutError,
    ModelError,
    ModelRejectedError,
    ModelServerError,
    ModelStalledError,
    RateLimitedError,
    RedlineError,
    ResponseLostError,
    StoreUnavailableError,
)
from redline.models.interface import GenerationRequest
from redline.prompts.message import ChatMessage, Prompt
from redline.settings.review_settings import ReviewSettings

REQUEST = GenerationRequest(
    prompt=Prompt(
        instructions="Say it.", chat_messages=(ChatMessage(role="user", text="Now."),)
    ),
    background=True,
)

_T = TypeVar("_T")


@dataclass
class Heard:
    """A listener that records what it receives."""

    said: list[str] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)
    refuses: Exception | None = None

    async def begins(self, mark: AnswerMark) -> None:
        self.said.append("|")

    async def gets_id(self, mark: AnswerMark) -> None:
        if self.refuses is not None:
            raise self.refuses
        self.names.append(mark.response_id)

    async def continues(self, delta: str, mark: AnswerMark) -> None:
        assert mark.text.endswith(delta)
        self.said.append(delta)

    @property
    def text(self) -> str:
        return "".join(self.said)


class Desk:
    """A client of a fake model, with a clock that advances by itself."""

    def __init__(self) -> None:
        self.model = FakeModel()
        self.heard = Heard()
        self.pauses: list[float] = []
        self.settings = ReviewSettings(retries=3)
        self.n_checks = 0
        self.is_excluded = False

    async def _check_files(self) -> None:
        self.n_checks += 1
        if self.is_excluded:
            raise HeldBackError("a.py is not sent to a model any more: it is ignored.")

    def ask(self, mark: AnswerMark | None = None) -> Coroutine[Any, Any, ModelAnswer]:
        how = AskOptions(
            settings=self.settings,
            random=lambda: 0.0,
            check_files=self._check_files,
            on_pause=lambda error, pause_s: self.pauses.append(pause_s),
        )
        return ask(self.model, REQUEST, self.heard, how, mark=mark)


def run(script: Callable[[Desk, asyncio.TaskGroup], Awaitable[_T]]) -> _T:
    """Run a client against a script."""

    async def play() -> _T:
        async with asyncio.TaskGroup() as group:
            return await script(Desk(), group)

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(play())


def test_an_answer_is_heard_as_it_comes() -> None:
    async def script(sink: Desk, group: asyncio.TaskGroup) -> None:
        asked = group.create_task(sink.ask())
        generation = await sink.model.generation()
        generation.write("One. ", "Two.")
        generation.write("Hm.", kind="reasoning")
        generation.finish()
        assert (await asked).reason == "completed"
        assert sink.heard.text == "|One. Two."
        assert generation.request.stall_s == sink.settings.stall_s
        assert sink.model.n_running == 0

    run(script)


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (ModelCutError("cut"), "Review it again."),
        (
            ModelStalledError("stalled", remedy="Raise `limits.first_delta_s`."),
            "Review it again, or raise `review.stall_s`.",
        ),
        (ModelServerError("failed"), ModelServerError.remedy),
    ],
)
def test_what_is_advised_is_about_reviews(error: ModelError, remedy: str) -> None:
    """The remedies do not name edits or their limits."""

    async def script(sink: Desk, group: asyncio.TaskGroup) -> None:
        sink.settings = ReviewSettings(retries=0)
        asked = group.create_task(_raised(sink.ask()))
        (await sink.model.generation()).fail(error)
        assert await asked is error
        assert error.remedy == remedy

    run(script)


@pytest.mark.parametrize(
    ("error", "pause_s"),
    [
        (RateLimitedError("busy", retry_after_s=4.0), 4.0),
        (RateLimitedError("busy"), 0.375),
        (ModelServerError("failed", status=503), 0.375),
        (ModelServerError("failed", retry_after_s=0.0), 0.0),
        (ModelCutError("cut"), 0.375),
        (ResponseLostError("lost"), 0.0),
    ],
)
def test_what_passes_is_waited_for(error: ModelError, pause_s: float) -> None:
    async def script(sink: Desk, group: asyncio.TaskGroup) -> None:
        asked = group.create_task(sink.ask())
        (await sink.model.generation()).fail(error)
        (await sink.model.generation(1)).reply("Here.")
        await asked
        assert sink.pauses == [pause_s]
        assert sink.heard.text == "||Here."

    run(script)


def test_nothing_is_sent_again_of_a_file_that_is_excluded_by_then() -> None:
    async def script(sink: Desk, group: asyncio.TaskGroup) -> None:
        asked = group.create_task(_raised(sink.ask()))
        generation = await sink.model.generation()
        sink.is_excluded = True
        generation.fail(ModelServerError("failed"))
        assert isinstance(await asked, HeldBackError)
        assert sink.n_checks == 2
        assert sink.model.n_running == 0

    run(script)


def test_pauses_grow_and_end() -> None:
    async def script(sink: Desk, group: asyncio.TaskGroup) -> None:
        asked = group.create_task(_raised(sink.ask()))
        for n in range(4):
            (await sink.model.generation(n)).fail(ModelServerError(f"failed {n}"))
        assert str(await asked) == "failed 3"
        assert sink.pauses == [0.375, 0.75, 1.5]

    run(script)


@pytest.mark.parametrize(
    "error",
    [
        AuthenticationError("no such key"),
        ModelRejectedError("too long"),
        RateLimitedError("tomorrow", retry_after_s=MAX_PAUSE_S + 1),
        RateLimitedError("never", may_retry=False),
    ],
)
def test_what_does_not_pass_ends_it(error: ModelError) -> None:
    async def script(sink: Desk, group: asyncio.TaskGroup) -> None:
        asked = group.create_task(_raised(sink.ask()))
        (await sink.model.generation()).fail(error)
        assert await asked is error
        assert sink.pauses == []

    run(script)


def test_a_refusal_says_why() -> None:
    async def script(sink: Desk, group: asyncio.TaskGroup) -> None:
        asked = group.create_task(_raised(sink.ask()))
        generation = await sink.model.generation()
        generation.write("I will not.", kind="refusal")
        generation.finish()
        assert str(await asked) == "Model fake did not answer: I will not."

    run(script)


def test_an_answer_that_takes_too_long_is_called_off() -> None:
    async def script(sink: Desk, group: asyncio.TaskGroup) -> None:
        sink.model.keeps_background = True
        asked = group.create_task(_raised(sink.ask()))
        generation = await sink.model.generation()
        assert generation.request.on_begun is not None
        generation.request.on_begun("resp_1")
        error = await asked
        assert "within 600 s" in str(error)
        assert "review.timeout_s" in error.remedy
        assert sink.model.cancelled == ["resp_1"]
        assert sink.model.n_running == 0

    run(script)


def test_a_kept_answer_is_gone_on_with_after_a_cut() -> None:
    async def script(sink: Desk, group: asyncio.TaskGroup) -> None:
        sink.model.keeps_background = True
        asked = group.create_task(sink.ask())
        generation = await sink.model.generation()
        assert generation.request.on_begun is not None
        generation.request.on_begun("resp_1")
        generation.response_id, generation.sequence_number = "resp_1", 7
        generation.write("One. ")
        generation.fail(ModelCutError("cut"))
        (await sink.model.generation(1)).reply("Two.")
        await asked
        assert sink.heard.names == ["resp_1"]
        assert sink.model.resumed == [("resp_1", 7, "One. ")]
        assert sink.heard.text == "|One. Two."

    run(script)


@pytest.mark.parametrize(
    ("errors", "n_calls", "is_logged", "is_over"),
    [
        ([], 1, False, True),
        ([ModelServerError("500")], 2, False, True),
        ([ModelServerError("500"), ModelCutError("cut")], 2, True, False),
        ([AuthenticationError("401")], 1, True, False),
        ([ModelRejectedError("405")], 1, True, True),
    ],
)
def test_an_answer_is_cancelled_and_deleted_if_need_be_at_the_second_try(
    errors: list[Exception],
    n_calls: int,
    is_logged: bool,
    is_over: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The log names what may have stayed at the provider."""

    async def script(sink: Desk, group: asyncio.TaskGroup) -> None:
        sink.model.keeps_background = True
        mark = AnswerMark(model="fake", response_id="resp_1")
        for call in (cancel_answer, delete_answer):
            sink.model.call_errors = list(errors)
            assert await call(sink.model, mark) == is_over
        assert sink.model.cancelled == ["resp_1"] * n_calls
        assert sink.model.forgotten == ["resp_1"] * n_calls

    run(script)
    assert ("the answer resp_1 could not be cancelled" in caplog.text) == is_logged
    assert ("the answer resp_1 could not be deleted" in caplog.text) == is_logged


@pytest.mark.parametrize(
    "error", [ResponseLostError("lost"), ModelServerError("response.failed")]
)
def test_a_kept_answer_that_is_no_use_is_asked_for_anew(error: ModelError) -> None:
    async def script(sink: Desk, group: asyncio.TaskGroup) -> None:
        sink.model.keeps_background = True
        mark = AnswerMark(
            model="fake", text="One. ", response_id="resp_1", sequence_number=7
        )
        asked = group.create_task(sink.ask(mark))
        (await sink.model.generation()).fail(error)
        (await sink.model.generation(1)).reply("One. Two.")
        await asked
        assert sink.model.resumed == [("resp_1", 7, "One. ")]
        assert sink.heard.text == "|One. Two."

    run(script)


@pytest.mark.parametrize(
    ("mark", "keeps"),
    [
        (AnswerMark(model="another", text="One. ", response_id="resp_1"), True),
        (AnswerMark(model="fake", text="One. "), True),
        (AnswerMark(model="fake", text="One. ", response_id="resp_1"), False),
    ],
)
def test_what_is_not_kept_is_asked_for_anew(mark: AnswerMark, keeps: bool) -> None:
    async def script(sink: Desk, group: asyncio.TaskGroup) -> None:
        sink.model.keeps_background = keeps
        asked = group.create_task(sink.ask(mark))
        (await sink.model.generation()).reply("One. Two.")
        await asked
        assert sink.model.resumed == []
        assert sink.heard.text == "|One. Two."

    run(script)


def test_an_answer_that_begins_again_is_heard_again() -> None:
    async def script(sink: Desk, group: asyncio.TaskGroup) -> None:
        asked = group.create_task(sink.ask())
        generation = await sink.model.generation()
        generation.write("Wrong.")
        await asyncio.sleep(0.001)
        generation.restart("Right")
        generation.write(".")
        generation.finish("length")
        assert (await asked).reason == "length"
        assert sink.heard.text == "|Wrong.|Right."

    run(script)


def test_a_name_that_cannot_be_stored_ends_it() -> None:
    async def script(sink: Desk, group: asyncio.TaskGroup) -> None:
        sink.heard.refuses = StoreUnavailableError("The disk is full.")
        asked = group.create_task(_raised(sink.ask()))
        generation = await sink.model.generation()
        assert generation.request.on_begun is not None
        generation.request.on_begun("resp_1")
        assert str(await asked) == "The disk is full."
        assert sink.model.n_running == 0

    run(script)


def test_cancelling_leaves_a_kept_answer_to_go_on() -> None:
    async def script(sink: Desk, group: asyncio.TaskGroup) -> None:
        sink.model.keeps_background = True
        asked = group.create_task(sink.ask())
        generation = await sink.model.generation()
        asked.cancel()
        await asyncio.wait([asked])
        assert asked.cancelled()
        assert not generation.is_stopped
        assert sink.model.n_running == 0
        assert sink.model.cancelled == []

    run(script)


async def _raised(asked: Coroutine[Any, Any, ModelAnswer]) -> RedlineError:
    try:
        await asked
    except RedlineError as error:
        return error
    raise AssertionError("there was an answer")
