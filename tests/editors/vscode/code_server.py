"""The real VS Code, as a server on this machine, with the extension in it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from tests.editors.programs import program

EXTENSION = "redline-ls.redline"

SETTINGS = {
    "breadcrumbs.enabled": False,
    "chat.disableAIFeatures": True,
    "editor.fontFamily": "DejaVu Sans Mono",
    "editor.inlineSuggest.enabled": False,
    "editor.minimap.enabled": False,
    "editor.occurrencesHighlight": "off",
    "editor.wordBasedSuggestions": "off",
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "files.autoSave": "off",
    "redline.complete.enabled": False,
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "workbench.activityBar.location": "hidden",
    "workbench.colorTheme": "Default Dark Modern",
    "workbench.enableExperiments": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.reduceMotion": "on",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
}
"""Of the user: nothing that moves, asks or looks for news."""

FLAGS = (
    "--auth=none",
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-getting-started-override",
    "--reconnection-grace-time=1",
)

_TRIES = 2_400
"""How often to ask whether it listens: two minutes."""


class CodeServer:
    """A profile of its own, and the server of its windows."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.address = f"127.0.0.1:{_free_port()}"
        self._environment = {**environment, "TMPDIR": str(folder / "tmp")}
        self._program = program("code-server")
        self._places = (
            f"--user-data-dir={folder / 'data'}",
            f"--extensions-dir={folder / 'extensions'}",
        )
        (folder / "tmp").mkdir(parents=True)
        self.configure()

    @property
    def backups(self) -> Path:
        """Where it stores what is not saved."""
        return self.folder / "data" / "User" / "Backups"

    def extension_hosts(self) -> list[int]:
        """Return the processes that run the extensions of this server's windows."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                command = (process / "cmdline").read_bytes()
                environment = (process / "environ").read_bytes()
                is_ours = f"TMPDIR={self.folder / 'tmp'}".encode() in environment
                if b"--type=extensionHost" in command and is_ours:
                    found.append(int(process.name))
        return found

    def configure(self, **settings: object) -> None:
        """Write the user's settings; names have `__` for dots.

        Those of this machine are in a file of their own in a remote window, which all
        windows of a server are.
        """
        own = {name.replace("__", "."): value for name, value in settings.items()}
        for place in ("User", "Machine"):
            folder = self.folder / "data" / place
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "settings.json").write_text(json.dumps({**SETTINGS, **own}))

    async def install(self, vsix: Path) -> None:
        """Install an extension from its file."""
        process = await asyncio.create_subprocess_exec(
            self._program,
            *self._places,
            f"--install-extension={vsix}",
            env=self._environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
        assert process.returncode == 0, output.decode()

    @contextlib.asynccontextmanager
    async def serve(self, *flags: str) -> AsyncIterator[None]:
        """Serve windows; afterwards nothing of it is left."""
        with (self.folder / "server.log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                self._program,
                *self._places,
                *FLAGS,
                *flags,
                f"--bind-addr={self.address}",
                env=self._environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            await self._until(listens=True)
            yield
        finally:
            # The group: an extension host would outlive its server for a while.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            # A process of it listens, which ends at a time of its own.
            await self._until(listens=False)

    async def _until(self, *, listens: bool) -> None:
        """Wait until it listens, or no longer does."""
        for _ in range(_TRIES):
            if await self._listens() == listens:
                return
            await asyncio.sleep(0.05)  # A process says nowhere that it listens.
        raise AssertionError((self.folder / "server.log").read_text())

    async def _listens(self) -> bool:
        host, _, port = self.address.partition(":")
        try:
            _, writer = await asyncio.open_connection(host, int(port))
        except OSError:
            return False
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        return True


def server_settings() -> dict[str, object]:
    """The extension's settings for the server that is tested."""
    return {"redline__server__path": str(Path(sys.executable).parent / "redline")}


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
