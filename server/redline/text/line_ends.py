"""Line ends of rewritten text: a range keeps those that it had."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from redline.text.line_diff import diff_lines
from redline.text.lines import line_end, strip_end


def restore_ends(old_lines: Sequence[str], new_lines: Sequence[str]) -> list[str]:
    """Give the lines of a rewrite the ends of their range.

    Args:
        old_lines: The old text, with ends, which may be mixed.
        new_lines: The new text. A line gets the end of the old line that it equals or
            replaces, by the minimal diff of both without ends; an added line gets the
            end of the line before it. Where the old text has no end to give, lines keep
            their own; a last line without an end stays without.
    """
    new_texts = [strip_end(line) for line in new_lines]
    restored = []
    end = next(filter(None, map(line_end, old_lines)), "")
    for at, source in enumerate(_sources(old_lines, new_texts)):
        end = (line_end(old_lines[source]) if source is not None else "") or end
        has_end = line_end(new_lines[at])
        restored.append(new_texts[at] + ((end or has_end) if has_end else ""))
    return restored


def _sources(old_lines: Sequence[str], new_texts: list[str]) -> Iterator[int | None]:
    """Yield for each new line the old line that it comes from; None: it is added."""
    at = 0
    for hunk in diff_lines([strip_end(line) for line in old_lines], new_texts):
        yield from range(at, hunk.start)
        at = hunk.end
        for number, _ in enumerate(hunk.lines, hunk.start):
            yield number if number < hunk.end else None
    yield from range(at, len(old_lines))
