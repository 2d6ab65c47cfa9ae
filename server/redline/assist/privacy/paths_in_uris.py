"""The files that URIs of any scheme stand for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, unquote, unquote_to_bytes

from redline.assist.privacy.linked_files import MAX_FILES
from redline.text.uri import is_file, path_in, uri_parts

_REVISION = re.compile(r"//|:|/\.git/")
"""What sets a revision or an archive apart from the path of a file in it."""

_PATH_IN_QUERY = re.compile(r'"(?:path|fsPath)"\s{0,9}:\s{0,9}("(?:[^"\\]|\\.)*+")')
"""A path in the JSON of a query, as in VS Code's `git:/a.py?{"path": "/a.py"}`."""

_OF_MANY_FILES = frozenset({"debug", "output", "search-editor"})
"""Schemes of documents that show parts of any files, or what programs print."""

_DRIVE_END = len("/c:")

_MAX_N_STEPS = 100


def shows_many_files(uri: str) -> bool:
    """Whether a document may show any files, as results of a search do."""
    return uri_parts(uri).scheme in _OF_MANY_FILES


@lru_cache(MAX_FILES)
def files_of(uri: str, roots: tuple[str, ...]) -> Sequence[str]:
    """Return the URIs of the files that a URI may stand for.

    A path in another scheme may have a revision before the file's own path, as
    `fugitive://ROOT/.git//HASH/a.py`, `gitsigns://ROOT/.git/:0:a.py` and
    `zipfile://ROOT/a.zip::a.py` have: what follows each part of it may be that path.
    A query may have it as well. A name alone, as in `suda://a.py`, is one in any
    workspace folder.
    """
    found = _files_of(uri, roots)
    return list(dict.fromkeys((*found, *map(_without_escapes, found))))


def _files_of(uri: str, roots: tuple[str, ...]) -> Sequence[str]:
    parts = uri_parts(uri)
    if parts.scheme == "file":
        return [uri]
    named = list(_files_in_query(uri))
    if parts.host and not parts.path:
        tops = [root.rstrip("/") for root in roots if is_file(root)]
        named += [f"{top}/{parts.host}" for top in (*tops, "file://")]
    if not parts.path.startswith("/"):
        return [uri, *named]
    # On Windows two slashes would name another machine.
    path = f"/{parts.path.lstrip('/')}"
    decoded = path.replace("%3A", ":").replace("%3a", ":")
    found = _REVISION.search(decoded, _DRIVE_END)
    if found is None:
        return [f"file://{path}", *named]
    tops = [root for root in roots if path_in(f"file://{path}", root) is not None]
    # The top of the repository, which may be above or below a workspace folder.
    tops.append(f"file://{decoded[: found.start()]}")
    files = [f"file://{path}", *named]
    for top in dict.fromkeys(tops):
        top = top.rstrip("/")
        rest = decoded.removeprefix(uri_parts(top).path)
        steps = [step for step in re.split(r"[/:]+", rest) if step][:_MAX_N_STEPS]
        files += [f"{top}/{'/'.join(steps[at:])}" for at in range(len(steps))]
    return files


def _without_escapes(uri: str) -> str:
    """Return a file's URI as an editor may mean it.

    It may end its path at a NUL, and escape the slashes of the whole path.
    """
    parts = uri_parts(uri)
    if parts.scheme != "file":
        return uri
    host, path = (unquote_to_bytes(each) for each in (parts.host, parts.path))
    whole = host + path if b"/" in host else path
    read = whole.partition(b"\0")[0]
    return uri if read == path else f"file://{quote(read)}"


def _files_in_query(uri: str) -> Iterator[str]:
    for found in _PATH_IN_QUERY.finditer(unquote(uri.partition("?")[2])):
        try:
            path = Path(json.loads(found[1], strict=False))
        except ValueError:
            continue
        if path.is_absolute():
            yield path.as_uri()
