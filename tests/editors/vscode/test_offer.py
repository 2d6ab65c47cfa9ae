"""What happens to a proposal: typing, saving, closing, a reload, a dead server."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import AFTER, BEFORE, Scene, with_changes
from tests.editors.vscode.code_server import CodeServer
from tests.editors.vscode.window import WAIT_MS, Window

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def offered(window: Window, scene: Scene, model: ScriptedModel) -> None:
    """Have three changes of the file offered."""
    model.say(Script(otherwise=ScriptReply(text=AFTER)))
    scene.file.write_text(BEFORE)
    await window.shows(BEFORE)
    await window.press("Control+a")
    await window.instruct("improve it")
    await window.offer("3 changes").wait_for()
    await window.marks(3)
    # Until then it may still be written.
    await window.offer().wait_for()


async def saved(scene: Scene, text: str) -> None:
    """Wait until the file on disk is a text."""
    await on_disk(lambda: scene.file.read_text() == text)


async def stored(code_server: CodeServer, file: Path, text: str) -> None:
    """Wait until VS Code has stored a text that is not saved, for its next start."""

    def is_stored() -> bool:
        paths = (each for each in code_server.backups.rglob("*") if each.is_file())
        # The first line names the document; other tests have left texts of theirs.
        parts = (path.read_text().partition("\n") for path in paths)
        return any(file.name in head and body == text for head, _, body in parts)

    await on_disk(is_stored)


async def on_disk(is_so: Callable[[], bool]) -> None:
    """Wait until something is written."""
    async with asyncio.timeout(WAIT_MS / 1000):
        # A file system says nowhere that a file is written.
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def reload(window: Window, _: CodeServer) -> None:
    """Reload the window in order."""
    await window.reload()


async def crash(window: Window, code_server: CodeServer) -> None:
    """Kill the process of the window's extensions, which VS Code starts again."""
    killed = code_server.extension_hosts()
    for host in killed:
        os.kill(host, signal.SIGKILL)
    await on_disk(lambda: bool(set(code_server.extension_hosts()) - set(killed)))
    await window.ready()


