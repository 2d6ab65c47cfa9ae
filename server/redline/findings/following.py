"""Follows the lines that a finding quotes through the changes of a text.

The lines are the anchor: indentation and blank lines between them do not matter, and
the finding is stale while they are nowhere in the text. Only the place of a change is
searched, so that following costs what the change costs, whatever the file's size. The
whole text is searched only for lines that are lost and had a single place before. If
lines are in several places, the finding follows the one that was quoted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TypeAlias

import msgspec

from redline.text.anchor import LineSplice
from redline.text.document import Document
from redline.text.lines import strip_end

_Line: TypeAlias = tuple[int, str]
"""A line's number, and its text without the blanks around it."""


class Sighting(msgspec.Struct, frozen=True, kw_only=True):
    """The result of searching a whole text for a quote."""

    span: range | None
    n_places: int


class SearchedText:
    """A text that is indexed once and searched for many quotes.

    It finds the places of `quote.places`, ranked by likeness and distance as in
    `quote.locate`.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        """Index a text; slow if it is long.

        Args:
            lines: With or without their ends.
        """
        self._lines = lines
        self._code = list(_code(lines, 0))
        self._places: dict[str, list[int]] = {}
        for index, (_, line) in enumerate(self._code):
            self._places.setdefault(line, []).append(index)

    def search(self, quote: str, *, hint: int) -> Sighting:
        """Find the best place of quoted lines.

        Args:
            quote: Whole lines, LF line ends.
            hint: The line where they were last seen.
        """
        old_lines = quote.split("\n")
        code = list(_code(old_lines, 0))
        wanted = [line for _, line in code]
        spans = [self._span(at, len(wanted)) for at in self._starts(wanted)]
        if not spans:
            return Sighting(span=None, n_places=0)
        exact = old_lines[code[0][0] : code[-1][0] + 1]

        def rank(span: range) -> tuple[int, int, int]:
            return (
                self._unlikeness(span, exact),
                abs(span.start - hint),
                span.start,
            )

        return Sighting(span=min(spans, key=rank), n_places=len(spans))

    def _starts(self, wanted: Sequence[str]) -> Iterator[int]:
        for at in self._places.get(wanted[0], ()) if wanted else ():
            run = self._code[at : at + len(wanted)]
            if [line for _, line in run] == wanted:
                yield at

    def _span(self, at: int, n_wanted: int) -> range:
        return range(self._code[at][0], self._code[at + n_wanted - 1][0] + 1)

    def _unlikeness(self, span: range, exact: Sequence[str]) -> int:
        """Rate the difference from the quote: 0 none, 1 trailing blanks, 2 more."""
        found = [strip_end(line) for line in self._lines[span.start : span.stop]]
        if found == exact:
            return 0
        return 1 + ([one.rstrip() for one in found] != [o.rstrip() for o in exact])


class ChangedLines:
    """One change of a text, shared by all quotes that are followed in it."""

    def __init__(self, splice: LineSplice, text: Document) -> None:
        self.splice = splice
        self._text = text
        now = text.lines_between(splice.first, splice.new_end)
        self._code = list(_code(now, splice.first))
        self._places: dict[str, list[int]] = {}
        for index, (_, line) in enumerate(self._code):
            self._places.setdefault(line, []).append(index)

    def may_hold(self, code: frozenset[str]) -> bool:
        """Whether the change may have put some of these lines here."""
        return not self._code or not code.isdisjoint(self._places)

    def find(self, wanted: Sequence[str]) -> list[range]:
        """Find places of these lines that overlap the change, or enclose its gap."""
        n_around = len(wanted) - 1
        above, below = self._above(n_around), self._below(n_around)
        # A place begins above the change, or at a changed line equal to the first one.
        starts = chain(
            range(len(above)),
            (len(above) + at for at in self._places.get(wanted[0], ())),
        )
        found = []
        for at in starts:
            run = self._run(at, len(wanted), above, below)
            if [line for _, line in run] == wanted:
                found.append(range(run[0][0], run[-1][0] + 1))
        splice = self.splice
        return [
            span
            for span in found
            if span.start < splice.new_end and splice.first < span.stop
        ]

    def _run(
        self, at: int, n_wanted: int, above: list[_Line], below: list[_Line]
    ) -> list[_Line]:
        """Return consecutive lines of code; `at` counts from the first one above."""
        inside = max(at - len(above), 0)
        run = above[at : at + n_wanted]
        run += self._code[inside : inside + n_wanted - len(run)]
        return run + below[: n_wanted - len(run)]

    def _above(self, n_wanted: int) -> list[_Line]:
        above: list[_Line] = []
        end = self.splice.first
        while end > 0 and len(above) < n_wanted:
            first = max(end - n_wanted, 0)
            above[:0] = _code(self._text.lines_between(first, end), first)
            end = first
        return above[len(above) - min(n_wanted, len(above)) :]

    def _below(self, n_wanted: int) -> list[_Line]:
        below: list[_Line] = []
        first = self.splice.new_end
        while first < self._text.n_lines and len(below) < n_wanted:
            end = first + n_wanted
            below += _code(self._text.lines_between(first, end), first)
            first = end
        return below[:n_wanted]


class FollowedQuote:
    """Some quoted lines in one text.

    Attributes:
        span: Their place; None: no known place.
        hint: The line where they were last seen, moved along with changes.
        is_alone: Whether they had at most one place when the text was searched.
        is_lost: Whether the text must be searched, since their place is unknown.
    """

    __slots__ = ("_code", "_words", "hint", "is_alone", "is_lost", "quote", "span")

    def __init__(self, quote: str, *, hint: int) -> None:
        """Create a quote that has not been searched yet.

        Args:
            quote: Whole lines, LF line ends.
            hint: The line where they were last seen.
        """
        self.quote = quote
        self.hint = hint
        self.span: range | None = None
        self._code = [line for _, line in _code(quote.split("\n"), 0)]
        self._words = frozenset(self._code)
        self.is_alone = True
        self.is_lost = bool(self._code)

    def sighted(self, found: Sighting) -> None:
        """Apply the result of a search of the current text."""
        self.is_lost = False
        self.is_alone = found.n_places <= 1
        self._stand(found.span)

    def forget(self) -> None:
        """Mark the place as unknown, since the text is another one."""
        self.span = None
        self.is_lost = bool(self._code)

    def follow(self, changed: ChangedLines) -> bool:
        """Apply a change; return whether it has moved, lost or found the lines."""
        splice = changed.splice
        old = self.span
        if old is None:
            self._move_hint(splice)
        elif splice.first >= old.stop:
            return False
        elif splice.old_end <= old.start:
            self._stand(range(old.start + splice.shift, old.stop + splice.shift))
            return splice.shift != 0
        self._look(changed)
        return self.span != old

    def _look(self, changed: ChangedLines) -> None:
        found: list[range] = []
        if changed.may_hold(self._words) and self._code:
            found = changed.find(self._code)
        if found:
            self.is_lost = False
            self._stand(min(found, key=lambda span: abs(span.start - self.hint)))
        elif self.span is not None:
            self.is_lost = self.is_alone
            self.span = None

    def _stand(self, span: range | None) -> None:
        self.span = span
        if span is not None:
            self.hint = span.start

    def _move_hint(self, splice: LineSplice) -> None:
        if self.hint >= splice.old_end:
            self.hint += splice.shift
        elif self.hint >= splice.first:
            self.hint = splice.first


def _code(lines: Sequence[str], first: int) -> Iterator[_Line]:
    """Yield the lines that are not blank, stripped, with their numbers."""
    for number, line in enumerate(lines, first):
        if stripped := line.strip():
            yield number, stripped
