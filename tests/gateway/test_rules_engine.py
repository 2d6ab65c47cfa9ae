"""The rules engine behind the gateway; the rules have tests of their own."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import pytest

from redline.daemon_thread import in_daemon_thread
from redline.findings.answer_stream import FindingStream
from redline.findings.parts import Excerpt
from redline.gateway.engines.rules import (
    NOT_AN_EDIT,
    REVIEW_TOOK_TOO_LONG,
    TOOK_TOO_LONG,
    RulesEngine,
)
from redline.prompts.edit import EditTask, edit_prompt
from redline.prompts.review_prompt import ReviewTask
from redline.prompts.task_data import GivenTask, encode_task

if TYPE_CHECKING:
    from .conftest import Client, Gateway

Start = Callable[..., Awaitable["Gateway"]]


def edit_of(instruction: str, target: str) -> EditTask:
    return EditTask(
        instruction=instruction,
        path="a.py",
        language="python",
        before="",
        target=target,
        after="",
    )


def data_of(task: GivenTask) -> Any:
    return json.loads(encode_task(task))


async def ask(client: Client, task: GivenTask) -> str:
    """Return the whole answer, after checking that the deltas say the same."""
    events = await client.answer("Any prose.", redline_task=data_of(task))
    (item,) = events[-1]["response"]["output"]
    text: str = item["content"][0]["text"]
    assert text == "".join(each.get("delta", "") for each in events)
    return text


async def test_an_edit_is_carried_out(start: Start) -> None:
    client = await (await start(RulesEngine())).client()
    task = edit_of("rename `foo` to `bar`", "foo = 1\nprint(foo)\n")
    assert await ask(client, task) == "bar = 1\nprint(bar)\n"


async def test_what_is_no_edit_gets_an_honest_answer(start: Start) -> None:
    client = await (await start(RulesEngine())).client()
    events = await client.answer("Tell me a story.")
    text = events[-1]["response"]["output"][0]["content"][0]["text"]
    assert text == NOT_AN_EDIT
    assert "not a language model" in text


async def test_prose_is_not_read_back_into_a_task(start: Start) -> None:
    """A prompt alone is for models, and may contain any text."""
    client = await (await start(RulesEngine())).client()
    prompt = edit_prompt(edit_of("rename `foo` to `bar`", "foo = 1\n"))
    events = await client.answer(
        prompt.chat_messages[-1].text, instructions=prompt.instructions
    )
    assert events[-1]["response"]["output"][0]["content"][0]["text"] == NOT_AN_EDIT


async def test_what_is_no_task_is_refused(start: Start) -> None:
    client = await (await start(RulesEngine())).client()
    await client.create("Any prose.", redline_task={"edit": 1})
    (event,) = await client.until("error")
    assert event["error"]["param"] == "redline_task"


async def test_an_answer_has_a_limit_and_the_loop_goes_on_meanwhile(
    start: Start,
) -> None:
    let_go = threading.Event()

    def stuck(task: EditTask) -> str:
        let_go.wait()
        return ""

    engine = RulesEngine(stuck, limit_s=0.05)
    client = await (await start(engine)).client()
    assert await ask(client, edit_of("x", "y\n")) == TOOK_TOO_LONG
    let_go.set()


async def test_rules_that_fail_are_a_failed_answer(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(task: EditTask) -> str:
        raise ZeroDivisionError

    client = await (await start(RulesEngine(broken))).client()
    task = data_of(edit_of("x", "y\n"))
    events = await client.answer("Any prose.", redline_task=task)
    assert events[-1]["type"] == "response.failed"
    assert "ZeroDivisionError" in caplog.text


async def test_work_that_is_given_up_reports_to_nobody() -> None:
    """Its result is dropped, and so is the thread: it is a daemon."""
    let_go, done = threading.Event(), threading.Event()

    def work() -> None:
        let_go.wait()
        done.set()

    waiting = asyncio.ensure_future(in_daemon_thread(work, limit_s=60.0))
    await asyncio.sleep(0)
    threads = [each for each in threading.enumerate() if each.name == "engine work"]
    assert all(each.daemon for each in threads)
    waiting.cancel()
    await asyncio.wait([waiting])
    let_go.set()
    assert done.wait(10)
    assert waiting.cancelled()


_REVIEW = ReviewTask(
    scope="all of a.py",
    excerpts=[
        Excerpt(
            path="a.py",
            language="python",
            first_line=0,
            text="def f(a=[]):\n    return a",
            is_whole=True,
            spans=((0, 2),),
        )
    ],
)


async def test_a_review_is_answered_with_findings(start: Start) -> None:
    client = await (await start(RulesEngine())).client()
    stream = FindingStream()
    claims = [*stream.feed(await ask(client, _REVIEW)), *stream.close()]
    assert [(one.rule, one.quote) for one in claims] == [("B006", "def f(a=[]):")]


async def test_a_review_that_takes_too_long_fails(start: Start) -> None:
    go_on = threading.Event()

    def review(task: ReviewTask) -> str:
        assert go_on.wait(timeout=10)
        return task.scope

    client = await (await start(RulesEngine(review=review, limit_s=0.05))).client()
    events = await client.answer("Any prose.", redline_task=data_of(_REVIEW))
    go_on.set()
    assert events[-1]["response"]["error"]["message"] == REVIEW_TOOK_TOO_LONG