async def test_typing_in_a_change_keeps_the_others(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """What is typed in is the user's; the rest is still offered."""
    await offered(window, scene, model)
    await window.go_to(8)
    await window.press("End")
    await window.type("0")
    await window.offer("2 changes").wait_for()
    await window.marks(2)
    typed = AFTER.replace("name_07 = 10 * 7\n", "name_07 = 10 * 70\n")
    await window.shows(typed)
    await window.go_to(1)
    await window.type("# ")
    await window.offer("2 changes").wait_for()
    await window.shows("# " + typed)
    await window.accept()
    await window.marks(0)
    await window.shows("# " + typed)


async def test_typing_over_all_changes(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """The user reads that the offer is over; one undo brings it back, the next rejects
    it, and then the command brings it back."""
    await offered(window, scene, model)
    await window.press("Control+a", "Delete")
    await window.page.get_by_text("The offer is over: you changed all of it").wait_for()
    await window.offer().wait_for(state="hidden")
    await window.shows("")
    await window.command("Redline: Bring Back the Last Offer")
    await window.page.get_by_text("Undo your change, then bring").wait_for()
    await window.press("Control+z")
    await window.offer("3 changes").wait_for()
    await window.marks(3)
    await window.shows(AFTER)
    # The server knows it again: it takes a further instruction.
    await window.go_to(3)
    await window.ask("Redline: follow up")
    await window.leave_box()
    await window.press("Control+z")
    await window.shows(BEFORE)
    await window.offer().wait_for(state="hidden")
    await window.command("Redline: Bring Back the Last Offer")
    await window.offer("3 changes").wait_for()
    await window.marks(3)
    await window.shows(AFTER)


async def test_a_key_in_the_only_change(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """An undo of what was typed in it brings the offer back, as it was."""
    model.say(Script(otherwise=ScriptReply(text="name_02 = 10 * 2\n")))
    scene.file.write_text(BEFORE)
    await window.shows(BEFORE)
    await window.select(3, 3)
    await window.instruct("improve it")
    await window.offer("1 change").wait_for()
    await window.shows(with_changes(2))
    await window.go_to(3)
    await window.press("End")
    await window.type("00")
    await window.offer().wait_for(state="hidden")
    await window.shows(with_changes(2).replace("10 * 2\n", "10 * 200\n"))
    await window.press("Control+z")
    await window.offer("1 change").wait_for()
    await window.marks(1)
    await window.shows(with_changes(2))
    await window.reject()
    await window.shows(BEFORE)


KEYS = "Alt+Enter accepts all · F7 next · Escape rejects"


async def test_the_keys_are_said_at_the_cursor(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """While it is in the offer, and nothing is selected."""
    await offered(window, scene, model)
    await window.paints_among(KEYS)
    await window.press("F7", "Shift+Alt+y")
    await window.marks(2)
    await window.paints_among(KEYS)
    await window.picture("keys-at-the-cursor")
    await window.press("Shift+Alt+y")
    await window.marks(1)
    await window.paints_among("Alt+Enter accepts · Escape rejects")
    await window.press("Shift+ArrowRight")
    await window.paints_no_more("Alt+Enter accepts · Escape rejects")
    await window.press("ArrowRight")
    await window.paints_among("Alt+Enter accepts · Escape rejects")
    await window.accept()
    await window.marks(0)
    await window.paints()


async def test_an_undo_rejects(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """All of it in one step; nothing comes back by itself."""
    await offered(window, scene, model)
    await window.press("Control+z")
    await window.shows(BEFORE)
    await window.page.get_by_text("Redline: Rejected. Bring Back").wait_for()
    await window.offer().wait_for(state="hidden")
    await window.marks(0)


async def test_escape_at_the_end_of_the_lines(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """The cursor is at the first column below a line whose change Escape rejects."""
    model.say(Script(otherwise=ScriptReply(chunks=("name_02 = 10", " * 2\n"))))
    hold = model.hold("improve it", after=1)
    scene.file.write_text(BEFORE)
    await window.shows(BEFORE)
    await window.select(3, 3)
    await window.instruct("improve it")
    await hold.reached()
    await window.go_to(4)
    hold.release()
    await window.offer("1 change").wait_for()
    await window.shows(with_changes(2))
    await window.reject()
    await window.shows(BEFORE)
    await window.offer().wait_for(state="hidden")


async def test_a_save_writes_what_is_accepted(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """What waits goes on waiting, and is in the file only once it is accepted."""
    await offered(window, scene, model)
    await window.press("F7", "Shift+Alt+y")
    await window.marks(2)
    await window.press("Control+s")
    await saved(scene, with_changes(2))
    await window.offer("2 changes").wait_for()
    await window.marks(2)
    await window.shows(AFTER)
    await window.accept()
    await window.marks(0)
    await window.press("Control+s")
    await saved(scene, AFTER)


async def test_a_closed_file_brings_its_offer_back(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """Not saved at closing: the file is as it was, and the offer waits again."""
    await offered(window, scene, model)
    await window.press("Control+w")
    await window.page.get_by_role("button", name="Don't Save").click()
    await window.tab(scene.name).wait_for(state="detached")
    assert scene.file.read_text() == BEFORE
    assert await window.message("was dropped").count() == 0
    await window.press("Control+Shift+t")
    await window.offer("3 changes").wait_for()
    await window.marks(3)
    await window.shows(AFTER)
    await window.focus()
    await window.press("Control+Home", "Alt+Enter")
    await window.marks(0)
    await window.shows(AFTER)


async def test_a_renamed_file_keeps_its_offer(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """It waits under the new name, and an accept changes the file of that name."""
    await offered(window, scene, model)
    renamed = scene.file.with_name(f"renamed_{scene.file.name}")
    await window.command("File: Reveal Active File in Explorer View")
    await window.press("F2", "Control+a")
    await window.type(renamed.name)
    await window.press("Enter")
    await window.tab(renamed.name).wait_for()
    await window.offer("3 changes").wait_for()
    await window.marks(3)
    await window.shows(AFTER)
    await window.focus()
    await window.press("Control+Home", "ArrowDown", "ArrowDown")
    # All of the above may still be of the old name.
    await window.paints_among(KEYS)
    await window.accept()
    await window.marks(0)
    await window.press("Control+s")
    await on_disk(lambda: renamed.read_text() == AFTER)
    assert not scene.file.exists()


@pytest.mark.parametrize("end", [reload, crash])
async def test_it_ends_beside_an_offer(
    window: Window,
    scene: Scene,
    model: ScriptedModel,
    code_server: CodeServer,
    end: Callable[[Window, CodeServer], Awaitable[None]],
) -> None:
    """The editor brings back what was not saved; it is still proposed."""
    await offered(window, scene, model)
    await stored(code_server, scene.file, AFTER)
    await end(window, code_server)
    await window.offer("3 changes").wait_for()
    await window.marks(3)
    await window.shows(AFTER)
    await window.focus()
    await window.press("Control+Home", "F7")
    await window.cursor_in_offer()
    # The server that was started again knows it: it takes a further instruction.
    await window.ask("Redline: follow up")
    await window.leave_box()
    await window.command("Redline: Reject All Changes")
    await window.shows(BEFORE)
    await window.command("Redline: Bring Back the Last Offer")
    await window.offer("3 changes").wait_for()
    await window.marks(3)
    await window.shows(AFTER)


@pytest.mark.parametrize("end", [reload, crash])
async def test_it_ends_while_an_edit_is_written(
    window: Window,
    scene: Scene,
    model: ScriptedModel,
    code_server: CodeServer,
    end: Callable[[Window, CodeServer], Awaitable[None]],
) -> None:
    """What was written so far waits when it is back, and can be rejected."""
    lines = with_changes(2, 7, 12).splitlines(keepends=True)
    model.say(Script(otherwise=ScriptReply(chunks=tuple(lines))))
    hold = model.hold("improve it", after=5)
    scene.file.write_text(BEFORE)
    await window.shows(BEFORE)
    await window.press("Control+a")
    await window.instruct("improve it")
    await hold.reached()
    await window.shows(with_changes(2))
    await stored(code_server, scene.file, with_changes(2))
    await end(window, code_server)
    hold.release()
    await window.offer("1 change").wait_for()
    await window.marks(1)
    await window.shows(with_changes(2))
    await window.focus()
    await window.command("Redline: Reject All Changes")
    await window.shows(BEFORE)
