"""Limits that a process sets itself before it works on text of others.

Some texts of a few kilobytes make a parser take minutes or gigabytes, and nothing
inside the interpreter can interrupt it: a parser written in C lets no other thread run.
Such work is done in a process of its own, which ends when it exceeds a limit, also when
its parent has gone.
"""

from __future__ import annotations

import faulthandler
from collections.abc import Iterator
from contextlib import contextmanager

MAX_MEMORY_BYTES = 1 << 30
"""Most data of a process. An index of 23,000 files needs 140 MB; some texts of 200 kB
make a parser take gigabytes within seconds."""

UNIT_LIMIT_S = 10.0
"""Time limit of one unit of work; the longest ordinary ones take half a second."""

MAX_OPEN_FILES = 10_240
"""Most files and connections that a process asks for: macOS refuses more (OPEN_MAX)."""

_STANDARD_ERROR = 2
"""Where the stack is written."""

OUT_OF_TIME = 1
"""The exit code of a process that exceeded a limit of time: that of faulthandler."""


def limit_memory(max_bytes: int = MAX_MEMORY_BYTES) -> None:
    """Limit the data of this process, and of the processes that it starts.

    Windows has no such limit; there only the time is limited.
    """
    try:
        import resource
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    has_limit = most != resource.RLIM_INFINITY
    limit = min(max_bytes, most) if has_limit else max_bytes
    resource.setrlimit(resource.RLIMIT_DATA, (limit, most))


def raise_file_limit() -> int:
    """Allow this process as many open files and connections as it may have.

    The usual limits, 256 on macOS and 1,024 on Linux, are those of interactive tools.

    Returns:
        The limit now in force, or `MAX_OPEN_FILES` where there is none.
    """
    try:
        import resource
    except ImportError:
        return MAX_OPEN_FILES
    limit, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return MAX_OPEN_FILES
    has_most = most != resource.RLIM_INFINITY
    wanted = min(MAX_OPEN_FILES, most) if has_most else MAX_OPEN_FILES
    if limit < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
    return max(limit, wanted)


@contextmanager
def limited_time(limit_s: float = UNIT_LIMIT_S) -> Iterator[None]:
    """End the process with `OUT_OF_TIME` if the block takes longer.

    The watch is a thread in C, which needs no lock of the interpreter. Blocks cannot be
    nested.
    """
    restart_time(limit_s)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def restart_time(limit_s: float = UNIT_LIMIT_S) -> None:
    """Start the time of the block again, because it begins another unit of work."""
    faulthandler.dump_traceback_later(limit_s, exit=True, file=_STANDARD_ERROR)
