"""Fixes that are computed before they are asked for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace
from tests.assist.conftest import EditHarness
from tests.assist.fake_editor import URI

from redline.assist.actions.action import EditWork
from redline.assist.edit.computed_edit import computed_edit
from redline.assist.edit.edits import Edits, PendingOutcome
from redline.assist.edit.hand_over_editor import HandOverEditor
from redline.assist.edit.precompute import PrecomputedFixes
from redline.assist.edit.session.result import EditRequest
from redline.errors import EditHeldError, OutdatedError
from redline.settings.actions import ActionSettings
from redline.text.position import Position, Range

TEXT = "a = 1\nb = 2\nc = 3\n"
EDITED = "a = 10\nb = 2\n"


def work(first: int = 0, instruction: str = "Fix it.") -> EditWork:
    """A fix of two lines."""
    where = Range(Position(first, 0), Position(first + 1, 5))
    return EditWork(range=where, instruction=instruction, kind="fix")


class Ahead(PrecomputedFixes):
    """With settings that a test can change."""

    settings = ActionSettings(precompute=True)


@pytest.fixture
async def ahead(harness: EditHarness) -> AsyncIterator[Ahead]:
    """Compute ahead on the rig's documents; nothing is left afterwards."""
    harness.editor.open(TEXT)
    services = replace(harness.services, editor=HandOverEditor())
    edits = Edits(services, tasks=harness.tasks)
    fixes = Ahead(edits=edits, settings=lambda: fixes.settings)
    yield fixes
    await fixes.aclose()
    assert edits.sessions == ()


async def test_what_was_computed_is_taken_once(
    harness: EditHarness, ahead: Ahead
) -> None:
    """For the same text and the same work; the user has seen nothing of it."""
    ahead.expect(URI, 1, work())
    ahead.expect(URI, 1, work())
    (await harness.model.generation()).reply(EDITED)
    await harness.idle()
    assert len(harness.model.generations) == 1
    assert harness.editor.progress == []
    assert ahead.take(URI, 2, work()) is None
    assert ahead.take(URI, 1, work(instruction="Else.")) is None
    asked = ahead.take(URI, 1, work())
    assert asked is not None
    done = await computed_edit(asked)
    assert harness.editor.documents[URI].edited(done.edits) == f"{EDITED}c = 3\n"
    assert ahead.take(URI, 1, work()) is None


async def test_what_is_still_written_can_be_taken(
    harness: EditHarness, ahead: Ahead
) -> None:
    ahead.expect(URI, 1, work())
    generation = await harness.model.generation()
    asked = ahead.take(URI, 1, work())
    assert asked is not None
    # What comes next does not stop what was taken.
    ahead.expect(URI, 1, work(1))
    assert not generation.is_stopped
    generation.reply(EDITED)
    assert (await computed_edit(asked)).snapshot.version == 1


async def test_only_the_newest_is_kept(harness: EditHarness, ahead: Ahead) -> None:
    ahead.expect(URI, 1, work())
    first = await harness.model.generation()
    ahead.expect(URI, 1, work(1))
    await harness.model.generation(1)
    assert first.is_stopped


async def test_the_budget_of_a_minute(harness: EditHarness, ahead: Ahead) -> None:
    """Over it, and while it is off, nothing is asked; what is there stays."""
    ahead.settings = ActionSettings(precompute=True, precompute_per_minute=1)
    ahead.expect(URI, 1, work())
    (await harness.model.generation()).reply(EDITED)
    ahead.expect(URI, 1, work(1))
    await harness.idle()
    assert len(harness.model.generations) == 1
    assert ahead.take(URI, 1, work()) is not None
    ahead.settings = ActionSettings()
    ahead.expect(URI, 1, work(1))
    await harness.idle()
    assert len(harness.model.generations) == 1


