"""An instruction that names one of the user's models is written by that one."""

from __future__ import annotations

import asyncio

import pytest
from tests.assist.conftest import EditHarness
from tests.assist.fake_model import FakeModel

from redline.assist.actions.action import RangeWork
from redline.errors import InvalidArgumentsError
from redline.text.position import Position, Range

TEXT = "a = 1\nb = 2\nc = 3\n"


@pytest.fixture
def best(harness: EditHarness) -> FakeModel:
    """A model that fills no tier."""
    harness.preview(live_pause_s=0.0)
    harness.editor.open(TEXT)
    model = harness.tiers.named["best"] = FakeModel(label="best")
    harness.tiers.named["quick"] = harness.model
    return model


async def test_it_writes(harness: EditHarness, best: FakeModel) -> None:
    """Also if one model fills every tier; its tag is not sent."""
    running = harness.edit(0, 6, "improve it #best")
    generation = await best.generation()
    assert "#best" not in generation.prompt
    generation.reply("a = 2\n")
    result = await running.result()
    assert (result.outcome, result.tier) == ("offered", "standard")
    assert result.reasons[0] == "You asked for best."
    assert not harness.model.generations


async def test_it_is_named_by_the_request(
    harness: EditHarness, best: FakeModel
) -> None:
    """Before a tier."""
    running = harness.edit(0, 6, "improve it", tier="fast", model="best")
    (await best.generation()).reply("a = 2\n")
    assert (await running.result()).outcome == "offered"


async def test_one_that_is_not_configured(
    harness: EditHarness, best: FakeModel
) -> None:
    """It is refused in a request; a tag with its name is text."""
    refused = harness.edit(0, 6, "improve it", model="bets")
    with pytest.raises(InvalidArgumentsError, match="No model is named 'bets'") as why:
        await refused.result()
    assert why.value.remedy == "These are: best, quick."
    running = harness.edit(0, 6, "see #bets")
    generation = await harness.model.generation()
    assert "see #bets" in generation.prompt
    generation.reply("a = 2\n")
    assert (await running.result()).outcome == "offered"


async def test_problems_go_back_to_it_and_then_up(
    harness: EditHarness, best: FakeModel
) -> None:
    """As with a tier that is named."""
    harness.configure(checks={"off": (), "repair": True, "escalate": True})
    deep = harness.tiers.models["deep"] = FakeModel(label="deep")
    running = harness.edit(0, 6, "improve it #best")
    (await best.generation()).reply("a = (\n")
    (await best.generation(1)).reply("a = (\n")
    (await deep.generation()).reply("a = 2\n")
    assert (await running.result()).tier == "deep"


async def test_a_redirect_names_another(harness: EditHarness, best: FakeModel) -> None:
    """The generation that runs is not steered but stopped, and the other one writes."""
    running = harness.edit(0, 6, "improve it #best")
    first = await best.generation()
    first.write("a =")
    redirect = asyncio.create_task(
        harness.edits.redirects.redirect(running.session, "shorten it #quick")
    )
    (await harness.model.generation()).reply("a = 2\n")
    await redirect
    assert (await running.result()).outcome == "offered"
    assert first.is_stopped


async def test_a_model_is_named_while_the_instruction_is_typed(
    harness: EditHarness, best: FakeModel
) -> None:
    """The last draft is not the offer if another model wrote it."""
    draft = harness.edit(0, 6, "improve it", session_id="live", is_draft=True)
    (await harness.model.generation()).reply("a = 2\n")
    assert (await draft.result()).outcome == "offered"
    running = harness.edit(0, 6, "improve it #best", session_id="live")
    (await best.generation()).reply("a = 3\n")
    assert (await running.result()).outcome == "offered"


async def test_one_of_several_ranges_names_it(
    harness: EditHarness, best: FakeModel
) -> None:
    """It writes all of them, before the tier that another one names."""
    ranges = [
        RangeWork(
            range=Range(Position(line, 0), Position(line + 1, 0)), instruction=text
        )
        for line, text in ((0, "use 2 #deep"), (2, "use 4 #best"))
    ]
    running = harness.edit(0, 6, "", ranges=tuple(ranges))
    generation = await best.generation()
    assert "#" not in generation.prompt
    harness.edits.stop()
    assert (await running.result()).outcome == "stopped"
