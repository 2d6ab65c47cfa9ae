"""An edit in Neovim: asked for, painted, taken or left."""

from __future__ import annotations

import pytest
from PIL import Image
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.neovim.conftest import Open
from tests.editors.neovim.neovim import Neovim
from tests.editors.scene import BETTER, OTHER, TEXT, TOTAL, Scene
from tests.editors.terminal import ENTER, ESCAPE

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITED = TEXT.replace(TOTAL, BETTER)

OPEN = "require('redline.sessions').of_buffer(vim.api.nvim_get_current_buf())"
"""The edits of the buffer, as Lua."""


async def test_edit_accepted(neovim: Neovim, model: ScriptedModel) -> None:
    """Select, type an instruction, see it, accept it; one undo takes it back."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    terminal = neovim.terminal
    terminal.type("4GVjge")
    await terminal.shows("╭ Edit ─")
    terminal.type(f"begin at zero{ENTER}")
    await terminal.shows(r"redline: 1 change, :Redline accept or reject")
    await terminal.shows(r"^    return sum\(prices\)\n    return sum\(prices, 0.0\)")
    assert await neovim.text() == TEXT
    terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text(EDITED)
    await neovim.shows_hunks(0)
    assert model.tasks[0].instruction == "begin at zero"
    assert model.tasks[0].target == TOTAL
    terminal.type("u")
    await neovim.is_text(TEXT)
    terminal.type("\x12")
    await neovim.is_text(EDITED)


HOLD_ENDS = """
local handlers = vim.lsp.get_clients({ name = 'redline' })[1].handlers
local deliver, held = handlers['redline/edit/ended'], {}
handlers['redline/edit/ended'] = function(...) table.insert(held, { ... }) end
function _G.deliver_ends()
  handlers['redline/edit/ended'] = deliver
  for _, each in ipairs(held) do deliver(unpack(each)) end
end
"""
"""Lets `redline/edit/ended` arrive late, as from a busy server."""

OFFERED_LATE = """
local id = require('redline.sessions').last_of(vim.api.nvim_get_current_buf())
require('redline.edit').show_outcome({ sessionId = id, outcome = 'offered' })
"""


@pytest.mark.parametrize("is_late", [False, True])
async def test_an_undo_right_after_an_edit_was_accepted(
    neovim: Neovim, model: ScriptedModel, is_late: bool
) -> None:
    """The edit is no longer offered, also before the server reports its end."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await neovim.command("4,5Redline edit begin at zero")
    await neovim.terminal.shows("redline: 1 change,")
    if is_late:
        await neovim.lua(HOLD_ENDS)
    await neovim.command("Redline accept")
    await neovim.is_text(EDITED)
    await neovim.until(f"#{OPEN} == 0")
    await neovim.terminal.hides("redline: ")
    await neovim.command("undo")
    await neovim.is_text(TEXT)
    # A second edit of the same lines is the only one, wherever the cursor is.
    await neovim.command("4,5Redline edit begin at zero again")
    await neovim.terminal.shows("redline: 1 change,")
    await neovim.command("normal! G")
    await neovim.command("Redline accept")
    await neovim.is_text(EDITED)
    if is_late:
        await neovim.lua("deliver_ends()")
    await neovim.until(f"#{OPEN} == 0")
    await neovim.shows_hunks(0)


