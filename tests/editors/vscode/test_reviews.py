"""Deep reviews in VS Code: the tree, diagnostics, a fix, the report."""

from __future__ import annotations

import json

import pytest
from tests.assist.review.answering_model import findings
from tests.assist.review.git_project import GitProject
from tests.assist.review.seeded_workspace import STOCK, write_workspace
from tests.e2e.review_session import (
    FIXED_LINE,
    INDEX,
    INDEX_LINE,
    TITLES,
    seeded_script,
    settings_of,
)
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.reviewed import HARMLESS, LINE, saving_script
from tests.editors.scene import Scene
from tests.editors.vscode.conftest import OpenWindow, as_flat
from tests.editors.vscode.themes import THEMES, use_theme
from tests.editors.vscode.window import Window

from redline.gateway.engines.script import Script, ScriptReply

GUTTER_ICONS = """() => new Set([...document.querySelectorAll('.margin .cgmr')]
  .map((each) => getComputedStyle(each).backgroundImage)
  .filter((image) => image.includes('data:image/svg')))"""

TAKE_LINE = "    if _levels.get(name, 0) >= n:"
"""Where the finding about two threads begins."""

pytestmark = pytest.mark.asyncio(loop_scope="session")

MOST_OF_A_FINDING = 5
"""Entries of its menu, all together: a longer one is not read."""


async def test_a_review_with_findings_and_a_fix(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """Findings stand in the tree and in the file; a fix is proposed, its finding stays
    if it is rejected, and accepted it is one undo step."""
    write_workspace(scene.project)
    model.say(seeded_script())
    settings = settings_of(model, scene.home / "reviews.sqlite3")
    folder = scene.project / ".vscode"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(as_flat(settings)))
    window = await open_window(scene.project, scene.project / "stock.py")
    await window.status("fast").wait_for()
    await window.focus()
    await window.command("Redline: Deep Review of This File")
    rows = window.page.locator(".pane-body .monaco-list-row")
    await rows.filter(has_text="3 findings").wait_for()
    for title in TITLES:
        await rows.filter(has_text=title).wait_for()
    # Two are of high severity, one is of medium.
    await window.page.wait_for_function(f"({GUTTER_ICONS})().size === 2")
    for kind in THEMES:
        await use_theme(window, scene.project, kind)
        await window.picture("review" if kind == "dark" else f"review-{kind}")
    await use_theme(window, scene.project, "dark")
    await rows.filter(has_text=INDEX).click()
    await window.shows_line(INDEX_LINE.strip())
    await window.focused()
    titles = await window.code_actions()
    assert "Apply all 2 fixes of this review" in titles
    assert len(titles) <= MOST_OF_A_FINDING, titles
    # What is said of the row would lie over the others.
    await window.page.mouse.move(640, 700)
    dismissed = rows.filter(has_text="The default list")
    await dismissed.hover()
    await dismissed.get_by_role("button", name="Show All That Is Known").click()
    outer = window.page.frame_locator("iframe.webview.ready")
    report = outer.frame_locator("iframe#active-frame")
    await report.get_by_text("The default list").first.wait_for()
    title = "The default list is shared by all calls"
    assert (await window.tab_names())[-1] == f"Preview {title}.md"
    await dismissed.hover()
    await dismissed.get_by_role("button", name="Dismiss This Finding").click()
    await window.box("dismiss this finding").wait_for()
    await window.type("it is intended")
    await window.press("Enter")
    await report.get_by_text("This is no longer kept").wait_for()
    assert await window.page.locator(".notification-toast").count() == 0
    await rows.filter(has_text="2 findings").wait_for()
    finding = rows.filter(has_text=INDEX)
    await finding.click()
    await finding.hover()
    await window.shows_line(INDEX_LINE.strip())
    await finding.get_by_role("button", name="Apply the Fix").click()
    await window.offer().wait_for()
    await window.shows_line(FIXED_LINE.strip())
    # Only there is Escape for it.
    await window.cursor_in_offer()
    await window.picture("review-fix-offered")
    await window.reject()
    await window.offer().wait_for(state="hidden")
    await window.shows_line(INDEX_LINE.strip())
    await rows.filter(has_text="2 findings").wait_for()
    await window.code_action("Apply fix: ")
    await window.offer().wait_for()
    await window.accept()
    await window.offer().wait_for(state="hidden")
    await rows.filter(has_text="fixed").wait_for()
    await window.shows_line(FIXED_LINE.strip())
    await window.picture("review-fixed")
    await window.focus()
    await window.press("Control+z")
    await rows.filter(has_text="fixed").wait_for(state="hidden")
    await window.shows_line(INDEX_LINE.strip())
    review = rows.filter(has_text="Review of")
    await review.hover()
    await review.get_by_role("button", name="Open the Report").click()
    await report.get_by_text(INDEX).first.wait_for()
    assert (await window.tab_names())[-1] == "Preview Review of all of stock.py.md"
    await window.picture("review-report")
    # The cursor was in another line.
    line = STOCK.split("\n").index(TAKE_LINE) + 1
    await report.get_by_role("link", name=f"stock.py:{line}").click()
    await window.page.get_by_role("button", name=f"Ln {line}, Col 1").wait_for()
    await window.shows_line(TAKE_LINE.strip())


