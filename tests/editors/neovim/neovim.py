"""Neovim in a terminal, with a second way in: its own RPC, to ask how things stand."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any  # What Lua returns is the test's business.

import msgpack  # type: ignore[import-untyped]  # It has no types.
from tests.editors.scene import Scene
from tests.editors.terminal import ENTER, WAIT_S, Terminal, start

_NOTIFICATION = 2
"""The kind of a message of its RPC that is answered by nothing."""

PLUGIN = Path(__file__).parents[3] / "editors" / "neovim"

INIT = """
vim.opt.runtimepath:prepend('{plugin}')
vim.opt.swapfile = false
vim.opt.shortmess:append('I')
vim.g.redline = {options}
vim.lsp.config('redline', {{ cmd = {command} }})
vim.opt.statusline = "%f %m %=%{{%v:lua.require'redline'.statusline()%}}"
vim.opt.laststatus = 2
vim.keymap.set({{ 'n', 'x' }}, 'ge', '<Plug>(redline-edit)')
vim.keymap.set('n', 'gs', '<Plug>(redline-stop)')
vim.keymap.set('n', 'gy', '<Plug>(redline-accept-hunk)')
vim.keymap.set('n', 'gn', '<Plug>(redline-reject-hunk)')
vim.keymap.set('n', 'gj', '<Plug>(redline-next-hunk)')
{more}
"""


class Neovim:
    """A running Neovim."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self.frames: list[tuple[str, ...]] = []
        """What was shown, line by line, since it is recorded."""
        self._rows: dict[int, list[str]] = {}
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None
        self._has_ended = False

    async def connect(self, socket: Path) -> None:
        """Connect to its RPC, once it listens."""
        # Asked before its screen is attached, it may never attach it (Neovim 0.12).
        await self.terminal.until(
            lambda: self.terminal.text.strip(), "something is shown"
        )
        async with asyncio.timeout(WAIT_S):
            while True:
                try:
                    reader, self._writer = await asyncio.open_unix_connection(socket)
                    break
                except (FileNotFoundError, ConnectionRefusedError):
                    await self.terminal.look_again()
        self._reading = asyncio.create_task(self._read(reader), name="Neovim's RPC")

    async def lua(self, code: str, *args: object) -> Any:
        """Run Lua; returns what it returns."""
        return await self._ask("nvim_exec_lua", code, list(args))

    async def record(self) -> None:
        """Record each frame from here on, as another screen would show it."""
        columns, lines = self.terminal.screen.columns, self.terminal.screen.lines
        options = {"ext_linegrid": True, "rgb": True}
        await self._ask("nvim_ui_attach", columns, lines, options)
        async with asyncio.timeout(WAIT_S):
            while not self.frames:
                await self.terminal.look_again()
        # Half of the first one may be from before.
        self.frames = self.frames[-1:]

    async def _ask(self, method: str, *params: object) -> Any:
        assert self._writer is not None
        number = next(self._ids)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        self._writer.write(msgpack.packb([0, number, method, params]))
        try:
            async with asyncio.timeout(WAIT_S):
                return await answer
        except TimeoutError:
            screen = self.terminal.text
            raise AssertionError(f"Neovim is busy. The screen:\n{screen}") from None

    async def until(self, expression: str, *args: object) -> Any:
        """Wait until a Lua expression is true; returns its value."""
        try:
            async with asyncio.timeout(WAIT_S):
                while not (value := await self.lua(f"return {expression}", *args)):
                    await self.terminal.look_again()
        except TimeoutError:
            screen = self.terminal.text
            raise AssertionError(
                f"not so: {expression}. The screen:\n{screen}"
            ) from None
        return value

    async def is_ready(self) -> None:
        """Wait until the server is attached and its status is known."""
        await self.until(
            "vim.v.vim_did_enter == 1 and require('redline.status').of_buffer() ~= nil"
        )

    async def text(self) -> str:
        """The buffer's text."""
        lines = await self.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)")
        return "".join(f"{line}\n" for line in lines)

    async def shows_hunks(self, n_hunks: int) -> None:
        """Wait until so many changes are painted."""
        await self.until(f"(function() {SHOWN} end)() == ...", n_hunks)

    async def is_text(self, text: str) -> None:
        """Wait until the buffer has a text."""
        await self.until(
            "table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n')"
            " .. '\\n' == ...",
            text,
        )

    async def command(self, line: str) -> None:
        """Run an Ex command."""
        await self.lua("vim.cmd(...)", line)

    async def reject(self) -> None:
        """Reject the edit at the cursor, and wait until the screen shows no edit."""
        await self.command("Redline reject")
        await self.shows_hunks(0)
        # The screen is behind: it could be taken for what comes next.
        await self.terminal.hides(r"redline: \d+ change|\d+ offered")

    async def choose(self, title: str) -> None:
        """Choose the entry with a title from the menu of code actions at the cursor."""
        self.terminal.type("gra")
        await self.terminal.shows(rf"^ *\d+: {title}")
        await self.terminal.shows("Type number and <Enter>")
        lines = self.terminal.text.splitlines()
        (line,) = (line for line in lines if f": {title}" in line)
        self.terminal.type(f"{line.split(':')[0].strip()}{ENTER}")

    async def kill(self) -> None:
        """Kill it, and wait until its screen has ended, too."""
        os.kill(await self.lua("return vim.fn.getpid()"), signal.SIGKILL)
        await self._ended()

    async def close(self) -> None:
        """Quit, and wait until it has ended."""
        if self._has_ended:
            return
        if self._writer is not None:
            # A command would wait behind a message that asks for a key.
            self._writer.write(msgpack.packb([2, "nvim_input", ["<C-\\><C-N>"]]))
            self._writer.write(msgpack.packb([2, "nvim_command", ["silent! qall!"]]))
        await self._ended()

    async def _ended(self) -> None:
        self._has_ended = True
        try:
            await self.terminal.end()
        finally:
            if self._writer is not None and self._reading is not None:
                self._writer.close()
                await self._reading

    async def _read(self, reader: asyncio.StreamReader) -> None:
        unpacker = msgpack.Unpacker()
        while data := await reader.read(65_536):
            unpacker.feed(data)
            for message in unpacker:
                if message[0] == _NOTIFICATION:
                    self._draw(message[2])
                    continue
                _, number, problem, result = message
                answer = self._answers.pop(number)
                if answer.done():
                    continue
                if problem is None:
                    answer.set_result(result)
                else:
                    answer.set_exception(AssertionError(problem[1]))

    def _draw(self, events: Sequence[Any]) -> None:
        """Follow the events of a screen (`:help ui-linegrid`)."""
        for name, *calls in events:
            for call in calls:
                if name == "grid_resize":
                    _, width, height = call
                    self._rows = {row: [" "] * width for row in range(height)}
                elif name == "grid_clear":
                    for line in self._rows.values():
                        line[:] = " " * len(line)
                elif name == "grid_scroll":
                    raise AssertionError("what scrolls is not followed")
                elif name == "grid_line":
                    _, row, column, cells, _ = call
                    for text, *more in cells:
                        n_cells = more[1] if len(more) > 1 else 1
                        self._rows[row][column : column + n_cells] = [text] * n_cells
                        column += n_cells
                elif name == "flush":
                    lines = ("".join(row).rstrip() for row in self._rows.values())
                    self.frames.append(tuple(lines))


