"""Where files really are, whose paths may lead through links."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path, PurePath
from typing import TypeAlias

from redline.text.uri import is_file, path_in, uri_path

MAX_FILES = 1_000
"""Files about which something is remembered."""

FileKey: TypeAlias = tuple[str, tuple[str, ...]]
"""A file's URI, and those of the workspace folders."""


def is_inside(uri: str, roots: Sequence[str]) -> bool:
    """Whether a document is in a workspace folder, and no link that leads out of all.

    Args:
        uri: The document's, of any scheme.
        roots: URIs of the workspace folders, which may be links themselves.
    """
    given = (uri, tuple(roots))
    return all(
        any(path_in(one, root) is not None for root in folders)
        for one, folders in (given, without_links(*given))
    )


def without_links(uri: str, roots: tuple[str, ...]) -> FileKey:
    """Return where a file and the workspace folders really are."""
    if not _may_be_links(uri, roots):
        return uri, roots
    return _real(uri), tuple(_real(root) if is_file(root) else root for root in roots)


def _real(uri: str) -> str:
    path = uri_path(uri)
    real = os.path.realpath(path)
    return uri if real == str(path) else Path(real).as_uri()


def _may_be_links(uri: str, roots: tuple[str, ...]) -> bool:
    """Whether a path may lead elsewhere; much faster than `os.path.realpath`."""
    if (ways := _ways(uri, roots)) is None:
        return True
    for way in ways:
        for path in way:
            try:
                mode = os.lstat(path).st_mode
            except (OSError, ValueError):
                # What is below cannot be reached either.
                break
            if stat.S_ISLNK(mode):
                return True
    return False


@lru_cache(MAX_FILES)
def _ways(uri: str, roots: tuple[str, ...]) -> tuple[tuple[str, ...], ...] | None:
    """Return the folders that lead to a file and to the workspace folders.

    Returns:
        The paths from the top down, each once; none if the URI is not of a file. None
        if something else than a link may lead elsewhere: `..`, or on Windows junctions
        and short names.
    """
    if not is_file(uri):
        return ()
    paths = [uri_path(one) for one in (uri, *roots) if is_file(one)]
    if os.name == "nt" or any(".." in path.parts for path in paths):
        return None
    known: set[PurePath] = set()
    ways = []
    for path in paths:
        ways.append([p for p in (*reversed(path.parents), path) if p not in known])
        known.update(ways[-1])
    return tuple(tuple(map(str, way)) for way in ways)
