"""Looking for a module anywhere in a workspace.

Tests and scripts put folders on the search path that no rule can guess, so that any
module of the workspace may be what a top-level import means. Nothing is kept but the
listings, so that files made meanwhile are seen.
"""

from __future__ import annotations

import os
import time
from collections import deque
from pathlib import Path

from redline.checks.python.folders import Folders, Listing
from redline.checks.python.module_files import Absence, may_be_built

MAX_WALK_S = 0.04
"""Of the 50 ms that all checks may take; a walk that is cut off goes further next time,
because what it has listed is remembered. About 5,000 folders can be walked."""

_SKIPPED = {"node_modules", "__pycache__", "site-packages"}


def is_in_workspace(
    folders: Folders, roots: tuple[Path, ...], name: str
) -> bool | None:
    """Whether some folder holds a module of this name; None if it took too long."""
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
    """Say what it means that a top-level module was not found where it should be."""
    is_there = is_in_workspace(folders, roots, name)
    return Absence.MISSING if is_there is False else Absence.UNKNOWN


def _holds(folders: Folders, folder: str, listing: Listing, name: str) -> bool:
    if f"{name}.py" in listing.names or may_be_built(listing, name):
        return True
    if name not in listing.folders:
        return False
    inside = folders.names(Path(folder) / name) or ()
    return any(entry.endswith(".py") for entry in inside)
