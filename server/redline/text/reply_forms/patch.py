"""Reads a reply that is a diff, and applies it if its old side is in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from redline.text.lines import strip_end
from redline.text.reply_forms.surroundings import Surroundings

_HUNK = re.compile(r"@@(?: .*)?$")
_HEADER = re.compile(
    r"(?:diff |index [0-9a-f]|--- \S|\+\+\+ \S|new file|old mode|new mode|similarity )"
)
_MARKS = ((1, " "), (1, ""), (2, "  "))
"""The width of a mark, and what lines of context begin with instead: of a diff, of one
whose context lost its blanks, and of one with a blank after each mark."""

_NO_END = "\\ No newline at end of file"


class _Hunk(Struct):
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


def looks_like_patch(line: str) -> bool:
    """Whether the first line of a reply may be that of a diff."""
    return bool(
        _HUNK.match(line) or _HEADER.match(line) or re.match(r"[-+](?![-+])", line)
    )


def is_patch(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a whole reply has the form of a diff, and its range has not."""
    own = [line for line in around.target if line.strip()]
    if own and all(line[0] in "+-" for line in own):
        return False
    if any(line.startswith("@@") for line in lines) and any(
        line[:1] in "+-" for line in lines
    ):
        return True
    texts = [line for line in lines if line.strip()]
    n_marked = sum(line[0] in "+-" for line in texts)
    is_all_marked = all(line[0] in "+- " for line in texts)
    has_both = {"+", "-"} <= {line[0] for line in texts}
    return n_marked > 0 and (has_both or is_all_marked) and not _reads_as_is(texts)


def applied(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Apply a diff to the range.

    Returns:
        The range's new lines; None if the old side of a hunk is not at exactly one
        place, or the diff changes lines outside of the range.
    """
    for width, blanks in _MARKS:
        hunks = [
            one
            for one in _hunks(lines, width=width, blanks=blanks)
            if one.old or one.new
        ]
        if hunks and (new := _apply(hunks, around)) is not None:
            return new
    return None


def _reads_as_is(texts: Sequence[str]) -> bool:
    """Whether marks are one of several uses of `-` and `+`, as in a list."""
    return all(line[:2] in ("- ", "+ ") or line[0] == " " for line in texts) and not (
        {"+ ", "- "} <= {line[:2] for line in texts}
    )


def _hunks(lines: Sequence[str], *, width: int, blanks: str) -> Iterator[_Hunk]:
    """Read the hunks of a diff whose marks have this form; see `_MARKS`."""
    hunk = _Hunk()
    is_in_hunk = False
    for line in lines:
        if _HUNK.match(line):
            yield hunk
            hunk, is_in_hunk = _Hunk(), True
        elif line == _NO_END or (
            not is_in_hunk and not hunk.old and _HEADER.match(line)
        ):
            continue
        elif line[:1] == "+":
            hunk.new.append(line[width:])
        elif line[:1] == "-":
            hunk.old.append(line[width:])
        else:
            text = line.removeprefix(blanks)
            hunk.old.append(text)
            hunk.new.append(text)
    yield hunk


def _apply(hunks: Sequence[_Hunk], around: Surroundings) -> list[str] | None:
    file = [strip_end(line) for line in (*around.before, *around.target, *around.after)]
    start, stop = len(around.before), len(around.before) + len(around.target)
    place, shift = 0, 0
    lines = list(file)
    for hunk in hunks:
        place = _place(file, hunk.old, place, range(start, stop))
        if place < 0:
            return None
        edges = _common_edges(hunk)
        first, last = place + edges[0], place + len(hunk.old) - edges[1]
        if first < start or last > stop:
            return None
        new = hunk.new[edges[0] : len(hunk.new) - edges[1]]
        lines[first + shift : last + shift] = new
        shift += len(new) - (last - first)
        place += len(hunk.old)
    return lines[start : stop + shift]


def _place(file: Sequence[str], old: Sequence[str], start: int, region: range) -> int:
    """Find the only place of old lines that touches the range; -1: there is none."""
    keys = [line.rstrip() for line in old]
    places = [
        at
        for at in range(start, len(file) - len(old) + 1)
        if at <= region.stop
        and at + len(old) >= region.start
        and [line.rstrip() for line in file[at : at + len(old)]] == keys
    ]
    return places[0] if len(places) == 1 and old else -1


def _common_edges(hunk: _Hunk) -> tuple[int, int]:
    """Count the lines that both sides begin and end with."""
    most = min(len(hunk.old), len(hunk.new))
    head = next((n for n in range(most) if hunk.old[n] != hunk.new[n]), most)
    most -= head
    tail = next((n for n in range(most) if hunk.old[-1 - n] != hunk.new[-1 - n]), most)
    return head, tail
