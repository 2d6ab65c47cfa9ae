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

_KILL_LIMIT_S = 60.0
"""Longest time to kill what is left. The server waits for a shorter time and leaves
the rest to this process."""

_PAUSE_S = 0.001
_MAX_PAUSE_S = 0.1


def main() -> int:
    """Run the command of the arguments; return its exit code."""
    _adopt_orphans()
    if not hasattr(os, "fork"):
        return _run()
    inner = os.fork()
    if not inner:
        # A group of its own: it goes on when the server kills the outer process.
        os.setpgid(0, 0)
        _adopt_orphans()
        code = _run()
        sys.stderr.flush()
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1])
    if code < 0:
        # The command has killed its parent, and runs perhaps.
        _kill_all()
    return code if code >= 0 else 128 - code


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)


def _run() -> int:
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


def _kill_all(command: int = 0) -> None:
    """Kill the group of a command and all descendants of this process."""
    limit = time.monotonic() + _KILL_LIMIT_S
    if command:
        _kill(-command if hasattr(os, "killpg") else command)
    descendants = _Descendants()
    pause = _PAUSE_S
    before: dict[int, int] = {}
    while _has_children() and time.monotonic() < limit:
        left = descendants.running()
        # At once for a whole group: its processes cannot start others meanwhile.
        groups = {-group for group in left.values() if group != os.getpgrp()}
        may_kill = [_kill(target) for target in (*groups, *left)]
        if left and not any(may_kill):
            # What is left belongs to other users.
            return
        # A process that does not end at once, as in a call of the system, may be waited
        # for; a new one may start others meanwhile.
        pause = min(2 * pause, _MAX_PAUSE_S) if left == before else _PAUSE_S
        before = left
        time.sleep(pause)


def _has_children() -> bool:
    """Whether anything is left: what has lost its parent is a child of this process.

    The list of processes alone does not show it: one that starts another and ends may
    be gone when it is looked at.
    """
    if not hasattr(os, "WNOHANG"):
        return False
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _kill(target: int) -> bool:
    """Kill a process or, by a negative id (kill(2)), a group; return whether we may."""
    try:
        os.kill(target, _KILL)
    except PermissionError:
        return False
    except OSError:
        pass
    return True


class _Descendants:
    """The descendants of this process, found as fast as they can start others.

    What is no descendant never becomes one, so it is looked at only once.
    """

    def __init__(self) -> None:
        self._strangers: set[int] = set()

    def running(self) -> dict[int, int]:
        """Return those that run, each with its group."""
        try:
            pids = {int(name) for name in os.listdir("/proc") if name.isdecimal()}
        except OSError:
            return {}
        self._strangers &= pids
        parents: dict[int, int] = {}
        groups: dict[int, int] = {}
        for pid in pids - self._strangers:
            with suppress(OSError, ValueError):
                with open(f"/proc/{pid}/stat", "rb") as file:
                    # The name of the program, in parentheses, may have any bytes
                    # (proc(5)).
                    state, parent, group = file.read().rpartition(b")")[2].split()[:3]
                parents[pid] = int(parent)
                if state not in (b"Z", b"X"):
                    groups[pid] = int(group)
        own = {os.getpid()}
        for pid in parents:
            line = []
            while pid not in own and pid in parents:
                line.append(pid)
                pid = parents[pid]
            if pid in own:
                own.update(line)
            elif pid in self._strangers or not pid:
                self._strangers.update(line)
        own.remove(os.getpid())
        return {pid: groups[pid] for pid in own if pid in groups}


if __name__ == "__main__":
    sys.exit(main())
