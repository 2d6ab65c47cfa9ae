"""What a change replaced, token by token."""

from __future__ import annotations

import re
from dataclasses import dataclass

from redline.text.line_diff import common_head

_PIECE = re.compile(r"\w+|\s|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenReplacement:
    """One run of tokens that was replaced by another."""

    start: int
    """Offset in the old text, and in the new one."""
    old: str
    new: str

    @property
    def is_word(self) -> bool:
        """Whether one identifier was replaced by another."""
        return self.old.isidentifier() and self.new.isidentifier()


def pieces(text: str) -> list[str]:
    """Split a text at the borders of words."""
    return _PIECE.findall(text)


def replaced(old: str, new: str) -> TokenReplacement | None:
    """Find the shortest run of pieces that differs; None: the texts are equal."""
    if old == new:
        return None
    old_pieces, new_pieces = pieces(old), pieces(new)
    head = common_head(old_pieces, new_pieces)
    tail = common_head(old_pieces[head:][::-1], new_pieces[head:][::-1])
    start = sum(map(len, old_pieces[:head]))
    return TokenReplacement(
        start=start,
        old="".join(old_pieces[head : len(old_pieces) - tail]),
        new="".join(new_pieces[head : len(new_pieces) - tail]),
    )
