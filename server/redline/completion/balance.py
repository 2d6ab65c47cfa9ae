"""Cuts a text before a closing bracket or an open quote that belongs nowhere."""

from __future__ import annotations

from itertools import takewhile

from redline.completion.brackets import (
    CLOSER_OF,
    LineScan,
    carried,
    scan_line,
)
from redline.completion.place import Place
from redline.completion.prose import before_unmatched, depth_after


def balance(text: str, place: Place) -> str:
    """Return the part of a text whose brackets and quotes fit together.

    A closing bracket may close what is open above the cursor, but not across a bracket
    that was opened in the cursor's line or in the text. A line that leaves a quote open
    is cut with all that follows.
    """
    pending = list(place.openings.closers)
    pairs = zip(place.around.openings.closers, pending, strict=False)
    n_above = len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])
    kept: list[str] = []
    quote = place.around.openings.quote
    quoted_from: int | None = None
    n_before = len(place.left)
    depth = place.around.prose_depth
    lines = text.split("\n")
    n_lines = len(lines)
    for at, line in enumerate(lines):
        whole = place.left + line if at == 0 else line
        scan = scan_line(whole, place.language, carried(quote))
        start = n_before if at == 0 else 0
        cut = _misplaced(scan, whole, pending, start, n_above=n_above)
        if cut is not None:
            kept.append(whole[start:cut])
            return "\n".join(kept).rstrip()
        written = before_unmatched(whole, scan, carried(quote), depth)
        if len(written) < len(whole) and (at or len(written) >= n_before):
            return "\n".join([*kept, written[start:]]).rstrip()
        depth = depth_after(whole, scan, carried(quote), depth)
        if scan.quote and not quote and not _is_open_before(place, at):
            quoted_from = at
        quote = scan.quote
        if quoted_from == at < n_lines - 1 and not _goes_on(line, quote):
            return "\n".join(kept)
        kept.append(line)
        if not quote:
            quoted_from = None
    if quoted_from is not None and quote != "*/" and not place.right.startswith(quote):
        kept = kept[:quoted_from]
    return "\n".join(kept)


def _misplaced(
    scan: LineScan, line: str, pending: list[str], start: int, *, n_above: int
) -> int | None:
    """Return the index of the first bracket that closes nothing, or one of a line above
    right behind a comma: such a bracket has a line of its own.

    Args:
        scan: The line.
        line: The line.
        pending: The closing brackets that are missing, the outermost first; those of
            the line are added and removed.
        start: Where the text begins in the line.
        n_above: How many of them are of lines above, where a bracket of prose may count
            as open.
    """
    for event in scan.events:
        if event.at < start:
            continue
        if event.kind == "open":
            pending.append(CLOSER_OF[event.text])
        elif event.kind == "close":
            is_inner = len(pending) > n_above and pending[-1] != event.text
            if is_inner or event.text not in pending:
                return event.at
            is_of_above = len(pending) <= n_above
            if is_of_above and line[: event.at].rstrip().endswith(","):
                return event.at
            while pending.pop() != event.text:
                pass
    return None


def _goes_on(line: str, quote: str) -> bool:
    """Whether a string that is open at the end of a line goes on in the next one."""
    return bool(carried(quote)) or line.endswith("\\")


def _is_open_before(place: Place, at: int) -> bool:
    """Whether the cursor's line has an open quote before the cursor."""
    return at == 0 and bool(scan_line(place.left, place.language).quote)