async def test_an_outcome_that_comes_after_its_edit_has_landed(
    neovim: Neovim, model: ScriptedModel
) -> None:
    """The user accepts as soon as the changes are shown, before the answer is there."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await neovim.command("4,5Redline edit begin at zero")
    await neovim.terminal.shows("redline: 1 change,")
    await neovim.lua(HOLD_ENDS)
    await neovim.command("Redline accept")
    await neovim.is_text(EDITED)
    await neovim.until(f"#{OPEN} == 0")
    await neovim.lua(OFFERED_LATE)
    await neovim.lua("deliver_ends()")
    assert await neovim.lua(f"return #{OPEN}") == 0


async def test_added_lines_are_one_edit(neovim: Neovim, model: ScriptedModel) -> None:
    """One preview, one undo; the lines in between stay."""
    _, second = TOTAL.splitlines(keepends=True)
    lines = TEXT.splitlines(keepends=True)
    start = lines.index(second)
    changed = "# one\n" + lines[0]
    better = "    return 0\n"
    model.say(
        Script(
            otherwise=ScriptReply(
                text=f"<<<<<<< RANGE 1\n{changed}>>>>>>> RANGE 1\n"
                f"<<<<<<< RANGE 2\n{better}>>>>>>> RANGE 2\n"
            )
        )
    )
    terminal = neovim.terminal
    terminal.type(f":{start + 1}Redline add{ENTER}")
    terminal.type(f":1Redline edit shorter{ENTER}")
    await terminal.shows("redline: 2 changes")
    terminal.type(f":Redline accept{ENTER}")
    expected = TEXT.replace(second, better).replace(lines[0], changed, 1)
    await neovim.is_text(expected)
    assert model.tasks[0].instruction == "shorter"
    assert model.tasks[0].reply_format == "ranges"
    terminal.type("u")
    await neovim.is_text(TEXT)


async def test_added_lines_that_are_deleted_are_left_out(
    scene: Scene, neovim: Neovim, model: ScriptedModel
) -> None:
    """Until an undo; a refused edit keeps them, and what the model left out is said."""
    terminal, lines = neovim.terminal, TEXT.splitlines(keepends=True)
    n_added = "#require('redline.added').of_buffer(0)"
    terminal.type(f":1Redline add{ENTER}:5Redline add{ENTER}")
    await neovim.until(f"{n_added} == 2")
    terminal.type(f":5d{ENTER}")
    await neovim.until(f"{n_added} == 1")
    terminal.type("u")
    await neovim.until(f"{n_added} == 2")
    Image.new("RGB", (8, 4)).save(scene.project / "shot.png")
    terminal.type(f":Redline image shot.png like this{ENTER}")
    await terminal.shows("does not read images")
    # The message is longer than the screen is wide.
    terminal.type(ENTER)
    await neovim.until(f"{n_added} == 2")
    changed = "# one\n" + lines[0]
    reply = f"<<<<<<< RANGE 1\n{changed}>>>>>>> RANGE 1\n"
    model.say(Script(otherwise=ScriptReply(text=reply)))
    terminal.type(f":Redline edit shorter{ENTER}")
    await terminal.shows("Range 2 is unchanged")
    terminal.type(ENTER)
    await neovim.until(f"{n_added} == 0")


async def test_an_import_above_the_lines(neovim: Neovim, model: ScriptedModel) -> None:
    """It is a change of its own in the same offer, and undone with the rest."""
    code = "def total(prices):\n    return json.dumps(prices)\n"
    model.say(Script(otherwise=ScriptReply(text=f"import json\n\n\n{code}")))
    edited = f"import json\n{TEXT.replace(TOTAL, code)}"
    terminal = neovim.terminal
    terminal.type(f":4,5Redline edit as JSON{ENTER}")
    await terminal.shows(r"redline: 2 changes, :Redline accept or reject")
    await neovim.shows_hunks(2)
    await terminal.shows("^import json")
    terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text(edited)
    terminal.type("u")
    await neovim.is_text(TEXT)


async def test_an_import_that_is_needless_now(
    neovim: Neovim, model: ScriptedModel
) -> None:
    """Its removal is a change of its own, which can be rejected alone, and is undone
    with the rest."""
    area = "def area(radius):\n    return math.pi * radius * radius\n"
    code = "def area(radius):\n    return 3.14159 * radius * radius\n"
    model.say(Script(otherwise=ScriptReply(text=code)))
    with_import = TEXT.replace(area, code)
    terminal = neovim.terminal
    terminal.type(f":8,9Redline edit use a number{ENTER}")
    await terminal.shows(r"redline: 2 changes, :Redline accept or reject")
    await neovim.shows_hunks(2)
    terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text(with_import.replace("import math\n\n", ""))
    await terminal.hides(", :Redline accept")
    terminal.type("u")
    await neovim.is_text(TEXT)
    terminal.type(f":8,9Redline edit use a number{ENTER}")
    await neovim.shows_hunks(2)
    await terminal.shows(r"redline: 2 changes, :Redline accept or reject")
    terminal.type("gggn")
    await neovim.shows_hunks(1)
    terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text(with_import)


async def test_an_image(scene: Scene, neovim: Neovim, model: ScriptedModel) -> None:
    """Its file goes to the server, which knows that this model reads no images."""
    image = scene.project / "a shot.png"
    Image.new("RGB", (8, 4)).save(image)
    terminal = neovim.terminal
    terminal.type(f":4,5Redline image no.png like this{ENTER}")
    await terminal.shows("no.png' is no file that can be read")
    terminal.type(f":4,5Redline image a\\ shot.png like this{ENTER}")
    await terminal.shows("does not read images")
    # The message is longer than the screen is wide.
    terminal.type(ENTER)
    assert model.tasks == []
    assert await neovim.text() == TEXT


LINES = [f"name_{i:02} = [{i}]\n" for i in range(20)]
CHANGED = [
    line.replace("[", "[0, ") if i in (2, 12) else line for i, line in enumerate(LINES)
]


@pytest.fixture
def many(scene: Scene) -> str:
    """The scene's file has many lines; returns its text."""
    text = "".join(LINES)
    scene.file.write_text(text)
    return text


