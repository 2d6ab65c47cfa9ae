"""Fixes that are computed before they are asked for."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.assist.conftest import Rig
from tests.assist.fake_editor import URI

from redline.assist.actions.action import EditWork
from redline.assist.edit.edits import Edits
from redline.assist.hand_over import handed_over
from redline.assist.precompute import Precomputed, SilentEditor
from redline.errors import EditHeldError, OutdatedError
from redline.settings.actions import ActionSettings
from redline.text.position import Position, Range

TEXT = "a = 1\nb = 2\nc = 3\n"
EDITED = "a = 10\nb = 2\n"


def work(first: int = 0, instruction: str = "Fix it.") -> EditWork:
    """A fix of two lines."""
    where = Range(Position(first, 0), Position(first + 1, 5))
    return EditWork(range=where, instruction=instruction, kind="fix")


class Ahead(Precomputed):
    """With settings that a test can change."""

    settings = ActionSettings(precompute=True)


@pytest.fixture
async def ahead(rig: Rig) -> AsyncIterator[Ahead]:
    """Compute ahead on the rig's documents; nothing is left afterwards."""
    rig.editor.open(TEXT)
    edits = Edits(
        workspace=rig.workspace,
        editor=SilentEditor(),
        tiers=rig.tiers,
        settings=lambda: rig.settings,
        tasks=rig.tasks,
    )
    fixes = Ahead(edits=edits, settings=lambda: fixes.settings)
    yield fixes
    await fixes.aclose()
    assert edits.sessions == ()


async def test_what_was_computed_is_taken_once(rig: Rig, ahead: Ahead) -> None:
    """For the same text and the same work; the user has seen nothing of it."""
    ahead.expect(URI, 1, work())
    ahead.expect(URI, 1, work())
    (await rig.model.generation()).reply(EDITED)
    await rig.idle()
    assert len(rig.model.generations) == 1
    assert rig.editor.progress == []
    assert ahead.take(URI, 2, work()) is None
    assert ahead.take(URI, 1, work(instruction="Else.")) is None
    asked = ahead.take(URI, 1, work())
    assert asked is not None
    done = await handed_over(asked)
    assert rig.editor.documents[URI].edited(done.edits) == f"{EDITED}c = 3\n"
    assert ahead.take(URI, 1, work()) is None


async def test_what_is_still_written_can_be_taken(rig: Rig, ahead: Ahead) -> None:
    ahead.expect(URI, 1, work())
    generation = await rig.model.generation()
    asked = ahead.take(URI, 1, work())
    assert asked is not None
    # What comes next does not stop what was taken.
    ahead.expect(URI, 1, work(1))
    assert not generation.is_stopped
    generation.reply(EDITED)
    assert (await handed_over(asked)).snapshot.version == 1


async def test_only_the_newest_is_kept(rig: Rig, ahead: Ahead) -> None:
    ahead.expect(URI, 1, work())
    first = await rig.model.generation()
    ahead.expect(URI, 1, work(1))
    await rig.model.generation(1)
    assert first.is_stopped


async def test_the_budget_of_a_minute(rig: Rig, ahead: Ahead) -> None:
    """Over it, and while it is off, nothing is asked; what is there stays."""
    ahead.settings = ActionSettings(precompute=True, precompute_per_minute=1)
    ahead.expect(URI, 1, work())
    (await rig.model.generation()).reply(EDITED)
    ahead.expect(URI, 1, work(1))
    await rig.idle()
    assert len(rig.model.generations) == 1
    assert ahead.take(URI, 1, work()) is not None
    ahead.settings = ActionSettings()
    ahead.expect(URI, 1, work(1))
    await rig.idle()
    assert len(rig.model.generations) == 1


async def test_the_users_own_edit_of_the_text_goes_on(rig: Rig, ahead: Ahead) -> None:
    """Neither takes the other's text over."""
    running = rig.edit_lines(0, 2)
    own = await rig.model.generation()
    ahead.expect(URI, 1, work())
    await rig.model.generation(1)
    own.reply(EDITED)
    assert (await running.result()).outcome == "applied"


async def test_what_has_problems_is_not_handed_over(rig: Rig, ahead: Ahead) -> None:
    rig.configure(checks={"off": [], "repair": False, "escalate": False})
    ahead.expect(URI, 1, work())
    (await rig.model.generation()).reply("a = (\nb = 2\n")
    asked = ahead.take(URI, 1, work())
    assert asked is not None
    with pytest.raises(EditHeldError):
        await handed_over(asked)


async def test_typing_inside_drops_it(rig: Rig, ahead: Ahead) -> None:
    ahead.expect(URI, 1, work())
    generation = await rig.model.generation()
    asked = ahead.take(URI, 1, work())
    assert asked is not None
    rig.editor.replace(0, 1, "z")
    assert generation.is_stopped
    with pytest.raises(OutdatedError):
        await handed_over(asked)
