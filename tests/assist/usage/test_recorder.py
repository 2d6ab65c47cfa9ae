"""What is remembered of edits, from the request to an undo a minute later."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.assist.anchors import n_anchors_of
from tests.assist.conftest import EditHarness, RunningEdit
from tests.assist.fake_editor import URI, tell_late
from tests.assist.fake_ledger import Ledger
from tests.assist.fake_model import FakeModel
from tests.assist.virtual_time import VirtualTimeLoop

from redline.assist.usage.recorder import UsageRecorder
from redline.assist.usage.usage_log import UsageLog
from redline.errors import ModelUnavailableError, StoreUnavailableError
from redline.models.interface import Usage
from redline.routing.experience import NO_EXPERIENCE
from redline.settings.tree import RoutingSettings, StoreSettings
from redline.store.task import DraftResult, LateTaskFacts, TaskDraft

TEXT = "one\ntwo\nthree\nfour\n"
NOW = 1_800_000_000.0
SECRET = "hunter2-instruction"


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
async def used(harness: EditHarness, ledger: Ledger) -> AsyncIterator[EditHarness]:
    """A rig whose usage is recorded; nothing is watched for it in the end."""
    recorder = UsageRecorder(harness.workspace, ledger, now=lambda: NOW)
    harness.observers.append(recorder.session_changed)
    harness.n_anchors_besides = lambda: len(recorder._followed)
    harness.model.prices = (1.0, 10.0)
    harness.editor.open(TEXT)
    yield harness
    await harness.idle()
    recorder.close()
    assert len(recorder._followed) == 0
    harness.n_anchors_besides = lambda: 0


async def applied(
    harness: EditHarness, reply: str = "TWO\n", instruction: str = "Improve it."
) -> RunningEdit:
    """Have the second line edited."""
    running = harness.edit_lines(1, 2, instruction)
    generation = await harness.model.generation(len(harness.model.generations))
    generation.write(reply)
    generation.finish(usage=Usage(input_n_tokens=100, output_n_tokens=10))
    assert (await running.result()).outcome == "applied"
    return running


async def test_an_applied_edit(used: EditHarness, ledger: Ledger) -> None:
    """Its ids, times and counts, once; nothing more is heard if it stays."""
    running = await applied(used)
    (task,) = ledger.tasks
    assert (task.id, task.kind, task.outcome) == (running.id, "edit", "applied")
    assert (task.tier, task.route.tier, task.model) == ("fast", "fast", "fake")
    assert task.route.score == running.session.chosen.route.score  # type: ignore[union-attr]  # It has been routed.
    assert task.route.reasons == ("words",)
    assert task.n_lines == 1
    assert task.tokens.input_n_tokens == 100
    assert task.tokens.output_n_tokens == 10
    assert task.tokens.wasted_n_tokens == 0
    assert task.cost == pytest.approx((100 * 1 + 10 * 10) / 1e6)
    times = task.times
    assert NOW - 60 < times.queued_at <= NOW
    assert times.applied_s is not None
    assert times.checked_s is not None
    assert times.checked_s <= times.applied_s
    used.editor.type("four", "not ")
    assert ledger.later == []


async def test_a_price_that_is_not_known(used: EditHarness, ledger: Ledger) -> None:
    """There is no cost then, which is not the same as none."""
    used.model.prices = None
    await applied(used)
    assert ledger.tasks[0].cost is None


@pytest.mark.parametrize("undo", ["the editor's", "takeBack"])
async def test_an_undo(used: EditHarness, ledger: Ledger, undo: str) -> None:
    """Seen when the text is again what it was; a redo is no news."""
    running = await applied(used)
    if undo == "takeBack":
        await used.edits.take_back(running.id)
    else:
        used.editor.replace(4, 8, "two\n")
    assert used.editor.text() == TEXT
    assert ledger.later == [(running.id, LateTaskFacts(undone_at=NOW))]
    used.editor.replace(4, 8, "TWO\n")
    assert len(ledger.later) == 1


async def test_edited_by_hand_then_undone(used: EditHarness, ledger: Ledger) -> None:
    """Both are reported, each once."""
    await applied(used)
    used.editor.type("WO", "ww")
    used.editor.type("WO", "ww")
    used.editor.replace(4, 12, "two\n")
    assert ledger.facts == ["edited_at", "undone_at"]


async def test_edited_by_another_task(used: EditHarness, ledger: Ledger) -> None:
    """That is rework as well."""
    first = await applied(used)
    await applied(used, "2\n")
    assert [(name, later) for name, later in ledger.later] == [
        (first.id, LateTaskFacts(edited_at=NOW))
    ]
    assert ledger.outcomes == ["applied", "applied"]


async def test_typed_in_the_moment_in_which_it_lands(
    used: EditHarness, ledger: Ledger
) -> None:
    """What was accepted is, though the offer ends by it."""
    used.preview()
    running = await used.offer(0, 4, "ONE\ntwo\nthree\nFOUR\n")
    used.editor.take_edit = tell_late
    used.editor.typed_after = lambda: [used.editor.splice(14, 14, "typed")]
    first = min(used.editor.previews[running.id].hunks)
    assert (await used.accept(running.id, [first])).state == "stopped"
    assert ledger.later == [(running.id, LateTaskFacts(accepted_at=NOW))]


async def test_offered_and_accepted(used: EditHarness, ledger: Ledger) -> None:
    """One task; the minute begins when it is in the document."""
    used.preview()
    running = await used.offer(1, 2, "TWO\n")
    assert ledger.outcomes == ["offered"]
    assert ledger.tasks[0].times.applied_s is None
    await used.accept(running.id, None)
    assert ledger.later == [(running.id, LateTaskFacts(accepted_at=NOW))]
    used.editor.replace(4, 8, "two\n")
    assert ledger.facts == ["accepted_at", "undone_at"]
    assert len(ledger.tasks) == 1


async def test_accepted_hunk_by_hunk(used: EditHarness, ledger: Ledger) -> None:
    """It is accepted with the first; each of them can be undone or edited."""
    used.preview()
    running = await used.offer(0, 4, "ONE\ntwo\nthree\nFOUR\n")
    first, last = (hunk.id for hunk in running.session.offer.proposal.hunks)  # type: ignore[union-attr]  # It is offered.
    await used.accept(running.id, [first])
    assert ledger.facts == ["accepted_at"]
    await used.accept(running.id, [last])
    assert ledger.facts == ["accepted_at"]
    used.editor.type("three", "not ")
    assert ledger.facts == ["accepted_at"]
    used.editor.type("NE", "n")
    assert ledger.facts == ["accepted_at", "edited_at"]


async def test_a_part_is_accepted_and_then_changed(
    used: EditHarness, ledger: Ledger
) -> None:
    """The other part is still offered; what was accepted stays accepted."""
    used.preview()
    running = await used.offer(0, 4, "ONE\ntwo\nthree\nFOUR\n")
    first, _ = (hunk.id for hunk in running.session.offer.proposal.hunks)  # type: ignore[union-attr]  # It is offered.
    await used.accept(running.id, [first])
    used.editor.type("NE", "n")
    assert not running.session.state.is_end
    used.edits.reject(running.id, None)
    assert sorted(ledger.facts) == ["accepted_at", "edited_at"]


async def test_rejected(used: EditHarness, ledger: Ledger) -> None:
    """After the offer, or while it is written."""
    used.preview()
    running = await used.offer(1, 2, "TWO\n")
    used.edits.reject(running.id, None)
    assert ledger.later == [(running.id, LateTaskFacts(rejected_at=NOW))]
    other = used.edit_lines(1, 2)
    (await used.model.generation(1)).write("T")
    await used.idle()
    used.edits.reject(other.id, None)
    assert ledger.outcomes == ["offered", "rejected"]
    assert ledger.later[1:] == [(other.id, LateTaskFacts(rejected_at=NOW))]


async def test_an_offer_that_typing_ends(used: EditHarness, ledger: Ledger) -> None:
    """It was neither accepted nor rejected."""
    used.preview()
    running = await used.offer(1, 2, "TWO\n")
    used.editor.type("wo", "x")
    assert ledger.later == [(running.id, LateTaskFacts(outcome="stopped"))]


async def test_a_follow_up_is_a_task_of_its_own(
    used: EditHarness, ledger: Ledger
) -> None:
    """The offer before it did not do; each has its own tokens."""
    used.preview()
    running = await used.offer(1, 2, "TWO, or so\n")
    turned = asyncio.create_task(
        used.edits.redirects.redirect(running.session, "shorter")
    )
    second = await used.model.generation(1)
    second.write("2\n")
    second.finish(usage=Usage(input_n_tokens=50, output_n_tokens=5))
    assert (await turned).is_accepted
    await used.idle()
    assert ledger.outcomes == ["offered", "offered"]
    assert ledger.later == [(running.id, LateTaskFacts(outcome="superseded"))]
    assert ledger.tasks[1].tokens.input_n_tokens == 50
    await used.accept(running.id, None)
    assert ledger.facts == ["outcome", "accepted_at"]


async def test_stopped_while_it_is_written(used: EditHarness, ledger: Ledger) -> None:
    """What it was sent and had written is estimated, and was for nothing."""
    running = used.edit_lines(1, 2)
    (await used.model.generation()).write("x" * 400)
    await used.idle()
    used.edits.stop(session_id=running.id)
    task = await ledger.recorded()
    assert task.outcome == "stopped"
    assert task.tokens.output_n_tokens == task.tokens.wasted_n_tokens == 100
    assert task.tokens.input_n_tokens > 20
    assert task.cost == pytest.approx((task.tokens.input_n_tokens + 1_000) / 1e6)


def test_the_next_request_does_not_wait_for_a_stopped_one() -> None:
    """It is recorded when the next one has been sent, and before it."""

    async def main() -> None:
        harness, ledger = EditHarness(), Ledger()
        recorder = UsageRecorder(harness.workspace, ledger, now=lambda: NOW)
        harness.observers.append(recorder.session_changed)
        harness.editor.open(TEXT)
        stopped = harness.edit_lines(1, 2)
        await harness.model.generation()
        harness.edits.stop()
        await stopped.result()
        following = harness.edit_lines(1, 2)
        generation = await harness.model.generation(1)
        assert ledger.tasks == []
        generation.reply("TWO\n")
        await following.result()
        assert [task.id for task in ledger.tasks] == [stopped.id, following.id]
        recorder.close()
        await harness.check_nothing_left()

    # Nothing here lasts until a timer: on a busy machine, the one of the record might.
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(main())


async def test_redirected_while_it_is_written(
    used: EditHarness, ledger: Ledger
) -> None:
    """One task, with the tokens of both generations."""
    used.preview()
    running = used.edit_lines(1, 2)
    (await used.model.generation()).write("x" * 40)
    await used.idle()
    turned = asyncio.create_task(
        used.edits.redirects.redirect(running.session, "shorter")
    )
    second = await used.model.generation(1)
    second.write("2\n")
    second.finish(usage=Usage(input_n_tokens=50, output_n_tokens=5))
    await turned
    await running.result()
    (task,) = ledger.tasks
    assert task.tokens.wasted_n_tokens == 10
    assert task.tokens.output_n_tokens == 15


async def test_candidates_that_lose(used: EditHarness, ledger: Ledger) -> None:
    """They are paid for, and were for nothing."""
    used.preview(candidates=2)
    running = used.edit_lines(1, 2)
    for n, reply in enumerate(("TWO\n", "2\n")):
        generation = await used.model.generation(n)
        generation.write(reply)
        generation.finish(usage=Usage(input_n_tokens=100, output_n_tokens=10 + n))
    await running.result()
    (task,) = ledger.tasks
    assert task.tokens.input_n_tokens == 200
    assert (task.tokens.output_n_tokens, task.tokens.wasted_n_tokens) == (21, 11)


async def test_fixed_and_handed_up(used: EditHarness, ledger: Ledger) -> None:
    """Every generation costs what its own model takes; the checks are named."""
    used.configure(checks={"off": [], "repair": True, "escalate": True})
    better = FakeModel(label="better", prices=(100.0, 1_000.0))
    used.tiers.models["standard"] = better
    used.editor.close()
    used.editor.open("def total(prices):\n    return sum(prices)\n")
    running = used.edit_lines(0, 2)
    bad = "def total(prices):\n    return sum(prices, strat)\n"
    good = "def total(prices):\n    return sum(prices, 0)\n"
    usage = Usage(input_n_tokens=100, output_n_tokens=10)
    for model, n, reply in (
        (used.model, 0, bad),
        (used.model, 1, bad),
        (better, 0, good),
    ):
        generation = await model.generation(n)
        generation.write(reply)
        generation.finish(usage=usage)
    assert (await running.result()).outcome == "applied"
    (task,) = ledger.tasks
    assert (task.route.tier, task.tier, task.model) == ("fast", "standard", "better")
    assert set(task.failed_checks) == {"undefined-name"}
    assert (task.n_repairs, task.n_escalations) == (1, 1)
    assert task.tokens.input_n_tokens == 300
    assert task.cost == pytest.approx(2 * 200 / 1e6 + 20_000 / 1e6)


GOOD = "def total(prices):\n    return sum(prices, 0)\n"
BAD = "def total(prices):\n    return sum(prices, strat)\n"


@pytest.mark.parametrize(
    ("draft", "reviews", "result"),
    [
        (GOOD, [GOOD], "unchanged"),
        (BAD, [GOOD], "repaired"),
        # The reviewer's answer and its repair have problems.
        (BAD, [BAD, BAD, GOOD], "escalated"),
    ],
)
async def test_what_became_of_a_draft(
    used: EditHarness,
    ledger: Ledger,
    draft: str,
    reviews: list[str],
    result: DraftResult,
) -> None:
    """Whether a cheap model pays is seen by how often its drafts are used."""
    used.configure(checks={"off": [], "repair": True, "escalate": True})
    cheap, standard = FakeModel(label="cheap"), FakeModel(label="standard")
    deep = FakeModel(label="thinker")
    used.tiers.models |= {"draft": cheap, "standard": standard, "deep": deep}
    used.editor.close()
    used.editor.open("def total(prices):\n    return sum(prices)\n")
    running = used.edit_lines(0, 2, "Check the password before login")
    (await cheap.generation()).reply(draft)
    writers = [(standard, 0), (standard, 1), (deep, 0)]
    for (model, n), reply in zip(writers, reviews, strict=False):
        (await model.generation(n)).reply(reply)
    assert (await running.result()).outcome == "applied"
    (task,) = ledger.tasks
    assert task.draft == TaskDraft(model="cheap", result=result)


async def test_a_draft_model_that_fails(used: EditHarness, ledger: Ledger) -> None:
    """The standard tier writes the edit, and the reasons say why."""
    cheap, standard = FakeModel(label="cheap"), FakeModel(label="standard")
    used.tiers.models |= {"draft": cheap, "standard": standard}
    running = used.edit_lines(1, 2, "Check the password before login")
    (await cheap.generation()).fail(ModelUnavailableError("cheap has no credit."))
    review = await standard.generation()
    assert "Draft of the range" not in review.request.prompt.chat_messages[-1].text
    review.reply("TWO\n")
    result = await running.result()
    assert (result.outcome, result.tier) == ("applied", "standard")
    assert any("cheap has no credit." in reason for reason in result.reasons)
    assert ledger.tasks[0].draft == TaskDraft(model="cheap", result="unfinished")


async def test_a_failure_that_cost_nothing(used: EditHarness, ledger: Ledger) -> None:
    """It was never sent."""
    running = used.edit_lines(1, 2)
    (await used.model.generation()).fail(ModelUnavailableError("No network."))
    with pytest.raises(ModelUnavailableError):
        await running.result()
    task = await ledger.recorded()
    assert (task.outcome, task.cost) == ("failed", 0.0)
    assert task.tokens.input_n_tokens == 0


async def test_an_edit_that_is_handed_over(used: EditHarness, ledger: Ledger) -> None:
    """It is accepted once the document shows it, and may then be undone."""
    running = used.edit_lines(1, 2, apply="hand-over")
    (await used.model.generation()).reply("TWO\n")
    assert (await running.result()).outcome == "computed"
    assert ledger.outcomes == ["offered"]
    used.editor.type("one", "zero, ")
    assert ledger.later == []
    at = used.editor.text().index("two")
    used.editor.replace(at, at + 3, "TWO")
    assert ledger.facts == ["accepted_at"]
    used.editor.replace(at, at + 3, "two")
    assert ledger.facts == ["accepted_at", "undone_at"]


async def test_a_live_instruction_is_one_task(
    used: EditHarness, ledger: Ledger
) -> None:
    """What is only shown while it is typed is none; what it cost is the task's."""
    used.preview(live_pause_s=0.0)
    running = used.edit_lines(1, 2)
    draft = replace(running.session.request, is_draft=True)
    running.session.type_on(draft, "preview")
    (await used.model.generation()).reply("TWO\n")
    await running.result()
    assert ledger.tasks == []
    used.edits.reject(running.id, None)
    assert ledger.outcomes == ["rejected"]