async def begin(neovim: Neovim, instruction: str = "improve it") -> None:
    """Ask for an edit of the whole buffer."""
    neovim.terminal.type(f":%Redline edit {instruction}{ENTER}")


async def test_preview_painted_while_it_streams(
    many: str, neovim: Neovim, model: ScriptedModel
) -> None:
    """Removed and added lines have colours of their own; the buffer stays as it is."""
    model.say(Script(otherwise=ScriptReply(chunks=tuple(CHANGED))))
    hold = model.hold("improve it", after=6)
    terminal = neovim.terminal
    plain = terminal.background("name_05")
    await begin(neovim)
    await hold.reached()
    await terminal.shows(r"redline: writing \(fast\), :Redline stop")
    await terminal.shows(r"^name_02 = \[2\]\nname_02 = \[0, 2\]\nname_03 = ")
    await terminal.hides(r"name_12 = \[0")
    await terminal.until(
        lambda: terminal.background("name_02 = [0") != plain, "added has a colour"
    )
    assert terminal.foreground("name_02 = [2") != terminal.foreground("name_05")
    assert await neovim.text() == many
    hold.release()
    await terminal.shows(r"redline: 2 changes")
    await terminal.shows(r"^name_12 = \[0, 12\]")
    terminal.type(f":Redline reject{ENTER}")
    await neovim.shows_hunks(0)
    await terminal.hides(r"\[0, ")
    assert await neovim.text() == many


async def test_edit_stopped_half_way(
    many: str, neovim: Neovim, model: ScriptedModel
) -> None:
    """After a stop nothing is painted, and the file is as it was."""
    model.say(Script(otherwise=ScriptReply(chunks=tuple(CHANGED))))
    hold = model.hold("improve it", after=6)
    await begin(neovim)
    await hold.reached()
    await neovim.shows_hunks(1)
    neovim.terminal.type("gs")
    await neovim.shows_hunks(0)
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    await neovim.terminal.hides(r"\[0, |, :Redline")
    assert await neovim.text() == many
    assert not await neovim.lua("return vim.bo.modified")


async def test_edit_redirected(many: str, neovim: Neovim, model: ScriptedModel) -> None:
    """Another instruction while it writes; what it writes then is offered."""
    other = [line.replace("[0, ", "[1, ") for line in CHANGED]
    model.say(
        Script(
            rules=(
                ScriptRule(
                    when=When(instruction="instead"),
                    reply=ScriptReply(chunks=tuple(other)),
                ),
            ),
            otherwise=ScriptReply(chunks=tuple(CHANGED)),
        )
    )
    hold = model.hold("improve it", after=6)
    await begin(neovim)
    await hold.reached()
    await neovim.shows_hunks(1)
    neovim.terminal.type(f":Redline redirect{ENTER}")
    await neovim.terminal.shows("╭ Instead ─")
    neovim.terminal.type(f"do this instead{ENTER}")
    await neovim.terminal.shows("redline: 2 changes")
    hold.release()
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text("".join(other))
    task = model.tasks[-1]
    assert (task.instruction, task.earlier) == ("do this instead", "improve it")


async def test_hunks_accepted_one_by_one(
    many: str, neovim: Neovim, model: ScriptedModel
) -> None:
    """Go to a change, take it, leave the other; each is an undo step."""
    model.say(Script(otherwise=ScriptReply(chunks=tuple(CHANGED))))
    await begin(neovim)
    await neovim.terminal.shows("redline: 2 changes")
    await neovim.command("1")
    neovim.terminal.type("gjgj")
    await neovim.until("vim.api.nvim_win_get_cursor(0)[1] == 13")
    neovim.terminal.type("gy")
    half = many.replace("[12]", "[0, 12]")
    await neovim.is_text(half)
    await neovim.shows_hunks(1)
    await neovim.terminal.shows("redline: 1 change,")
    neovim.terminal.type("gjgn")
    await neovim.shows_hunks(0)
    await neovim.terminal.hides(", :Redline")
    assert await neovim.text() == half
    neovim.terminal.type("u")
    await neovim.is_text(many)


