"""Document URIs: their scheme, their path, and its place in a folder.

An editor on Windows writes `file:///c%3A/a%20b.py` for a file of drive `c:` and
`file://host/share/a.py` for one on another machine. On other systems a host means this
machine and is ignored (RFC 8089, section 2 and appendices D and E).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

from redline.errors import InvalidArgumentsError

MAX_PATH_BYTES = 4_096
"""Longest path of a URI; Linux and macOS open none that is longer."""

_IS_WINDOWS = os.name == "nt"

_DRIVE = re.compile(r"/(?=[A-Za-z]:(?:/|$))")

_MAX_N_CACHED = 1_024
"""An edit reads the same few URIs a dozen times, each for 10 to 40 µs."""


class FileRename(NamedTuple):
    """The URIs of a file or a folder before and after it was renamed."""

    old: str
    new: str


class UriParts(NamedTuple):
    """The parts as written, the path with its percent signs."""

    scheme: str
    host: str
    path: str


def uri_parts(uri: str) -> UriParts:
    """Split a URI; text that is not one, such as a buffer's name, is all path."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return UriParts("", "", uri)
    return UriParts(parts.scheme, parts.netloc, parts.path)


def check_path_length(uri: str) -> None:
    """Refuse a URI whose path no system opens.

    A path of n folders has n ignore files of its own, so its cost is quadratic.

    Raises:
        InvalidArgumentsError: If the path is too long.
    """
    # A character has at most four bytes.
    if len(uri) * 4 <= MAX_PATH_BYTES:
        return
    if len(unquote_to_bytes(uri_parts(uri).path)) > MAX_PATH_BYTES:
        raise InvalidArgumentsError(
            f"The path in the uri has more than {MAX_PATH_BYTES:,} bytes.",
            remedy="Give the file a shorter path, or save the text in another file.",
        )


def is_file(uri: str) -> bool:
    """Whether a URI names a file: not a buffer, and not a path with a NUL."""
    parts = uri_parts(uri)
    has_nul = "%00" in parts.path or "\0" in parts.path
    return parts.scheme == "file" and not has_nul


@lru_cache(_MAX_N_CACHED)
def uri_path(uri: str, *, is_windows: bool = _IS_WINDOWS) -> PurePath:
    """Return the path that a URI names, decoded as Python decodes file names.

    Args:
        uri: Any URI; unless it is a file's, only the name in the path is meaningful.
        is_windows: Whether to read drives and hosts as on Windows.
    """
    parts = uri_parts(uri)
    name = unquote_to_bytes(parts.path)
    if not is_windows:
        return PurePosixPath(os.fsdecode(name))
    path = name.decode("utf-8", "surrogateescape")
    if parts.host:
        return PureWindowsPath(f"//{parts.host}{path}")
    return PureWindowsPath(_DRIVE.sub("", path, count=1))


@lru_cache(_MAX_N_CACHED)
def path_in(uri: str, root: str, *, is_windows: bool = _IS_WINDOWS) -> str | None:
    """Return a document's path relative to a folder, with slashes.

    Both are compared decoded, and on Windows ignoring case, so that it does not matter
    how an editor writes them. None if the document is not in the folder.
    """
    if uri_parts(uri).scheme != uri_parts(root).scheme:
        return None
    path = uri_path(uri, is_windows=is_windows)
    folder = uri_path(root, is_windows=is_windows)
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else None


def renamed_uri(uri: str, renames: Iterable[FileRename]) -> str | None:
    """Return a document's URI after renames of it or of folders around it.

    None if no rename concerns it.
    """
    for rename in renames:
        inside = path_in(uri, rename.old)
        if inside is not None:
            # The editor's spelling of the part that stays.
            n_segments = len(PurePosixPath(inside).parts)
            rest = uri.split("/")[-n_segments:] if n_segments else []
            return "/".join([rename.new.rstrip("/"), *rest])
    return None
