"""Reads a file that servers may be writing to, without a server."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from redline.store.database import open_for_reading, translated
from redline.store.stored_task import StoredTask
from redline.store.task_rows import read_tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """The content of a file."""

    path: Path
    """The file that was read: the first usable one in line."""
    tasks: tuple[StoredTask, ...]
    skipped: tuple[str, ...] = ()
    """Why files before it in line were not used, a sentence each."""


def read_file(path: Path, *, since: float) -> ReadFile:
    """Read the tasks since a moment, in Unix seconds, without changing the file.

    Raises:
        StoreError: If there is no file that can be read.
    """
    opened = open_for_reading(path)
    with translated(opened.path), closing(opened.connection) as connection:
        tasks = read_tasks(connection, since=since)
    return ReadFile(
        path=opened.path, tasks=tasks, skipped=tuple(map(str, opened.skipped))
    )
