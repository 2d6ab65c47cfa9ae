"""An edit is seen to be undone, or edited again, and nothing else is taken for it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.assist.anchors import n_anchors_of

from redline.assist.usage.edit_outcome import OutcomeWatch
from redline.text.document import ContentChange, Document
from redline.text.line_diff import apply_hunks, diff_lines
from redline.text.lines import split_lines
from redline.text.position import Encoding, Position, Range


class Watched:
    """A document in which lines were just replaced, and what was seen since."""

    def __init__(
        self,
        head: Sequence[str],
        before: Sequence[str],
        after: Sequence[str],
        tail: str,
    ) -> None:
        self.document = Document(
            uri="file:///a.py",
            language_id="python",
            version=1,
            text="".join([*head, *after, tail]),
            encoding=Encoding.UTF_32,
        )
        self.seen: list[str] = []
        self.outcome_watch = OutcomeWatch(
            self.document,
            first=len(head),
            before=before,
            after=after,
            on_restored=lambda: self.seen.append("restored"),
            on_edited=lambda: self.seen.append("edited"),
        )

    @property
    def text(self) -> str:
        return self.document.snapshot().text

    def replace(self, old: str, new: str) -> None:
        """Replace the first place where some text stands, as one change."""
        start = self.text.index(old)
        self.splice(start, start + len(old), new)

    def splice(self, start: int, end: int, new: str) -> None:
        """Replace what is between two offsets."""
        place = Range(self.position(start), self.position(end))
        self.change(ContentChange(range=place, text=new))

    def change(self, *changes: ContentChange) -> None:
        """Report changes."""
        self.document.change(self.document.version + 1, changes)
        self.outcome_watch.document_changed()

    def position(self, offset: int) -> Position:
        lines = split_lines(self.text[:offset])
        return Position(len(lines) - 1, len(lines[-1]))


HEAD = ["import a\n", "\n"]
TAIL = "end()\nlast()\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["x = 1\n"], ["x = 2\n"]),
        (["x = 1\n"], ["x = 2\n", "y = 3\n"]),
        (["x = 1\n", "y = 3\n"], ["x = 2\n"]),
        ([], ["x = 2\n"]),
        (["x = 1\n"], []),
        (["a\n", "x\n", "b\n", "y\n", "c\n"], ["a\n", "X\n", "b\n", "Y\n", "c\n"]),
    ],
)
@pytest.mark.parametrize("head", [HEAD, []], ids=["in the middle", "at the top"])
@pytest.mark.parametrize("tail", [TAIL, ""], ids=["text below", "at the end"])
def test_an_undo_is_seen(
    before: list[str], after: list[str], head: list[str], tail: str
) -> None:
    """In one change of all of the lines, at any border of the document."""
    watched = Watched(head, before, after, tail)
    start = len("".join(head))
    watched.splice(start, start + len("".join(after)), "".join(before))
    assert watched.text == "".join([*head, *before, tail])
    assert watched.seen == ["restored"]


def test_an_undo_that_reaches_further() -> None:
    """Some clients replace from the end of the line above, or the line below too."""
    for above, below in (("\n", ""), ("", "end()\n"), ("\n", "end()\n")):
        watched = Watched(HEAD, ["x = 1\n"], ["x = 2\n"], TAIL)
        watched.replace(f"{above}x = 2\n{below}", f"{above}x = 1\n{below}")
        assert watched.seen == ["restored"]


def test_an_undo_that_is_told_piecewise() -> None:
    """In one message of several changes, and in several messages."""
    before = ["a\n", "x\n", "b\n", "y\n", "c\n"]
    after = ["a\n", "X\n", "b\n", "Y\n", "c\n"]
    at_once = Watched(HEAD, before, after, TAIL)
    at_once.change(
        ContentChange(range=Range(Position(5, 0), Position(5, 1)), text="y"),
        ContentChange(range=Range(Position(3, 0), Position(3, 1)), text="x"),
    )
    assert at_once.seen == ["restored"]
    in_turn = Watched(HEAD, before, after, TAIL)
    in_turn.replace("Y", "y")
    in_turn.replace("X", "x")
    assert in_turn.seen == ["edited", "restored"]


def test_a_reload_of_the_whole_text() -> None:
    """The client says nothing of what it has replaced."""
    watched = Watched(HEAD, ["x = 1\n"], ["x = 2\n"], TAIL)
    watched.change(ContentChange(range=None, text="".join([*HEAD, "x = 1\n", TAIL])))
    assert watched.seen == ["restored"]


@pytest.mark.parametrize(
    ("old", "new"), [("x = 2", "x = 25"), ("y = 3\n", ""), ("2\ny", "2\nnew\ny")]
)
def test_changing_its_lines_is_seen_once(old: str, new: str) -> None:
    """A change in one of them, its removal, or one between them; then another."""
    watched = Watched(HEAD, ["x = 1\n"], ["x = 2\n", "y = 3\n"], TAIL)
    watched.replace(old, new)
    watched.replace("2", "4")
    assert watched.seen == ["edited"]


@pytest.mark.parametrize("head", [HEAD, []], ids=["in the middle", "at the top"])
def test_other_lines_are_nobodys_business(head: list[str]) -> None:
    """Of the range too, if the edit has left them as they were."""
    before = ["a\n", "x\n", "b\n", "y\n", "c\n"]
    after = ["a\n", "X\n", "+\n", "b\n", "c\n"]
    watched = Watched(head, before, after, TAIL)
    watched.splice(0, 0, "first\n")
    watched.replace("b\n", "b, b\nb\n")
    watched.replace("a\n", "\na1\na2\n")
    watched.replace("c\n", "c\n\n")
    watched.replace("last", "very_last")
    assert watched.seen == []
    start = watched.text.index("X\n")
    watched.splice(start, start + len("X\n+\n"), "x\n")
    assert watched.seen == ["edited"]
    watched.replace("b\nc\n", "b\ny\nc\n")
    assert watched.seen == ["edited", "restored"]


def test_nothing_is_seen_after_the_release() -> None:
    """Also of a change whose telling had begun before."""
    watched = Watched(HEAD, ["x = 1\n"], ["x = 2\n"], TAIL)
    watched.outcome_watch.release()
    watched.replace("x = 2", "x = 1")
    assert watched.seen == []
    assert n_anchors_of(watched.document) == 0


def test_an_edit_that_is_still_to_come() -> None:
    """Turned, it is one that has landed."""
    watched = Watched(HEAD, ["x = 2\n"], ["x = 1\n"], TAIL)
    watched.replace("import a", "import b")
    watched.replace("x = 1", "x = 2")
    assert watched.seen == ["restored"]
    watched.outcome_watch.turn(
        on_restored=lambda: watched.seen.append("undone"),
        on_edited=lambda: watched.seen.append("edited"),
    )
    watched.replace("x = 2", "x = 3")
    watched.replace("x = 3", "x = 1")
    assert watched.seen == ["restored", "edited", "undone"]


LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=6)


@given(
    head=LINES,
    before=LINES,
    after=LINES,
    typed=st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99))),
)
def test_whatever_is_typed_outside_an_undo_is_an_undo(
    head: list[str],
    before: list[str],
    after: list[str],
    typed: list[tuple[int, int]],
) -> None:
    """Characters put into lines before and after it, and then the lines put back."""
    if before == after:
        return
    watched = Watched(head, before, after, "y\nz\n")
    prefix, suffix = "".join(head), "y\nz\n"
    for above, below in typed:
        if prefix:
            at = above % len(prefix)
            watched.splice(at, at, "-")
            prefix = prefix[:at] + "-" + prefix[at:]
        at = below % len(suffix)
        start = len(watched.text) - len(suffix) + at
        if at:
            watched.splice(start, start, "-")
            suffix = suffix[:at] + "-" + suffix[at:]
    assert "restored" not in watched.seen
    assert watched.text == prefix + "".join(after) + suffix
    start = len(prefix)
    watched.splice(start, start + len("".join(after)), "".join(before))
    assert watched.seen[-1:] == ["restored"]


def test_the_hunks_of_a_long_edit_are_one() -> None:
    """A diff of so many lines would keep typing waiting."""
    before = [f"line {n}\n" for n in range(3_000)]
    after = [*before[:10], "X\n", *before[11:2_990], "Y\n", *before[2_991:]]
    assert apply_hunks(before, diff_lines(before, after)) == after
    watched = Watched(HEAD, before, after, TAIL)
    watched.replace("line 5\n", "line five\n")
    assert watched.seen == []
    watched.replace("line 1500\n", "line\n")
    assert watched.seen == ["edited"]
