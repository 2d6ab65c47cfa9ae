"""Runs one command and leaves no process behind; a script that `command_run` starts.

Standard input is the lifeline: the server holds its other end, so it ends when the
server ends the run and also when the server is killed. Then, or when the command has
exited, everything that the command started is killed, and this process exits with the
command's exit code. On Linux this process adopts orphans (prctl(2),
PR_SET_CHILD_SUBREAPER), so it finds processes that have made a session of their own.
Elsewhere only the command's process group is killed.

Standard error is for this process alone: what is written to it is why the command could
not be started. It runs isolated from the workspace, with the standard library only.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

_ADOPT_ORPHANS = 36
"""PR_SET_CHILD_SUBREAPER of linux/prctl.h."""

_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""On Windows, SIGTERM ends a process at once."""

_KILL_LIMIT_S = 3.0
"""Longest time to kill what is left: a process of another user cannot be killed."""

_PAUSE_S = 0.005


def main() -> int:
    """Run the command of the arguments; return its exit code."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)
    try:
        # A group of its own: a command that kills its group does not end this process.
        process = subprocess.Popen(
            sys.argv[1:],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        sys.stderr.write(f"{reason}\n")
        return 1
    threading.Thread(target=_end_with_server, args=(process.pid,), daemon=True).start()
    code = process.wait()
    _kill_all(process.pid)
    return code if code >= 0 else 128 - code


def _end_with_server(command: int) -> None:
    while os.read(0, 1):
        pass
    _kill_all(command)
    os._exit(1)


def _kill_all(command: int) -> None:
    """Kill the group of a command and all descendants of this process."""
    limit = time.monotonic() + _KILL_LIMIT_S
    _kill(-command if hasattr(os, "killpg") else command)
    while left := _descendants():
        for pid, group in left.items():
            # At once for the whole group: its processes cannot start others meanwhile.
            if group != os.getpgrp():
                _kill(-group)
            _kill(pid)
        if time.monotonic() > limit:
            return
        time.sleep(_PAUSE_S)


def _kill(target: int) -> None:
    with suppress(OSError):
        # A negative id is that of a group (kill(2)).
        os.kill(target, _KILL)


def _descendants() -> dict[int, int]:
    """Return the running descendants of this process, each with its group."""
    children: dict[int, list[int]] = {}
    groups: dict[int, int] = {}
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:
        return {}
    for pid in pids:
        with suppress(OSError, ValueError):
            with open(f"/proc/{pid}/stat", "rb") as file:
                # The name of the program, in parentheses, may have any bytes (proc(5)).
                state, parent, group = file.read().rpartition(b")")[2].split()[:3]
            children.setdefault(int(parent), []).append(pid)
            if state not in (b"Z", b"X"):
                groups[pid] = int(group)
    found: dict[int, int] = {}
    waiting = [os.getpid()]
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            waiting.append(pid)
            if pid in groups:
                found[pid] = groups[pid]
    return found


if __name__ == "__main__":
    sys.exit(main())
