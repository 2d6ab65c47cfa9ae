"""Writes a change of a range as search/replace blocks. Pure.

The format is that of the prompt's template; the reader matches whole lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from redline.text.line_diff import LineHunk, apply_hunks, diff_lines

_SEARCH, _DIVIDER, _REPLACE = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"
# Readers accept marks of any length, so similar lines are marks too.
_MARK = re.compile(r"\s*(?:<{5,}|>{5,}|={5,}\s*$)")


class _Block(Struct, frozen=True, kw_only=True):
    """The old lines [start, end), which contain changes."""

    start: int
    end: int
    hunks: tuple[LineHunk, ...]


def search_blocks(old_text: str, new_text: str) -> str | None:
    """Write the blocks that turn `old_text` into `new_text`.

    Each block has just enough lines around its change to make the search text unique;
    overlapping blocks are merged.

    Returns:
        The blocks; None if one of their lines could be read as a mark.
    """
    old, new = split_lines(old_text), split_lines(new_text)
    blocks: list[_Block] = []
    for hunk in diff_lines(old, new):
        block = _Block(start=hunk.start, end=hunk.end, hunks=(hunk,))
        block = _widened(block, old)
        while blocks and block.start < blocks[-1].end:
            block = _widened(_joined(blocks.pop(), block), old)
        blocks.append(block)
    sides = [(old[b.start : b.end], _new_lines(b, old)) for b in blocks]
    if any(_MARK.match(line) for a, b in sides for line in (*a, *b)):
        return None
    return "\n".join(
        "\n".join([_SEARCH, *search, _DIVIDER, *lines, _REPLACE])
        for search, lines in sides
    )


def split_lines(text: str) -> list[str]:
    """Split a text at LF only, without the line ends."""
    return text.removesuffix("\n").split("\n")


def _widened(block: _Block, old: Sequence[str]) -> _Block:
    """Add lines above and below until the search text is not empty and unique."""
    start, end = block.start, block.end
    is_up = True
    while not _is_unique(old, start, end) and (start > 0 or end < len(old)):
        if start > 0 and (is_up or end == len(old)):
            start -= 1
        else:
            end += 1
        is_up = not is_up
    return replace(block, start=start, end=end)


def _is_unique(old: Sequence[str], start: int, end: int) -> bool:
    # Readers may ignore indentation, so lines are compared without it.
    search = [line.strip() for line in old[start:end]]
    if not any(search):
        return False
    n_places = 0
    for at in range(len(old) - len(search) + 1):
        if old[at].strip() == search[0]:
            found = [line.strip() for line in old[at : at + len(search)]]
            n_places += found == search
    return n_places == 1


def _joined(upper: _Block, lower: _Block) -> _Block:
    return _Block(
        start=min(upper.start, lower.start),
        end=max(upper.end, lower.end),
        hunks=upper.hunks + lower.hunks,
    )


def _new_lines(block: _Block, old: Sequence[str]) -> list[str]:
    hunks = [
        LineHunk(
            start=hunk.start - block.start,
            end=hunk.end - block.start,
            lines=hunk.lines,
        )
        for hunk in block.hunks
    ]
    return apply_hunks(old[block.start : block.end], hunks)