async def test_a_press_of_cancel_counts_also_if_the_review_goes_on_meanwhile(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """What the row shows does not change with each percent."""
    write_workspace(scene.project).write_text(STOCK * 10)
    model.say(Script(otherwise=ScriptReply(text=findings())))
    settings = settings_of(model, scene.home / "reviews.sqlite3", part_tokens=1_000)
    folder = scene.project / ".vscode"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(as_flat(settings)))
    first = model.hold_model("deep", after=1)
    window = await open_window(scene.project, scene.project / "stock.py")
    await window.status("fast").wait_for()
    await window.focus()
    await window.command("Redline: Deep Review of This File")
    await first.reached()
    view = window.page.locator(".pane", has_text="Reviews")
    await view.get_by_text("Reviewing part 1").first.wait_for()
    review = view.locator(".monaco-list-row", has_text="Review of")
    await review.hover()
    await review.get_by_role("button", name="Cancel This Review").hover()
    await window.picture("review-running")
    await window.page.mouse.down()
    second = model.hold_model("deep", after=1)
    first.release()
    await second.reached()
    await view.get_by_text("Reviewing part 2").first.wait_for()
    await window.page.mouse.up()
    await review.filter(has_text="cancelled").wait_for()
    second.release()


async def test_saves_and_what_has_changed_since_are_reviewed(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """A save by itself, and by one command what was typed after it; other faults of the
    file are not found."""
    write_workspace(scene.project)
    text = HARMLESS.replace("seen: list[str] = []", "seen: list[str]")
    GitProject(scene.project).commit(stock=text)
    model.say(saving_script())
    settings = settings_of(model, scene.home / "reviews.sqlite3", on_save="hunks")
    folder = scene.project / ".vscode"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(as_flat(settings)))
    window = await open_window(scene.project, scene.project / "stock.py")
    await window.status("fast").wait_for()
    await window.focus()
    await write_line(window, LINE, INDEX_LINE)
    await window.press("Control+s")
    await window.command("Focus on Reviews View")
    rows = window.page.locator(".pane-body .monaco-list-row")
    await rows.filter(has_text=INDEX).wait_for()
    await rows.filter(has_text="what was saved in stock.py").wait_for()
    await window.picture("review-on-save")
    await window.focus()
    (line,) = [each for each in STOCK.splitlines() if "seen: list[str] = []" in each]
    await write_line(window, STOCK.splitlines().index(line) + 1, line)
    await window.command("Redline: Review What I Changed since the Last Review")
    await rows.filter(has_text="The default list is shared").wait_for()
    await rows.filter(has_text="since").first.wait_for()
    await window.picture("review-since")
    assert await rows.filter(has_text="Two threads take").count() == 0


async def write_line(window: Window, line: int, text: str) -> None:
    """Write a line over another one, counted from 1."""
    await window.go_to(line)
    await window.press("Home", "Home", "Shift+End", "Delete")
    await window.type(text)
    await window.press("Escape")
    await window.shows_line(text.strip())
