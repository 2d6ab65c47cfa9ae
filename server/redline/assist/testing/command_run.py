"""Runs the user's own commands: without a shell, keys or input, and with limits.

The command is started by a guard process (`run_guard`), which kills all that the
command started when it ends, takes too long, is cancelled, or when this server is
killed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from msgspec import Struct

from redline.assist.testing import run_guard
from redline.child_environment import child_environment
from redline.errors import CommandRunError
from redline.programs import absolute_folders
from redline.prompts.secrets.provider_keys import KEY
from redline.supervisor import Supervisor

_KEPT_BYTES = 500_000
"""How much is kept of the start of an output, and of its end."""

_GUARD = (sys.executable, "-I", "-S", run_guard.__file__)
"""Isolated: the workspace's modules and variables have no effect on it."""

_END_LIMIT_S = 5.0
"""Longest wait for the guard to kill everything."""

_DRAIN_LIMIT_S = 2.0
"""Longest wait for the end of an output after everything was killed: a process that
could not be killed may hold it open."""


class CommandEnd(Struct, frozen=True, kw_only=True):
    exit_code: int | None
    """None: it was killed at the time limit."""
    output: str


async def run_command(
    command: Sequence[str],
    folder: Path,
    *,
    timeout_s: float,
    environ: Mapping[str, str] | None = None,
) -> CommandEnd:
    """Run a command in a folder. Cancelling is safe: its group is killed.

    Args:
        command: Its words.
        folder: Where it runs.
        timeout_s: Longest run.
        environ: Its environment; None: that of tests.

    Raises:
        CommandRunError: If it cannot be started.
    """
    starting = asyncio.ensure_future(
        asyncio.get_running_loop().subprocess_exec(
            _Run,
            *_GUARD,
            *command,
            cwd=folder,
            env=_test_environment(folder) if environ is None else environ,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
        )
    )
    try:
        transport, run = await asyncio.shield(starting)
    except asyncio.CancelledError:
        # A start that is cancelled would kill the guard alone.
        with suppress(OSError, ValueError):
            await _end(*await starting)
        raise
    except (OSError, ValueError) as error:
        raise _not_started(command, str(error)) from error
    is_late = False
    try:
        async with asyncio.timeout(timeout_s):
            await run.has_exited.wait()
    except TimeoutError:
        is_late = True
    finally:
        # To the end, also if it is cancelled once more.
        await Supervisor().complete(_end(transport, run), name="end a command")
    if run.trouble:
        raise _not_started(command, run.trouble.decode("utf-8", "replace"))
    exit_code = None if is_late else transport.get_returncode()
    return CommandEnd(exit_code=exit_code, output=run.output.text())


async def _end(transport: asyncio.SubprocessTransport, run: _Run) -> None:
    """Have the guard kill all that the command started, and wait for it."""
    try:
        # The lifeline.
        cast(asyncio.WriteTransport, transport.get_pipe_transport(0)).close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_END_LIMIT_S):
                await run.has_exited.wait()
        _kill(transport)
        with suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_LIMIT_S):
                await run.is_read.wait()
    finally:
        transport.close()


def _not_started(command: Sequence[str], reason: str) -> CommandRunError:
    return CommandRunError(
        f"The command {command[0]!r} cannot be started: {reason.strip()}."
    )


class _Run(asyncio.SubprocessProtocol):
    """One run: `Process.wait` would also wait for processes that it leaves behind."""

    def __init__(self) -> None:
        self.output = _Output()
        self.trouble = b""
        """Why the guard could not start the command; empty: it could."""
        self.has_exited = asyncio.Event()
        self.is_read = asyncio.Event()
        """Set at the end of the output."""
        self._n_open = 2

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self.output.add(data)
        else:
            self.trouble += data

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._n_open -= fd != 0
        if not self._n_open:
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
        room = _KEPT_BYTES - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[max(0, room) :]
        if len(self._tail) > 2 * _KEPT_BYTES:
            del self._tail[:-_KEPT_BYTES]
            self._is_cut = True

    def text(self) -> str:
        if len(self._tail) > _KEPT_BYTES:
            self._is_cut = True
        head, tail = bytes(self._head), bytes(self._tail[-_KEPT_BYTES:])
        if self._is_cut:
            # Whole lines: a part of a secret would not be recognized as one.
            head = head[: head.rfind(b"\n") + 1]
            tail = b"... output left out ...\n" + tail.partition(b"\n")[2]
        return (head + tail).decode("utf-8", "replace")


def checker_environment(folder: Path) -> dict[str, str]:
    """Return the environment of a type checker or linter.

    Nothing of its folder is imported by a checker that runs on Python: a module there
    may be what a model wrote.
    """
    environ = _without_keys(folder)
    paths = absolute_folders(environ.pop("PYTHONPATH", ""))
    if paths:
        environ["PYTHONPATH"] = paths
    # Else `python -m` and `python script` import modules beside them.
    environ["PYTHONSAFEPATH"] = "1"
    return environ


def _test_environment(folder: Path) -> dict[str, str]:
    environ = _without_keys(folder)
    # Packages that are installed as links to the user's folder are found in the copy.
    places = [str(folder), str(folder / "src"), environ.get("PYTHONPATH", "")]
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, places))
    return environ


def _without_keys(folder: Path) -> dict[str, str]:
    environ = {
        name: value
        for name, value in child_environment(os.environ).items()
        if not KEY.match(value.strip())
    }
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
