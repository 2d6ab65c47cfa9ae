"""Second opinions on edits whose tier the score alone chose."""

from __future__ import annotations

import asyncio

import pytest
from tests.assist.conftest import EditHarness, RunningEdit
from tests.assist.fake_editor import URI
from tests.assist.fake_model import FakeGeneration, FakeModel

from redline.assist.edit.document.rejected_offers import stored_offer
from redline.assist.edit.session.account import OpinionNote
from redline.assist.edit.session.states import State
from redline.errors import ModelUnavailableError
from redline.text.position import Position, Range

TEXT = "def total(prices):\n    return sum(prices)\n"
FAST = "def total(prices):\n    return sum(prices, 0)\n"
BETTER = "def total(prices):\n    return sum(prices, start=0)\n"
BAD = "def total(prices):\n    return sum(prices, strat)\n"
"""`strat` is defined nowhere."""


DOUBTFUL = "Total them exactly."
"""The score of this instruction is for the fast tier, but not sure."""
WAIT = "redline.assist.edit.running.second_opinions.MAX_WAIT_S"


@pytest.fixture
def asking(harness: EditHarness, monkeypatch: pytest.MonkeyPatch) -> EditHarness:
    """Asks for opinions, and waits for them; the other tiers are other models."""
    monkeypatch.setattr(WAIT, 60.0)
    harness.configure(routing={"second_opinions": 30})
    harness.tiers.models["standard"] = FakeModel(label="better")
    harness.tiers.models["deep"] = FakeModel(label="deepest")
    harness.editor.open(TEXT)
    return harness


async def asked(harness: EditHarness) -> tuple[RunningEdit, FakeGeneration]:
    """Request an edit, and return it with the question beside it."""
    running = harness.edit_lines(0, 2, DOUBTFUL)
    question = await harness.model.generation(1)
    assert "how hard and how dangerous" in question.request.prompt.instructions
    return running, question


async def test_an_edit_stays_where_the_opinion_agrees(asking: EditHarness) -> None:
    """One short question beside the edit, and its cost is counted."""
    running, question = await asked(asking)
    assert question.request.max_output_tokens
    question.reply("fast safe: one line")
    asking.model.generations[0].reply(FAST)
    result = await running.result()
    assert (result.outcome, result.tier) == ("applied", "fast")
    assert running.session.account.opinion == OpinionNote("agreed")
    assert asking.editor.text() == FAST
    assert len(asking.model.generations) == 2
    assert asking.tiers.models["standard"].generations == []


@pytest.mark.parametrize(
    ("answer", "tier"),
    [
        ("standard safe: two cases", "standard"),
        ("fast guarded: checks a password", "standard"),
        ("deep guarded: a lock order", "deep"),
    ],
)
async def test_a_higher_tier_goes_over_the_draft(
    asking: EditHarness, answer: str, tier: str
) -> None:
    """The fast answer is its draft, and is not offered; the reasons say why."""
    running, question = await asked(asking)
    question.reply(answer)
    asking.model.generations[0].reply(FAST)
    review = await asking.tiers.models[tier].generation()
    assert "sum(prices, 0)" in review.prompt
    assert asking.editor.text() == TEXT
    review.reply(BETTER)
    result = await running.result()
    assert (result.outcome, result.tier) == ("applied", tier)
    assert asking.editor.text() == BETTER
    lines = tuple(FAST.splitlines(keepends=True))
    assert running.session.account.opinion == OpinionNote("raised", lines)
    why = answer.partition(": ")[2]
    assert any("second opinion" in each and why in each for each in result.reasons)


async def test_the_offer_waits_for_the_opinion(asking: EditHarness) -> None:
    """An edit that is written first is not offered before it is there."""
    asking.preview()
    running, question = await asked(asking)
    asking.model.generations[0].reply(FAST)
    await asking.idle()
    assert not running.task.done()
    question.reply("deep safe: exact numbers")
    (await asking.tiers.models["deep"].generation()).reply(BETTER)
    assert (await running.result()).outcome == "offered"


