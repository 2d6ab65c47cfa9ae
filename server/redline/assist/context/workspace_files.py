"""Finds the workspace's source files, one by one, except those that are ignored.

Ignored files are not even opened. The walk is bounded, so that a home folder opened as
a workspace costs as much as a large project.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import UnreadableFileError
from redline.files import entries_of
from redline.syntax.language import Language, language_of
from redline.text.uri import is_file, uri_path

MAX_FILES = 5_000
_MAX_ENTRIES = 100_000
"""Most files and folders of any kind that are visited."""

MAX_FILE_BYTES = 256_000
"""Larger files are generated, or data."""

_SKIPPED = frozenset(
    {
        "__pycache__",
        "build",
        "dist",
        "env",
        "node_modules",
        "site-packages",
        "target",
        "vendor",
        "venv",
    }
)
"""Folders of third-party or generated code, besides those with a leading dot."""


class SourceFile(Struct, frozen=True, kw_only=True):
    """A file that has not been read yet."""

    uri: str
    file: str
    """Its absolute path."""
    path: str
    """Relative to its root."""
    language: Language
    stamp: tuple[int, int]
    """Modification time in nanoseconds, and size in bytes."""


def source_files(
    roots: Sequence[str], ignore_rules: IgnoreRules
) -> Iterator[SourceFile | None]:
    """Walk the roots, shallow files first.

    Args:
        roots: URIs of the workspace folders.
        ignore_rules: The files that must not be sent.

    Yields:
        Files, and None in between, so that the caller can interrupt the walk.
    """
    entries = islice(walk(roots, ignore_rules), _MAX_ENTRIES)
    n_files = 0
    for root, entry in entries:
        file = None if entry is None else _source_file(entry, root)
        if file is not None and _is_left_out(Path(file.file), roots, ignore_rules):
            file = None
        yield file
        n_files += file is not None
        if n_files >= MAX_FILES:
            return


MAX_DEPTH = 50
"""Most folders inside each other: a file's rules are those of all above it."""


def walk(
    roots: Sequence[str], ignore_rules: IgnoreRules
) -> Iterator[tuple[Path, os.DirEntry[str] | None]]:
    """Walk the folders that are not ignored, shallow ones first.

    Yields:
        A root and a non-folder entry in it, or None when a folder is entered.
    """
    for root in roots:
        if not is_file(root):
            continue
        root_path = Path(uri_path(root))
        deepest = len(root_path.parts) + MAX_DEPTH
        folders = [str(root_path)]
        # Folders found during the walk are appended.
        for folder in folders:
            yield root_path, None
            for entry in _listed(folder):
                if _is_folder(entry):
                    if len(Path(entry.path).parts) > deepest:
                        continue
                    # Tested as a file in it would be, since ignoring a folder ignores
                    # those.
                    if not _is_left_out(Path(entry.path, "_"), roots, ignore_rules):
                        folders.append(entry.path)
                else:
                    yield root_path, entry


def _listed(folder: str) -> list[os.DirEntry[str]]:
    try:
        entries = entries_of(folder, max_entries=_MAX_ENTRIES)
        return sorted(entries, key=lambda entry: entry.name)
    except UnreadableFileError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    is_skipped = entry.name.startswith(".") or entry.name in _SKIPPED
    return not is_skipped and entry.is_dir(follow_symlinks=False)


def _is_left_out(path: Path, roots: Sequence[str], ignore_rules: IgnoreRules) -> bool:
    return ignore_rules.reason(path.as_uri(), roots) is not None


def _source_file(entry: os.DirEntry[str], root: Path) -> SourceFile | None:
    language = language_of(entry.name)
    if language is None:
        return None
    try:
        if not entry.is_file(follow_symlinks=False):
            return None
        stat = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    if stat.st_size > MAX_FILE_BYTES:
        return None
    path = Path(entry.path)
    return SourceFile(
        uri=path.as_uri(),
        file=entry.path,
        path=path.relative_to(root).as_posix(),
        language=language,
        stamp=(stat.st_mtime_ns, stat.st_size),
    )
