"""Cuts a text before a closing bracket or an open quote that belongs nowhere."""

from __future__ import annotations

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

    A closing bracket may close what is open above the cursor. A line that leaves a
    quote open is cut with all that follows.
    """
    pending = list(place.openings.closers)
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
        cut = _unmatched(scan, pending, n_before if at == 0 else 0)
        if cut is not None:
            kept.append(whole[:cut][n_before if at == 0 else 0 :])
            return "\n".join(kept).rstrip()
        written = before_unmatched(whole, scan, carried(quote), depth)
        if len(written) < len(whole) and (at or len(written) >= n_before):
            return "\n".join([*kept, written[n_before if at == 0 else 0 :]]).rstrip()
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


def _unmatched(scan: LineScan, pending: list[str], start: int) -> int | None:
    """Return the index of the first bracket that closes nothing."""
    for event in scan.events:
        if event.at < start:
            continue
        if event.kind == "open":
            pending.append(CLOSER_OF[event.text])
        elif event.kind == "close":
            if event.text not in pending:
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
