"""Detects that the editor's process has died although its pipes are still open.

They stay open if another process has inherited them. LSP 3.18 then requires the server
to exit (`InitializeParams.processId`).
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable

INTERVAL_S = 3.0
"""Seconds between two checks; a check is a system call of a microsecond."""


def watch_process(
    process_id: int, on_gone: Callable[[], None], *, interval_s: float = INTERVAL_S
) -> bool:
    """Call back once when a process has ended.

    Returns:
        Whether it is watched. A process that does not exist now is not visible to us:
        the editor is in another container. On Windows every signal kills, so a process
        cannot be checked; there the end of the pipe has to suffice.
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
    # Zero and below are process groups, and no system goes beyond 31 bits.
    if not 0 < process_id < 2**31:
        return False
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
