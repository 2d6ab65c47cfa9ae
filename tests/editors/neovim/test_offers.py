"""Offers that wait while Neovim, its buffer or its server ends, and come back."""

from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.neovim.conftest import Open
from tests.editors.neovim.neovim import Neovim
from tests.editors.scene import BETTER, TEXT, TOTAL, Scene
from tests.editors.terminal import ENTER

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITED = TEXT.replace(TOTAL, BETTER)
OFFERED = "redline: 1 change, :Redline accept or reject"


def stored(scene: Scene) -> list[Path]:
    """The files of the offers that are stored."""
    return sorted(scene.home.glob("state/nvim/redline/offers/*.json"))


async def offered(scene: Scene, open_it: Open, model: ScriptedModel) -> Neovim:
    """Open the file, and wait until an edit of it is offered and stored."""
    neovim = await open_it()
    await neovim.is_ready()
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    neovim.terminal.type(f":4,5Redline edit begin at zero{ENTER}")
    await neovim.terminal.shows(OFFERED)
    await neovim.terminal.comes(lambda: stored(scene), "the offer is stored")
    return neovim


@pytest.mark.parametrize("is_killed", [False, True])
async def test_an_offer_waits_for_another_neovim(
    scene: Scene, open_it: Open, model: ScriptedModel, is_killed: bool
) -> None:
    """The model is not asked again; only the user can read what is stored, and nothing
    is left of it once it is decided."""
    neovim = await offered(scene, open_it, model)
    (path,) = stored(scene)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    await (neovim.kill() if is_killed else neovim.close())
    neovim = await open_it()
    await neovim.terminal.shows("redline: an offer of this file waits again")
    await neovim.terminal.shows(OFFERED)
    await neovim.shows_hunks(1)
    assert await neovim.text() == TEXT
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text(EDITED)
    await neovim.terminal.comes(lambda: not stored(scene), "nothing is stored")
    assert len(model.tasks) == 1


async def test_an_offer_waits_for_its_buffer(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """One that is rejected then does not come back a second time."""
    neovim = await offered(scene, open_it, model)
    await neovim.command("bdelete")
    await neovim.terminal.hides("def total")
    await neovim.command(f"edit {scene.file}")
    await neovim.terminal.shows(OFFERED)
    await neovim.terminal.comes(lambda: len(stored(scene)) == 1, "it is stored again")
    neovim.terminal.type(f":Redline reject{ENTER}")
    await neovim.shows_hunks(0)
    await neovim.terminal.comes(lambda: not stored(scene), "nothing is stored")


async def test_an_offer_outlives_its_server(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """It waits again for the next one."""
    neovim = await offered(scene, open_it, model)
    neovim.terminal.type(f":Redline restart{ENTER}")
    await neovim.terminal.shows("redline: an offer of this file waits again")
    await neovim.shows_hunks(1)
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text(EDITED)


async def test_what_is_left_of_an_offer(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """After one of two changes was accepted and saved, the other waits."""
    lines = [f"name_{number:02} = {number}\n" for number in range(20)]
    before = "".join(lines)
    lines[2] = "name_02 = 20\n"
    half = "".join(lines)
    lines[12] = "name_12 = 120\n"
    scene.file.write_text(before)
    model.say(Script(otherwise=ScriptReply(text="".join(lines))))
    neovim = await open_it()
    await neovim.is_ready()
    neovim.terminal.type(f":%Redline edit improve it{ENTER}")
    await neovim.terminal.shows("redline: 2 changes, ")
    neovim.terminal.type("gggy")
    await neovim.is_text(half)
    await neovim.terminal.shows("redline: 1 change, ")
    await neovim.command("write")

    def texts() -> list[str]:
        return [
            json.loads(path.read_text())["offer"]["newText"] for path in stored(scene)
        ]

    left = [lines[12]]
    await neovim.terminal.comes(lambda: texts() == left, "what is left is stored")
    await neovim.kill()
    neovim = await open_it()
    await neovim.terminal.shows("redline: 1 change, ")
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text("".join(lines))


async def test_a_line_behind_a_last_one_without_end(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """It comes back to the same place."""
    scene.file.write_text("a = 1\nb = 2")
    neovim = await open_it()
    await neovim.is_ready()
    model.say(Script(otherwise=ScriptReply(text="a = 1\nb = 2\nc = 3\n")))
    neovim.terminal.type(f":%Redline edit add c{ENTER}")
    await neovim.terminal.shows(OFFERED)
    await neovim.terminal.comes(lambda: stored(scene), "the offer is stored")
    await neovim.kill()
    neovim = await open_it()
    await neovim.terminal.shows(OFFERED)
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text("a = 1\nb = 2\nc = 3\n")


async def test_what_cannot_be_stored(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """The edit is offered all the same, and a message says so."""
    folder = scene.home / "state" / "nvim" / "redline"
    folder.parent.mkdir(parents=True)
    folder.write_text("")
    neovim = await open_it(more="vim.opt.cmdheight = 5")
    await neovim.is_ready()
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    neovim.terminal.type(f":4,5Redline edit begin at zero{ENTER}")
    await neovim.terminal.shows("redline: an offer that waits cannot be stored: ")
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text(EDITED)


async def test_what_does_not_come_back(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """An offer for another text, and one that another Neovim shows; after seven days
    what is stored is deleted."""
    neovim = await offered(scene, open_it, model)
    other = scene.home / "nvim.socket"
    other.rename(scene.home / "first.socket")
    second = await open_it()
    await second.is_ready()
    await second.shows_hunks(0)
    await second.close()
    await neovim.close()
    (path,) = stored(scene)
    scene.file.write_text(f"# mine\n{TEXT}")
    third = await open_it()
    await third.is_ready()
    await third.shows_hunks(0)
    await third.close()
    assert stored(scene) == [path]
    old = time.time() - 8 * 24 * 3600
    os.utime(path, (old, old))
    fourth = await open_it()
    await fourth.is_ready()
    assert stored(scene) == []


@pytest.mark.parametrize(
    "rename",
    [
        "vim.lsp.util.rename({old}, {new})",
        "vim.fn.rename({old}, {new}); vim.cmd('saveas! ' .. {new})",
    ],
)
async def test_a_rejected_offer_follows_a_renamed_file(
    scene: Scene, open_it: Open, model: ScriptedModel, rename: str
) -> None:
    """Neovim does not report renames itself."""
    neovim = await offered(scene, open_it, model)
    neovim.terminal.type(f":Redline reject{ENTER}")
    await neovim.shows_hunks(0)
    old, new = f"'{scene.file}'", f"'{scene.file.with_name('renamed.py')}'"
    await neovim.lua(rename.format(old=old, new=new))
    await neovim.until("vim.fn.expand('%:t') == 'renamed.py'")
    neovim.terminal.type(f":Redline offer{ENTER}")
    await neovim.shows_hunks(1)
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text(EDITED)
