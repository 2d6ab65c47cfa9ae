"""The path of the ruff program, for several checks at once.

The first call of `sysconfig` in a process fills a table that a second call, in another
thread, sees half filled (CPython 3.11 and 3.12, `get_config_vars`), so a lock allows
one call at a time.
"""

from __future__ import annotations

import threading
from functools import cache

_turn = threading.Lock()


def ruff_program() -> str:
    """Return the path of the program; safe to call from any thread.
        FileNotFoundError: If ruff is not installed.
    Raises:
        FileNotFoundError: If it is not installed.
    """
    with _turn:
        return _found()


@cache
def _found() -> str:
    # Imported late: a start does not need it.
    from ruff import (  # type: ignore[import-untyped]  # It has no hints.
        find_ruff_bin,
    )

    return str(find_ruff_bin())
