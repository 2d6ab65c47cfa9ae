"""Splits the reviewed files into parts that each fit a model's window.

A file that fits is shown whole. One that does not is shown around its reviewed lines,
hunk by hunk, and a hunk that does not fit is cut where the code is least indented.
Lines that are in no part are listed with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from redline.findings.diff import DiffHunk, read_hunks
from redline.findings.scope import LeftOutFile, ReviewedFile, Span, within
from redline.findings.windows import LineCosts, Window, missed, windows
from redline.text.lines import split_lines, strip_end

CountTokens = Callable[[str], int]

WHOLE_N_TOKENS = 12_000
"""A file of up to so many tokens, about 1,000 lines, is shown whole if it fits; a
longer one only if most of it is reviewed, to save the cost of the other lines."""

_MOST = 0.5
_DIFF_SHARE = 0.5
"""Share of a part: a larger diff is left out, since its new lines are shown."""

_TOO_LONG = "they do not fit into a part of a review"
_NO_DIFF = "the old lines are too long, so only the new ones were shown"

_TITLE_N_TOKENS = 60
"""Tokens reserved for the titles and fences around an excerpt and its diff."""


class Excerpt(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of one file in a part."""

    path: str
    language: str
    first_line: int
    """Index of its first line in the file, from 0."""
    text: str
    """Whole lines, LF line ends, none at the end."""
    is_whole: bool
    """Whether it is the whole file."""
    spans: tuple[Span, ...]
    """The reviewed lines among them, by their index in the file."""
    diff: str = ""
    """The hunks about these lines."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """The excerpts that one question is about."""

    excerpts: tuple[Excerpt, ...]
    n_tokens: int


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """All parts of a review."""

    parts: tuple[Part, ...]
    left_out: tuple[LeftOutFile, ...] = ()
    """Files, or lines of them, that are in no part."""


def split(
    files: Sequence[ReviewedFile],
    *,
    budget: int,
    count: CountTokens,
    max_parts: int,
) -> Parts:
    """Split files into parts; every reviewed line is in one part or in `left_out`.

    Args:
        files: The files of the scope.
        budget: Bound for the code and the diff of a part together, in tokens.
        count: Counts the tokens of a text; additive over whole lines.
        max_parts: Limit of parts; excerpts beyond it are left out.
    """
    left_out: list[LeftOutFile] = []
    parts: list[Part] = []
    for file in files:
        for excerpt in _excerpts(file, budget, count, left_out):
            cost = _cost(excerpt, count)
            if not _put(parts, excerpt, cost, budget=budget, max_parts=max_parts):
                reason = f"the review would take more than {max_parts} parts"
                left_out.append(_left_out(file, excerpt.spans, reason))
    return Parts(parts=tuple(parts), left_out=tuple(left_out))


def _put(
    parts: list[Part], excerpt: Excerpt, cost: int, *, budget: int, max_parts: int
) -> bool:
    """Put an excerpt into the first part that has room, or a new one."""
    for n, part in enumerate(parts):
        if part.n_tokens + cost <= budget:
            excerpts = (*part.excerpts, excerpt)
            parts[n] = Part(excerpts=excerpts, n_tokens=part.n_tokens + cost)
            return True
    if len(parts) >= max_parts:
        return False
    parts.append(Part(excerpts=(excerpt,), n_tokens=cost))
    return True


def _excerpts(
    file: ReviewedFile, budget: int, count: CountTokens, left_out: list[LeftOutFile]
) -> Iterator[Excerpt]:
    """Yield the excerpts of a file; add what is not shown to `left_out`."""
    # A file that fits is one excerpt.
    lines = [strip_end(line) for line in split_lines(file.text)]
    everything = range(len(lines))
    asked = Window(lines=everything, spans=within(file.spans, everything))
    whole = _excerpt(file, lines, asked, file.diff)
    cost = _cost(whole, count)
    costs = LineCosts(lines, count)
    n_asked = sum(costs.of(range(a, b)) for a, b in whole.spans)
    if cost <= budget and (cost <= WHOLE_N_TOKENS or n_asked > cost * _MOST):
        yield whole
        return
    # Otherwise each window on reviewed lines is one.
    hunks = read_hunks(file.diff)
    diff_room = int(budget * _DIFF_SHARE) if hunks else 0
    room = budget - diff_room - _TITLE_N_TOKENS
    shown = windows(lines, file.spans, costs, budget=room)
    for window in shown:
        diff = _diff_of(hunks, window)
        if count(diff) > diff_room:
            if "\n-" in diff:
                shown_anyway = _left_out(file, window.spans, _NO_DIFF, by_rule=True)
                left_out.append(shown_anyway)
            diff = ""
        yield _excerpt(file, lines, window, diff)
    if unseen := missed(shown, whole.spans):
        left_out.append(_left_out(file, unseen, _TOO_LONG))


def _excerpt(
    file: ReviewedFile, lines: Sequence[str], window: Window, diff: str
) -> Excerpt:
    return Excerpt(
        path=file.path,
        language=file.language,
        first_line=window.lines.start,
        text="\n".join(lines[window.lines.start : window.lines.stop]),
        is_whole=len(window.lines) == len(lines),
        spans=window.spans,
        diff=diff,
    )


def _cost(excerpt: Excerpt, count: CountTokens) -> int:
    return count(f"{excerpt.text}\n") + count(excerpt.diff) + _TITLE_N_TOKENS


def _diff_of(hunks: Iterable[DiffHunk], window: Window) -> str:
    return "\n".join(
        hunk.text
        for hunk in hunks
        if any(within(hunk.spans, range(*span)) for span in window.spans)
    )


def _left_out(
    file: ReviewedFile, spans: Sequence[Span], why: str, *, by_rule: bool = False
) -> LeftOutFile:
    places = ", ".join(
        f"{first + 1}" if end - first == 1 else f"{first + 1} to {end}"
        for first, end in spans
    )
    reason = f"lines {places}: {why}"
    return LeftOutFile(path=file.path, reason=reason, by_rule=by_rule)
