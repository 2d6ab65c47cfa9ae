"""Numbered ranges in a text, each between two marker lines.

    <<<<<<< RANGE 1
    the lines of the first range
    >>>>>>> RANGE 1

Prompts show the ranges of an edit in this form, and replies have it as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from redline.text.edit_parts import EditPart
from redline.text.lines import split_lines

_N_MARKS = 7
_TOLERANCE = 2
"""How many marks a model may miscount."""

_MAX_GAP = 60
"""Most lines between two ranges that are shown; of more, the middle is left out."""

_OPENING = re.compile(
    r"\s*+(?P<run><{3,}+)\s*+RANGE\s*+(?P<number>\d{1,6})\s*+[:.]?\s*+$"
)
_CLOSING = re.compile(
    r"\s*+(?P<run>>{3,}+)\s*+(?:END\b\s*+)?+(?:RANGE\s*+\d{1,6}\s*+)?+$"
)


class RangeMarkers(Struct, frozen=True):
    """The marker lines of one text; lines of the text itself are none."""

    n_marks: int = _N_MARKS

    @classmethod
    def for_text(cls, lines: Sequence[str]) -> RangeMarkers:
        """Choose marker lines that are longer than any that a text has."""
        found = (_OPENING.match(line) or _CLOSING.match(line) for line in lines)
        longest = max((len(each["run"]) for each in found if each), default=0)
        return cls(max(_N_MARKS, longest + _TOLERANCE + 1 if longest else 0))

    @classmethod
    def of_marked(cls, text: str) -> RangeMarkers:
        first = next(filter(None, map(_OPENING.match, split_lines(text))), None)
        return cls(len(first["run"]) if first else _N_MARKS)

    def opening(self, number: int) -> str:
        return f"{'<' * self.n_marks} RANGE {number}"

    def closing(self, number: int) -> str:
        return f"{'>' * self.n_marks} RANGE {number}"

    def read_opening(self, line: str) -> int | None:
        """Return the number in a line that begins a range; None for other lines."""
        found = _OPENING.match(line)
        return int(found["number"]) if found and self._is_long(found["run"]) else None

    def is_closing(self, line: str) -> bool:
        """Whether a line ends a range."""
        found = _CLOSING.match(line)
        return found is not None and self._is_long(found["run"])

    def _is_long(self, run: str) -> bool:
        return abs(len(run) - self.n_marks) <= _TOLERANCE


class MarkedRange(Struct, frozen=True, kw_only=True):
    """One numbered range of a marked text."""

    number: int
    before: str
    """The text before it, without marker lines."""
    text: str
    after: str


def mark_ranges(
    lines: Sequence[str],
    parts: Sequence[EditPart],
    markers: RangeMarkers,
    *,
    is_shortened: bool = True,
) -> str:
    """Write a region with its parts as numbered ranges, with LF line ends.

    Args:
        lines: The lines of the region, with LF line ends.
        parts: In lines of the region.
        markers: Those for the text.
        is_shortened: Whether the middle of many lines between two ranges is left out.
    """
    shown = _shortened if is_shortened else list
    texts: list[str] = []
    at = 0
    for number, part in enumerate(parts, 1):
        texts += shown(lines[at : part.start])
        inside = "".join(lines[part.start : part.end])
        if inside and not inside.endswith("\n"):
            inside += "\n"
        texts += [
            markers.opening(number) + "\n",
            inside,
            markers.closing(number) + "\n",
        ]
        at = part.end
    return "".join([*texts, *shown(lines[at:])])


def read_marked(text: str) -> list[MarkedRange]:
    markers = RangeMarkers.of_marked(text)
    kept: list[str] = []
    spans: list[tuple[int, int, int]] = []
    number, start = None, 0
    for line in split_lines(text):
        if number is None and (number := markers.read_opening(line)) is not None:
            start = len(kept)
        elif number is not None and markers.is_closing(line):
            spans.append((number, start, len(kept)))
            number = None
        else:
            kept.append(line)
    return [
        MarkedRange(
            number=number,
            before="".join(kept[:start]),
            text="".join(kept[start:end]),
            after="".join(kept[end:]),
        )
        for number, start, end in spans
    ]


def _shortened(lines: Sequence[str]) -> list[str]:
    if len(lines) <= _MAX_GAP:
        return list(lines)
    half = _MAX_GAP // 2
    left_out = f"[{len(lines) - 2 * half} lines that stay as they are]\n"
    return [*lines[:half], left_out, *lines[-half:]]