async def test_the_users_own_edit_of_the_text_goes_on(
    harness: EditHarness, ahead: Ahead
) -> None:
    """Neither takes the other's text over."""
    running = harness.edit_lines(0, 2)
    own = await harness.model.generation()
    ahead.expect(URI, 1, work())
    await harness.model.generation(1)
    own.reply(EDITED)
    assert (await running.result()).outcome == "applied"


async def test_what_has_problems_is_not_handed_over(
    harness: EditHarness, ahead: Ahead
) -> None:
    harness.configure(checks={"off": [], "repair": False, "escalate": False})
    ahead.expect(URI, 1, work())
    (await harness.model.generation()).reply("a = (\nb = 2\n")
    asked = ahead.take(URI, 1, work())
    assert asked is not None
    with pytest.raises(EditHeldError):
        await computed_edit(asked)


async def test_typing_inside_drops_it(harness: EditHarness, ahead: Ahead) -> None:
    ahead.expect(URI, 1, work())
    generation = await harness.model.generation()
    asked = ahead.take(URI, 1, work())
    assert asked is not None
    harness.editor.replace(0, 1, "z")
    assert generation.is_stopped
    with pytest.raises(OutdatedError):
        await computed_edit(asked)


async def open_with(
    harness: EditHarness, ahead: Ahead, instruction: str = "Fix it."
) -> PendingOutcome:
    """Have the user request an edit that may have been computed."""
    one = work(instruction=instruction)
    request = EditRequest(
        session_id="mine",
        uri=URI,
        range=one.range,
        instruction=one.instruction,
        kind=one.kind,
        title="Fix",
    )
    return harness.edits.open(request, finish=ahead.writing(URI, 1, one))


async def test_what_was_computed_is_offered(harness: EditHarness, ahead: Ahead) -> None:
    """In the preview, without another generation."""
    harness.preview()
    ahead.expect(URI, 1, work())
    (await harness.model.generation()).reply(EDITED)
    await harness.idle()
    asked = await open_with(harness, ahead)
    assert (await asked.outcome()).outcome == "offered"
    assert harness.editor.shown("mine") == f"{EDITED}c = 3\n"
    assert len(harness.model.generations) == 1
    harness.edits.reject("mine", None)


async def test_what_is_being_computed_is_stopped_with_its_session(
    harness: EditHarness, ahead: Ahead
) -> None:
    """The generation ends, too."""
    harness.preview()
    ahead.expect(URI, 1, work())
    await harness.model.generation()
    asked = await open_with(harness, ahead)
    await harness.idle()
    assert harness.edits.stop() == ["mine"]
    assert (await asked.outcome()).outcome == "stopped"
    await harness.idle()
    assert harness.model.n_running == 0


async def test_what_could_not_be_computed_is_written(
    harness: EditHarness, ahead: Ahead
) -> None:
    """By a generation of its own, also after a redirect."""
    harness.preview()
    ahead.expect(URI, 1, work())
    generation = await harness.model.generation()
    asked = await open_with(harness, ahead)
    await harness.idle()
    generation.reply("a = 1\nb = 2\n")
    (await harness.model.generation(1)).reply(EDITED)
    assert (await asked.outcome()).outcome == "offered"
    assert harness.editor.shown("mine") == f"{EDITED}c = 3\n"
    harness.edits.reject("mine", None)


async def test_a_redirect_overtakes_what_is_being_computed(
    harness: EditHarness, ahead: Ahead
) -> None:
    """Its instruction goes to a model once the computed fix is out of the way."""
    harness.preview()
    ahead.expect(URI, 1, work())
    generation = await harness.model.generation()
    asked = await open_with(harness, ahead)
    await harness.idle()
    redirect = asyncio.create_task(
        harness.edits.redirects.redirect(asked.session, "Else.")
    )
    await harness.idle()
    generation.reply(EDITED)
    (await harness.model.generation(1)).reply("a = 11\nb = 2\n")
    assert (await redirect).is_accepted
    assert (await asked.outcome()).outcome == "offered"
    assert harness.editor.shown("mine") == "a = 11\nb = 2\nc = 3\n"
    harness.edits.reject("mine", None)
