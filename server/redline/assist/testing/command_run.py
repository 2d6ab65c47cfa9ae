"""Runs the user's own test command: without a shell, keys or input, and with limits.

The command has a process group of its own, which is killed as a whole when the command
ends, takes too long, or is cancelled.
"""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from redline.child_environment import child_environment
from redline.errors import CommandRunError

_KEPT_BYTES = 500_000
"""How much is kept of the start of an output, and of its end."""

_DRAIN_LIMIT_S = 2.0
"""Longest wait for the end of an output after the group was killed: a process that has
left the group may hold it open."""


class CommandEnd(Struct, frozen=True, kw_only=True):
    """How a command ended."""

    exit_code: int | None
    """None: it was killed at the time limit."""
    output: str


async def run_command(
    command: Sequence[str], folder: Path, *, timeout_s: float
) -> CommandEnd:
    """Run a command in a folder. Cancelling is safe: its group is killed.

    Raises:
        CommandRunError: If it cannot be started.
    """
    starting = asyncio.ensure_future(
        asyncio.get_running_loop().subprocess_exec(
            _Run,
            *command,
            cwd=folder,
            env=_environment(folder),
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=STDOUT,
            start_new_session=True,
        )
    )
    try:
        transport, run = await asyncio.shield(starting)
    except asyncio.CancelledError:
        # A start that is cancelled kills the command alone, and not its group.
        with suppress(OSError, ValueError):
            transport, run = await starting
            _kill(transport)
            transport.close()
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise CommandRunError(
            f"The test command {command[0]!r} cannot be started: {reason}."
        ) from error
    is_late = False
    try:
        async with asyncio.timeout(timeout_s):
            await run.has_exited.wait()
    except TimeoutError:
        is_late = True
    finally:
        _kill(transport)
        try:
            await run.has_exited.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(_DRAIN_LIMIT_S):
                    await run.is_read.wait()
        finally:
            transport.close()
    exit_code = None if is_late else transport.get_returncode()
    return CommandEnd(exit_code=exit_code, output=run.output.text())


class _Run(asyncio.SubprocessProtocol):
    """One run: `Process.wait` would also wait for processes that it leaves behind."""

    def __init__(self) -> None:
        self.output = _Output()
        self.has_exited = asyncio.Event()
        self.is_read = asyncio.Event()
        """Set at the end of the output."""

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self.output.add(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self.is_read.set()

    def process_exited(self) -> None:
        self.has_exited.set()


class _Output:
    """The first and the last bytes of an output."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._is_cut = False

    def add(self, chunk: bytes) -> None:
        """Add what was read."""
        room = _KEPT_BYTES - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[max(0, room) :]
        if len(self._tail) > 2 * _KEPT_BYTES:
            del self._tail[:-_KEPT_BYTES]
            self._is_cut = True

    def text(self) -> str:
        """Return what was kept."""
        if len(self._tail) > _KEPT_BYTES:
            self._is_cut = True
        tail = bytes(self._tail[-_KEPT_BYTES:])
        mark = b"\n... output left out ...\n" if self._is_cut else b""
        return (bytes(self._head) + mark + tail).decode("utf-8", "replace")


def _environment(folder: Path) -> dict[str, str]:
    environ = child_environment(os.environ)
    # Packages that are installed as links to the user's folder are found in the copy.
    places = [str(folder), str(folder / "src"), environ.get("PYTHONPATH", "")]
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, places))
    environ["PYTHONDONTWRITEBYTECODE"] = "1"
    # Else uv installs the copy into the linked environment of the user
    # (docs.astral.sh/uv/reference/environment, UV_NO_SYNC).
    environ["UV_NO_SYNC"] = "1"
    environ["PWD"] = str(folder)
    return environ


def _kill(transport: asyncio.SubprocessTransport) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(transport.get_pid(), signal.SIGKILL)
        elif transport.get_returncode() is None:
            transport.kill()
