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

WINDOW_LINES, SITE_LINES = 15, 3
"""Lines above and below the line that they are about."""

MAX_SITES = 4
MAX_LINE = 400
"""Characters; a part with a longer line is data."""

MAX_BEFORE = MAX_AFTER = 4_000
"""Characters of the window before the cursor's line, and from it on."""

_MAX_NAMES = 50
_MAX_NAMED = 4_000
"""Characters of a change that are searched for names."""
_MAX_SEARCHED = 200_000
"""Characters, of all files together, that are searched for uses of the names."""
_LINE_COST = 20
"""What a line counts at least, in characters."""

_NAME = re.compile(r"[^\W\d]\w+")
_WORD = re.compile(r"\w+")
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


def window(file: SeenFile, line: int) -> Sight | None:
    """Return the lines around the cursor's; None: it is too long, or not there."""
    around = _around(file, line, WINDOW_LINES)
    if around is None or len(file.lines[line]) > MAX_AFTER:
        return None
    above = _n_fitting(file.lines[around.first : line][::-1], MAX_BEFORE)
    below = _n_fitting(file.lines[line : around.end], MAX_AFTER)
    return Sight(file=file, first=line - above, end=line + below)


def _n_fitting(lines: Sequence[str], max_chars: int) -> int:
    """Return how many lines, from the first on, are not longer in all."""
    n_chars = 0
    for number, line in enumerate(lines):
        n_chars += len(line)
        if n_chars > max_chars:
            return number
    return len(lines)


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
        if site is None:
            continue
        is_new = not any(_overlaps(site, other) for other in (shown, *found))
        if is_new and all(len(one) <= MAX_LINE for one in site.lines):
            found.append(site)
        if len(found) == MAX_SITES:
            break
    return found


def _around(file: SeenFile, line: int, n_lines: int) -> Sight | None:
    """Return some lines; None: the file has become shorter."""
    if line >= len(file.lines):
        return None
    return Sight(
        file=file,
        first=max(0, line - n_lines),
        end=min(len(file.lines), line + n_lines + 1),
    )


def _overlaps(one: Sight, other: Sight) -> bool:
    is_same = one.file.uri == other.file.uri
    return is_same and one.first < other.end and other.first < one.end


def _names(changes: Sequence[UserChange]) -> list[str]:
    """Return the names that changes replaced, then those whose definition changed.

    A change of many lines is searched only at its begin, and not all names count.
    """
    replaced: list[str] = []
    defined: list[str] = []
    for change in reversed(changes):
        if (what := change.replacement) is not None:
            kept = set(_NAME.findall(what.new[:_MAX_NAMED]))
            names = _NAME.findall(what.old[:_MAX_NAMED])
            replaced += [one for one in names if one not in kept]
        defined += _DEFINED.findall("".join(change.new)[:_MAX_NAMED])
    return list(dict.fromkeys((*replaced, *defined)))[:_MAX_NAMES]


def _uses(
    names: Sequence[str], cursor_line: int, files: Sequence[SeenFile]
) -> Iterator[tuple[SeenFile, int]]:
    """Yield the lines with some names: near ones first, those of other files last.

    The search ends after a fixed number of characters: it runs on the event loop.
    """
    if not names:
        return
    wanted, left = frozenset(names), _MAX_SEARCHED
    for number, file in enumerate(files):
        n_lines = len(file.lines)
        order: Iterable[int] = range(n_lines)
        if number == 0:
            order = _nearest_first(cursor_line, n_lines)
        for line in order:
            text = file.lines[line]
            is_data = len(text) > MAX_LINE
            left -= _LINE_COST if is_data else max(len(text), _LINE_COST)
            if left < 0:
                return
            if not is_data and not wanted.isdisjoint(_WORD.findall(text)):
                yield file, line


def _nearest_first(line: int, n_lines: int) -> Iterator[int]:
    """Yield the numbers of a file's lines, from one line outwards."""
    for distance in range(n_lines):
        for number in dict.fromkeys((line - distance, line + distance)):
            if 0 <= number < n_lines:
                yield number
