"""Searches a whole workspace for a module.

Tests and scripts put folders on the search path that no rule can guess, so any module
of the workspace may be the target of a top-level import. Only the listings are cached,
so that new files are found.
"""

from __future__ import annotations

import os
import time
from collections import deque
from pathlib import Path

from redline.checks.python.folders import Folders, Listing
from redline.checks.python.module_files import Absence, may_be_built

MAX_WALK_S = 0.04
"""Part of the 50 ms that all checks may take. A walk that is cut off gets further next
time, because its listings are cached. About 5,000 folders can be walked."""

_SKIPPED = {"node_modules", "__pycache__", "site-packages"}


def is_in_workspace(
    folders: Folders, roots: tuple[Path, ...], name: str
) -> bool | None:
    """Whether any folder holds a module of this name; None if it took too long."""
    end = time.monotonic() + MAX_WALK_S
    waiting = deque(str(root) for root in roots)  # Paths take twice the time.
    while waiting:
        if time.monotonic() > end:
            return None
        folder = waiting.popleft()
        listing = folders.listing(folder)
        if listing is None or "pyvenv.cfg" in listing.names:
            continue
        if _holds(folders, folder, listing, name):
            return True
        waiting += [
            f"{folder}{os.sep}{child}"
            for child in listing.own_folders
            if child[0] != "." and child not in _SKIPPED
        ]
    return False


def absence(folders: Folders, roots: tuple[Path, ...], name: str) -> Absence:
    """Return why a top-level module was not found on the search path."""
    is_there = is_in_workspace(folders, roots, name)
    return Absence.MISSING if is_there is False else Absence.UNKNOWN


def _holds(folders: Folders, folder: str, listing: Listing, name: str) -> bool:
    if f"{name}.py" in listing.names or may_be_built(listing, name):
        return True
    if name not in listing.folders:
        return False
    inside = folders.names(Path(folder) / name) or ()
    return any(entry.endswith(".py") for entry in inside)
