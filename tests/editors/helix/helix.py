"""Helix in a terminal."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from pathlib import Path

from tests.editors.scene import Scene
from tests.editors.terminal import ENTER, ESCAPE, WAIT_S, Terminal, start

DOWN = f"{ESCAPE}[B"

MENU = "Review this file"
"""Always in the menu of code actions at a cursor."""

_MENU_S = 3.0

LANGUAGES = """\
[language-server.redline]
command = {command}
args = {arguments}

[[language]]
name = "python"
language-servers = ["redline"]
"""


CONFIG = """\
[editor.lsp]
display-progress-messages = true
"""


class Helix:
    """A running Helix."""

    def __init__(self, terminal: Terminal, file: Path) -> None:
        self.terminal = terminal
        self._file = file

    async def is_ready(self) -> None:
        """Wait until the server has a menu, in the scene's first function."""
        terminal = self.terminal
        async with asyncio.timeout(WAIT_S):
            while MENU not in terminal.text:
                terminal.type("9gg a")
                await self._answered(MENU)
        await self.escape()
        await terminal.hides(MENU)

    async def choose(self, line: int, title: str) -> None:
        """Put the cursor on a line, and choose a code action there.

        The menu is below the cursor, its first entry chosen. The line is scrolled up,
        so that there is room.
        """
        terminal = self.terminal
        # A finding is in the menu before the fix of it is checked.
        async with asyncio.timeout(WAIT_S):
            while title not in terminal.text:
                await self.escape()
                terminal.type(f"{line}ggzt a")
                await self._answered(title)
        rows = terminal.text.splitlines()
        (row,) = (number for number, text in enumerate(rows) if title in text)
        numbered = re.compile(rf"\W*{line}\b")
        cursor = next(
            number for number, text in enumerate(rows) if numbered.match(text)
        )
        terminal.type(DOWN * (row - cursor - 1) + ENTER)
        await terminal.hides(MENU)

    async def escape(self) -> None:
        """Press Escape; with the next key right behind it, it would be Alt."""
        self.terminal.type(ESCAPE)
        await self.terminal.look_again()

    async def _answered(self, title: str) -> None:
        """Wait until a menu shows a title, or for as long as a busy machine takes."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_MENU_S):
                while title not in self.terminal.text:
                    await self.terminal.look_again()

    async def saves(self, text: str) -> None:
        """Wait until what Helix saves is a text."""
        terminal = self.terminal
        self._file.unlink()
        terminal.type(f":w!{ENTER}")
        await terminal.until(self._file.exists, "it is saved")
        await terminal.shows("written")
        assert self._file.read_text() == text

    async def close(self) -> None:
        """Quit, and wait until it has ended."""
        await self.escape()
        self.terminal.type(f":qa!{ENTER}")
        await self.terminal.end()


async def open_helix(program: Path, scene: Scene) -> Helix:
    """Start Helix on the scene's file, set up as the how-to says."""
    command, *arguments = scene.command
    folder = scene.home / "config" / "helix"
    folder.mkdir(parents=True, exist_ok=True)
    languages = LANGUAGES.format(
        command=json.dumps(command), arguments=json.dumps(arguments)
    )
    (folder / "languages.toml").write_text(languages)
    (folder / "config.toml").write_text(CONFIG)
    terminal = await start(
        [program, scene.file], folder=scene.project, environment=scene.environment
    )
    await terminal.shows("NOR")
    return Helix(terminal, scene.file)
