"""Checks whether the file can be written now, without writing data."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from redline.errors import StoreUnavailableError
from redline.store.database import in_line, open_for_writing, translated


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbedFile:
    """A file that can be written."""

    path: Path
    """The file, or the one that will be created."""
    is_there: bool
    skipped: tuple[str, ...] = ()
    """Why files before it in line are not used, a sentence each."""


def probe_file(path: Path) -> ProbedFile:
    """Find the file that a server would write to.

    An existing file is opened as a server does, migration included; if there is none,
    only its folder is checked.

    Raises:
        StoreError: If it cannot be written, or not now.
    """
    if not any(candidate.exists() for candidate in in_line(path)):
        _check_folder(path)
        return ProbedFile(path=path, is_there=False)
    opened = open_for_writing(path)
    with translated(opened.path), closing(opened.connection) as connection:
        # Take the lock that writing takes, and release it.
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    return ProbedFile(
        path=opened.path, is_there=True, skipped=tuple(map(str, opened.skipped))
    )


def _check_folder(path: Path) -> None:
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        raise StoreUnavailableError(f"Nothing can be created in {folder}.")
