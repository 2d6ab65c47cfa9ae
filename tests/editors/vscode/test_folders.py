"""A window of VS Code with two folders: edits and reviews work in both."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from tests.assist.review.seeded_workspace import write_workspace
from tests.e2e.review_session import seeded_script, settings_of
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import BETTER, OTHER, TEXT, TOTAL, Scene
from tests.editors.vscode.conftest import OpenWindow, as_flat, editor_settings

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")


def two_folders(scene: Scene, settings: dict[str, object]) -> tuple[Path, Path]:
    """Write a second folder, and the file of a workspace that has both."""
    other = scene.project.parent / "other"
    (other / ".git").mkdir(parents=True)
    workspace = scene.project.parent / "both.code-workspace"
    folders = [{"path": str(scene.project)}, {"path": str(other)}]
    workspace.write_text(json.dumps({"folders": folders, "settings": settings}))
    return other, workspace


def script_about(name: str) -> Script:
    """Return what the models say of the seeded file, by another name."""
    said = msgspec.json.encode(seeded_script()).decode()
    return msgspec.json.decode(said.replace("stock.py", name), type=Script)


async def test_edits_in_two_folders(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """Each is shown and accepted where it was asked for, though both wait at once."""
    other, workspace = two_folders(scene, editor_settings(model))
    (other / "costs.py").write_text(TEXT)
    math = ScriptRule(when=When(instruction="math"), reply=ScriptReply(text=OTHER))
    model.say(Script(rules=(math,), otherwise=ScriptReply(text=BETTER)))
    window = await open_window(workspace, scene.file)
    await window.ready()
    await window.focus()
    await window.select(4, 5)
    await window.instruct("begin at zero")
    await window.shows(TEXT.replace(TOTAL, BETTER))
    await window.offer().wait_for()
    await window.open_file(other / "costs.py")
    await window.select(4, 5)
    await window.instruct("use math")
    await window.shows(TEXT.replace(TOTAL, OTHER))
    await window.offer().wait_for()
    await window.picture("two-folders")
    await window.accept()
    await window.marks(0)
    await window.shows(TEXT.replace(TOTAL, OTHER))
    await window.open_file(scene.file)
    await window.marks(1)
    await window.accept()
    await window.marks(0)
    await window.shows(TEXT.replace(TOTAL, BETTER))


async def test_reviews_in_two_folders(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """The findings of both stand in one tree; each leads to its own file."""
    store = scene.home / "reviews.sqlite3"
    other, workspace = two_folders(scene, as_flat(settings_of(model, store)))
    write_workspace(scene.project)
    write_workspace(other).rename(other / "store.py")
    window = await open_window(workspace, scene.project / "stock.py")
    await window.status("fast").wait_for()
    rows = window.page.locator(".pane-body .monaco-list-row")
    reviews = rows.filter(has_text="3 findings")
    for folder, name in ((scene.project, "stock.py"), (other, "store.py")):
        model.say(script_about(name))
        await window.open_file(folder / name)
        await window.command("Redline: Deep Review of This File")
        await reviews.filter(has_text=name).wait_for()
        await window.lens("3 findings").wait_for()
    await window.picture("two-folders-reviews")
