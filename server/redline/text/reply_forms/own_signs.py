"""Tells the special tokens and tags of a model from those that are text of the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from redline.text.reply_forms.reply_blocks import CLOSING
from redline.text.reply_forms.special_tokens import has_bare
from redline.text.reply_forms.surroundings import Surroundings


class OwnSigns:
    """Counts the signs in a reply that its range or file has, too."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._counts: Counter[str] = Counter()
        """How often the reply has each sign that the range has."""
        self._has_doubt = False
        self._begins_with_block = False

    def has(self, sign: str) -> bool:
        """Whether a sign is text of the user: the range or its file has it."""
        if not self._around.has(sign):
            return False
        if has_bare(self._around.target, sign):
            self._counts[sign] += 1
            return True
        if not has_bare(self._around.lines, sign):
            return False
        self._has_doubt = True
        return True

    def has_tag(self, tag: str, line: str) -> bool:
        """Whether a tag is text of the user.

        Alone on a line it is not one that the file has only within lines.
        """
        if line.strip() == tag and tag not in "\n".join(self._around.target):
            return tag in self._around.texts and self.has(tag)
        return self.has(tag)

    def begin_block(self) -> None:
        """Record that the reply begins with a block whose tag is text of the user."""
        self._begins_with_block = True

    def is_ambiguous_in(self, reply: Sequence[str]) -> bool:
        """Whether a sign of the whole reply may be the model's, or the user's."""
        own = "\n".join(self._around.target)
        if any(n > own.count(sign) for sign, n in self._counts.items()):
            return True
        if not self._begins_with_block:
            return self._has_doubt
        # The model's reasoning may stand in place of the user's block.
        text = "\n".join(reply).strip()
        closing = CLOSING.search(text)
        block = text[: closing.end()] if closing else text
        return self._has_doubt or block not in own
