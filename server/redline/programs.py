"""Finds programs without looking into the current folder.

The current folder is often the workspace, which may be a stranger's. A relative or
empty element of PATH, or the rule of Windows to search the current folder first, would
run a program of it. All rooms may import this module.
"""

from __future__ import annotations

import os
import shutil


def find_program(name: str, search_path: str | None = None) -> str | None:
    """Return the absolute path of a program, or None.

    Args:
        name: Its name, without a folder.
        search_path: The folders to search, as PATH has them; None: those of PATH.
    """
    if search_path is None:
        search_path = os.environ.get("PATH", os.defpath)
    found = shutil.which(name, path=absolute_folders(search_path))
    # On Windows, `which` may search the current folder first.
    return found if found and os.path.isabs(found) else None


def absolute_folders(search_path: str) -> str:
    """Leave relative and empty elements out of a search path."""
    return os.pathsep.join(filter(os.path.isabs, search_path.split(os.pathsep)))