async def test_a_late_opinion_is_not_waited_for(
    asking: EditHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question is given up; after several of them none is asked for a while."""
    monkeypatch.setattr(WAIT, 0.01)
    for n_before in (0, 2, 4):
        running = asking.edit_lines(0, 2)
        (await asking.model.generation(n_before)).reply(f"{FAST}# {n_before}\n")
        question = await asking.model.generation(n_before + 1)
        assert (await running.result()).outcome == "applied"
        await asking.idle()
        assert question.is_stopped or question.is_released
        assert running.session.account.opinion == OpinionNote("late")
    running = asking.edit_lines(0, 2)
    (await asking.model.generation(6)).reply(TEXT)
    await running.result()
    assert len(asking.model.generations) == 7


@pytest.mark.parametrize("answer", ["", "It looks easy.", "def total(prices):"])
async def test_an_answer_that_cannot_be_read_changes_nothing(
    asking: EditHarness, answer: str
) -> None:
    """As if nothing had been asked."""
    running, question = await asked(asking)
    question.reply(answer)
    asking.model.generations[0].reply(FAST)
    assert (await running.result()).tier == "fast"


async def test_a_question_that_fails_changes_nothing(asking: EditHarness) -> None:
    """As if nothing had been asked."""
    running, question = await asked(asking)
    question.fail(ModelUnavailableError("busy"))
    asking.model.generations[0].reply(FAST)
    assert (await running.result()).outcome == "applied"


async def test_a_redirect_asks_again(asking: EditHarness) -> None:
    """The opinion on the earlier instruction does not count."""
    running, question = await asked(asking)
    turned = asyncio.create_task(
        asking.edits.redirects.redirect(running.session, "Sort first.")
    )
    second = await asking.model.generation(2)
    again = await asking.model.generation(3)
    assert "Sort first." in again.prompt
    await turned
    assert question.is_stopped or question.is_released
    again.reply("fast safe")
    second.reply(FAST)
    assert (await running.result()).tier == "fast"


async def test_a_stop_gives_the_question_up(asking: EditHarness) -> None:
    """No generation is left running."""
    running, question = await asked(asking)
    asking.edits.stop(session_id=running.id)
    assert (await running.result()).outcome == "stopped"
    await asking.idle()
    assert question.is_stopped or question.is_released


async def test_problems_go_up_at_once_with_the_opinion(asking: EditHarness) -> None:
    """The model that is not up to the task is not asked to repair it."""
    asking.configure(checks={"off": [], "repair": True, "escalate": True})
    running, question = await asked(asking)
    question.reply("standard safe: two cases")
    await asking.idle()
    asking.model.generations[0].reply(BAD)
    review = await asking.tiers.models["standard"].generation()
    assert "strat" in review.prompt
    review.reply(BETTER)
    assert (await running.result()).tier == "standard"


async def test_secrets_are_hidden_from_it(asking: EditHarness) -> None:
    """The question has the same placeholders as the edit's prompt."""
    key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    asking.editor.open(f'x = "{key}"\n', uri="file:///project/other.py")
    running = asking.edit_lines(0, 1, uri="file:///project/other.py")
    question = await asking.model.generation(1)
    assert key not in question.prompt
    assert "REDLINE_SECRET" in question.prompt
    asking.edits.stop(session_id=running.id)
    await running.result()


async def test_none_is_asked_about_an_offer_that_is_brought_back(
    asking: EditHarness,
) -> None:
    """No model writes it again."""
    asking.preview()
    place = Range(Position(0, 0), Position(1, 0))
    snapshot = asking.workspace.document(URI).snapshot()
    offer = stored_offer(
        snapshot, place, "def total(prices: list[int]) -> int:\n", DOUBTFUL
    )
    again = await asking.bring_back(stored=(offer, place))
    await asking.idle()
    assert again.session.state is State.OFFERED
    assert asking.model.generations == []


async def test_an_opinion_does_not_outweigh_a_sure_score(asking: EditHarness) -> None:
    """Opinions are right nine times in ten, not always."""
    running = asking.edit_lines(0, 2, "Add a docstring.")
    (await asking.model.generation(1)).reply("standard safe: two cases")
    asking.model.generations[0].reply(FAST)
    result = await running.result()
    assert (result.outcome, result.tier) == ("applied", "fast")
    assert running.session.account.opinion == OpinionNote("overruled")


class TestHigherTier:
    """Opinions on edits that the score sends to a higher tier."""

    async def begun(
        self, harness: EditHarness
    ) -> tuple[RunningEdit, FakeGeneration, FakeGeneration]:
        """Request a hard edit; return it, its generation, and the question."""
        running = harness.edit_lines(0, 2, "Find the deadlock between the two threads.")
        deep = await harness.tiers.models["deep"].generation()
        question = await harness.model.generation()
        assert "how hard and how dangerous" in question.request.prompt.instructions
        return running, deep, question

    async def test_a_lower_tier_takes_over_before_the_answer_begins(
        self, asking: EditHarness
    ) -> None:
        """The reasons say so, and the opinion is not asked for again."""
        running, deep, question = await self.begun(asking)
        question.reply("fast safe: one line")
        (await asking.model.generation(1)).reply(FAST)
        result = await running.result()
        assert (result.outcome, result.tier) == ("applied", "fast")
        assert asking.editor.text() == FAST
        assert deep.is_stopped or deep.is_released
        assert running.session.account.opinion == OpinionNote("lowered")
        assert "second opinion calls it fast: one line" in result.reasons[0]
        assert "before the deep tier had begun" in result.reasons[0]
        assert len(asking.model.generations) == 2

    async def test_an_answer_that_has_begun_is_kept(self, asking: EditHarness) -> None:
        """Nothing that the user may see is thrown away."""
        running, deep, question = await self.begun(asking)
        deep.write("def total(prices):\n")
        await asking.idle()
        question.reply("fast safe: one line")
        await asking.idle()
        deep.write("    return sum(prices, start=0)\n")
        deep.finish()
        result = await running.result()
        assert (result.outcome, result.tier) == ("applied", "deep")
        assert asking.editor.text() == BETTER

    async def test_the_highest_tier_does_not_wait(self, asking: EditHarness) -> None:
        """No opinion could raise its edit."""
        running, deep, question = await self.begun(asking)
        deep.reply(BETTER)
        assert (await running.result()).tier == "deep"
        await asking.idle()
        assert question.is_stopped or question.is_released

    async def test_a_guarded_edit_is_not_lowered_to_fast(
        self, asking: EditHarness
    ) -> None:
        """Whatever the opinion says."""
        text = (
            "def check(user, password):\n    return verify_password(user, password)\n"
        )
        asking.editor.open(text, uri="file:///project/login.py")
        running = asking.edit_lines(
            0, 2, "Why does it deadlock?", uri="file:///project/login.py"
        )
        generation = await asking.tiers.models["deep"].generation()
        (await asking.model.generation()).reply("fast safe: one line")
        written = await asking.tiers.models["standard"].generation()
        written.reply(text)
        assert (await running.result()).tier == "standard"
        assert generation.is_stopped or generation.is_released


class TestNotAsked:
    """The cases without a question."""

    async def test_when_the_user_named_a_tier(self, asking: EditHarness) -> None:
        """That decides."""
        running = asking.edit(0, len(TEXT), tier="fast")
        await self._is_alone(asking, running)

    async def test_when_there_is_one_model(self, asking: EditHarness) -> None:
        """There is nothing to go up to."""
        asking.tiers.models.clear()
        await self._is_alone(asking, asking.edit_lines(0, 2))

    async def test_when_it_is_switched_off(self, asking: EditHarness) -> None:
        """By the setting."""
        asking.configure(routing={"second_opinions": 0})
        await self._is_alone(asking, asking.edit_lines(0, 2))

    async def test_when_the_minute_has_had_enough(self, asking: EditHarness) -> None:
        """By the setting."""
        asking.configure(routing={"second_opinions": 1})
        running, question = await asked(asking)
        question.reply("fast safe")
        asking.model.generations[0].reply(FAST)
        await running.result()
        running = asking.edit_lines(0, 2)
        (await asking.model.generation(2)).reply(TEXT)
        await running.result()
        assert len(asking.model.generations) == 3

    async def test_when_steps_are_written(self, asking: EditHarness) -> None:
        """They change the document before an opinion is there."""
        running = asking.edit_lines(0, 2, apply="stream")
        await self._is_alone(asking, running)

    async def _is_alone(self, harness: EditHarness, running: RunningEdit) -> None:
        (await harness.model.generation()).reply(FAST)
        assert (await running.result()).outcome == "applied"
        assert len(harness.model.generations) == 1
