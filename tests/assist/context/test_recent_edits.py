"""The last edits are written as the lines before and after."""

from __future__ import annotations

from redline.assist.context.recent_edits import RecentEdits
from redline.text.document import ContentChange, Document
from redline.text.position import Encoding, Position, Range

TEXT = "".join(f"line {n}\n" for n in range(100))


class Typist:
    """A document, and the edits in it."""

    def __init__(self, edits: RecentEdits, text: str = TEXT) -> None:
        self.document = Document(
            uri="file:///a.py",
            language_id="python",
            version=1,
            text=text,
            encoding=Encoding.UTF_32,
        )
        self.document.on_splice = lambda splice, old_lines: edits.note(
            self.document, splice, old_lines
        )

    def put(self, line: int, column: int, text: str, *, end: int | None = None) -> None:
        """Replace from a place to the start of another line, or nothing."""
        start = Position(line, column)
        where = Range(start, start if end is None else Position(end, 0))
        change = ContentChange(range=where, text=text)
        self.document.change(self.document.version + 1, [change])


def texts(edits: RecentEdits) -> list[str]:
    return [edit.text for edit in edits.recall()]


def test_typing_is_one_edit() -> None:
    """However many keystrokes it took, and over the lines that it went."""
    edits = RecentEdits()
    typist = Typist(edits)
    for at, letter in enumerate("new "):
        typist.put(10, at, letter)
    typist.put(10, len("new line 10"), "\n    and more")
    typist.put(12, 0, "x")
    assert texts(edits) == [
        "- line 10\n- line 11\n+ new line 10\n+     and more\n+ xline 11"
    ]


def test_edits_apart_are_told_apart() -> None:
    """The oldest first; the places of the others move along."""
    edits = RecentEdits()
    typist = Typist(edits)
    typist.put(50, 0, "second ")
    typist.put(5, 0, "first\n")
    typist.put(51, 0, "the ")
    assert texts(edits) == ["+ first", "- line 50\n+ the second line 50"]


def test_what_was_taken_back_is_no_edit() -> None:
    """Nor is a line that was typed and deleted."""
    edits = RecentEdits()
    typist = Typist(edits)
    typist.put(3, 0, "x")
    typist.put(3, 0, "line 3\n", end=4)
    assert texts(edits) == []


def test_lines_taken_out() -> None:
    """Only the removed lines are shown."""
    edits = RecentEdits()
    Typist(edits).put(7, 0, "", end=9)
    assert texts(edits) == ["- line 7\n- line 8"]


def test_a_reformatted_file_says_nothing() -> None:
    """What changes everywhere is no hint."""
    edits = RecentEdits()
    typist = Typist(edits)
    typist.put(0, 0, "all new\n" * 90, end=95)
    assert texts(edits) == []
    typist.document.change(9, [ContentChange(range=None, text="gone")])
    assert texts(edits) == []


def test_only_the_last_edits_are_kept() -> None:
    """And none of a document that was closed."""
    edits = RecentEdits()
    one, other = Typist(edits), Typist(edits)
    other.put(1, 0, "other ")
    for n in range(6):
        one.put(n * 10, 0, f"{n} ")
    assert len(texts(edits)) == 7
    assert texts(edits)[0] == "- line 1\n+ other line 1"
    for n in range(6, 10):
        one.put(n * 10, 0, f"{n} ")
    assert [text.split()[-3] for text in texts(edits)] == list("23456789")
    edits.forget(one.document)
    assert texts(edits) == []
