"""The rules engine behind the gateway; the rules have tests of their own."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from redline.daemon_thread import in_daemon_thread
from redline.findings.answer_stream import FindingStream
from redline.findings.parts import Excerpt
from redline.gateway.engines.rules import (
    EDIT_GIVEN_UP,
    NOT_AN_EDIT,
    RulesEngine,
)
from redline.parsing.parser_pool import ParserPool
from redline.parsing.work import Work
from redline.prompts.edit import EditTask, edit_prompt
from redline.prompts.review_prompt import ReviewTask
from redline.prompts.task_data import GivenTask, encode_task
from redline.text.reply import DECLINED

if TYPE_CHECKING:
    from .conftest import Client, Gateway

Start = Callable[..., Awaitable["Gateway"]]


@pytest.fixture
def rules() -> Iterator[RulesEngine]:
    """The engine; its process ends with the test."""
    engine = RulesEngine()
    yield engine
    engine.close()


@pytest.fixture
def hasty() -> Iterator[RulesEngine]:
    """An engine that gives everything up: no rule is loaded within its limit."""
    engine = RulesEngine(ParserPool(limit_s=0.001))
    yield engine
    engine.close()


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


async def test_an_edit_is_carried_out(start: Start, rules: RulesEngine) -> None:
    client = await (await start(rules)).client()
    task = edit_of("rename `foo` to `bar`", "foo = 1\nprint(foo)\n")
    assert await ask(client, task) == "bar = 1\nprint(bar)\n"


async def test_what_is_no_edit_gets_an_honest_answer(
    start: Start, rules: RulesEngine
) -> None:
    client = await (await start(rules)).client()
    events = await client.answer("Tell me a story.")
    text = events[-1]["response"]["output"][0]["content"][0]["text"]
    assert text == NOT_AN_EDIT
    assert "not a language model" in text


async def test_prose_is_not_read_back_into_a_task(
    start: Start, rules: RulesEngine
) -> None:
    """A prompt alone is for models, and may contain any text."""
    client = await (await start(rules)).client()
    prompt = edit_prompt(edit_of("rename `foo` to `bar`", "foo = 1\n"))
    events = await client.answer(
        prompt.chat_messages[-1].text, instructions=prompt.instructions
    )
    assert events[-1]["response"]["output"][0]["content"][0]["text"] == NOT_AN_EDIT


async def test_what_is_no_task_is_refused(start: Start, rules: RulesEngine) -> None:
    client = await (await start(rules)).client()
    await client.create("Any prose.", redline_task={"edit": 1})
    (event,) = await client.until("error")
    assert event["error"]["param"] == "redline_task"


async def test_an_edit_has_a_limit_and_leaves_the_text(
    start: Start, hasty: RulesEngine
) -> None:
    client = await (await start(hasty)).client()
    task = edit_of("rename `foo` to `bar`", "foo = 1\n")
    assert await ask(client, task) == (
        f"{DECLINED} The built-in rules gave up on this file: it took longer than"
        " 0.001 s. Nothing was changed; configure a model for it."
    )


async def test_rules_that_fail_give_up(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    """The answer says so, and the log says why."""
    pool = ParserPool()
    broken: Work[EditTask, str] = Work(
        function="redline.gateway.no_rules:edit", result=str
    )
    client = await (await start(RulesEngine(pool, edit=broken))).client()
    task = data_of(edit_of("x", "y\n"))
    events = await client.answer("Any prose.", redline_task=task)
    assert events[-1]["type"] == "response.completed"
    (item,) = events[-1]["response"]["output"]
    reason = "Redline failed at it, as its log says"
    assert item["content"][0]["text"] == EDIT_GIVEN_UP.format(reason=reason)
    assert "ModuleNotFoundError" in caplog.text
    await pool.aclose()


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


async def test_a_review_is_answered_with_findings(
    start: Start, rules: RulesEngine
) -> None:
    client = await (await start(rules)).client()
    stream = FindingStream()
    claims = [*stream.feed(await ask(client, _REVIEW)), *stream.close()]
    assert [(one.rule, one.quote) for one in claims] == [("B006", "def f(a=[]):")]


async def test_a_review_that_takes_too_long_fails_and_names_the_file(
    start: Start, hasty: RulesEngine
) -> None:
    client = await (await start(hasty)).client()
    events = await client.answer("Any prose.", redline_task=data_of(_REVIEW))
    assert events[-1]["response"]["error"]["message"] == (
        "The built-in rules gave up on a.py: it took longer than 0.001 s."
        " Review it without this file."
    )
