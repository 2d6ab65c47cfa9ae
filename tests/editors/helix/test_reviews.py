"""Deep reviews in Helix: by its menu, its diagnostics and its messages alone."""

from __future__ import annotations

import pytest
from tests.assist.review.seeded_workspace import STOCK
from tests.e2e.review_session import INDEX, TITLES
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.helix.conftest import Open
from tests.editors.helix.helix import Helix
from tests.editors.reviewed import FIXED, LINE, RULED, seed
from tests.editors.scene import Scene

pytestmark = pytest.mark.asyncio(loop_scope="session")

RACE = "Two threads take the same goods"
SHARED = "The default list is shared by all calls"


async def finds_by_pointing(helix: Helix, line: int, title: str) -> None:
    """Wait until a finding is shown while the cursor is in its line."""
    helix.terminal.type(f"{line}gg")
    await helix.terminal.shows(title)


async def reviewed(scene: Scene, open_it: Open, model: ScriptedModel) -> Helix:
    """Open the file with the seeded faults, and review it."""
    helix = await open_it(seed(scene, model))
    await helix.choose(5, "Review this file")
    await helix.terminal.shows("Redline: Review of all of stock.py: 3 findings")
    return helix


async def test_review_with_findings_shown(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """Each in its line, and all in the picker of diagnostics."""
    helix = await reviewed(scene, open_it, model)
    for line, title in ((11, RACE), (LINE, INDEX), (22, SHARED)):
        await finds_by_pointing(helix, line, title)
    helix.terminal.type(" d")
    for title in TITLES:
        await helix.terminal.shows(f"│.*{title[:20]}")
    helix.escape()


async def test_review_fix_applied_and_undo_in_one_step(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """From the menu; the finding goes, and comes back with the undo."""
    helix = await reviewed(scene, open_it, model)
    await finds_by_pointing(helix, LINE, INDEX)
    await helix.choose(LINE, "Apply fix: ")
    await helix.terminal.shows(r"names\[-1\]")
    await helix.terminal.hides(INDEX)
    await helix.saves(FIXED)
    helix.terminal.type("u")
    await helix.terminal.hides(r"names\[-1\]")
    await helix.saves(STOCK)
    await finds_by_pointing(helix, LINE, INDEX)


async def test_finding_dismissed(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    helix = await reviewed(scene, open_it, model)
    await finds_by_pointing(helix, LINE, INDEX)
    await helix.choose(LINE, "Dismiss: ")
    await helix.terminal.hides(INDEX)


async def test_review_report_opened(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """As a file, in a window of the editor."""
    helix = await reviewed(scene, open_it, model)
    await finds_by_pointing(helix, LINE, INDEX)
    await helix.choose(LINE, "Open the report of this review")
    await helix.terminal.shows(r"review-\w+\.md")


async def test_review_without_a_model(scene: Scene, open_it: Open) -> None:
    """The built-in rules review."""
    (scene.home / "config" / "redline" / "config.toml").unlink()
    scene.file.write_text(RULED)
    helix = await open_it()
    await helix.choose(2, "Review this file")
    await helix.terminal.shows("Redline: Review of all of prices.py: one finding")
    # The menu has what is shown, which comes a moment later.
    await helix.terminal.shows(r"^ *● +2 ")
    await helix.choose(2, "Apply fix: ")
    await helix.terminal.shows('return value == "nothing"')
    await helix.saves(RULED.replace('is "', '== "'))
