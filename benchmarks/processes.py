"""Child processes: started without the user's own settings, watched, and always ended.

Every child of a benchmark ends when its standard input does, so that none is left even
if the benchmark itself is killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from benchmarks.figures import NotRunError

ROOT = Path(__file__).resolve().parent.parent
"""The repository."""

SERVER = ("-P", "-m", "redline")
"""The arguments with which Python runs Redline."""

REDLINE = (sys.executable, *SERVER)
FLOOR = (sys.executable, "-I", "-S", str(ROOT / "benchmarks" / "floor_process.py"))

_END_LIMIT_S = 5.0
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT")


def environment(home: Path) -> dict[str, str]:
    """Return an environment without the user's keys, proxies and settings.

    Args:
        home: A folder for what a process wants to write.
    """
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    folders = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    return kept | {name: str(home) for name in folders}


@asynccontextmanager
async def running(
    command: Sequence[str],
    environ: Mapping[str, str] | None = None,
    *,
    shows_errors: bool = False,
) -> AsyncIterator[subprocess.Popen[bytes]]:
    """Run a child with pipes until the block ends; the end of its input ends it."""
    process = start(command, environ, shows_errors=shows_errors)
    try:
        yield process
    finally:
        await end(process)


def start(
    command: Sequence[str],
    environ: Mapping[str, str] | None = None,
    *,
    shows_errors: bool = False,
) -> subprocess.Popen[bytes]:
    """Start a child with pipes; the caller ends it."""
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if shows_errors else subprocess.DEVNULL,
        bufsize=0,
        env=environ,
        cwd=ROOT,
        # A Ctrl-C in the terminal is for the benchmark, which ends them.
        start_new_session=True,
    )


async def end(process: subprocess.Popen[bytes]) -> None:
    """End a child by closing its input, and kill it if that does not help."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(process.wait, _END_LIMIT_S)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


@contextmanager
def apart(*pids: int) -> Iterator[None]:
    """Run this process on one processor, and other processes on the others.

    Linux often wakes a process on the processor of the one that wrote to it. There it
    waits until that one sleeps, so what the writer does after the writing would count
    as time of the way. With one processor, nothing is changed.
    """
    before = os.sched_getaffinity(0) if sys.platform == "linux" else set()
    if len(before) < 2:
        yield
        return
    mine = min(before)
    for pid in pids:
        os.sched_setaffinity(pid, before - {mine})
    os.sched_setaffinity(0, {mine})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def cpu_s(pid: int) -> float:
    """Processor time that a process has used, in all threads, in seconds.

    Raises:
        NotRunError: On systems that do not report it for other processes.
    """
    if sys.platform != "linux":
        raise NotRunError("The processor time of another process is read on Linux only")
    # The kernel's own name of a process's clock (clock_getcpuclockid(3)), to the
    # nanosecond, where /proc counts in hundredths of a second.
    return time.clock_gettime(~pid << 3 | 2)


def resident_mb(pid: int) -> float:
    """Resident memory of a process, in megabytes.

    Raises:
        NotRunError: On systems without /proc.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError as exc:
        raise NotRunError("Resident memory is read from /proc only.") from exc
    for line in status.splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise NotRunError(f"Process {pid} has ended.")


def children(pid: int) -> list[int]:
    """The children of a process, of its first thread."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in path.read_text().split()]


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, in any thread, and theirs.

    Raises:
        NotRunError: On systems without /proc.
    """
    if not Path("/proc/self/task").exists():
        raise NotRunError("The processes of a server are read from /proc only.")
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, path.read_text().split()):
            found += (child, *descendants(child))
    return found


def command_line(pid: int) -> str:
    """The words of a process's command line."""
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
