"""Deep reviews in Neovim: diagnostics, the quickfix list, fixes, reports."""

from __future__ import annotations

import pytest
from tests.assist.review.git_project import GitProject
from tests.assist.review.seeded_workspace import STOCK
from tests.e2e.review_session import FIXED_LINE, INDEX, INDEX_LINE, TITLES
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.neovim.conftest import Open
from tests.editors.neovim.neovim import Neovim
from tests.editors.reviewed import (
    FIXED,
    HARMLESS,
    LINE,
    RULED,
    UNRULED,
    break_two_files,
    saving_script,
    seed,
)
from tests.editors.scene import Scene
from tests.editors.terminal import ENTER

pytestmark = pytest.mark.asyncio(loop_scope="session")

RACE = "Two threads take the same goods"

TITLES_SHOWN = """
(function(wanted)
  local titles = {}
  for _, each in ipairs(vim.diagnostic.get(0)) do
    table.insert(titles, vim.split(each.message, '\\n')[1])
  end
  table.sort(titles)
  return table.concat(titles, '\\n') == wanted
end)(...)
"""


async def shows(neovim: Neovim, titles: set[str]) -> None:
    """Wait until exactly these findings are diagnostics of the buffer."""
    await neovim.until(TITLES_SHOWN, "\n".join(sorted(titles)))


async def open_seeded(scene: Scene, open_it: Open, model: ScriptedModel) -> Neovim:
    """Open the file with the seeded faults."""
    neovim = await open_it(seed(scene, model))
    await neovim.is_ready()
    return neovim


async def reviewed(scene: Scene, open_it: Open, model: ScriptedModel) -> Neovim:
    """Open that file, and review it."""
    neovim = await open_seeded(scene, open_it, model)
    neovim.terminal.type(f":Redline review{ENTER}")
    await neovim.terminal.shows("redline: review of all of stock.py: 3 findings")
    await shows(neovim, TITLES)
    return neovim


