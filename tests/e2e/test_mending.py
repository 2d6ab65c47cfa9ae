"""Checked edits: repaired unseen, escalated, or held and shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio
from tests.e2e.conftest import Serve
from tests.e2e.editor_document import lines
from tests.e2e.redline_session import Redline, settings_for
from tests.e2e.scripted_model import ScriptedModel

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/prices.py"
TEXT = "def total(prices):\n    return sum(prices)\n"
GOOD = "def total(prices):\n    return sum(prices, 0)\n"
BAD = "def total(prices):\n    return sum(prices, strat)\n"
OTHER = "def total(prices):\n    return sum(prices, start=0)\n"
BROKEN = "def total(prices:\n    return sum(prices)\n"

CHECKED = {"off": [], "repair": True, "escalate": True}

Models = Callable[..., Awaitable[tuple[ScriptedModel, ScriptedModel]]]


def saying(*replies: str) -> Script:
    """Say one thing after the other, and then the last for ever."""
    *first, last = replies
    rules = tuple(
        ScriptRule(when=When(nth=number), reply=ScriptReply(text=text))
        for number, text in enumerate(first, 1)
    )
    return Script(rules=rules, otherwise=ScriptReply(text=last))


@pytest_asyncio.fixture(loop_scope="session")
async def models(redline: Redline, serve: Serve) -> AsyncIterator[Models]:
    """Give `redline` a fast and a standard tier, and have everything checked."""

    async def models(
        fast: Script, standard: Script, opinions: int = 0
    ) -> tuple[ScriptedModel, ScriptedModel]:
        one, other = await serve(fast), await serve(standard)
        settings = settings_for(one, name="quick", checks=CHECKED)
        better = settings_for(other, name="better")["models"]["better"]
        settings["models"]["better"] = better
        settings["tiers"] = {"fast": "quick", "standard": "better"}
        settings["routing"] = {"second_opinions": opinions}
        await redline.use(settings, name="quick")
        return one, other

    yield models
    await redline.editor.run_now("redline.stop", {})
    await redline.use({}, name="scripted")


async def test_a_bad_draft_is_repaired_unseen(redline: Redline, models: Models) -> None:
    """What reaches the document is good; the reasons say that it took two tries."""
    editor = redline.editor
    quick, better = await models(saying(BAD, GOOD), saying(GOOD))
    editor.open(URI, TEXT)
    outcome = await editor.result(editor.edit(URI, lines(0, 2), apply="end"))
    assert (outcome["outcome"], outcome["tier"]) == ("applied", "fast")
    assert outcome["checks"] == []
    assert any("undefined-name" in reason for reason in outcome["reasons"])
    assert editor.text(URI) == GOOD
    assert len(quick.prompts) == 2
    assert "strat" in quick.prompts[1].chat_messages[-1].text
    assert better.prompts == []


async def test_a_bad_draft_is_escalated(redline: Redline, models: Models) -> None:
    """With the reason in the result, and the draft and its problems in the prompt."""
    editor = redline.editor
    quick, better = await models(saying(BAD), saying(GOOD))
    editor.open(URI, TEXT)
    outcome = await editor.result(editor.edit(URI, lines(0, 2), apply="preview"))
    assert (outcome["outcome"], outcome["tier"]) == ("offered", "standard")
    assert any("standard tier took over" in reason for reason in outcome["reasons"])
    await editor.run_now("redline.accept", {"sessionId": outcome["sessionId"]})
    assert editor.text(URI) == GOOD
    assert len(quick.prompts) == 2
    (prompt,) = better.prompts
    assert "strat" in prompt.chat_messages[-1].text


async def test_what_nobody_mends_is_held(redline: Redline, models: Models) -> None:
    """With its problems; it enters the document only when the user accepts it."""
    editor = redline.editor
    await models(saying(BAD), saying(BAD))
    editor.open(URI, TEXT)
    outcome = await editor.result(editor.edit(URI, lines(0, 2), apply="end"))
    assert outcome["outcome"] == "held"
    (problem,) = outcome["checks"]
    assert (problem["rule"], problem["line"]) == ("undefined-name", 1)
    assert editor.text(URI) == TEXT
    await editor.run_now("redline.accept", {"sessionId": outcome["sessionId"]})
    assert editor.text(URI) == BAD


async def test_a_second_opinion_raises_an_edit(
    redline: Redline, models: Models
) -> None:
    """The fast answer, good as it looks, is only a draft then."""
    editor = redline.editor
    guarded = ScriptRule(
        when=When(contains="how hard and how dangerous"),
        reply=ScriptReply(text="fast guarded: sums what customers pay"),
    )
    script = Script(rules=(guarded,), otherwise=ScriptReply(text=OTHER))
    quick, better = await models(script, saying(GOOD), opinions=30)
    instruction = "Total what they pay exactly."
    hold = quick.hold(instruction, after=1)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, lines(0, 2), instruction, apply="preview")
    await hold.reached()
    await quick.until(lambda: quick.n("ended") == 1)
    hold.release()
    outcome = await editor.result(edit)
    assert (outcome["outcome"], outcome["tier"]) == ("offered", "standard")
    assert any("sums what customers pay" in each for each in outcome["reasons"])
    assert len(quick.prompts) == 2
    (prompt,) = better.prompts
    assert OTHER.strip() in prompt.chat_messages[-1].text


async def test_a_boundary_task_never_reaches_the_fast_tier(
    redline: Redline, models: Models
) -> None:
    """Not one frame of it."""
    editor = redline.editor
    quick, better = await models(saying(GOOD), saying(GOOD))
    editor.open(URI, TEXT)
    edit = editor.edit(URI, lines(0, 2), "Check the user's password here", apply="end")
    outcome = await editor.result(edit)
    assert (outcome["outcome"], outcome["tier"]) == ("applied", "standard")
    assert quick.prompts == []
    assert len(better.prompts) == 1


async def test_asking_for_fast_over_a_boundary(
    redline: Redline, models: Models
) -> None:
    """The user is notified, and the higher tier does it."""
    editor = redline.editor
    quick, _ = await models(saying(GOOD), saying(GOOD))
    editor.open(URI, TEXT)
    instruction = "Check the user's password here"
    edit = editor.edit(URI, lines(0, 2), instruction, apply="end", tier="fast")
    outcome = await editor.result(edit)
    assert outcome["tier"] == "standard"
    assert outcome["reasons"][0].startswith("You asked for fast, but")
    assert quick.prompts == []


async def test_a_repair_that_is_worse(redline: Redline, models: Models) -> None:
    """The first answer is held, and the state says what is wrong with that one."""
    editor = redline.editor
    await models(saying(BAD, BROKEN), saying(BROKEN))
    editor.open(URI, TEXT)
    outcome = await editor.result(
        editor.edit(URI, lines(0, 2), apply="preview", sessionId="held")
    )
    assert outcome["outcome"] == "held"
    assert [check["rule"] for check in outcome["checks"]] == ["undefined-name"]
    state = await editor.run_now("redline.editState", {"sessionId": "held"})
    (shown,) = [each for each in state["candidates"] if each["shown"]]
    assert shown["problems"] == outcome["checks"]
    numbers = [each["number"] for each in state["candidates"]]
    assert numbers == list(range(len(numbers)))
    # The worse one can be looked at, and left again.
    other = await editor.run_now("redline.nextCandidate", {"sessionId": "held"})
    (shown,) = [each for each in other["candidates"] if each["shown"]]
    assert "syntax" in [check["rule"] for check in shown["problems"]]
    await editor.run_now("redline.nextCandidate", {"sessionId": "held"})
    await editor.run_now("redline.accept", {"sessionId": "held"})
    assert editor.text(URI) == BAD


async def test_an_empty_repair(redline: Redline, models: Models) -> None:
    """What is held was not fixed, and no reason says that it was."""
    editor = redline.editor
    await models(saying(BAD, ""), saying(""))
    editor.open(URI, TEXT)
    outcome = await editor.result(editor.edit(URI, lines(0, 2), apply="preview"))
    assert outcome["outcome"] == "held"
    said = " ".join(outcome["reasons"])
    assert "asked to fix" in said
    assert "was worse" in said


async def test_the_status_names_who_wrote(redline: Redline, models: Models) -> None:
    """Its times are of the tier that the edit was sent to, not of the fast one."""
    editor = redline.editor
    await models(saying(BAD), saying(GOOD))
    editor.open(URI, TEXT)
    edit = editor.edit(URI, lines(0, 2), apply="end", tier="standard")
    assert (await editor.result(edit))["outcome"] == "applied"
    status = await editor.run_now("redline.status", {})
    names = {tier["tier"]: tier["model"] for tier in status["tiers"]}
    assert status["lastModel"] == names["standard"]
    assert status["firstDeltaS"] is not None


async def test_what_cannot_be_checked_is_held_and_the_server_answers_meanwhile(
    redline: Redline, models: Models
) -> None:
    """One step of the grammar's parser would take 40 s and 8 GB for this file."""
    editor = redline.editor
    quick, better = await models(saying("int b;\n"), saying("int c;\n"))
    uri = "file:///project/Hostile.java"
    editor.open(uri, "int a;\n" + "a=>" * 5_000, language="java")
    edit = editor.edit(uri, lines(0, 1), apply="end")
    result = asyncio.ensure_future(editor.result(edit))
    is_checking = False
    while not is_checking and not result.done():
        status = await editor.run_now("redline.status", {})
        is_checking = status["sessions"][0]["state"] == "checking"
    assert is_checking
    outcome = await result
    assert outcome["outcome"] == "held"
    (problem,) = outcome["checks"]
    assert problem["rule"] == "unchecked"
    assert problem["message"].startswith("The edit is not checked: ")
    # No model can do anything about it.
    assert (len(quick.prompts), len(better.prompts)) == (1, 0)
    # The next file is checked as ever.
    editor.open(URI, TEXT)
    outcome = await editor.result(editor.edit(URI, lines(0, 2), apply="end"))
    assert outcome["checks"][0]["rule"] == "syntax"
