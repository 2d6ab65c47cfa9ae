"""A terminal with a program in it: keys go in, and what is on the screen is read.

The screen is looked at whenever the program has written something, so that nothing
waits for a clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import re
import signal
import struct
import termios
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyte

WAIT_S = 120.0
"""Longest wait for something that must come: a bound, never a measure."""

_MOMENT_S = 0.2

_END_S = 60.0
"""Longest wait for a program to end after a signal."""

TERM = "screen-256color"
"""A terminal that Debian always describes, and that repeats no characters, which pyte
does not know."""

ENTER, ESCAPE = "\r", "\x1b"

_STRING = rb"\x1b[PX^_](?:[^\x1b\x07]|\x1b(?!\\))*(?:\x1b\\|\x07)"
_PRIVATE = rb"\x1b\[[<=>][0-9;:]*[ -/]*[@-~]"
_INTERMEDIATE = rb"\x1b\[\??[0-9;:]*[ -/]+[@-~]"
_QUESTION = rb"\x1b\[\?[0-9;]*[nu]"
_COLONS = rb"\x1b\[[0-9;]*:[0-9;:]*m"
_UNKNOWN = re.compile(b"|".join((_STRING, _PRIVATE, _INTERMEDIATE, _QUESTION, _COLONS)))
"""Control sequences (ECMA-48) that pyte would take for text."""
_UNFINISHED = re.compile(
    rb"\x1b(?:[PX^_](?:[^\x1b\x07]|\x1b(?!\\))*|\[[0-?]*[ -/]*)?\Z"
)


class _Screen(pyte.Screen):
    """One that answers what programs ask their terminal."""

    def __init__(
        self, columns: int, lines: int, reply: Callable[[bytes], None]
    ) -> None:
        super().__init__(columns, lines)
        self._reply = reply

    def write_process_input(self, data: str) -> None:
        self._reply(data.encode())


class Terminal:
    """A program in a pseudo-terminal, and its screen."""

    def __init__(self, process: asyncio.subprocess.Process, master: int) -> None:
        self.process = process
        self.changed = asyncio.Event()
        """Set when the program has written."""
        self._master = master
        self._pending = b""
        columns, lines = _SIZE
        self.screen = _Screen(columns, lines, self._write)
        self._stream = pyte.ByteStream(self.screen)
        asyncio.get_running_loop().add_reader(master, self._read)

    def type(self, keys: str) -> None:
        """Type keys, as the bytes that a terminal sends for them."""
        self._write(keys.encode())

    @property
    def text(self) -> str:
        """What is on the screen, line by line."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def background(self, text: str) -> str:
        """The background colour of the first place where a text is."""
        return self._look(text).bg

    def foreground(self, text: str) -> str:
        """The colour of the first place where a text is."""
        return self._look(text).fg

    async def until(self, is_so: Callable[[], object], what: str) -> None:
        """Wait until something is so, asking whenever the screen changes."""
        try:
            async with asyncio.timeout(WAIT_S):
                while not is_so():
                    assert self.process.returncode is None, "the editor has ended"
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            raise AssertionError(f"not so: {what}. The screen:\n{self.text}") from None

    async def shows(self, pattern: str) -> None:
        """Wait until the screen shows a regular expression."""
        found = re.compile(pattern, re.MULTILINE)
        await self.until(lambda: found.search(self.text), f"it shows {pattern!r}")

    async def hides(self, pattern: str) -> None:
        """Wait until the screen does not show a regular expression any more."""
        found = re.compile(pattern, re.MULTILINE)
        await self.until(lambda: not found.search(self.text), f"it hides {pattern!r}")

    async def comes(self, is_so: Callable[[], object], what: str) -> None:
        """Wait until something is so that the screen need not show."""
        try:
            async with asyncio.timeout(WAIT_S):
                while not is_so():
                    assert self.process.returncode is None, "the editor has ended"
                    await self.look_again()
        except TimeoutError:
            raise AssertionError(f"not so: {what}. The screen:\n{self.text}") from None

    async def look_again(self) -> None:
        """Wait until the screen changes, or for a moment: not all that changes is on
        it."""
        self.changed.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_MOMENT_S):
                await self.changed.wait()

    async def end(self) -> None:
        """Wait until the program has ended after a signal; hang up if it does not.

        Raises:
            AssertionError: If it had to be hung up on.
        """
        screen = self.text
        try:
            await asyncio.wait_for(self.process.wait(), _END_S)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            await self.process.wait()
            message = f"the editor does not quit. The screen:\n{screen}"
            raise AssertionError(message) from None
        finally:
            asyncio.get_running_loop().remove_reader(self._master)
            os.close(self._master)

    def _look(self, text: str) -> pyte.screens.Char:
        for row, line in enumerate(self.screen.display):
            if text in line:
                return self.screen.buffer[row][line.index(text)]
        raise AssertionError(f"{text!r} is not on the screen:\n{self.text}")

    def _write(self, data: bytes) -> None:
        os.write(self._master, data)

    def _read(self) -> None:
        try:
            data = os.read(self._master, 65_536)
        except OSError:
            # Linux's way to say that nobody has the other end any more.
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._master)
        known = _UNKNOWN.sub(b"", self._pending + data)
        unfinished = _UNFINISHED.search(known)
        cut = unfinished.start() if unfinished else len(known)
        self._pending = known[cut:]
        self._stream.feed(known[:cut])
        self.changed.set()


_SIZE = (110, 34)
"""Columns and lines."""


async def start(
    command: Sequence[str | Path], *, folder: Path, environment: Mapping[str, str]
) -> Terminal:
    """Start a program in a terminal of its own.

    Args:
        command: The program and its arguments.
        folder: Where it works.
        environment: All of its environment but the terminal's name.
    """
    master, slave = os.openpty()
    columns, lines = _SIZE
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    # setsid makes it the terminal's own session, without a fork in this process.
    process = await asyncio.create_subprocess_exec(
        "setsid",
        "--ctty",
        *map(str, command),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=folder,
        env={**environment, "TERM": TERM},
    )
    os.close(slave)
    return Terminal(process, master)
