"""Tables of phrases, looked up in a text by what the text holds.

Most texts hold few of the words that hundreds of phrases begin with; only those phrases
are searched for.
"""

from __future__ import annotations

import re

from redline.routing.words import Words, in_words

_Entry = tuple[int, str, str]
"""Place in the table, the phrase as `Words` holds it, and as it is written."""


class Phrases:
    """A table of phrases."""

    __slots__ = ("_by_first", "_firsts")

    def __init__(self, text: str) -> None:
        """Read a table: phrases parted by commas or line ends."""
        self._by_first: dict[str, list[_Entry]] = {}
        for index, part in enumerate(re.split(r"[,\n]", text)):
            if spelled := in_words(part):
                first = spelled.partition(" ")[0]
                entry = (index, f" {spelled} ", part.strip())
                self._by_first.setdefault(first, []).append(entry)
        self._firsts = frozenset(self._by_first)

    def found_in(self, words: Words) -> list[str]:
        """List the phrases that stand in a text, as and in the order they are written.

        A phrase of which only another spelling stands in the table is not found twice.
        """
        if self._firsts.isdisjoint(words.known):
            return []
        found = sorted(
            entry
            for first in self._firsts & words.known
            for entry in self._by_first[first]
            if entry[1] in words.text
        )
        return list({spelled: written for _, spelled, written in found}.values())


NO_PHRASES = Phrases("")
