"""Tables of phrases, searched in a text by its words.

Most texts contain few of the words that hundreds of phrases begin with; only phrases
with those first words are searched for.
"""

from __future__ import annotations

import re

from redline.routing.words import Words, in_words

_Entry = tuple[int, str, str]
"""Index in the table, the phrase in the form of `Words`, and as written."""


class Phrases:
    """A table of phrases."""

    __slots__ = ("_by_first", "_firsts")

    def __init__(self, text: str) -> None:
        """Read a table: phrases separated by commas or line ends."""
        self._by_first: dict[str, list[_Entry]] = {}
        for index, part in enumerate(re.split(r"[,\n]", text)):
            if spelled := in_words(part):
                first = spelled.partition(" ")[0]
                entry = (index, f" {spelled} ", part.strip())
                self._by_first.setdefault(first, []).append(entry)
        self._firsts = frozenset(self._by_first)

    def found_in(self, words: Words) -> list[str]:
        """Return the phrases that occur in a text, as written and in table order.

        Phrases that differ only in spelling are returned once.
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
