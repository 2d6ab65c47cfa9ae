"""Tables of phrases, searched in a text by its words.

Most texts contain few of the words that hundreds of phrases begin with; only phrases
with those first words are searched for.
"""

from __future__ import annotations

import re

from redline.routing.words import Words, in_words

_Entry = tuple[int, str, str, frozenset[str]]
"""Index in the table, the phrase in the form of `Words`, as written, and its words
after the first."""


class Phrases:
    __slots__ = ("_by_first", "_firsts")

    def __init__(self, text: str) -> None:
        """Read a table: phrases separated by commas or line ends."""
        self._by_first: dict[str, list[_Entry]] = {}
        for index, part in enumerate(re.split(r"[,\n]", text)):
            if spelled := in_words(part):
                first, *rest = spelled.split()
                entry = (index, f" {spelled} ", part.strip(), frozenset(rest))
                self._by_first.setdefault(first, []).append(entry)
        self._firsts = frozenset(self._by_first)

    def found_in(self, words: Words) -> list[str]:
        """Return the phrases that occur in a text, as written and in table order.

        Phrases that differ only in spelling are returned once.
        """
        if self._firsts.isdisjoint(words.known):
            return []
        # The text is searched only for phrases of which it has every word.
        found = sorted(
            entry
            for first in self._firsts & words.known
            for entry in self._by_first[first]
            if not entry[3] or (entry[3] <= words.known and entry[1] in words.text)
        )
        return list({spelled: written for _, spelled, written, _ in found}.values())


NO_PHRASES = Phrases("")