SHOWN = """
local n_hunks = 0
for _, session in ipairs(require('redline.sessions').of_buffer(
  vim.api.nvim_get_current_buf())) do
  n_hunks = n_hunks + #require('redline.sessions').places(session)
end
return n_hunks
"""


async def open_neovim(
    program: Path,
    scene: Scene,
    *,
    options: str = "{}",
    more: str = "",
    command: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Neovim:
    """Start Neovim on the scene's file, with the plugin from this repository.

    Args:
        program: Neovim.
        scene: Where.
        options: `vim.g.redline`, as Lua.
        more: Further lines of the user's `init.lua`.
        command: How the server is started, as Lua; absent: the scene's.
        environment: Further variables.
    """
    quoted = ", ".join(f"'{word}'" for word in scene.command)
    init = scene.home / "init.lua"
    init.write_text(
        INIT.format(
            plugin=PLUGIN,
            options=options,
            command=command or f"{{ {quoted} }}",
            more=more,
        )
    )
    socket = scene.home / "nvim.socket"
    socket.unlink(missing_ok=True)
    terminal = await start(
        [program, "--clean", "-u", init, "--listen", socket, scene.file],
        folder=scene.project,
        environment={**scene.environment, **(environment or {})},
    )
    neovim = Neovim(terminal)
    await neovim.connect(socket)
    return neovim
