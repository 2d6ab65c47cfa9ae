"""The git processes that run now: each belongs to what started it, and ends with it.

Threads wait for git, and neither a cancelled task nor the end of this process waits for
these threads. So a task owns the git processes that it starts, also in threads.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from redline.errors import NotReviewableError
from redline.programs import find_program

_PROBE_LIMIT_S = 5.0

_PR_SET_PDEATHSIG = 1
"""From `linux/prctl.h`."""

_ASK = (
    "import ctypes, os, signal, sys; "
    f"ctypes.CDLL(None).prctl({_PR_SET_PDEATHSIG}, signal.SIGKILL); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)
"""A program that becomes another one, which is killed with its parent."""


class GitProcesses:
    """The git processes of one review or command."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._has_ended = False

    @contextmanager
    def running(
        self, start: Callable[[], subprocess.Popen[bytes]]
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Start a process that leads its own group, and register it until the end.

        Raises:
            OSError: If it cannot be started.
            NotReviewableError: If the owner has ended.
        """
        with self._lock:
            if self._has_ended:
                raise NotReviewableError("What needs git was stopped.")
            # Under the lock: a process that is not registered yet would be missed.
            process = start()
            self._running.add(process)
        try:
            with process:
                yield process
        finally:
            with self._lock:
                self._running.discard(process)

    def end(self) -> None:
        """Kill all processes, and start no more; the calls that wait for them fail."""
        with self._lock:
            self._has_ended = True
            running = tuple(self._running)
        for process in running:
            kill(process)


_owner: ContextVar[GitProcesses | None] = ContextVar("git_processes", default=None)


@contextmanager
def owning_git() -> Iterator[None]:
    """End the git processes of the block with it, however it ends.

    Those of threads that the block starts with `asyncio.to_thread` are among them.
    """
    processes = GitProcesses()
    token = _owner.set(processes)
    try:
        yield
    finally:
        _owner.reset(token)
        processes.end()


def owned_processes() -> GitProcesses:
    """Return the git processes of the current owner; without one, new ones."""
    return _owner.get() or GitProcesses()


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that has not been waited for, with its child processes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        elif process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def git_command(words: Sequence[str]) -> list[str]:
    """Return the command line of git that ends even if this process is killed.

    On Linux, `setpriv` asks the system to kill git with the thread that waits for it,
    or Python, which takes longer to start. Elsewhere git ends when it next writes,
    since its output has no reader.

    Raises:
        OSError: If git is not on PATH.
    """
    git = find_program("git")
    if git is None:
        raise FileNotFoundError("git is not on PATH")
    return [*_ends_with_parent(), git, *words]


@lru_cache(maxsize=1)
def _ends_with_parent() -> tuple[str, ...]:
    if sys.platform != "linux":
        return ()
    commands: list[tuple[str, ...]] = [(sys.executable, "-I", "-S", "-c", _ASK)]
    if setpriv := find_program("setpriv"):
        commands.insert(0, (setpriv, "--pdeathsig", "KILL", "--"))
    return next(filter(_works, commands), ())


def _works(command: Sequence[str]) -> bool:
    """Whether a command runs another one; some versions of setpriv lack the option."""
    try:
        subprocess.run(
            [*command, find_program("true") or sys.executable, "--version"],
            capture_output=True,
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=_PROBE_LIMIT_S,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return True
