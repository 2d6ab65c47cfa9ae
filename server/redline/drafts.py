"""Drafts of files of a workspace: each is written beside its file, then takes its name.

So no file is there in parts. A process that is killed meanwhile leaves its draft. The
next one that writes into the folder removes it, and so does the next server of that
workspace: while a draft exists, a record in the user's data folder names it.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from redline.errors import UnreadableFileError
from redline.files import entries_of, read_file
from redline.owner_only_files import create_private_folder, write_private_file

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_NAME = re.compile(r"\.redline-[0-9a-f]{16}")

_LEFT_S = 3_600.0
"""Age of a draft that no process is writing; one takes milliseconds."""

_MAX_ENTRIES = 100_000
_MAX_RECORDS = 1_000
_MAX_RECORD_BYTES = 16_384


@contextmanager
def open_draft(path: Path, mode: int) -> Iterator[tuple[int, Path]]:
    """Create a draft of a file; yield its descriptor, to be closed, and its path.

    It is removed at the end, unless the caller has renamed it.

    Raises:
        OSError: If it cannot be created.
    """
    _remove_left(path.parent)
    draft = path.with_name(f".redline-{secrets.token_hex(8)}")
    record = _records() / draft.name
    with suppress(OSError):
        # Only a killed process needs it.
        create_private_folder(record.parent)
        write_private_file(record, os.fsencode(draft.absolute()).decode("latin-1"))
    try:
        yield os.open(draft, _FLAGS, mode), draft
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
            record.unlink(missing_ok=True)


def rename_to_new(file: Path, path: Path) -> None:
    """Rename a file, and replace none.

    Raises:
        OSError: If that is not possible, or there is a file with that name.
    """
    try:
        # A rename would replace a file that has just appeared.
        os.link(file, path)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems have no links, such as those of memory cards.
        if os.path.lexists(path):
            raise
        os.rename(file, path)
        return
    try:
        file.unlink()
    except OSError:
        # There is one file again: the rename can be tried again.
        path.unlink()
        raise


def remove_left_drafts(roots: Sequence[Path]) -> None:
    """Remove the drafts in some folders that killed processes have left; blocks."""
    places = {*roots, *(Path(os.path.realpath(root)) for root in roots)}
    with suppress(UnreadableFileError):
        for entry in entries_of(_records(), max_entries=_MAX_RECORDS):
            with suppress(UnreadableFileError, OSError, ValueError):
                _remove_recorded(Path(entry.path), places)


def _remove_recorded(record: Path, places: Collection[Path]) -> None:
    if not _NAME.fullmatch(record.name) or not _is_left(record):
        return
    named = read_file(record, max_bytes=_MAX_RECORD_BYTES).decode()
    draft = Path(os.fsdecode(named.encode("latin-1")))
    if draft.name != record.name or not any(map(draft.is_relative_to, places)):
        return
    if _is_left(draft):
        draft.unlink()
    if not os.path.lexists(draft):
        record.unlink()


def _records() -> Path:
    # Imported here: only few processes write files.
    from platformdirs import user_data_path

    return user_data_path("redline") / "drafts"


def _remove_left(folder: Path) -> None:
    """Remove the drafts of this user that a killed process has left."""
    with suppress(UnreadableFileError, OSError):
        for entry in entries_of(folder, max_entries=_MAX_ENTRIES):
            if _NAME.fullmatch(entry.name) and _is_left(entry):
                os.unlink(entry.path)


def _is_left(file: Path | os.DirEntry[str]) -> bool:
    """Whether a file is this user's and old; one that is gone is not."""
    try:
        found = file.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    user = os.geteuid() if hasattr(os, "geteuid") else None
    is_own = user is None or found.st_uid == user
    is_old = found.st_mtime < time.time() - _LEFT_S
    return stat.S_ISREG(found.st_mode) and is_own and is_old
