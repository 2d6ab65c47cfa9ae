"""Reads settings files from disks that may not answer, such as one of the network."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

READ_S = 2.0
"""Longest wait for the disk of one settings file."""

_T = TypeVar("_T")

_late: dict[str, Future[None]] = {}
"""The reads that have not ended in time, by what they read."""


def in_time(name: str, read: Callable[[], _T]) -> _T:
    """Return what `read` returns, or raise what it raises.

    Args:
        name: What is read. While an earlier read of it has not ended, none is begun.
        read: Looks at a disk. It runs in a thread that does not delay the end of the
            process.

    Raises:
        TimeoutError: If it has not ended after `READ_S`.
    """
    if late_read(name) is not None:
        raise TimeoutError
    reading: Future[_T] = Future()
    ended: Future[None] = Future()

    def run() -> None:
        try:
            reading.set_result(read())
        except Exception as exc:  # noqa: BLE001 - the caller gets it
            reading.set_exception(exc)
        ended.set_result(None)

    threading.Thread(target=run, name="settings", daemon=True).start()
    try:
        return reading.result(READ_S)
    except TimeoutError:
        _late[name] = ended
        raise


def late_read(name: str) -> Future[None] | None:
    """Return the end of a read that is late; None: none is."""
    late = _late.get(name)
    return None if late is None or late.done() else late
