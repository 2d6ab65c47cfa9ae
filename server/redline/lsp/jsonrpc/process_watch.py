"""Notice that the editor's process has died although its pipes are still open.

They stay open when another process has inherited them. LSP 3.18 asks the server to exit
then (`InitializeParams.processId`).
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable

INTERVAL_S = 3.0
"""Seconds between two looks; one is a system call of a microsecond."""


def watch_process(
    process_id: int, on_gone: Callable[[], None], *, interval_s: float = INTERVAL_S
) -> bool:
    """Call back once when a process is gone; keeps nothing else alive.

    Returns:
        Whether it is watched. A process that is not there now never was in our view:
        the editor is in another container. On Windows no signal can ask without
        killing; there the pipe's end has to do.
    """
    if sys.platform == "win32" or not _is_alive(process_id):
        return False
    loop = asyncio.get_running_loop()

    def look() -> None:
        if _is_alive(process_id):
            loop.call_later(interval_s, look)
        else:
            on_gone()

    loop.call_later(interval_s, look)
    return True


def _is_alive(process_id: int) -> bool:
    # Zero and below name groups of processes, and no system goes beyond 31 bits.
    if not 0 < process_id < 2**31:
        return False
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
