"""The last edits are written as the lines before and after."""

from __future__ import annotations

import pytest

from redline.assist.context.recent_edits import RecentEdits
from redline.prompts.redaction import hide_all
from redline.text.document import ContentChange, Document
from redline.text.position import Encoding, Position, Range

TEXT = "".join(f"line {n}\n" for n in range(100))


class Typist:
    """A document, and the edits in it."""

    def __init__(
        self, edits: RecentEdits, text: str = TEXT, name: str = "a.py"
    ) -> None:
        self.document = Document(
            uri=f"file:///{name}",
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


def shown(edits: RecentEdits) -> list[str]:
    """Return the texts with the secrets of their edit replaced."""
    return [
        hide_all([("", edit.text)], known=edit.secrets).texts[0]
        for edit in edits.recall()
    ]


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


KEY = (
    "-----BEGIN RSA PRIVATE KEY-----",
    *(
        f"V1Af4Mqaf9HMzR{n}kTq8xWc2LbJ5nD7sEu0yPoGiVhXa3Qm6ZtKfNrSjYdBwCl"
        for n in range(9)
    ),
    "Qm6ZtKf=",
    "-----END RSA PRIVATE KEY-----",
)
KEY_TEXT = "a = 1\n" * 5 + 'key = """\\\n' + "\n".join(KEY) + '\n"""\n' + "b = 2\n" * 5
FIRST, SHORT = 8, 16
"""The lines of the document with the key's second and its last row."""


@pytest.mark.parametrize(
    ("line", "text", "end"),
    [
        (FIRST, "Q" * 64 + "\n", FIRST + 1),
        (FIRST, "not a key!\n", FIRST + 1),
        (FIRST, " ", None),
        (SHORT, "", SHORT + 1),
        (SHORT, "abc", None),
        (FIRST, "", FIRST + 7),
        (FIRST - 2, "", FIRST + 3),
    ],
)
def test_rows_of_a_private_key_are_secrets(
    line: int, text: str, end: int | None
) -> None:
    """A row by itself does not look like a secret; the text that it is from does."""
    edits = RecentEdits()
    typist = Typist(edits, KEY_TEXT)
    typist.put(line, 0, text, end=end)
    typist.put(0, 0, "c")
    of_key, other = shown(edits)
    assert other == "- a = 1\n+ ca = 1"
    assert not any(row in of_key for row in KEY[1:-1])


def test_rows_changed_one_after_the_other_are_secrets() -> None:
    """The text before all of the edits tells; that before the last one does not."""
    edits = RecentEdits()
    typist = Typist(edits, KEY_TEXT)
    for line in (FIRST, FIRST + 3, SHORT):
        typist.put(line, 0, "not a key!\n", end=line + 1)
    rows = (KEY_TEXT.splitlines()[line] for line in (FIRST, FIRST + 3, SHORT))
    assert not any(row in text for row, text in zip(rows, shown(edits), strict=True))


@pytest.mark.parametrize("line", [2, 3])
def test_a_value_whose_name_is_on_another_line_is_a_secret(line: int) -> None:
    """The old one, the new one, and the one on the line above."""
    edits = RecentEdits()
    typist = Typist(edits, 'import x\npassword = (\n    "old1pass2word"\n)\n')
    typist.put(line, 5, "new")
    edit = edits.recall()[0]
    assert set(edit.secrets) >= {"old1pass2word"}
    assert "pass2word" not in shown(edits)[0]


def test_a_value_on_the_line_of_its_name_needs_no_other() -> None:
    """It is found when the edit is sent."""
    edits = RecentEdits()
    typist = Typist(edits, 'password = "old1pass2word"\nx = 1\n')
    typist.put(1, 0, "y")
    assert edits.recall()[0].secrets == ()


MANIFEST = "kind: Secret\ndata:\n  a: Y29ycmVj\n\ntype: y\nmetadata: x\n"


def test_values_of_a_manifest_are_secrets() -> None:
    """What is written of an edit has no sign of the manifest."""
    edits = RecentEdits()
    typist = Typist(edits, MANIFEST, "a.yaml")
    typist.put(2, 0, "  a: aG9yc2Vz\n", end=3)
    assert set(edits.recall()[0].secrets) == {"Y29ycmVj", "aG9yc2Vz"}
    assert shown(edits) == [
        "-   a: REDLINE_SECRET_000000\n+   a: REDLINE_SECRET_000001"
    ]


def test_a_value_far_below_the_line_that_makes_it_secret() -> None:
    """That line was removed after the value had been typed."""
    entries = "".join(
        f"  entry{number}: paddle{number}-otter\n" for number in range(400)
    )
    edits = RecentEdits()
    typist = Typist(edits, f"kind: Secret\nstringData:\n{entries}", "a.yaml")
    typist.put(300, 0, "  entry298: lantern-otter\n", end=301)
    typist.put(0, 0, "", end=1)
    assert {"paddle298-otter", "lantern-otter"} <= set(edits.recall()[0].secrets)


def test_the_text_is_searched_as_it_is_now() -> None:
    """After the next change of any document, too."""
    edits = RecentEdits()
    typist, other = Typist(edits, MANIFEST, "a.yaml"), Typist(edits)
    typist.put(5, 0, "c")
    assert edits.recall()[0].secrets == ("Y29ycmVj",)
    typist.put(2, 5, "Q")
    assert "QY29ycmVj" in edits.recall()[0].secrets
    other.put(0, 0, "x")
    assert len(edits.recall()) == 3
    edits.forget(typist.document)
    assert [edit.secrets for edit in edits.recall()] == [()]
