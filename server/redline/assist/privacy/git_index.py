"""Finds the folders whose `.gitignore` git reads from its index, not from the disk.

A sparse checkout, or `git update-index --skip-worktree`, leaves files out of the
worktree. Git still obeys a `.gitignore` that is left out, and reads its text from the
object store. We do not: files in such a folder may be ignored.

The format is that of git's `Documentation/gitformat-index.txt`, versions 3 and 4.
Version 2, which most repositories have, cannot leave a file out.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from redline.errors import UnreadableFileError
from redline.files import Stamp, read_file, read_start

_MAX_BYTES = 100_000_000
_HEADER = struct.Struct(">4sII")
_FLAGS = struct.Struct(">HH")
_STAT_BYTES = 40
_HASH_BYTES = (20, 32)
"""Of SHA-1 and SHA-256; the index does not say which."""

_NAME_LENGTH = 0xFFF
"""The bits of the flags with a path's length; all are set if it is longer."""
_EXTENDED = 0x4000
_SKIP_WORKTREE = 0x4000
_FOLDER_MODE = 0o040000

_MODE_AT = 24
_PADDING = 8


class SkippedPaths(NamedTuple):
    """What the index has and the worktree does not need to have; paths from its top."""

    ignore_files: frozenset[bytes]
    folders: frozenset[bytes]
    """Folders that the index names instead of their files."""


NOTHING = SkippedPaths(frozenset(), frozenset())


@lru_cache(maxsize=20)
def left_out(index: str, stamp: Stamp | None) -> SkippedPaths:
    """Return the ignore files and folders that an index leaves out of the worktree.

    Args:
        index: The file.
        stamp: Its state; the file is read once for each.
    """
    if stamp is None:
        return NOTHING
    try:
        magic, version, n_entries = _HEADER.unpack(read_start(index, _HEADER.size))
        if magic != b"DIRC" or version not in (3, 4):
            return NOTHING
        content = read_file(index, max_bytes=_MAX_BYTES)
    except (UnreadableFileError, struct.error):
        return NOTHING
    for n_hash in _HASH_BYTES:
        try:
            return _left_out(_entries(content, version, n_entries, n_hash))
        except (ValueError, IndexError, struct.error):
            continue
    return NOTHING


def _left_out(entries: Iterator[tuple[bytes, bool]]) -> SkippedPaths:
    files, folders = set(), set()
    for path, is_folder in entries:
        if is_folder:
            folders.add(path.rstrip(b"/"))
        elif path == b".gitignore" or path.endswith(b"/.gitignore"):
            files.add(path)
    return SkippedPaths(frozenset(files), frozenset(folders))


def _entries(
    content: bytes, version: int, n_entries: int, n_hash: int
) -> Iterator[tuple[bytes, bool]]:
    """Yield the paths that are left out of the worktree, and whether each is a folder.

    Raises:
        ValueError: If this is no index with object names of this length.
        struct.error: Likewise.
    """
    at = _HEADER.size
    path = b""
    for _ in range(n_entries):
        flags, extended = _FLAGS.unpack_from(content, at + _STAT_BYTES + n_hash)
        start = at + _STAT_BYTES + n_hash + (4 if flags & _EXTENDED else 2)
        n_dropped = 0
        name_at = start
        if version == 4:
            n_dropped, name_at = _varint(content, start)
        end = content.index(b"\0", name_at)
        path = path[: len(path) - n_dropped] if version == 4 else b""
        path += content[name_at:end]
        if len(path) != flags & _NAME_LENGTH and len(path) < _NAME_LENGTH:
            raise ValueError("a path of another length than the entry says")
        if flags & _EXTENDED and extended & _SKIP_WORKTREE:
            (mode,) = struct.unpack_from(">I", content, at + _MODE_AT)
            yield path, mode == _FOLDER_MODE
        at = end + 1
        if version == 3:
            at += -(at - _HEADER.size) % _PADDING
    if at > len(content):
        raise ValueError("the entries are longer than the file")


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """Read a number as pack files encode offsets; returns it and the next index."""
    byte = content[at]
    value = byte & 0x7F
    while byte & 0x80:
        at += 1
        byte = content[at]
        value = ((value + 1) << 7) | (byte & 0x7F)
    return value, at + 1