async def test_closing_a_document_lets_go(used: EditHarness, ledger: Ledger) -> None:
    """Of an edit that has landed, and of one that waits."""
    await applied(used)
    document = used.workspace.document(URI)
    used.editor.close()
    assert n_anchors_of(document) == 0
    assert ledger.later == []


def test_a_minute_later_nobody_looks() -> None:
    """What is changed then is no rework."""

    async def main() -> None:
        harness, ledger = EditHarness(), Ledger()
        recorder = UsageRecorder(harness.workspace, ledger, now=lambda: NOW)
        harness.observers.append(recorder.session_changed)
        harness.n_anchors_besides = lambda: len(recorder._followed)
        harness.editor.open(TEXT)
        await applied(harness)
        await asyncio.sleep(59)
        assert len(recorder._followed) == 1
        await asyncio.sleep(2)
        assert len(recorder._followed) == 0
        harness.editor.replace(4, 8, "two\n")
        assert ledger.later == []
        await harness.check_nothing_left()

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(main())


async def test_many_edits_in_a_minute(used: EditHarness, ledger: Ledger) -> None:
    """Only the last ones are watched."""
    for n in range(20):
        await applied(used, f"two {n}\n")
    used.check()
    assert len(ledger.tasks) == 20
    assert used.n_anchors_besides() <= 16