async def test_a_hunk_accepted_while_the_rest_is_written(
    many: str, neovim: Neovim, model: ScriptedModel
) -> None:
    model.say(Script(otherwise=ScriptReply(chunks=tuple(CHANGED))))
    hold = model.hold("improve it", after=10)
    await begin(neovim)
    await hold.reached()
    await neovim.until(IS_SETTLED)
    neovim.terminal.type("gy")
    await neovim.is_text(many.replace(LINES[2], CHANGED[2]))
    hold.release()
    await neovim.terminal.shows("redline: 1 change,")
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text("".join(CHANGED))


async def test_undo_in_one_step(
    many: str, neovim: Neovim, model: ScriptedModel
) -> None:
    """An edit that lands while the user inserts text elsewhere is a step of its own."""
    model.say(Script(otherwise=ScriptReply(chunks=tuple(CHANGED[:15]))))
    neovim.terminal.type(f":1,15Redline edit improve it{ENTER}")
    await neovim.terminal.shows("redline: 2 changes")
    neovim.terminal.type("Gomine")
    typed = f"{many}mine\n"
    await neovim.is_text(typed)
    await neovim.lua("require('redline').accept()")
    await neovim.is_text("".join(CHANGED) + "mine\n")
    neovim.terminal.type(f"{ESCAPE}u")
    await neovim.is_text(typed)
    neovim.terminal.type("u")
    await neovim.is_text(many)


async def test_typing_elsewhere_moves_the_preview(
    many: str, neovim: Neovim, model: ScriptedModel
) -> None:
    """What was offered lands where its lines have gone."""
    model.say(Script(otherwise=ScriptReply(chunks=tuple(CHANGED[10:]))))
    neovim.terminal.type(f":11,20Redline edit improve it{ENTER}")
    await neovim.terminal.shows("redline: 1 change,")
    neovim.terminal.type(f"ggOabove{ESCAPE}")
    await neovim.terminal.shows(r"^name_12 = \[12\]\nname_12 = \[0, ")
    neovim.terminal.type(f":Redline accept{ENTER}")
    moved = many.replace("[12]", "[0, 12]")
    await neovim.is_text(f"above\n{moved}")


async def test_typing_inside_stops_the_edit(
    many: str, neovim: Neovim, model: ScriptedModel
) -> None:
    """What the user types wins; what was written elsewhere is offered."""
    model.say(Script(otherwise=ScriptReply(chunks=tuple(CHANGED))))
    hold = model.hold("improve it", after=6)
    await begin(neovim)
    await hold.reached()
    await neovim.shows_hunks(1)
    neovim.terminal.type(f"5GAmine{ESCAPE}")
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    await neovim.shows_hunks(1)
    neovim.terminal.type(f":Redline accept{ENTER}")
    mine = many.replace("[4]", "[4]mine")
    await neovim.is_text(mine.replace("[2]", "[0, 2]"))


async def test_new_lines_above_the_first(neovim: Neovim, model: ScriptedModel) -> None:
    """They are in sight, and land there."""
    model.say(Script(otherwise=ScriptReply(text=f"# head\n{TEXT}")))
    await begin(neovim)
    await neovim.terminal.shows(r"\A# head\nimport math")
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text(f"# head\n{TEXT}")


async def test_new_lines_on_a_blank_one(neovim: Neovim, model: ScriptedModel) -> None:
    """With no range on a blank line, what is written goes there."""
    model.say(Script(otherwise=ScriptReply(text="ZERO = 0\n")))
    neovim.terminal.type(f"2G:Redline a constant{ENTER}")
    await neovim.terminal.shows("':Redline a' is unknown")
    neovim.terminal.type(f":Redline edit a constant{ENTER}")
    await neovim.terminal.shows("redline: 1 change,")
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text(TEXT.replace("math\n", "math\nZERO = 0\n"))


async def test_an_edit_of_what_a_motion_covers(
    neovim: Neovim, model: ScriptedModel
) -> None:
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    neovim.terminal.type("4Ggeip")
    await neovim.terminal.shows("╭ Edit ─")
    neovim.terminal.type(f"begin at zero{ENTER}")
    await neovim.terminal.shows("redline: 1 change,")
    assert model.tasks[0].target == TOTAL


