"""VS Code profiles that are not like the developer's: empty ones, and no trust."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.e2e.redline_session import ENVIRONMENT
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.server_process import clean_environment
from tests.editors.scene import BETTER, TEXT, TOTAL, Scene
from tests.editors.vscode.code_server import CodeServer, server_settings
from tests.editors.vscode.conftest import OpenWindow, write_settings

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

INSTALL_MS = 600_000
"""Longest installation: it gets sixty packages from a registry, without a cache."""


def environment(home: Path) -> Mapping[str, str]:
    """What a machine without Redline has; pip knows its registry all the same."""
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    plain = {**clean_environment(home), **ENVIRONMENT, **pip, "PATH": "/usr/bin:/bin"}
    plain.pop("PYTHONPATH", None)
    return plain


async def test_installed_from_the_package_into_an_empty_profile(
    open_window: OpenWindow,
    scene: Scene,
    model: ScriptedModel,
    vsix: Path,
    tmp_path: Path,
) -> None:
    """The extension installs the server that comes with it, and an edit works."""
    write_settings(scene.project, model)
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    server = CodeServer(tmp_path / "profile", environment(scene.home))
    python = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    server.configure(redline__server__python=str(python))
    await server.install(vsix)
    async with server.serve("--disable-workspace-trust"):
        window = await open_window(scene.project, scene.file, server)
        await window.message("Redline needs its server").wait_for()
        await window.picture("install-offer")
        await window.page.get_by_role("button", name="Install", exact=True).click()
        await window.message("Installing Redline").wait_for()
        await window.picture("installing")
        await window.status("scripted").wait_for(timeout=INSTALL_MS)
        await window.focus()
        await window.select(4, 5)
        await window.instruct("begin at zero")
        await window.offer().wait_for()
        await window.accept()
        await window.marks(0)
        await window.shows(TEXT.replace(TOTAL, BETTER))


async def test_a_folder_that_is_not_trusted(
    open_window: OpenWindow,
    scene: Scene,
    model: ScriptedModel,
    vsix: Path,
    tmp_path: Path,
) -> None:
    """It chooses no model and no program, until it is trusted."""
    (scene.home / "config" / "redline" / "config.toml").unlink()
    marker = scene.project / "was-run"
    trap = scene.project / ".venv" / "bin" / "redline"
    trap.parent.mkdir(parents=True)
    trap.write_text(f"#!/bin/sh\ntouch {marker}\n")
    trap.chmod(0o755)
    write_settings(scene.project, model, {"redline.server.path": str(trap)})
    home = clean_environment(scene.home)
    server = CodeServer(tmp_path / "profile", {**home, **ENVIRONMENT})
    never = {"security__workspace__trust__startupPrompt": "never"}
    server.configure(**server_settings(), **never)
    await server.install(vsix)
    async with server.serve():
        window = await open_window(scene.project, scene.file, server)
        await window.status("no model").wait_for()
        await window.picture("not-trusted")
        assert model.n("opened") == 0
        assert not marker.exists()
        write_settings(scene.project, model)
        await window.command("Workspaces: Manage Workspace Trust")
        await window.page.get_by_role("button", name="Trust", exact=True).click()
        await window.ready()
        await model.until(lambda: model.n("opened") > 0)


async def test_a_server_that_cannot_start(
    open_window: OpenWindow, scene: Scene, vsix: Path, tmp_path: Path
) -> None:
    """One message names the program; so does the one when it is gone."""
    broken = tmp_path / "redline"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    server = CodeServer(tmp_path / "profile", environment(scene.home))
    server.configure(redline__server__path=str(broken))
    await server.install(vsix)
    async with server.serve("--disable-workspace-trust"):
        window = await open_window(scene.project, scene.file, server)
        await window.message(f"{broken} ended while it started").wait_for()
        assert await window.page.locator(".notification-toast").count() == 1
        await window.picture("server-broken")
        broken.unlink()
        await window.page.get_by_role("button", name="Restart", exact=True).click()
        await window.message("The setting redline.server.path names").wait_for()
