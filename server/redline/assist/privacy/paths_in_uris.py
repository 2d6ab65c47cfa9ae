"""The files that URIs of any scheme stand for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from redline.assist.privacy.linked_files import MAX_FILES
from redline.text.uri import path_in, uri_parts

_REVISION = re.compile(r"//|:|/\.git/")
"""What sets a revision or an archive apart from the path of a file in it."""

_DRIVE_END = len("/c:")

_MAX_N_STEPS = 100


@lru_cache(MAX_FILES)
def files_of(uri: str, roots: tuple[str, ...]) -> Sequence[str]:
    """Return the URIs of the files that a URI may stand for.

    A path in another scheme may have a revision before the file's own path, as
    `fugitive://ROOT/.git//HASH/a.py`, `gitsigns://ROOT/.git/:0:a.py` and
    `zipfile://ROOT/a.zip::a.py` have: what follows each part of it may be that path.
    """
    parts = uri_parts(uri)
    if parts.scheme == "file" or not parts.path.startswith("/"):
        return [uri]
    # On Windows two slashes would name another machine.
    path = f"/{parts.path.lstrip('/')}"
    decoded = path.replace("%3A", ":").replace("%3a", ":")
    found = _REVISION.search(decoded, _DRIVE_END)
    if found is None:
        return [f"file://{path}"]
    tops = [root for root in roots if path_in(f"file://{path}", root) is not None]
    # The top of the repository, which may be above or below a workspace folder.
    tops.append(f"file://{decoded[: found.start()]}")
    files = [f"file://{path}"]
    for top in dict.fromkeys(tops):
        top = top.rstrip("/")
        rest = decoded.removeprefix(uri_parts(top).path)
        steps = [step for step in re.split(r"[/:]+", rest) if step][:_MAX_N_STEPS]
        files += [f"{top}/{'/'.join(steps[at:])}" for at in range(len(steps))]
    return files