# With a file.


def check_holds_none(folder: Path, *texts: str) -> None:
    """No file in a folder holds one of the texts."""
    parts = list(folder.iterdir())
    assert parts
    for part in parts:
        data = part.read_bytes()
        assert [text for text in texts if text.encode() in data] == []


@pytest.fixture
async def kept(harness: EditHarness) -> AsyncIterator[UsageLog]:
    """A rig whose usage goes where the settings will say."""
    kept = UsageLog()
    recorder = UsageRecorder(harness.workspace, kept)
    harness.observers.append(recorder.session_changed)
    harness.model.prices = (1.0, 10.0)
    harness.editor.open(TEXT)
    yield kept
    recorder.close()
    await kept.aclose()


async def test_nothing_of_the_text_is_in_the_file(
    harness: EditHarness, kept: UsageLog, tmp_path: Path
) -> None:
    """Nor of the instruction, nor of the path."""
    file = tmp_path / "usage.sqlite3"
    await kept.use(StoreSettings(file=str(file)))
    running = harness.edit_lines(1, 2, SECRET)
    generation = await harness.model.generation()
    generation.write("sesame-reply\n")
    generation.finish(usage=Usage(input_n_tokens=100, output_n_tokens=10))
    await running.result()
    assert kept.cost_today == pytest.approx(200 / 1e6)
    harness.editor.replace(4, 4 + len("sesame-reply\n"), "two\n")
    (totals,) = await kept.totals(since=0.0, by=())
    assert (totals.tasks, totals.undone, totals.reworked) == (1, 1, 1)
    await kept.aclose()
    check_holds_none(tmp_path, SECRET, "sesame", "two", "three", "project", "app.py")
    with closing(sqlite3.connect(file)) as connection:
        (row,) = connection.execute("SELECT outcome, undone_at FROM tasks").fetchall()
    assert row[0] == "applied"
    assert row[1] is not None


