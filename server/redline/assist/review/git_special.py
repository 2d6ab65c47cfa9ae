"""Finds pipes and devices in place of the files that git reads.

Git opens its ignore and attribute files, and those of the repository itself, without
checking their type. On a pipe that no process writes to, it blocks forever.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from redline.errors import NotReviewableError, UnreadableFileError
from redline.files import entries_of

_MAX_ENTRIES = 200_000
"""Files and folders that are checked, the nearest first."""

_READ_BY_GIT = frozenset({".gitattributes", ".gitignore"})


def refuse_special_files(folder: Path) -> None:
    """Check the files that git reads for a review of a folder.

    Raises:
        NotReviewableError: If git would block on one of them.
    """
    for path in _read_by_git(folder):
        if _is_special(path):
            raise NotReviewableError(
                f"{path} is a pipe or a device: git would wait for it.",
                remedy="Remove it, or name the files to review.",
            )


def _read_by_git(folder: Path) -> Iterator[str]:
    for outer in (folder, *folder.parents):
        for name in sorted(_READ_BY_GIT):
            yield os.path.join(outer, name)
        repository = outer / ".git"
        if repository.is_dir():
            for inner in (repository, repository / "info"):
                yield from (entry.path for entry in _listed(str(inner)))
            break
    yield from _below(folder)


def _below(folder: Path) -> Iterator[str]:
    """Walk through the folder, without the repository itself."""
    folders = [str(folder)]
    n_entries = 0
    # The loop appends the folders that it finds.
    for one in folders:
        for entry in _listed(one):
            n_entries += 1
            if entry.name in _READ_BY_GIT:
                yield entry.path
            elif entry.name != ".git" and entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
        if n_entries > _MAX_ENTRIES:
            return


def _listed(folder: str) -> list[os.DirEntry[str]]:
    try:
        return entries_of(folder, max_entries=_MAX_ENTRIES)
    except UnreadableFileError:
        return []


def _is_special(path: str) -> bool:
    """Whether opening or reading it may block; a socket cannot be opened at all."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)
