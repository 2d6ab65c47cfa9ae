"""Next edits written into the text: `«old|new»` is what the user did, in order, and
`⟪old|new⟫` what is to be offered; `⟪|⟫` is a jump."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from redline.next_edits.journal import Journal
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.rules import find_next_edits
from redline.text.anchor import Splice
from redline.text.document import ContentChange, Document
from redline.text.position import Encoding, Position, Range

_MARK = re.compile(r"«([^|»]*)\|([^»]*)»|⟪([^|⟫]*)\|([^⟫]*)⟫")


class Marked(NamedTuple):
    """A marked text, taken apart."""

    before: str
    typed: list[tuple[int, str, str]]
    """What the user does: offset before all of it, old and new."""
    after: str
    offers: list[tuple[int, str, str]]
    """What is expected: offset afterwards, old and new."""
    done: str
    """The text with all offers accepted."""


def read_marks(text: str) -> Marked:
    """Take a marked text apart."""
    before = after = done = ""
    typed: list[tuple[int, str, str]] = []
    offers: list[tuple[int, str, str]] = []
    at = 0
    for found in _MARK.finditer(text):
        plain = text[at : found.start()]
        before, after, done = before + plain, after + plain, done + plain
        if found[1] is not None:
            typed.append((len(before), found[1], found[2]))
            before, after, done = before + found[1], after + found[2], done + found[2]
        else:
            offers.append((len(after), found[3], found[4]))
            before, after, done = before + found[3], after + found[3], done + found[4]
        at = found.end()
    rest = text[at:]
    return Marked(before + rest, typed, after + rest, offers, done + rest)


class Desk:
    """A document, its journal, and a user who types into it."""

    def __init__(self, text: str, language: str = "python") -> None:
        self.document = Document(
            uri="file:///a",
            language_id=language,
            version=1,
            text=text,
            encoding=Encoding.UTF_32,
        )
        self.journal = Journal()
        self.now_s = 100.0
        self.cursor = Position(0, 0)
        self.document.on_splice = self._spliced

    @property
    def text(self) -> str:
        """The document's text."""
        return self.document.snapshot().text

    def type(self, offset: int, old: str, new: str) -> None:
        """Delete a text and type another, key by key."""
        if old:
            self.replace(offset, offset + len(old), "")
        for number, key in enumerate(new):
            self.replace(offset + number, offset + number, key)
        self.now_s += 1

    def replace(self, start: int, stop: int, text: str) -> None:
        """Replace a text at once."""
        where = Range(self._position(start), self._position(stop))
        change = ContentChange(range=where, text=text)
        self.document.change(self.document.version + 1, [change])

    def offers(self, *, removes_imports: bool = True) -> list[NextEdit]:
        """Return what the rules find."""
        return find_next_edits(
            self.document.snapshot().lines,
            self.document.language_id,
            () if self.journal.is_undone else self.journal.changes,
            self.cursor,
            self.now_s,
            removes_imports=removes_imports,
        )

    def _spliced(self, splice: Splice, old_lines: Sequence[str]) -> None:
        new = splice.new
        lines = self.document.lines_between(new.start.line, new.end.line + 1)
        self.journal.record(splice.old, old_lines, lines, self.now_s)
        self.cursor = new.end

    def _position(self, offset: int) -> Position:
        before = self.text[:offset]
        return Position(before.count("\n"), len(before.rpartition("\n")[2]))


def typed(marked: Marked, language: str) -> Desk:
    """Do what the user does."""
    desk = Desk(marked.before, language)
    moved = 0
    for offset, old, new in marked.typed:
        desk.type(offset + moved, old, new)
        moved += len(new) - len(old)
    return desk


def placed(text: str, edits: Iterable[NextEdit]) -> list[tuple[int, str, str]]:
    """Return edits as offset, old and new text, in the order of the text."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return sorted(
        (starts[one.range.start.line] + one.range.start.character, one.old, one.text)
        for one in edits
    )


def check(text: str, language: str = "python") -> list[NextEdit]:
    """Do what the user does and compare what is offered."""
    marked = read_marks(text)
    desk = typed(marked, language)
    assert desk.text == marked.after
    found = desk.offers()
    assert placed(marked.after, found) == sorted(marked.offers)
    return found
