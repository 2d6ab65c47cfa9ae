"""What follows a candidate with problems: a repair, a higher tier, or a hold."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.assist.conftest import EditHarness
from tests.assist.fake_model import FakeModel

from redline.assist.edit.running.router import SMALL_LINES
from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import State
from redline.errors import ModelUnavailableError, ReplyNotUnderstoodError

TEXT = "def total(prices):\n    return sum(prices)\n"
GOOD = "def total(prices):\n    return sum(prices, 0)\n"
BAD = "def total(prices):\n    return sum(prices, strat)\n"
"""`strat` is defined nowhere."""

BLOCK = """\
<<<<<<< SEARCH
    return sum(prices)
=======
    return sum(prices, 0)
>>>>>>> REPLACE
"""

BROKEN = "def total(prices:\n    return sum(prices)\n"


@pytest.fixture
def checked(harness: EditHarness) -> EditHarness:
    """Checks, repairs and escalates; the standard tier is another model."""
    harness.configure(checks={"off": [], "repair": True, "escalate": True})
    harness.tiers.models["standard"] = FakeModel(label="better")
    harness.editor.open(TEXT)
    return harness


async def test_a_bad_draft_is_repaired_unseen(checked: EditHarness) -> None:
    """The problems go back to the same model, which has its answer already."""
    running = checked.edit_lines(0, 2)
    (await checked.model.generation()).reply(BAD)
    second = await checked.model.generation(1)
    task, answer, problems = second.request.prompt.chat_messages
    assert "sum(prices)" in task.text
    assert (answer.role, answer.text) == ("assistant", BAD)
    assert "strat" in problems.text
    assert checked.editor.text() == TEXT
    second.reply(GOOD)
    result = await running.result()
    assert (result.outcome, result.checks) == ("applied", ())
    assert checked.editor.text() == GOOD
    assert (
        "The first answer had problems (undefined-name), so the model was asked to fix "
        "them." in result.reasons
    )
    assert running.session.account.failed_checks == ["undefined-name"]
    assert running.session.account.n_repairs == 1


async def test_each_instruction_is_repaired_once(checked: EditHarness) -> None:
    """A redirect may be repaired as well; all of it is counted."""
    running = checked.edit_lines(0, 2)
    (await checked.model.generation()).reply(BAD)
    second = await checked.model.generation(1)
    turned = asyncio.create_task(
        checked.edits.redirects.redirect(running.session, "again")
    )
    (await checked.model.generation(2)).reply(BAD)
    (await checked.model.generation(3)).reply(GOOD)
    assert (await turned).how == "restarted"
    assert (await running.result()).outcome == "applied"
    assert second.is_stopped
    assert running.session.account.n_repairs == 2


async def test_stopped_between_an_answer_and_its_repair(checked: EditHarness) -> None:
    """What was written for nothing is counted once."""

    def stop(session: EditSession) -> None:
        if session.account.n_repairs and session.state is State.GENERATING:
            checked.edits.stop(session_id=session.id)

    checked.observers.append(stop)
    running = checked.edit_lines(0, 2)
    (await checked.model.generation()).reply(BAD)
    assert (await running.result()).outcome == "stopped"
    assert running.session.account.wasted_n_tokens == len(BAD) // 4
    assert len(checked.model.generations) == 1


async def test_what_is_still_bad_goes_up_one_tier(checked: EditHarness) -> None:
    """With the better draft and its problems, in a clean conversation."""
    running = checked.edit_lines(0, 2)
    (await checked.model.generation()).reply(BAD)
    (await checked.model.generation(1)).reply(BROKEN)
    better = checked.tiers.models["standard"]
    third = await better.generation()
    assert third.request.previous is None
    (message,) = third.request.prompt.chat_messages
    assert "sum(prices, strat)" in message.text
    third.reply(GOOD)
    result = await running.result()
    assert (result.outcome, result.tier) == ("applied", "standard")
    assert any("the standard tier took over" in reason for reason in result.reasons)
    assert checked.editor.text() == GOOD


async def test_what_nobody_mends_is_held(checked: EditHarness) -> None:
    """It is never applied silently: it waits, with its problems."""
    running = checked.edit_lines(0, 2)
    for n in range(2):
        (await checked.model.generation(n)).reply(BAD)
    better = checked.tiers.models["standard"]
    (await better.generation()).reply(BAD)
    result = await running.result()
    assert result.outcome == "held"
    assert [problem.rule for problem in result.checks] == ["undefined-name"]
    assert "Held back:" in (result.message or "")
    assert checked.editor.text() == TEXT
    assert (await checked.accept(running.id, None)).state == "accepted"
    assert checked.editor.text() == BAD


async def test_the_better_of_two_bad_answers_is_held(checked: EditHarness) -> None:
    """A repair that makes it worse is not what is shown."""
    checked.configure(checks={"escalate": False})
    running = checked.edit_lines(0, 2)
    (await checked.model.generation()).reply(BAD)
    (await checked.model.generation(1)).reply(BROKEN)
    result = await running.result()
    assert result.outcome == "held"
    assert [problem.rule for problem in result.checks] == ["undefined-name"]
    assert (await checked.accept(running.id, None)).state == "accepted"
    assert checked.editor.text() == BAD


async def test_the_best_of_three_bad_answers_is_held(checked: EditHarness) -> None:
    """Neither the repair nor the higher tier came near the first one."""
    running = checked.edit_lines(0, 2)
    (await checked.model.generation()).reply(BAD)
    (await checked.model.generation(1)).reply(BROKEN)
    (await checked.tiers.models["standard"].generation()).reply(BROKEN)
    assert (await running.result()).outcome == "held"
    assert (await checked.accept(running.id, None)).state == "accepted"
    assert checked.editor.text() == BAD


async def test_an_answer_is_kept_when_nobody_can_read_the_next(
    checked: EditHarness,
) -> None:
    """Neither of the others had a block; the first one can be used."""
    checked.configure(edit={"rewrite_lines": 1})
    running = checked.edit_lines(0, 2)
    (await checked.model.generation()).reply(BLOCK.replace("0)", "strat)"))
    (await checked.model.generation(1)).reply("Certainly.\n")
    (await checked.tiers.models["standard"].generation()).reply("Certainly.\n")
    result = await running.result()
    assert result.outcome == "held"
    assert [problem.rule for problem in result.checks] == ["undefined-name"]
    assert (await checked.accept(running.id, None)).state == "accepted"
    assert checked.editor.text() == BAD


async def test_an_answer_that_cannot_be_read_is_fixed_too(
    checked: EditHarness,
) -> None:
    """It had none of the blocks it was to consist of; the second try has."""
    checked.configure(edit={"rewrite_lines": 1})
    running = checked.edit_lines(0, 2)
    (await checked.model.generation()).reply("Certainly.\n")
    (await checked.model.generation(1)).reply(BLOCK)
    assert (await running.result()).outcome == "applied"
    assert checked.editor.text() == GOOD


async def test_an_answer_that_nobody_can_read(checked: EditHarness) -> None:
    """Fails as it would have without trying again."""
    checked.configure(checks={"escalate": False}, edit={"rewrite_lines": 1})
    running = checked.edit_lines(0, 2)
    for n in range(2):
        (await checked.model.generation(n)).reply("Certainly.\n")
    with pytest.raises(ReplyNotUnderstoodError):
        await running.result()
    assert checked.editor.text() == TEXT


async def test_a_mender_that_fails(checked: EditHarness) -> None:
    """What there was is held: the user has lost nothing by the attempt."""
    running = checked.edit_lines(0, 2)
    (await checked.model.generation()).reply(BAD)
    second = await checked.model.generation(1)
    second.fail(ModelUnavailableError("It is away.", model="fake"))
    result = await running.result()
    assert result.outcome == "held"
    assert any("The repair failed" in reason for reason in result.reasons)
    assert (await checked.accept(running.id, None)).state == "accepted"
    assert checked.editor.text() == BAD


async def test_a_stop_while_it_is_fixed(checked: EditHarness) -> None:
    """It is one session with one stop."""
    running = checked.edit_lines(0, 2)
    (await checked.model.generation()).reply(BAD)
    second = await checked.model.generation(1)
    assert checked.edits.stop() == [running.id]
    assert second.is_stopped
    assert (await running.result()).outcome == "stopped"
    assert checked.editor.text() == TEXT
    assert running.session.state is State.STOPPED


async def test_what_was_wrong_before_is_not_held_against_it(
    checked: EditHarness,
) -> None:
    """Only what the candidate brought in counts."""
    old = "def total(prices):\n    return sum(prizes)\n"
    checked.editor.replace(0, len(TEXT), old)
    running = checked.edit_lines(1, 2)
    (await checked.model.generation()).reply("    return sum(prizes) + 1\n")
    assert (await running.result()).outcome == "applied"


async def test_a_boundary_never_reaches_the_fast_tier(checked: EditHarness) -> None:
    """Nor does a redirect that crosses it."""
    running = checked.edit_lines(0, 2, "Check the password before login")
    better = checked.tiers.models["standard"]
    (await better.generation()).reply(GOOD)
    result = await running.result()
    assert result.tier == "standard"
    assert checked.model.generations == []


async def test_a_redirect_over_a_boundary_changes_the_tier(
    checked: EditHarness,
) -> None:
    """What the new instruction is about decides, not what the session began as."""
    checked.preview()
    running = checked.edit_lines(0, 2, "Sort the prices")
    await checked.model.generation()
    redirected = await checked.edits.redirects.redirect(
        running.session, "Check the password before login"
    )
    assert redirected.is_accepted
    better = checked.tiers.models["standard"]
    (await better.generation()).reply(GOOD)
    assert (await running.result()).tier == "standard"
    assert len(checked.model.generations) == 1


async def test_a_draft_is_reviewed_before_it_is_offered(checked: EditHarness) -> None:
    """With a draft tier it writes what the standard tier then reviews."""
    checked.tiers.models["draft"] = FakeModel(label="cheap")
    running = checked.edit_lines(0, 2, "Check the password before login")
    (await checked.tiers.models["draft"].generation()).reply(BAD)
    review = await checked.tiers.models["standard"].generation()
    assert "strat" in review.request.prompt.chat_messages[-1].text
    review.reply(GOOD)
    result = await running.result()
    assert (result.outcome, result.tier) == ("applied", "standard")
    assert checked.editor.text() == GOOD


@pytest.mark.parametrize(
    ("when", "n_lines", "is_drafted"),
    [
        ("off", 2, False),
        ("small", SMALL_LINES, True),
        ("small", SMALL_LINES + 1, False),
        ("always", SMALL_LINES + 1, True),
    ],
)
async def test_the_settings_limit_what_is_drafted(
    checked: EditHarness, when: str, n_lines: int, is_drafted: bool
) -> None:
    """What is not drafted goes to the standard tier at once."""
    checked.configure(routing={"draft": when})
    checked.editor.open("a = 1\n" * n_lines)
    drafter = checked.tiers.models["draft"] = FakeModel(label="cheap")
    running = checked.edit_lines(0, n_lines, "Check the password before login")
    first = drafter if is_drafted else checked.tiers.models["standard"]
    await first.generation()
    assert bool(drafter.generations) == is_drafted
    checked.edits.stop(session_id=running.id)
    await running.result()


async def test_an_edit_that_is_handed_over(checked: EditHarness) -> None:
    """It is checked and repaired like any other, and nothing is applied."""
    running = checked.edit_lines(0, 2, apply="hand-over")
    (await checked.model.generation()).reply(BAD)
    (await checked.model.generation(1)).reply(GOOD)
    result = await running.result()
    assert (result.outcome, result.version) == ("computed", 1)
    assert [edit.new_text for edit in result.edits] == ["    return sum(prices, 0)\n"]
    assert checked.editor.text() == TEXT
    assert checked.editor.asked == []


async def test_the_best_of_several_candidates_is_offered(checked: EditHarness) -> None:
    """By the checks, not by who was first; and then no repair is needed."""
    checked.preview(candidates=2)
    running = checked.edit_lines(0, 2)
    (await checked.model.generation()).reply(BAD)
    (await checked.model.generation(1)).reply(GOOD)
    result = await running.result()
    assert (result.outcome, result.checks) == ("offered", ())
    assert checked.editor.shown(running.id) == GOOD
    assert len(checked.model.generations) == 2


async def test_an_empty_answer_and_an_empty_repair(checked: EditHarness) -> None:
    """The edit is held, and says that a repair was asked for, not that it was made."""
    checked.configure(checks={"escalate": False})
    running = checked.edit_lines(0, 2)
    for n in range(2):
        (await checked.model.generation(n)).reply("")
    result = await running.result()
    assert result.outcome == "held"
    rules = ", ".join(dict.fromkeys(problem.rule for problem in result.checks))
    assert rules
    assert result.reasons[-1] == (
        f"The first answer had problems ({rules}), so the model was asked to fix them."
    )
    assert checked.editor.text() == TEXT


@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_lines_after_a_last_line_without_an_end_are_read_as_lines(
    checked: EditHarness, end: str
) -> None:
    """Joined to that line, code would be a syntax error."""
    checked.configure(checks={"repair": False, "escalate": False})
    checked.editor.replace(0, len(TEXT), f"a = 1{end}b = 2")
    running = checked.edit_lines(2, 2)
    (await checked.model.generation()).reply("c = 3\n")
    result = await running.result()
    assert (result.outcome, result.checks) == ("applied", ())
    assert checked.editor.text() == f"a = 1{end}b = 2{end}c = 3"


async def test_lines_after_a_last_line_without_an_end_are_no_comment(
    checked: EditHarness,
) -> None:
    """Joined to one, they would be a part of it and have no problems."""
    checked.configure(checks={"repair": False, "escalate": False})
    checked.editor.replace(0, len(TEXT), "a = 1\nb = 2  # A comment.")
    running = checked.edit_lines(2, 2)
    (await checked.model.generation()).reply("c = strat\n")
    result = await running.result()
    assert result.outcome == "held"
    assert [(one.rule, one.line) for one in result.checks] == [("undefined-name", 0)]


@pytest.mark.parametrize("is_ignored", [False, True])
async def test_a_repair_does_not_show_a_file_that_became_ignored(
    checked: EditHarness, tmp_path: Path, is_ignored: bool
) -> None:
    """It begins another conversation, without that file."""
    checked.workspace.roots = (tmp_path.as_uri(),)
    uri, other = ((tmp_path / name).as_uri() for name in ("app.py", "other.py"))
    checked.editor.open(TEXT, uri=uri)
    checked.editor.open("rate = 1\n", uri=other)
    checked.editor.type("1", "CANARY + ", uri=other)
    running = checked.edit_lines(0, 2, uri=uri)
    generation = await checked.model.generation()
    assert "CANARY" in generation.prompt
    generation.response_id = "resp_1"
    if is_ignored:
        (tmp_path / ".redlineignore").write_text("other.py\n")
    generation.reply(BAD)
    repair = await checked.model.generation(1)
    task, _, problems = repair.request.prompt.chat_messages
    assert ("CANARY" in task.text) is not is_ignored
    assert repair.request.previous == (None if is_ignored else "resp_1")
    assert "strat" in problems.text
    repair.reply(GOOD)
    assert (await running.result()).outcome == "applied"