async def test_review_with_findings_shown(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """As diagnostics, and all at once in the quickfix list, which goes to them."""
    neovim = await reviewed(scene, open_it, model)
    neovim.terminal.type(f":Redline reviews{ENTER}")
    await neovim.until("vim.bo.buftype == 'quickfix'")
    items = await neovim.lua("return vim.fn.getqflist()")
    assert {item["text"].split("] ")[1] for item in items} == TITLES
    assert {item["type"] for item in items} == {"E", "W"}
    neovim.terminal.type(f"/{INDEX}{ENTER}{ENTER}")
    await neovim.until("vim.bo.buftype == ''")
    assert await neovim.lua("return vim.api.nvim_get_current_line()") == INDEX_LINE


async def test_review_fix_applied_and_undo_in_one_step(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """Where the lines are by then, and shown first; the finding goes and comes back."""
    neovim = await reviewed(scene, open_it, model)
    neovim.terminal.type(f"ggO# new\x1b{LINE + 1}G")
    neovim.terminal.type(f":Redline fix{ENTER}")
    await neovim.terminal.shows("redline: 1 change,")
    assert await neovim.text() == f"# new\n{STOCK}"
    await neovim.reject()
    neovim.terminal.type(f":Redline fix{ENTER}")
    await neovim.terminal.shows("redline: 1 change,")
    await neovim.command("Redline accept")
    await neovim.is_text(f"# new\n{FIXED}")
    await shows(neovim, TITLES - {INDEX})
    await neovim.terminal.hides("offered")
    neovim.terminal.type("u")
    await neovim.is_text(f"# new\n{STOCK}")
    await shows(neovim, TITLES)


async def test_all_fixes_of_a_review(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    neovim = await reviewed(scene, open_it, model)
    neovim.terminal.type(f"{LINE}G:Redline fix all{ENTER}")
    await neovim.terminal.shows("redline: 2 fixes are offered")
    await neovim.shows_hunks(2)
    assert await neovim.text() == STOCK
    await neovim.command("Redline accept")
    await neovim.terminal.shows("1 offered")
    await neovim.command("Redline accept")
    await shows(neovim, {RACE})
    assert FIXED_LINE in await neovim.text()


async def test_fixes_in_two_files(scene: Scene, open_it: Open) -> None:
    """Each is offered in its file, also in one that is not open yet."""
    other = break_two_files(scene)
    neovim = await open_it()
    await neovim.is_ready()
    neovim.terminal.type(f":Redline review worktree{ENTER}")
    await neovim.terminal.shows("review of the changes in the working tree: 2 findings")
    await neovim.until("#vim.diagnostic.get(0) == 1")
    neovim.terminal.type(f"2G:Redline fix all{ENTER}")
    await neovim.terminal.shows("redline: 2 fixes are offered")
    for file in (scene.file, other):
        await neovim.command(f"drop {file.name}")
        await neovim.shows_hunks(1)
        assert await neovim.text() == RULED
        await neovim.command("Redline accept")
        await neovim.is_text(UNRULED)


async def test_finding_dismissed(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """Also from the quickfix list; where there is none, that is said."""
    neovim = await reviewed(scene, open_it, model)
    neovim.terminal.type(f"gg:Redline dismiss{ENTER}")
    await neovim.terminal.shows("no finding is at the cursor")
    neovim.terminal.type(f":Redline reviews{ENTER}")
    await neovim.until("vim.bo.buftype == 'quickfix'")
    neovim.terminal.type(f"/{INDEX}{ENTER}:Redline dismiss never empty{ENTER}")
    await neovim.terminal.shows(f"redline: dismissed: {INDEX}")
    neovim.terminal.type(f":cclose{ENTER}")
    await shows(neovim, TITLES - {INDEX})


async def test_review_report_opened(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """Of the review, and of one finding."""
    neovim = await reviewed(scene, open_it, model)
    neovim.terminal.type(f"gg:Redline report{ENTER}")
    await neovim.until("vim.bo.filetype == 'markdown'")
    report = await neovim.text()
    assert all(title in report for title in TITLES)
    neovim.terminal.type(f":bdelete{ENTER}:edit stock.py{ENTER}")
    await shows(neovim, TITLES)
    neovim.terminal.type(f"{LINE}G:Redline finding{ENTER}")
    await neovim.until("vim.bo.filetype == 'markdown'")
    report = await neovim.text()
    assert INDEX in report
    assert RACE not in report


async def test_review_followed_and_cancelled(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """The status line and the health check tell how far; what was found stays."""
    neovim = await open_seeded(scene, open_it, model)
    hold = model.hold_model("deep", after=60)
    neovim.terminal.type(f":Redline review{ENTER}")
    await hold.reached()
    await neovim.terminal.shows(r"redline fast reviewing \d+%$")
    await shows(neovim, {RACE})
    await neovim.command("checkhealth redline")
    await neovim.until("vim.bo.filetype == 'checkhealth'")
    assert "a review of all of stock.py runs" in await neovim.text()
    await neovim.command("quit")
    neovim.terminal.type(f":Redline cancel{ENTER}")
    await neovim.terminal.shows("redline: the review of all of stock.py was cancelled")
    await neovim.terminal.hides("reviewing")
    hold.release()
    await shows(neovim, {RACE})
    neovim.terminal.type(f":Redline cancel{ENTER}")
    await neovim.terminal.shows("redline: no review runs")


async def test_review_of_selected_lines(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """Only what is in them is found."""
    neovim = await open_seeded(scene, open_it, model)
    neovim.terminal.type(f":{LINE}Redline review{ENTER}")
    await neovim.terminal.shows(f"review of line {LINE} of stock.py: one finding")
    await shows(neovim, {INDEX})


async def test_review_of_a_change(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """Of the working tree, what is not saved included; of nothing; of no change."""
    where = seed(scene, model)
    (scene.project / ".git").rmdir()
    GitProject(scene.project).commit(stock=HARMLESS)
    where.file.write_text(STOCK)
    neovim = await open_it(where)
    await neovim.is_ready()
    terminal = neovim.terminal
    terminal.type(f":Redline review worktree{ENTER}")
    await terminal.shows("review of the changes in the working tree: one finding")
    await shows(neovim, {INDEX})
    for change, said in (
        ("staged", "nothing was found"),
        ("nowhere..", "failed: .*nowhere"),
        ("all", "'all' cannot be reviewed; there are: file, staged, worktree"),
    ):
        terminal.type(f":Redline review {change}{ENTER}")
        await terminal.shows(said)
        # What is longer than the line waits for a key.
        terminal.type(ENTER)
    await shows(neovim, {INDEX})


async def test_review_of_what_a_save_has_changed(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """Without a command; only the changed lines are reviewed, and only once."""
    where = seed(scene, model, review='on_save = "hunks"\n')
    model.say(saving_script())
    (scene.project / ".git").rmdir()
    where.file.write_text(HARMLESS)
    GitProject(scene.project).commit(stock=HARMLESS)
    neovim = await open_it(where)
    await neovim.is_ready()
    neovim.terminal.type(f"{LINE}Gcc{INDEX_LINE.strip()}\x1b:write{ENTER}")
    await shows(neovim, {INDEX})
    n_prompts = len(model.prompts)
    neovim.terminal.type(f":Redline review since{ENTER}")
    await neovim.terminal.shows("nothing was found")
    # What is longer than the line waits for a key.
    neovim.terminal.type(ENTER)
    assert len(model.prompts) == n_prompts
    await shows(neovim, {INDEX})


async def test_review_of_what_has_changed_since_the_last_one(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """By one command, also of what is not saved."""
    where = seed(scene, model)
    (scene.project / ".git").rmdir()
    where.file.write_text(HARMLESS)
    GitProject(scene.project).commit(stock=HARMLESS)
    neovim = await open_it(where)
    await neovim.is_ready()
    neovim.terminal.type(f"ggO# First.\x1b:Redline review since{ENTER}")
    await neovim.terminal.shows("nothing was found")
    neovim.terminal.type(f"{LINE + 1}Gcc{INDEX_LINE.strip()}\x1b")
    neovim.terminal.type(f":Redline review since{ENTER}")
    await shows(neovim, {INDEX})


async def test_review_without_a_model(scene: Scene, open_it: Open) -> None:
    """The built-in rules review, and their fixes are offered, too: by the command, and
    by the menu."""
    (scene.home / "config" / "redline" / "config.toml").unlink()
    scene.file.write_text(RULED)
    neovim = await open_it()
    await neovim.is_ready()
    neovim.terminal.type(f":Redline review{ENTER}")
    await neovim.terminal.shows(r"redline: review of all of prices\.py: one finding")
    await neovim.until("#vim.diagnostic.get(0) == 1")
    neovim.terminal.type(f"G:Redline fix{ENTER}")
    await neovim.terminal.shows("redline: 1 change,")
    await neovim.reject()
    await neovim.choose("Apply fix: ")
    await neovim.terminal.shows("redline: 1 change,")
    assert await neovim.text() == RULED
    await neovim.command("Redline accept")
    await neovim.is_text(UNRULED)
