"""Finds the lines far above a place that say what it is a part of.

A value may be a secret only because of them: an entry of a long list of keys, or of a
long `Secret` of Kubernetes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_ENCLOSING = 2_000
"""The most lines above a place that are read; 1,000 take .1 ms."""

_MAX_BESIDE = 20
"""The most entries beside a line that are returned with it."""

_ENTRY = re.compile(r"\s*+[\"']?+[\w.-]{1,60}+[\"']?+\s?+:")
"""The key of an entry in YAML or JSON."""


def enclosing_lines(lines: Sequence[str], first: int) -> list[int]:
    """Return the lines that enclose a line by their indentation, in order.

    With each come the entries of a mapping that are shortly above and beside it: what
    `data:` of YAML means is said by `kind:` there.

    Args:
        lines: The document's; those above the last 2,000 before the place are not read.
            Only those up to the outermost one are, as each that is read takes time.
        first: The line; blank ones there and after it are skipped.

    Returns:
        Their numbers.
    """
    rest = (lines[number] for number in range(first, len(lines)))
    line = next((line for line in rest if not line.isspace()), "")
    depth = _depth(line)
    indent = line[:depth].replace("-", " ")
    # Nearly all lines are as deep as the place, or deeper.
    skipped = indent, line[: depth + 1]
    found: list[int] = []
    n_beside = 0
    for number in range(first - 1, max(0, first - MAX_ENCLOSING) - 1, -1):
        if depth == 0 and not found:
            break
        line = lines[number]
        if line.startswith(skipped) or line.isspace():
            continue
        is_entry = bool(found) and _ENTRY.match(line) is not None
        if (own := _depth(line)) < depth:
            depth, n_beside = own, 0
            indent = line[:depth].replace("-", " ")
            skipped = f"{indent} ", f"{indent}\t"
        elif depth == 0 and (not is_entry or n_beside == _MAX_BESIDE):
            break
        elif not is_entry or own > depth or n_beside == _MAX_BESIDE:
            continue
        else:
            n_beside += 1
        found.append(number)
    return found[::-1]


def _depth(line: str) -> int:
    """Return the indentation in characters; the entry of a YAML list is one deeper,
    since it may be below a key with the same."""
    text = line.lstrip()
    return len(line) - len(text) + text.startswith("- ")
