"""The git processes that run now, so that none of them outlives this process.

Threads wait for git, and the end of the process does not wait for these threads.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subprocess import Popen

_lock = threading.Lock()
_running: set[Popen[bytes]] = set()


@contextmanager
def running(start: Callable[[], Popen[bytes]]) -> Iterator[Popen[bytes]]:
    """Start a process that leads its own group, and register it until the block ends.

    Raises:
        OSError: If it cannot be started.
    """
    with _lock:
        # Under the lock: a process that is not registered yet would be missed.
        process = start()
        _running.add(process)
    try:
        with process:
            yield process
    finally:
        with _lock:
            _running.discard(process)


def kill(process: Popen[bytes]) -> None:
    """Kill a process that has not been waited for, with its child processes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        elif process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def kill_running() -> None:
    """Kill every registered process; the calls that wait for them fail."""
    with _lock:
        running = tuple(_running)
    for process in running:
        kill(process)
