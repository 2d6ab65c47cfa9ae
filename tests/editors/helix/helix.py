"""Helix in a terminal."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from pathlib import Path

from tests.editors.scene import Scene
from tests.editors.terminal import ENTER, WAIT_S, Terminal, start

DOWN = "\x1b[B"
COMPLETE = "\x18"
"""Requests completions, in Insert mode."""
ESCAPE = "\x1b[27u"
"""Escape in a form that no key behind it turns into Alt (the `CSI u` encoding)."""

MENU = "Review this file"
"""Always in the menu of code actions at a cursor, unless a finding is there."""

_MENUS = (MENU, "Open the report of this review")
"""One of them is in every menu."""

_NO_MENUS = ("No code actions available", "No configured language server")
"""What Helix says in place of a menu."""

_TRIES_S = (1, 2, 4, 8, 16)
"""How long to wait before completions are requested again. A further request cancels
the one before, so the waits grow."""

LANGUAGES = """\
[language-server.redline]
command = {command}
args = {arguments}
timeout = {timeout}

[[language]]
name = "python"
language-servers = ["redline"]

[[language]]
name = "markdown"
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
        await self._open_menu(9, MENU)
        await self._leave_menu()

    async def choose(self, line: int, title: str) -> None:
        """Put the cursor on a line, and choose a code action there.

        The menu is below the cursor, its first entry chosen. The line is scrolled up,
        so that there is room.
        """
        terminal = self.terminal
        await self._open_menu(line, title)
        rows = terminal.text.splitlines()
        (row,) = (number for number, text in enumerate(rows) if title in text)
        numbered = re.compile(rf"\W*{line}\b")
        cursor = next(
            number for number, text in enumerate(rows) if numbered.match(text)
        )
        terminal.type(DOWN * (row - cursor - 1) + ENTER)
        await terminal.until(lambda: not self._shows_any(_MENUS), "the menu is gone")

    def escape(self) -> None:
        """Press Escape."""
        self.terminal.type(ESCAPE)

    async def _open_menu(self, line: int, title: str) -> None:
        """Open menus of a line until one has a title.

        The server may not be ready, and a finding is in the menu before its fix is
        checked.
        """
        terminal = self.terminal
        try:
            async with asyncio.timeout(WAIT_S):
                while not await self._has_menu(line, title):
                    await terminal.look_again()
        except TimeoutError:
            screen = terminal.text
            raise AssertionError(f"no {title!r} in a menu:\n{screen}") from None

    async def _has_menu(self, line: int, title: str) -> bool:
        """Open the menu of a line; returns whether a title is in it.

        The keys are pressed again only after their answer: another menu would open
        later, and take the keys that follow.
        """
        await self._leave_menu()
        self.terminal.type(f"{line}ggzt a")
        answers = (title, *_MENUS, *_NO_MENUS)
        await self.terminal.until(lambda: self._shows_any(answers), "a menu opens")
        return title in self.terminal.text

    async def _leave_menu(self) -> None:
        """Close the menu and remove the message, if there are any."""
        self.escape()
        answers = (*_MENUS, *_NO_MENUS)
        await self.terminal.until(lambda: not self._shows_any(answers), "no menu")

    def _shows_any(self, texts: tuple[str, ...]) -> bool:
        shown = self.terminal.text
        return any(text in shown for text in texts)

    async def has_completion(self, item: str) -> None:
        """Request completions until one is in the popup.

        The server answers before the model does, if that takes long.
        """
        for wait_s in _TRIES_S:
            self.terminal.type(COMPLETE)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    return await self.terminal.shows(re.escape(item))
        await self.terminal.shows(re.escape(item))

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
        self.escape()
        self.terminal.type(f":qa!{ENTER}")
        await self.terminal.end()


async def open_helix(program: Path, scene: Scene) -> Helix:
    """Start Helix on the scene's file, set up as the how-to says."""
    command, *arguments = scene.command
    folder = scene.home / "config" / "helix"
    folder.mkdir(parents=True, exist_ok=True)
    languages = LANGUAGES.format(
        command=json.dumps(command),
        arguments=json.dumps(arguments),
        timeout=round(WAIT_S),
    )
    (folder / "languages.toml").write_text(languages)
    (folder / "config.toml").write_text(CONFIG)
    terminal = await start(
        [program, scene.file], folder=scene.project, environment=scene.environment
    )
    await terminal.shows("NOR")
    return Helix(terminal, scene.file)
