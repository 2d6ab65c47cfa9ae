"""Finds quoted lines in a file: the quote is the anchor of a finding.

Models count lines badly and copy them well, but not perfectly: they drop indentation
and blank lines, add line numbers or diff signs, or quote a part of a line. Nothing
looser than that matches: lines that only resemble the file's are rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from redline.text.lines import strip_end

Likeness = Literal["exact", "trailing-blanks", "indentation", "marked", "part"]
"""How a quote matches the file, from best to worst: `indentation` ignores blank lines
and blanks around each line, `marked` removes line numbers, diff signs or fences, `part`
is a part of lines that occurs nowhere else."""

MIN_PART_N_CHARS = 8
"""A shorter part matches by chance. A whole line has no least length."""

_NUMBER = re.compile(r"^\s*+(?:[Ll](?:ine )?)?\d++(?:\s*[:|│→\t]|[ ]) ?")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")


class Located(msgspec.Struct, frozen=True, kw_only=True):
    spans: tuple[range, ...]
    """Line indices from 0; at least one place, the nearest to the hint first."""
    likeness: Likeness


def locate(
    quote: str, lines: Sequence[str], *, hint: int | None = None
) -> Located | None:
    """Find the lines that a quote matches.

    Args:
        quote: LF line ends; blank lines around it do not matter.
        lines: The file's, with or without their ends.
        hint: Index of a line that it is probably near.

    Returns:
        All places with the best likeness; None if there is no match.
    """
    wanted = _trimmed([strip_end(line) for line in quote.split("\n")])
    if not wanted:
        return None
    file = [strip_end(line) for line in lines]
    for likeness, spans in _tries(wanted, file):
        if spans:
            return Located(spans=_nearest(spans, hint), likeness=likeness)
    return None


def places(quote: str, lines: Sequence[str]) -> list[range]:
    """Find all places of some code, ignoring blank lines and indentation.

    Args:
        quote: Whole lines, LF line ends.
        lines: The file's, with or without their ends.
    """
    return _runs_of_code(quote.split("\n"), lines)


def _tries(
    wanted: list[str], file: list[str]
) -> Iterator[tuple[Likeness, list[range]]]:
    yield "exact", _runs(wanted, file)
    bare = [line.rstrip() for line in file]
    yield "trailing-blanks", _runs([line.rstrip() for line in wanted], bare)
    yield "indentation", _runs_of_code(wanted, file)
    for unmarked in _unmarked(wanted):
        yield "marked", _runs_of_code(unmarked, file)
    spans = _parts([line.strip() for line in wanted], file)
    yield "part", spans if len(spans) == 1 else []


def _runs(wanted: Sequence[str], lines: Sequence[str]) -> list[range]:
    """Find all places where lines follow each other exactly."""
    n_wanted = len(wanted)
    spans: list[range] = []
    at = -1
    while True:
        try:
            at = lines.index(wanted[0], at + 1)
        except ValueError:
            return spans
        if list(lines[at : at + n_wanted]) == list(wanted):
            spans.append(range(at, at + n_wanted))


def _runs_of_code(wanted: Sequence[str], file: Sequence[str]) -> list[range]:
    """Find all places, ignoring blank lines and blanks around a line."""
    code = [line.strip() for line in wanted if line.strip()]
    if not code:
        return []
    filled = [(n, line.strip()) for n, line in enumerate(file) if line.strip()]
    runs = _runs(code, [line for _, line in filled])
    return [range(filled[run.start][0], filled[run.stop - 1][0] + 1) for run in runs]


def _unmarked(wanted: list[str]) -> Iterator[list[str]]:
    """Yield the quote without fences, backticks, line numbers or diff signs."""
    code = wanted
    if _FENCE.match(code[0]):
        code = code[1:-1] if _FENCE.match(code[-1]) else code[1:]
        yield code
    elif len(code) == 1 and code[0].strip()[:1] == code[0].strip()[-1:] == "`":
        yield [code[0].strip().strip("`")]
    filled = [line for line in code if line.strip()]
    if filled and all(map(_NUMBER.match, filled)):
        yield [_NUMBER.sub("", line, count=1) for line in code]
    if filled and all(line[0] in "+- >" for line in filled):
        yield [line[1:] for line in code if not line.startswith("-")]


def _parts(wanted: Sequence[str], file: Sequence[str]) -> list[range]:
    """Find places of a quote that starts and ends in the middle of lines.

    A quote of one line may be any part of a line.
    """
    if sum(map(len, wanted)) < MIN_PART_N_CHARS:
        return []
    if len(wanted) == 1:
        return [range(n, n + 1) for n, line in enumerate(file) if wanted[0] in line]
    first, *middle, last = wanted
    n_wanted = len(wanted)
    return [
        range(at, at + n_wanted)
        for at in range(len(file) - n_wanted + 1)
        if file[at].rstrip().endswith(first)
        and file[at + n_wanted - 1].lstrip().startswith(last)
        and [line.strip() for line in file[at + 1 : at + n_wanted - 1]] == middle
    ]


def _nearest(spans: list[range], hint: int | None) -> tuple[range, ...]:
    if hint is None:
        return tuple(spans)
    return tuple(sorted(spans, key=lambda span: (abs(span.start - hint), span.start)))


def _trimmed(lines: list[str]) -> list[str]:
    """Remove blank lines at the start and the end."""
    filled = [n for n, line in enumerate(lines) if line.strip()]
    return lines[filled[0] : filled[-1] + 1] if filled else []