async def test_routing_learns_from_the_file(
    harness: EditHarness, kept: UsageLog, tmp_path: Path
) -> None:
    """Of the days that the settings name; unless it is switched off."""
    await kept.use(StoreSettings(file=str(tmp_path / "usage.sqlite3")))
    await applied(harness)
    await kept.learn(RoutingSettings())
    assert (kept.experience.n_fast, kept.experience.n_fast_failed) == (1, 0)
    await applied(harness, "2\n", "Improve it. #fast")
    await kept.learn(RoutingSettings())
    assert kept.experience.n_fast == 1, "the user named the tier"
    await kept.learn(RoutingSettings(adapt_from="2099-02-31"))
    assert kept.experience == NO_EXPERIENCE
    await kept.learn(RoutingSettings())
    await kept.learn(RoutingSettings(adapt_days=0))
    assert kept.experience == NO_EXPERIENCE
    # A read that is still running changes nothing any more.
    running = asyncio.create_task(kept.learn(RoutingSettings()))
    await asyncio.sleep(0)
    await kept.learn(RoutingSettings(adapt_days=0))
    await running
    assert kept.experience == NO_EXPERIENCE


async def test_a_store_that_cannot_be_used(
    harness: EditHarness, kept: UsageLog, tmp_path: Path
) -> None:
    """Edits go on; what is wrong is said for as long as it is."""
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    await kept.use(StoreSettings(file=str(blocked / "usage.sqlite3")))
    await applied(harness)
    with pytest.raises(StoreUnavailableError):
        await kept.totals(since=0.0, by=())
    (problem,) = kept.problems
    assert problem.startswith("Usage is not stored for now: ")
    assert problem.endswith("Edits are not affected.")
    blocked.unlink()
    await applied(harness, "too\n")
    (totals,) = await kept.totals(since=0.0, by=())
    assert totals.tasks == 2
    assert kept.problems == ()


async def test_a_damaged_file_is_left_alone(kept: UsageLog, tmp_path: Path) -> None:
    """That is said too, and where usage is kept instead."""
    file = tmp_path / "usage.sqlite3"
    file.write_bytes(b"no database" * 100)
    await kept.use(StoreSettings(file=str(file)))
    assert await kept.totals(since=0.0, by=()) == ()
    (problem,) = kept.problems
    assert "usage-2.sqlite3" in problem


async def test_switched_off_and_on(
    harness: EditHarness, kept: UsageLog, tmp_path: Path
) -> None:
    """No file is made, no cost is known; the setting counts at once."""
    file = tmp_path / "usage.sqlite3"
    await kept.use(StoreSettings(file=str(file), enabled=False))
    await applied(harness)
    assert kept.cost_today is None
    with pytest.raises(StoreUnavailableError, match="No usage is kept"):
        await kept.totals(since=0.0, by=())
    assert not file.exists()
    await kept.use(StoreSettings(file=str(file)))
    assert kept.cost_today == 0.0
    await applied(harness, "too\n")
    (totals,) = await kept.totals(since=0.0, by=())
    assert totals.tasks == 1
