"""Places a model's patch: its old lines must stand exactly in what it was shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from msgspec import Struct

from redline.next_edits.journal import replaced
from redline.next_edits.model_reply import LinePatch
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.sights import SeenFile, Sight
from redline.text.lines import line_end, split_lines, strip_end
from redline.text.position import Position, Range

_IMPORT = re.compile(
    r"\s*(?:import|from|use|using|#include|require|export \* from)\b|\s*$"
)


class PlacedPatch(Struct, frozen=True, kw_only=True):
    """A patch, and the edit that it means."""

    uri: str
    edit: NextEdit
    first: int
    """The first of its old lines."""
    old: tuple[str, ...]
    new: tuple[str, ...]
    """The whole lines before and after, with their ends."""


def place(
    patch: LinePatch, sights: Sequence[Sight], cursor: Position, *, why: str
) -> PlacedPatch | None:
    """Find where a patch belongs; None: nowhere, or it only reorders imports.

    A path that names several documents means the one with the cursor, or none.

    Args:
        patch: The patch.
        sights: What the model was shown; the window with the cursor first.
        cursor: The cursor; of several places the nearest to it is taken.
        why: The reason, for people.
    """
    own = sights[0].file
    named = {one.file.uri for one in sights if one.file.path == patch.path}
    uri = own.uri if not patch.path or own.uri in named else next(iter(named), "")
    if reorders_imports(patch.old, patch.new) or (uri != own.uri and len(named) > 1):
        return None
    found = [
        (abs(line - cursor.line) if uri == own.uri else 0, n, line)
        for n, sight in enumerate(sights)
        if sight.file.uri == uri
        for line in _occurrences(patch.old, sight)
    ]
    if not found:
        return None
    _, number, line = min(found)
    file = sights[number].file
    return placed_lines(file, line, len(patch.old), patch.new, why=why)


def reorders_imports(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether lines are imports that only come in another order."""
    if sorted(filter(str.strip, old)) != sorted(filter(str.strip, new)):
        return False
    return all(_IMPORT.match(line) for line in old)


def placed_lines(
    file: SeenFile, first: int, n_old: int, new: Sequence[str], *, why: str
) -> PlacedPatch | None:
    """Return the replacement of some lines of a file; None: it changes nothing.

    Args:
        file: The file.
        first: The first of the replaced lines.
        n_old: How many are replaced, at least one.
        new: The lines that replace them, without ends.
        why: The reason, for people.
    """
    lines = file.lines
    old = tuple(lines[first : first + n_old])
    ended = tuple(_with_ends(new, old, line_end(lines[0]) or "\n"))
    edit = _smallest(first, "".join(old), "".join(ended), why)
    if edit is None:
        return None
    return PlacedPatch(uri=file.uri, edit=edit, first=first, old=old, new=ended)


def _with_ends(new: Sequence[str], old: Sequence[str], usual: str) -> list[str]:
    """Give new lines the ends of the lines that they keep or replace.

    Args:
        new: The lines, without ends.
        old: The lines that they replace, with ends.
        usual: The end if the line has none, because it is the last of its file.
    """
    ends = [line_end(one) or usual for one in old]
    matcher = SequenceMatcher(None, [*map(strip_end, old)], new, autojunk=False)
    ended: list[str] = []
    for what, first, end, start, stop in matcher.get_opcodes():
        # An added line ends as the one above it.
        last = end - 1 if what != "insert" else max(0, first - 1)
        for number in range(start, stop):
            like = min(first + number - start, last)
            ended.append(new[number] + ends[like])
    if ended and not line_end(old[-1]):
        ended[-1] = new[-1]
    return ended


def _occurrences(old: Sequence[str], sight: Sight) -> Iterator[int]:
    lines = sight.lines
    for start in range(len(lines) - len(old) + 1):
        if lines[start : start + len(old)] == list(old):
            yield sight.first + start


def _smallest(first: int, old: str, new: str, why: str) -> NextEdit | None:
    """Return the edit without what stays, cut between tokens."""
    what = replaced(old, new)
    if what is None:
        return None
    start = _moved(Position(first, 0), old[: what.start])
    stop = _moved(start, what.old)
    return NextEdit(
        rule="model", range=Range(start, stop), old=what.old, text=what.new, why=why
    )


def _moved(at: Position, text: str) -> Position:
    """Return the place behind a text."""
    *ended, last = split_lines(text)
    start = 0 if ended else at.character
    return Position(at.line + len(ended), start + len(last))
