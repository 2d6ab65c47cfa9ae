"""Parses git's output into values: changed files, and blobs by their ids."""

from __future__ import annotations

import os
from collections.abc import Iterable

from msgspec import Struct


class ChangedPath(Struct, frozen=True, kw_only=True):
    """One file of a change, as `git diff --raw` lists it."""

    status: str
    """One letter: A added, D deleted, M modified, R renamed, T type changed, U not
    merged."""
    path: str
    """Relative to the folder, with `/`."""
    old_path: str | None = None
    mode: str = "100644"
    """Mode of the new file; `000000` if it is deleted."""
    old_blob: str | None = None
    """Blob id of the old text; None: there was none."""
    new_blob: str | None = None
    """Blob id of the new text; None: it is only on disk."""


def changed_paths(raw: bytes) -> Iterable[ChangedPath]:
    """Parse `--raw -z`: `:modes blobs status`, then a path, or two for a rename."""
    words = iter(os.fsdecode(word) for word in raw.split(b"\0"))
    merged: dict[str, ChangedPath] = {}
    for head in words:
        if not head:
            continue
        _, mode, old, new, status = head.removeprefix(":").split(" ")
        path = next(words)
        old_path = None
        if status[0] in "RC":
            old_path, path = path, next(words)
        # An unmerged file may be listed twice; the second entry has more details.
        merged[path] = ChangedPath(
            status=status[0],
            path=path,
            old_path=old_path,
            mode=mode,
            old_blob=_blob(old),
            new_blob=_blob(new),
        )
    return merged.values()


def _blob(name: str) -> str | None:
    return None if not name.strip("0") else name


def title_of(one: ChangedPath) -> str:
    """Return the line with which `git diff --patch` begins the differences of a file.

    Git quotes names as `quote_c_style` in its `quote.c`, with `core.quotePath`.
    """
    old, new = f"a/{one.old_path or one.path}", f"b/{one.path}"
    return f"diff --git {_quoted(old)} {_quoted(new)}"


def _quoted(name: str) -> str:
    written = "".join(map(_escaped, os.fsencode(name)))
    return name if written == name else f'"{written}"'


def _escaped(byte: int) -> str:
    if byte in _ESCAPES:
        return f"\\{_ESCAPES[byte]}"
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


_ESCAPES = dict(zip(b'\a\b\t\n\v\f\r"\\', 'abtnvfr"\\', strict=True))


def sizes_of(output: bytes) -> Iterable[tuple[str, int]]:
    """Parse `cat-file --batch-check`: `id type size`, or `id missing`."""
    for line in output.decode().splitlines():
        words = line.split(" ")
        if len(words) == 3:
            yield words[0], int(words[2])


def blobs_of(output: bytes) -> Iterable[tuple[str, bytes]]:
    """Parse `cat-file --batch`: `id type size`, the text, a line feed."""
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        words = output[at:end].decode().split(" ")
        at = end + 1
        if len(words) == 3:
            n_bytes = int(words[2])
            yield words[0], output[at : at + n_bytes]
            at += n_bytes + 1
