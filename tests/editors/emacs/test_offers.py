"""Offers that wait while Emacs, its buffer or its server ends, and come back."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.emacs.conftest import Open
from tests.editors.emacs.emacs import CONTROL_A, CONTROL_C, CONTROL_K, UNDO, Emacs
from tests.editors.scene import BETTER, TEXT, TOTAL, Scene, kill_server
from tests.editors.terminal import ENTER

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITED = TEXT.replace(TOTAL, BETTER)
BOTH = r"return sum\(prices\)\n +return sum\(prices, 0.0\)"
IN_ORDER = (
    "(progn (jsonrpc-request (eglot-current-server) :textDocument/codeLens"
    " (list :textDocument (eglot--TextDocumentIdentifier)))"
    ' (message "in %s" "order"))'
)
OFFERED = "Redline: 1 change, C-c C-a to accept"


def stored(scene: Scene) -> list[Path]:
    """The files of the offers that are stored."""
    return sorted(scene.home.glob("emacs.d/redline-offers/*.eld"))


async def offered(scene: Scene, emacs: Emacs, model: ScriptedModel) -> None:
    """Wait until an edit of the file is offered and stored."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await emacs.edit(4, 2, "begin at zero")
    await emacs.terminal.shows(OFFERED)
    await emacs.terminal.comes(lambda: stored(scene), "the offer is stored")


@pytest.mark.parametrize("is_killed", [False, True])
async def test_an_offer_waits_for_another_emacs(
    scene: Scene, open_it: Open, model: ScriptedModel, is_killed: bool
) -> None:
    """The model is not asked again; only the user can read what is stored, and nothing
    is left of it once it is decided."""
    emacs = await open_it()
    await offered(scene, emacs, model)
    (path,) = stored(scene)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    await (emacs.kill() if is_killed else emacs.close())
    emacs = await open_it()
    await emacs.terminal.shows(BOTH)
    await emacs.has(TEXT)
    await emacs.accept()
    await emacs.has(EDITED)
    await emacs.terminal.comes(lambda: not stored(scene), "nothing is stored")
    emacs.terminal.type(UNDO)
    await emacs.has(TEXT)
    assert len(model.tasks) == 1


async def test_an_offer_waits_for_its_buffer(
    scene: Scene, emacs: Emacs, model: ScriptedModel
) -> None:
    """One that is rejected then does not come back a second time."""
    await offered(scene, emacs, model)
    emacs.terminal.type(f"\x18k{ENTER}")
    await emacs.terminal.hides("def total")
    emacs.terminal.type(f"\x18\x06{scene.file}{ENTER}")
    await emacs.terminal.shows(BOTH)
    await emacs.terminal.shows(OFFERED)
    await emacs.terminal.comes(lambda: len(stored(scene)) == 1, "it is stored again")
    emacs.terminal.type(f"{CONTROL_C}{CONTROL_K}")
    await emacs.terminal.hides(r"sum\(prices, 0.0\)")
    await emacs.terminal.comes(lambda: not stored(scene), "nothing is stored")


async def test_an_offer_outlives_its_server(
    scene: Scene, emacs: Emacs, model: ScriptedModel
) -> None:
    """It goes with the server, and waits again for the next one."""
    await offered(scene, emacs, model)
    (path,) = stored(scene)
    kill_server(scene)
    await emacs.terminal.comes(
        lambda: stored(scene) not in ([], [path]), "it is stored again"
    )
    await emacs.terminal.shows(BOTH)
    await emacs.accept()
    await emacs.has(EDITED)


async def test_a_rejected_offer_follows_a_renamed_file(
    scene: Scene, emacs: Emacs, model: ScriptedModel
) -> None:
    """Eglot does not report renames itself."""
    await offered(scene, emacs, model)
    emacs.terminal.type(f"{CONTROL_C}{CONTROL_K}")
    await emacs.terminal.hides(r"sum\(prices, 0.0\)")
    new = scene.file.with_name("renamed.py")
    emacs.terminal.type(f"\x1bxrename-visited-file{ENTER}")
    await emacs.terminal.shows("Rename visited file to")
    emacs.terminal.type(f"{CONTROL_A}{CONTROL_K}{new}{ENTER}")
    await emacs.terminal.shows(r"renamed\.py .*\[eglot:")
    # A request that the server answers in the order of such notifications.
    emacs.terminal.type(f"\x1b:{IN_ORDER}{ENTER}")
    await emacs.terminal.shows("in order")
    emacs.terminal.type(f"\x1bxredline-bring-back{ENTER}")
    await emacs.terminal.shows(BOTH)
    await emacs.accept()
    await emacs.has(EDITED)


async def test_a_line_behind_a_last_one_without_end(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """It comes back to the same place."""
    scene.file.write_text("a = 1\nb = 2")
    emacs = await open_it()
    model.say(Script(otherwise=ScriptReply(text="a = 1\nb = 2\nc = 3\n")))
    emacs.terminal.type(f"\x00\x1b>{CONTROL_C}e")
    await emacs.terminal.shows("^Edit:")
    emacs.terminal.type(f"add c{ENTER}")
    await emacs.terminal.shows(OFFERED)
    await emacs.terminal.comes(lambda: stored(scene), "the offer is stored")
    await emacs.kill()
    emacs = await open_it()
    await emacs.terminal.shows(r"b = 2\n *c = 3")
    await emacs.accept()
    await emacs.has("a = 1\nb = 2\nc = 3")


async def test_what_does_not_come_back(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """An offer for another text, and one that another Emacs shows; after seven days
    what is stored is deleted."""
    first = await open_it()
    await offered(scene, first, model)
    (path,) = stored(scene)
    second = await open_it()
    await second.has(TEXT)
    assert "Edit)" not in second.terminal.text
    await second.close()
    await first.close()
    mine = f"# mine\n{TEXT}"
    scene.file.write_text(mine)
    third = await open_it()
    await third.has(mine)
    assert "Edit)" not in third.terminal.text
    await third.close()
    assert stored(scene) == [path]
    old = time.time() - 8 * 24 * 3600
    os.utime(path, (old, old))
    fourth = await open_it()
    await fourth.terminal.comes(lambda: not stored(scene), "it is deleted")
