"""The findings of one file, and their places in its text: open or on disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from redline.assist.review.change.reading import NotRead, Reader, path_of
from redline.findings.finding import Finding, FindingState
from redline.findings.following import (
    ChangedLines,
    FollowedQuote,
    SearchedText,
    Sighting,
)
from redline.text.document import Document
from redline.text.lines import content_length, split_lines
from redline.text.position import Encoding, Position, Range, to_units


class ShownFinding:
    """One finding, its place and its state in the current text."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        """The finding as it is stored."""
        self.quote = FollowedQuote(finding.quote, hint=finding.first_line)
        self.fix_quote: FollowedQuote | None = None
        """The new lines of its fix, once the fix is applied."""
        if finding.state == "fixed" and finding.fix is not None:
            # An earlier run of the server has applied it.
            self.fix_quote = FollowedQuote(
                finding.fix.new_text, hint=finding.first_line
            )
        self.is_fixed_elsewhere = False
        """Whether its fix was applied in another window, and may not be saved yet."""
        self.offered_quote: FollowedQuote | None = None
        """The new lines of its fix, once the fix is offered: the user may take them."""
        self.state: FindingState = finding.state
        """The state that follows from the current text."""
        self.range: Range | None = None
        """Its place, or its last known one, in the client's units."""

    @property
    def quotes(self) -> tuple[FollowedQuote, ...]:
        fixes = (self.fix_quote, self.offered_quote)
        return (self.quote, *(quote for quote in fixes if quote is not None))

    @property
    def span(self) -> range | None:
        """The place of its lines, or else of those of its applied fix."""
        if self.quote.span is None and self.fix_quote is not None:
            return self.fix_quote.span
        return self.quote.span

    def apply(self, new_text: str) -> None:
        """Record that its lines were replaced by those of its fix."""
        self.fix_quote = FollowedQuote(new_text, hint=self.quote.hint)
        self.state = "fixed"

    def offer(self, new_text: str) -> None:
        """Record that its lines may be replaced by those of its fix."""
        self.offered_quote = FollowedQuote(new_text, hint=self.quote.hint)

    @property
    def _is_offer_taken(self) -> bool:
        """Whether the lines of an offered fix stand; a fix may delete its lines."""
        offered = self.offered_quote
        return offered is not None and (
            offered.span is not None or not offered.quote.strip()
        )

    def update(self, finding: Finding) -> None:
        """Take a newer state of the finding, which another window may have stored."""
        self.finding = finding
        if finding.state == "fixed" and self.state != "fixed":
            self.is_fixed_elsewhere, self.state = True, "fixed"
        elif finding.state in ("open", "stale") and self.state == "fixed":
            self.is_fixed_elsewhere, self.state = False, "stale"

    def judge(self) -> None:
        """Set the state; all its quotes must have been searched."""
        stands = self.quote.span is not None
        if self.is_fixed_elsewhere:
            self.is_fixed_elsewhere = stands
            return
        if self.fix_quote is not None:
            if self.fix_quote.span is not None or not stands:
                self.state = "fixed"
                return
            self.fix_quote = None
        if stands:
            self.state = "open"
        elif self._is_offer_taken:
            self.state = "fixed"
        elif self.state == "open":
            self.state = "stale"


class _Search(msgspec.Struct, frozen=True):
    """One quote to search for; its text and hint are safe to read in a thread."""

    quote: FollowedQuote
    text: str
    hint: int


class FileSighting(msgspec.Struct, frozen=True):
    """The result of searching a text for the quotes of a file."""

    found: tuple[tuple[FollowedQuote, Sighting], ...]
    ranges: Mapping[range, Range]
    """The ranges of the spans that were found, in the client's units."""


class ShownFile:
    """One file with findings.

    Attributes:
        uri: In the editor's spelling, where it is or was open.
        document: The open document; None: the text on disk is current.
        is_read: Whether the disk was read since it may have changed.
        is_touched: Whether lines with findings were edited since the findings were
            sent: editors drop diagnostics in replaced lines for good.
    """

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self.document: Document | None = None
        self.is_read = False
        self.is_touched = False
        self.findings: dict[str, ShownFinding] = {}

    def opened(self, document: Document) -> None:
        self.document = document
        self.uri = document.uri
        for quote in self._quotes():
            quote.forget()

    def closed(self) -> None:
        """Use the text on disk from now on."""
        self.document = None
        self.is_read = False

    def follow(self, changed: ChangedLines) -> bool:
        """Apply a change of the document; return whether it affects a finding."""
        matters = False
        for quote in self._quotes():
            matters |= quote.follow(changed)
        self.is_touched |= matters
        return matters

    @property
    def is_unsettled(self) -> bool:
        """Whether a text has to be searched."""
        if self.document is None and not self.is_read:
            return True
        return any(quote.is_lost for quote in self._quotes())

    def searches(self) -> list[_Search]:
        """Return the quotes to search for: on disk all, else the lost ones."""
        is_all = self.document is None
        return [
            _Search(quote, quote.quote, quote.hint)
            for quote in self._quotes()
            if is_all or quote.is_lost
        ]

    def sighted(self, sighting: FileSighting) -> None:
        """Apply search results; the text must not have changed since the search."""
        for quote, found in sighting.found:
            quote.sighted(found)
        if self.document is None:
            self.is_read = True
            for shown in self.findings.values():
                if shown.span is not None:
                    shown.range = sighting.ranges[shown.span]

    def judge(self) -> None:
        """Set the state and the place of each finding that was searched."""
        for shown in self.findings.values():
            if any(quote.is_lost for quote in shown.quotes):
                continue
            shown.judge()
            if self.document is not None and shown.span is not None:
                shown.range = self._range(self.document, shown.span)

    def _range(self, document: Document, span: range) -> Range:
        first = document.lines_between(span.start, span.start + 1)[0]
        last = document.lines_between(span.stop - 1, span.stop)[0]
        return client_range(span, first, last, document.encoding)

    def _quotes(self) -> Iterable[FollowedQuote]:
        for shown in self.findings.values():
            yield from shown.quotes


def search_lines(
    searches: Sequence[_Search], lines: Sequence[str], encoding: Encoding
) -> FileSighting:
    """Search a text for quotes; slow, so call it in a thread."""
    text = SearchedText(lines)
    found = tuple((one.quote, text.search(one.text, hint=one.hint)) for one in searches)
    spans = {one.span for _, one in found if one.span is not None}
    return FileSighting(
        found=found,
        ranges={
            span: client_range(span, lines[span.start], lines[span.stop - 1], encoding)
            for span in spans
        },
    )


def search_disk(
    searches: Sequence[_Search], uri: str, encoding: Encoding
) -> FileSighting:
    """Search the text on disk; a file that cannot be read counts as empty."""
    path = path_of(uri)
    text = "" if path is None else _text_on_disk(path)
    return search_lines(searches, split_lines(text), encoding)


def client_range(span: range, first: str, last: str, encoding: Encoding) -> Range:
    """Return the range of lines without blanks around them, in the client's units.

    Args:
        span: The line numbers.
        first: The text of the first line.
        last: The text of the last line.
        encoding: The client's position encoding.
    """
    n_blank = len(first) - len(first.lstrip())
    end = len(last[: content_length(last)].rstrip())
    return Range(
        Position(span.start, to_units(first, n_blank, encoding)),
        Position(span.stop - 1, to_units(last, end, encoding)),
    )


def _text_on_disk(path: Path) -> str:
    text = Reader(roots=(), documents={}).text_on_disk(path)
    return "" if isinstance(text, NotRead) else text
