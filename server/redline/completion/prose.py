"""Brackets in comments and long strings, which no language checks.

A closing bracket at the end of a line of prose that nothing has opened was meant for
the code around it. Others are left alone: `1) the first`, `[0, 1)`, `:-)`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.completion.brackets import CLOSER_OF, CLOSERS, LineScan, carried, scan_line

_N_ABOVE = 20
"""Lines above the cursor that may belong to its paragraph."""

_END = re.compile(r"(?<![)\]}])[)\]}]++[.,;:]?\s*+$")
_MEANT = re.compile(r"(?:^\W*\w{1,4}|\s[:;8=]-?)\)[.,;:]?\s*$")
"""The end of a numbered item, and a smiley."""


def before_unmatched(line: str, scan: LineScan, quote: str, depth: int) -> str:
    """Cut a line before the closing bracket of its prose that nothing has opened.

    Args:
        line: The whole line.
        scan: What is in it.
        quote: The long quote that is open where it begins; empty: none.
        depth: The brackets that its paragraph has opened before.
    """
    start = _prose_start(scan, quote)
    end = _END.search(line)
    if start is None or end is None or _MEANT.search(line[start:]):
        return line
    depth = _depth(line[start : end.start()], depth)
    at = end.start()
    while line[at : at + 1] in CLOSERS and depth:
        at, depth = at + 1, depth - 1
    return line[:at] if line[at : at + 1] in CLOSERS else line


def depth_after(line: str, scan: LineScan, quote: str, depth: int) -> int:
    """Return the brackets that a paragraph has opened at the end of a line."""
    start = _prose_start(scan, quote)
    if start is None or not line[start:].strip():
        return 0
    continues = not any(map(str.isalnum, line[:start]))
    return _depth(line[start:], depth if continues else 0)


def depth_above(above: Sequence[str], language: str, quote: str) -> int:
    """Return the brackets that the paragraph at the end of some lines has opened.

    Args:
        above: The lines, the nearest last.
        language: The LSP language id.
        quote: The long quote that is open at their end; empty: none.
    """
    depth = 0
    for line in _paragraph(above, quote):
        inside = quote if quote and quote not in line else ""
        depth = depth_after(line, scan_line(line, language, inside), inside, depth)
    return depth


def _paragraph(above: Sequence[str], quote: str) -> Sequence[str]:
    """Return the last lines, from a blank one or the one with the quote on."""
    for n_lines, line in enumerate(above[: -_N_ABOVE - 1 : -1]):
        if not line.strip():
            return above[len(above) - n_lines :]
        if quote and quote in line:
            return above[len(above) - n_lines - 1 :]
    return above[-_N_ABOVE:]


def _prose_start(scan: LineScan, quote: str) -> int | None:
    """Return where the prose begins that a line ends with; None: it ends with code."""
    if not (carried(scan.quote) or scan.has_comment):
        return None
    begins = [one for one in scan.events if one.kind in ("quote", "comment")]
    if not begins:
        return 0 if quote or scan.quote == "*/" else None
    return begins[-1].at + len(begins[-1].text)


def _depth(text: str, depth: int) -> int:
    for char in text:
        if char in CLOSER_OF:
            depth += 1
        elif char in CLOSERS:
            depth = max(0, depth - 1)
    return depth
