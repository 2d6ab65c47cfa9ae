"""Drafts of files of a workspace: each is written beside its file, then takes its name.

So no file is there in parts. A process that is killed meanwhile leaves its draft, and
the next one that writes into the folder removes it.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import time
from contextlib import suppress
from pathlib import Path

from redline.errors import UnreadableFileError
from redline.files import entries_of

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_NAME = re.compile(r"\.redline-[0-9a-f]{16}")

_LEFT_S = 3_600.0
"""Age of a draft that no process is writing; one takes milliseconds."""

_MAX_ENTRIES = 100_000


def open_draft(path: Path, mode: int) -> tuple[int, Path]:
    """Create a draft of a file; return its descriptor and its path.

    The caller renames or removes it.

    Raises:
        OSError: If it cannot be created.
    """
    _remove_left(path.parent)
    draft = path.with_name(f".redline-{secrets.token_hex(8)}")
    return os.open(draft, _FLAGS, mode), draft


def _remove_left(folder: Path) -> None:
    """Remove the drafts of this user that a killed process has left."""
    user = os.geteuid() if hasattr(os, "geteuid") else None
    oldest = time.time() - _LEFT_S
    with suppress(UnreadableFileError, OSError):
        for entry in entries_of(folder, max_entries=_MAX_ENTRIES):
            if not _NAME.fullmatch(entry.name):
                continue
            found = entry.stat(follow_symlinks=False)
            is_own = user is None or found.st_uid == user
            if stat.S_ISREG(found.st_mode) and is_own and found.st_mtime < oldest:
                os.unlink(entry.path)
