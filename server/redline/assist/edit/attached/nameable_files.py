"""Lists the files that an instruction can name by `@path`, the likeliest first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from redline.assist.context.workspace_files import walk
from redline.assist.privacy.ignore_rules import IgnoreRules

MAX_LISTED = 20

_MAX_ENTRIES = 100_000
"""Most files and folders that are visited."""

_MAX_CHECKED = 500
"""Most matching files whose ignore rules are read."""

_Rank: TypeAlias = tuple[int, bool, int, str]


def nameable_files(
    typed: str,
    *,
    roots: Sequence[str],
    opened: Collection[str],
    rules: IgnoreRules,
    is_stopped: Callable[[], bool],
    is_late: Callable[[], bool],
) -> tuple[str, ...]:
    """List the files that match what is typed, at most `MAX_LISTED`; blocks.

    Files in folders of third-party or generated code are not listed, nor are links;
    they can be named all the same.

    Args:
        typed: Part of a path, or its letters in order; in either case.
        roots: URIs of the workspace folders.
        opened: URIs of the open documents, which come first among equals.
        rules: The ignore rules; what they exclude is not listed.
        is_stopped: Asked at each folder and file; once true, the search ends and
            nothing is listed.
        is_late: The same; once true, what was found so far is listed, which are the
            files in shallow folders.

    Returns:
        Paths relative to their workspace folder, with `/`.
    """
    wanted = typed.lower().replace("\\", "/")
    found: dict[str, str] = {}
    for root, entry in islice(walk(roots, rules), _MAX_ENTRIES):
        if is_stopped():
            return ()
        if is_late():
            break
        if entry is None or entry.name == ".git":
            continue
        if not entry.is_file(follow_symlinks=False):
            continue
        file = Path(entry.path)
        path = file.relative_to(root).as_posix()
        # A name with a quote, a line end or bytes that are no text cannot be typed.
        if path.isprintable() and '"' not in path and _match(wanted, path) is not None:
            # A name means the file of the first folder that has it.
            found.setdefault(path, file.as_uri())

    def rank(path: str) -> _Rank:
        is_closed = found[path] not in opened
        return (_match(wanted, path) or 0, is_closed, path.count("/"), path)

    likely = islice(sorted(found, key=rank), _MAX_CHECKED)
    allowed = (path for path in likely if rules.reason(found[path], roots) is None)
    return tuple(islice(allowed, MAX_LISTED))


def _match(wanted: str, path: str) -> int | None:
    """Return how well a path matches, 0 best; None: it does not."""
    lower = path.lower()
    name = lower.rpartition("/")[2]
    if name.startswith(wanted):
        return 0
    if wanted in name:
        return 1
    if wanted in lower:
        return 2
    letters = iter(lower)
    return 3 if all(letter in letters for letter in wanted) else None
