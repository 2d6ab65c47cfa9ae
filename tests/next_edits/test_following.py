"""The journal, the chain of offers, and the memory of rejections."""

from __future__ import annotations

import pytest
from tests.next_edits.marked_text import Desk, placed, read_marks, typed

from redline.next_edits.chain import Chain, is_standing
from redline.next_edits.memory import PAUSE_S, Rejections
from redline.next_edits.next_edit import NextEdit
from redline.text.anchor import Splice
from redline.text.position import Position, Range

RENAMED = read_marks("""
def cost(rows):
    «total|grand_total» = 0
    ⟪total|grand_total⟫ += 1
    print(⟪total|grand_total⟫)
    return ⟪total|grand_total⟫
""")


class Follower:
    """A desk with a chain that follows the text."""

    def __init__(self) -> None:
        self.desk = typed(RENAMED, "python")
        self.chain = Chain()
        self.chain.begin(self.desk.offers(), self.desk.journal.changes[-1])
        self.meanings: list[str] = []
        record = self.desk.document.on_splice
        assert record is not None

        def spliced(splice: Splice, old_lines: object) -> None:
            new = splice.new
            lines = self.desk.document.lines_between(new.start.line, new.end.line + 1)
            assert isinstance(old_lines, list)
            self.meanings.append(self.chain.spliced(splice, old_lines, lines))
            record(splice, old_lines)

        self.desk.document.on_splice = spliced

    @property
    def lines(self) -> list[int]:
        """The lines of the offers that still fit."""
        self.chain.drop_changed(self.desk.document.snapshot().lines)
        return [one.range.start.line for one in self.chain.edits]

    def accept(self, edit: NextEdit) -> None:
        """Carry out an offer, as an editor does."""
        lines = self.desk.document.snapshot().lines
        start = sum(map(len, lines[: edit.range.start.line]))
        start += edit.range.start.character
        self.desk.replace(start, start + len(edit.old), edit.text)


def test_the_nearest_comes_first_and_the_others_follow() -> None:
    """Accepting one leaves the others, at their new places."""
    follower = Follower()
    assert follower.lines == [3, 4, 5]
    for left in (2, 1, 0):
        follower.accept(follower.chain.edits[0])
        assert follower.meanings[-1] == "accepted"
        assert len(follower.lines) == left
    assert follower.desk.text == RENAMED.done


def test_an_editor_that_sends_the_smallest_change() -> None:
    """An insertion that leads to the offered line accepts it, too."""
    follower = Follower()
    at = follower.desk.text.index("    total +=") + 4
    follower.desk.replace(at, at, "grand_")
    assert follower.meanings == ["accepted"]
    assert follower.lines == [4, 5]


def test_typing_elsewhere_moves_the_offers() -> None:
    """Typing over one drops it; typing in the definition drops them all."""
    follower = Follower()
    follower.desk.replace(0, 0, "import os\n")
    assert follower.lines == [4, 5, 6]
    at = follower.desk.text.index("print(total") + len("print(tot")
    follower.desk.replace(at, at, "x")
    assert follower.lines == [4, 6]
    at = follower.desk.text.index("grand_total")
    follower.desk.replace(at, at, "x")
    assert follower.lines == []


def test_undo_withdraws() -> None:
    """Nothing follows from a change that was taken back."""
    follower = Follower()
    at = follower.desk.text.index("grand_total")
    follower.desk.replace(at, at + len("grand_total"), "total")
    assert follower.lines == []
    assert follower.desk.offers() == []


def test_typing_what_is_offered() -> None:
    """The rest of an insertion stays."""
    chain = Chain()
    at = Position(0, 0)
    edit = NextEdit(
        rule="imports", range=Range(at, at), old="", text="import os\n", why=""
    )
    desk = typed(read_marks("x\n«|os.sep»\n"), "python")
    chain.begin([edit], desk.journal.changes[-1])
    desk.document.on_splice = lambda splice, old: (
        chain.spliced(
            splice, old, desk.document.lines_between(0, splice.new.end.line + 1)
        )
        and None
    )
    desk.type(0, "", "imp")
    (rest,) = chain.edits
    assert (rest.text, rest.range.start) == ("ort os\n", Position(0, 3))


def test_one_change_for_the_keys_of_a_line() -> None:
    """A name that is typed after a pause is still one change."""
    desk = Desk("a = 1\nb = 2\n")
    desk.type(0, "a", "to")
    desk.now_s += 20
    desk.type(2, "", "tal")
    (change,) = desk.journal.changes
    assert (change.old, change.new) == (("a = 1\n",), ("total = 1\n",))
    desk.type(len("total = 1\n"), "b", "c")
    assert [one.first for one in desk.journal.changes] == [0, 1]
    desk.replace(0, 0, "\n\n")
    assert desk.journal.changes[-1].new == ("\n", "\n", "total = 1\n")


def test_a_rejected_edit_is_not_offered_until_its_text_changes() -> None:
    """Unrelated edits do not bring it back; two ignored offers count as rejected."""
    lines = ["def f():\n", "    return total\n"]
    where = Range(Position(1, 11), Position(1, 16))
    edit = NextEdit(rule="rename", range=where, old="total", text="sum", why="")
    memory = Rejections()
    memory.note(edit, lines, "typed", 1)
    memory.note(edit, lines, "ignored", 1)
    assert not memory.refuses(edit, lines, 2)
    memory.note(edit, lines, "ignored", 3)
    assert memory.refuses(edit, lines, 4)
    assert memory.refuses(edit, ["import os\n", *lines], 4) is False
    moved = Range(Position(2, 11), Position(2, 16))
    below = NextEdit(rule="rename", range=moved, old="total", text="sum", why="")
    assert memory.refuses(below, ["import os\n", *lines], 5)
    assert not memory.refuses(edit, ["def f():\n", "    return -total\n"], 5)
    assert not memory.refuses(edit, lines, 3 + 1800)
    assert not memory.is_pausing(4)
    memory.note(edit, lines, "rejected", 10)
    assert memory.is_pausing(14)
    assert not memory.is_pausing(10 + PAUSE_S)


@pytest.mark.parametrize(
    ("old", "text", "is_fit"),
    [("total", "return total", True), ("total", "return totals", False),
     ("total", "return x", False)],
)  # fmt: skip
def test_an_offer_stands_while_its_text_does(old: str, text: str, is_fit: bool) -> None:
    """A longer word is another word."""
    where = Range(Position(0, 7), Position(0, 12))
    edit = NextEdit(rule="rename", range=where, old=old, text="sum", why="")
    assert is_standing(edit, [text]) is is_fit


def test_what_the_user_typed_is_not_taken_back() -> None:
    """The third line is not put back to what the user has just changed it from."""
    desk = typed(
        read_marks("a = «old|new»(1)\nb = «old|new»(2)\nc = old(3)\n"), "python"
    )
    assert [one.old for one in desk.offers()] == ["old"]
    third = typed(
        read_marks("c = «new|old»(3)\na = «old|new»(1)\nb = «old|new»(2)\n"), "python"
    )
    assert placed(third.text, third.offers()) == []
