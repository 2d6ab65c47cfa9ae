"""The chords of an edit, by the plugin's default keys, in the real editor."""

from __future__ import annotations

import re

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.chords import ChordCount
from tests.editors.neovim.conftest import Open
from tests.editors.neovim.neovim import Neovim
from tests.editors.scene import AFTER, BEFORE, Scene, with_changes
from tests.editors.terminal import ENTER, ESCAPE

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

KEYS_OF = """
local wanted, mode = ...
wanted = ('<Plug>(redline-%s)'):format(wanted)
local own = vim.api.nvim_buf_get_keymap(0, mode)
local all = vim.list_extend(own, vim.api.nvim_get_keymap(mode))
return vim.iter(all):map(function(each)
  return each.rhs == wanted and each.lhs or nil
end):totable()
"""

TYPED = {"<BS>": "\x7f", "<CR>": ENTER, "<Esc>": ESCAPE, "<Tab>": "\t"}


class Hand:
    """Presses the shortest key that is mapped to a command now."""

    def __init__(self, neovim: Neovim, count: ChordCount) -> None:
        self._neovim = neovim
        self._count = count

    async def __call__(self, command: str, mode: str = "n") -> None:
        keys = await self._neovim.lua(KEYS_OF, command, mode)
        assert keys, f"{command} has no key"
        self.press(min(keys, key=lambda key: len(_strokes(key))))

    def press(self, key: str) -> None:
        """Press keys, as Neovim writes them."""
        strokes = _strokes(key)
        self._count.press(len(strokes))
        self._neovim.terminal.type("".join(map(_as_typed, strokes)))


def _strokes(key: str) -> list[str]:
    return re.findall(r"<[^>]+>|.", key)


def _as_typed(stroke: str) -> str:
    """Return what a terminal sends for a key."""
    if stroke.startswith("<C-"):
        return chr(ord(stroke[3].upper()) - ord("@"))
    return TYPED.get(stroke, stroke)


async def ask(neovim: Neovim, hand: Hand, instruction: str, title: str) -> None:
    """Ask for an edit of all lines, or for another one."""
    if title == "Edit":
        neovim.terminal.type("ggVG")
        await neovim.until("vim.fn.mode() == 'V'")
    await (hand("edit", "x") if title == "Edit" else hand("redirect"))
    await neovim.terminal.shows(f"╭ {title} ─")
    neovim.terminal.type(instruction)
    hand.press("<CR>")


async def offered(neovim: Neovim, hand: Hand) -> None:
    """Have three changes of the whole file offered."""
    await ask(neovim, hand, "improve it", "Edit")
    await neovim.terminal.shows("redline: 3 changes, <CR> to accept")
    await neovim.shows_hunks(3)


async def test_no_task_takes_more_chords_than_elsewhere(
    open_it: Open, scene: Scene, model: ScriptedModel
) -> None:
    """Ask, accept, undo, stop, redirect, walk, answer one change, reject."""
    scene.file.write_text(BEFORE)
    neovim = await open_it(options="{ default_keys = true }")
    await neovim.is_ready()
    count = ChordCount()
    hand = Hand(neovim, count)
    other = ScriptRule(
        when=When(instruction="otherwise"), reply=ScriptReply(text=with_changes(4))
    )
    slow = ScriptRule(
        when=When(instruction="slowly"),
        reply=ScriptReply(chunks=tuple(AFTER.splitlines(keepends=True))),
    )
    model.say(Script(rules=(other, slow), otherwise=ScriptReply(text=AFTER)))
    with count.task("ask and accept all"):
        await offered(neovim, hand)
        await hand("accept")
        await neovim.is_text(AFTER)
    await neovim.shows_hunks(0)
    neovim.terminal.type("u")
    await neovim.is_text(BEFORE)
    for task in ("stop while it writes", "redirect"):
        hold = model.hold("slowly", after=5)
        await ask(neovim, hand, "slowly", "Edit")
        await hold.reached()
        await neovim.shows_hunks(1)
        with count.task(task):
            if task == "redirect":
                await ask(neovim, hand, "otherwise", "Instead")
                hold.release()
                await neovim.terminal.shows("redline: 1 change, <CR> to accept")
                await neovim.shows_hunks(1)
            else:
                await hand("stop")
                await neovim.shows_hunks(0)
                hold.release()
    with count.task("reject all"):
        await hand("reject")
        await neovim.shows_hunks(0)
    await offered(neovim, hand)
    neovim.terminal.type("gg")
    with count.task("go to the next change"):
        await hand("next-hunk")
        await neovim.until("vim.fn.line('.') == 3")
    with count.task("accept a change"):
        await hand("accept-hunk")
        await neovim.shows_hunks(2)
    await hand("next-hunk")
    await neovim.until("vim.fn.line('.') == 8")
    with count.task("reject a change"):
        await hand("reject-hunk")
        await neovim.shows_hunks(1)
    await hand("accept")
    await neovim.is_text(with_changes(2, 12))
    count.check()