async def test_a_file_without_a_last_line_end(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """The last line is painted and replaced like any other."""
    scene.file.write_text("a = 1\nb = 2")
    neovim = await open_it()
    await neovim.is_ready()
    model.say(Script(otherwise=ScriptReply(text="a = 1\nb = 3\nc = 4\n")))
    await begin(neovim)
    await neovim.terminal.shows(r"^b = 2\nb = 3\nc = 4")
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text("a = 1\nb = 3\nc = 4\n")


async def test_edit_applied_at_its_end(open_it: Open, model: ScriptedModel) -> None:
    """Without a preview, it lands by itself; `:Redline back` undoes it."""
    neovim = await open_it(options="{ apply = 'end' }")
    await neovim.is_ready()
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    neovim.terminal.type(f":4,5Redline edit begin at zero{ENTER}")
    await neovim.is_text(EDITED)
    neovim.terminal.type(f":Redline back{ENTER}")
    await neovim.is_text(TEXT)


async def test_growing_steps_are_one_undo_step(
    many: str, open_it: Open, model: ScriptedModel
) -> None:
    """An edit that enters the buffer while it is written is undone as a whole."""
    neovim = await open_it(options="{ apply = 'stream' }")
    await neovim.is_ready()
    model.say(Script(otherwise=ScriptReply(chunks=tuple(CHANGED))))
    hold = model.hold("improve it", after=8)
    await begin(neovim)
    await hold.reached()
    await neovim.is_text(many.replace(LINES[2], CHANGED[2]))
    hold.release()
    await neovim.is_text("".join(CHANGED))
    await neovim.terminal.hides("redline: ")
    neovim.terminal.type("u")
    await neovim.is_text(many)


async def test_held_edit_says_why(open_it: Open, model: ScriptedModel) -> None:
    """It is shown with its problem, and only lands when the user insists."""
    neovim = await open_it()
    await neovim.is_ready()
    broken = "def total(prices:\n    return sum(prices)\n"
    model.say(Script(otherwise=ScriptReply(text=broken)))
    neovim.terminal.type(f":4,5Redline edit break it{ENTER}")
    await neovim.terminal.shows("redline: held back, .+ accept or reject")
    await neovim.terminal.shows(r"no longer parses: .+\n.*def total")
    assert await neovim.text() == TEXT
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text(TEXT.replace(TOTAL, broken))


async def test_what_was_taken_for_granted(open_it: Open, model: ScriptedModel) -> None:
    """A vague instruction runs, and the line above it says what it left open."""
    neovim = await open_it()
    await neovim.is_ready()
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    neovim.terminal.type(f":4,5Redline edit make this better{ENTER}")
    await neovim.terminal.shows("taken for granted: Only `total` changes. Its behaviou")
    await neovim.terminal.shows("redline: 1 change, ")
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text(TEXT.replace(TOTAL, BETTER))


async def test_candidates_stepped_through(neovim: Neovim, model: ScriptedModel) -> None:
    """Three race, the next one is a command away, with its place among them."""
    replies = (BETTER, OTHER, BETTER)
    model.say(
        Script(
            rules=tuple(
                ScriptRule(when=When(nth=nth), reply=ScriptReply(text=text))
                for nth, text in enumerate(replies, 1)
            )
        )
    )
    neovim.terminal.type(f":4,5Redline variations begin at zero{ENTER}")
    await neovim.terminal.shows("redline: 1 change,")
    shown = await neovim.lua(FIRST_HUNK)
    neovim.terminal.type(f":Redline candidate{ENTER}")
    await neovim.terminal.shows("redline: candidate 2 of 2")
    other = await neovim.lua(FIRST_HUNK)
    assert {shown, other} == {BETTER.splitlines(True)[1], OTHER.splitlines(True)[1]}
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text(TEXT.replace(TOTAL.splitlines(True)[1], other))


FIRST_HUNK = """
local session = require('redline.sessions').of_buffer(vim.api.nvim_get_current_buf())[1]
local _, hunk = next(session.hunks)
return hunk.newText
"""

IS_SETTLED = """
(function()
  local here = require('redline.sessions').of_buffer(vim.api.nvim_get_current_buf())
  local _, hunk = next(here[1].hunks)
  return hunk ~= nil and hunk.state == 'settled'
end)()
"""
