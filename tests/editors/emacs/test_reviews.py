"""Deep reviews in Emacs: Flymake's diagnostics, and the commands of `redline.el`."""

from __future__ import annotations

import pytest
from tests.assist.review.seeded_workspace import STOCK
from tests.e2e.review_session import INDEX, TITLES
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.emacs.conftest import Open
from tests.editors.emacs.emacs import CONTROL_A, CONTROL_C, CONTROL_K, UNDO, Emacs
from tests.editors.reviewed import (
    FIXED,
    LINE,
    RULED,
    UNRULED,
    break_two_files,
    seed,
)
from tests.editors.scene import Scene
from tests.editors.terminal import ENTER

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIXED_SHOWN = r"names\[-1\]"


async def reviewed(scene: Scene, open_it: Open, model: ScriptedModel) -> Emacs:
    """Open the file with the seeded faults, and review it."""
    emacs = await open_it(seed(scene, model))
    emacs.terminal.type(f"{CONTROL_C}v")
    await emacs.terminal.shows("Redline: Review of all of stock.py: 3 findings")
    return emacs


async def test_review_with_findings_shown(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """All of them in Flymake's list, which is of the moment when it is opened."""
    emacs = await reviewed(scene, open_it, model)
    await emacs.terminal.shows(r"Flymake\[2 1\]")
    emacs.terminal.type(f"{CONTROL_C}l")
    for title in TITLES:
        await emacs.terminal.shows(title)


async def test_review_fix_applied_and_undo_in_one_step(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """Shown before it is in the text; where there is no finding, that is said."""
    emacs = await reviewed(scene, open_it, model)
    await emacs.go(1)
    emacs.terminal.type(f"{CONTROL_C}f")
    await emacs.terminal.shows("Redline: no finding at point")
    await emacs.go(LINE)
    emacs.terminal.type(f"{CONTROL_C}f")
    await emacs.accept()
    await emacs.has(FIXED)
    emacs.terminal.type(UNDO)
    await emacs.terminal.hides(FIXED_SHOWN)
    await emacs.has(STOCK)


async def test_a_fix_is_in_the_menu_as_soon_as_the_review_has_ended(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    emacs = await reviewed(scene, open_it, model)
    await emacs.choose(LINE, "Apply fix")
    await emacs.accept()
    await emacs.has(FIXED)


async def test_all_fixes_of_a_review(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    emacs = await reviewed(scene, open_it, model)
    await emacs.go(LINE)
    emacs.terminal.type(f"\x15{CONTROL_C}f")
    await emacs.terminal.shows("Redline: 2 fixes are offered")
    await emacs.terminal.shows(FIXED_SHOWN)
    await emacs.has(STOCK)


async def test_fixes_in_two_files(scene: Scene, open_it: Open) -> None:
    """Each is offered in its file, also in one that is not open yet."""
    other = break_two_files(scene)
    emacs = await open_it()
    emacs.terminal.type(f"\x15{CONTROL_C}v")
    await emacs.terminal.shows("Review .or a base")
    emacs.terminal.type(f"worktree{ENTER}")
    await emacs.terminal.shows("Redline: Review of the changes .*: 2 findings")
    await emacs.go(2)
    emacs.terminal.type(f"\x15{CONTROL_C}f")
    await emacs.terminal.shows("Redline: 2 fixes are offered")
    for file in (scene.file, other):
        emacs.terminal.type(f"\x18\x06{file}{ENTER}")
        await emacs.terminal.shows(rf"{file.name} .*Edit")
        await emacs.has(RULED)
        emacs.terminal.type(f"{CONTROL_C}{CONTROL_A}")
        await emacs.terminal.hides(r"\(Python Edit")
        await emacs.has(UNRULED)


async def test_finding_dismissed(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    emacs = await reviewed(scene, open_it, model)
    await emacs.go(LINE)
    emacs.terminal.type(f"{CONTROL_C}d")
    await emacs.terminal.shows("^Why")
    emacs.terminal.type(f"never empty{ENTER}")
    await emacs.terminal.shows(f"Redline: dismissed: {INDEX}")


async def test_review_report_opened(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    emacs = await reviewed(scene, open_it, model)
    emacs.terminal.type(f"{CONTROL_C}o")
    await emacs.terminal.shows(r"review-\S+\.md")


async def test_review_followed_and_cancelled(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """Eglot shows the percentage; afterwards nothing runs."""
    emacs = await open_it(seed(scene, model))
    hold = model.hold_model("deep", after=60)
    emacs.terminal.type(f"{CONTROL_C}v")
    await hold.reached()
    await emacs.terminal.shows(r"\[eglot:project/\d+%\]")
    emacs.terminal.type(f"{CONTROL_C}k")
    await emacs.terminal.shows("Redline: the review is cancelled")
    hold.release()
    await emacs.terminal.shows(r"\[eglot:project\]")
    emacs.terminal.type(f"{CONTROL_C}k")
    await emacs.terminal.shows("Redline: there is no such review")


async def test_review_of_selected_lines(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    emacs = await open_it(seed(scene, model))
    await emacs.go(LINE)
    emacs.terminal.type(f"\x00\x0e{CONTROL_C}v")
    await emacs.terminal.shows(f"Review of line {LINE} of stock.py: one finding")


async def test_review_without_a_model(scene: Scene, open_it: Open) -> None:
    """The built-in rules review, and their fixes are offered, too: by the command, and
    by the menu."""
    (scene.home / "config" / "redline" / "config.toml").unlink()
    scene.file.write_text(RULED)
    emacs = await open_it()
    emacs.terminal.type(f"{CONTROL_C}v")
    await emacs.terminal.shows("Redline: Review of all of prices.py: one finding")
    await emacs.go(2)
    emacs.terminal.type(f"{CONTROL_C}f")
    await emacs.terminal.shows("C-c C-a to accept, C-c C-k to reject")
    emacs.terminal.type(f"{CONTROL_C}{CONTROL_K}")
    await emacs.terminal.shows("rejected; M-x redline-bring-back restores it")
    await emacs.has(RULED)
    await emacs.choose(2, "Apply")
    await emacs.accept()
    await emacs.has(UNRULED)
