"""The parts of files that a model is shown, and may change.

The *window* is around the cursor. *Sites* are other places that the last changes seem
to be about: where a replaced name still is, where a changed definition is used, where
the editor reports problems, and around earlier changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from redline.next_edits.journal import UserChange
from redline.text.lines import strip_end
from redline.text.position import Range

WINDOW_LINES, SITE_LINES = 15, 3
"""Lines above and below the line that they are about."""

MAX_SITES = 4
MAX_LINE = 400
"""Characters; a part with a longer line is data."""

_NAME = re.compile(r"[^\W\d]\w+")
_DEFINED = re.compile(
    r"\b(?:def|class|function|fn|func|const|let|var|interface|type|struct)\s+(\w+)"
)


class SeenFile(Struct, frozen=True, kw_only=True):
    """A file that may be shown."""

    uri: str
    path: str
    """As a prompt writes it."""
    lines: Sequence[str]
    """With their ends."""


class Sight(Struct, frozen=True, kw_only=True):
    """Some lines of a file."""

    file: SeenFile
    first: int
    end: int

    @property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return list(map(strip_end, self.file.lines[self.first : self.end]))


class NotedPlace(Struct, frozen=True):
    """A line of a file."""

    uri: str
    line: int


def window(file: SeenFile, line: int) -> Sight:
    """Return the lines around the cursor's."""
    return _around(file, line, WINDOW_LINES)


def sites(
    shown: Sight,
    cursor_line: int,
    files: Sequence[SeenFile],
    changes: Sequence[UserChange],
    spots: Iterable[NotedPlace],
) -> list[Sight]:
    """Return up to four places that are not in the window, the likeliest first.

    Args:
        shown: The window.
        cursor_line: The line that it is around.
        files: The files to search: that of the window, then others.
        changes: What the user did in the window's file, the newest last.
        spots: Further places: problems, and earlier changes.
    """
    by_uri = {file.uri: file for file in files}
    found: list[Sight] = []
    candidates = [
        *_uses(_names(changes), cursor_line, files),
        *((by_uri[one.uri], one.line) for one in spots if one.uri in by_uri),
    ]
    for file, line in candidates:
        site = _around(file, line, SITE_LINES)
        is_new = not any(_overlaps(site, other) for other in (shown, *found))
        if is_new and all(len(one) <= MAX_LINE for one in site.lines):
            found.append(site)
        if len(found) == MAX_SITES:
            break
    return found


def contains(sight: Sight, place: Range) -> bool:
    """Whether a range is in some lines of a file."""
    return sight.first <= place.start.line and place.end.line <= sight.end


def _around(file: SeenFile, line: int, n_lines: int) -> Sight:
    return Sight(
        file=file,
        first=max(0, line - n_lines),
        end=min(len(file.lines), line + n_lines + 1),
    )


def _overlaps(one: Sight, other: Sight) -> bool:
    is_same = one.file.uri == other.file.uri
    return is_same and one.first < other.end and other.first < one.end


def _names(changes: Sequence[UserChange]) -> list[str]:
    """Return the names that changes replaced, then those whose definition changed."""
    replaced: list[str] = []
    defined: list[str] = []
    for change in reversed(changes):
        if (what := change.replacement) is not None:
            kept = set(_NAME.findall(what.new))
            replaced += [one for one in _NAME.findall(what.old) if one not in kept]
        defined += _DEFINED.findall("".join(change.new))
    return list(dict.fromkeys((*replaced, *defined)))


def _uses(
    names: Sequence[str], cursor_line: int, files: Sequence[SeenFile]
) -> Iterator[tuple[SeenFile, int]]:
    """Yield the lines with some names: near ones first, those of other files last."""
    if not names:
        return
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")
    for number, file in enumerate(files):
        lines = [n for n, line in enumerate(file.lines) if pattern.search(line)]
        if number == 0:
            lines.sort(key=lambda line: abs(line - cursor_line))
        for line in lines:
            yield file, line
