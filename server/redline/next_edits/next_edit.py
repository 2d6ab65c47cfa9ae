"""An edit that follows from what the user did."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from redline.text.position import Range

Rule = Literal["rename", "repeat", "line-pattern", "calls", "imports", "pairs", "model"]


class NextEdit(Struct, frozen=True, kw_only=True):
    """One replacement, or with neither old nor new text, a place to look at."""

    rule: Rule
    """What found it."""
    range: Range
    """The replaced text, in code points."""
    old: str
    text: str
    """What replaces it, with the document's line ends."""
    why: str
    """The reason, as a sentence without a full stop."""

    @property
    def is_jump(self) -> bool:
        """Whether it only leads to a place."""
        return not self.old and not self.text
