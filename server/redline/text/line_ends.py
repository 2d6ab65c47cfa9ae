"""Line ends of a text that was rewritten: unchanged lines keep their own."""

from __future__ import annotations

from collections.abc import Sequence

from redline.text.line_diff import diff_lines
from redline.text.lines import line_end, strip_end


def restore_ends(old_lines: Sequence[str], new_lines: Sequence[str]) -> list[str]:
    """Give the lines that a rewrite has kept the ends they had.

    Args:
        old_lines: The text before, ends kept and perhaps mixed.
        new_lines: The text after. Which lines are kept is decided by the minimal diff
            of both without ends; all other lines keep the end they have here, and a
            last line without an end stays without.
    """
    new_texts = [strip_end(line) for line in new_lines]
    restored = list(new_lines)
    old_at = new_at = 0
    hunks = diff_lines([strip_end(line) for line in old_lines], new_texts)
    borders = [(hunk.start, hunk.end, len(hunk.lines)) for hunk in hunks]
    for start, end, n_new in [*borders, (len(old_lines), len(old_lines), 0)]:
        for kept in range(start - old_at):
            new_line = new_lines[new_at + kept]
            if line_end(new_line):
                own = line_end(old_lines[old_at + kept]) or line_end(new_line)
                restored[new_at + kept] = new_texts[new_at + kept] + own
        new_at += start - old_at + n_new
        old_at = end
    return restored
