"""The editor and all its processes are killed beside an offer, and start again."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import AFTER, BEFORE, Scene
from tests.editors.vscode.conftest import (
    PICTURES,
    installed,
    new_window,
    write_settings,
)
from tests.editors.vscode.test_offer import offered, stored
from tests.editors.vscode.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

IS_REMEMBERED = """async () => {
  for (const { name } of await indexedDB.databases()) {
    const database = await new Promise((resolve) => {
      const opening = indexedDB.open(name);
      opening.onsuccess = () => resolve(opening.result);
    });
    for (const store of database.objectStoreNames) {
      const values = await new Promise((resolve) => {
        const asked = database.transaction(store).objectStore(store).getAll();
        asked.onsuccess = () => resolve(asked.result);
      });
      if (values.some((each) => `${each}`.includes("name_12 = 10 * 12"))) return true;
    }
    database.close();
  }
  return false;
}"""
"""Whether what the extension stores of the offer is on the browser's disk."""


async def test_the_editor_is_killed_beside_an_offer(
    browser: Browser, vsix: Path, tmp_path: Path, scene: Scene, model: ScriptedModel
) -> None:
    """The file is as it was; the offer waits again, and can be rejected."""
    (tmp_path / "vscode").mkdir()
    server = await installed(tmp_path / "vscode", vsix)
    write_settings(scene.project, model)
    async with server.serve("--disable-workspace-trust"):
        window = await new_window(browser, server)
        await window.open(scene.project, scene.file)
        await window.ready()
        await window.focus()
        await offered(window, scene, model)
        await stored(server, scene.file, AFTER)
        await window.page.wait_for_function(IS_REMEMBERED)
    # Its processes were killed, those of the extension and of Redline as well.
    browsing = window.page.context
    await window.page.close(run_before_unload=False)
    assert scene.file.read_text() == BEFORE
    async with server.serve("--disable-workspace-trust"):
        window = Window(await browsing.new_page(), server.address, PICTURES / "vscode")
        await window.open(scene.project, scene.file)
        await window.ready()
        await window.offer("3 changes").wait_for()
        await window.marks(3)
        await window.shows(AFTER)
        await window.picture("killed-and-back")
        await window.focus()
        await window.command("Redline: Reject All Changes")
        await window.shows(BEFORE)
        await window.close()
    assert scene.file.read_text() == BEFORE
