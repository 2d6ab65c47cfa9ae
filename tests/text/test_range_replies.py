"""Replies that answer several numbered ranges, as models really write them."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from redline.text.edit_parts import (
    EditPart,
    instruction_for,
    join_parts,
    moved_parts,
    numbered_instruction,
)
from redline.text.line_diff import apply_hunks, diff_lines
from redline.text.lines import split_lines
from redline.text.marked_ranges import RangeMarkers, mark_ranges, read_marked
from redline.text.range_replies import RangeReplyParser
from redline.text.reply import Reply
from redline.text.reply_parser import ReplyParser

LINES = [f"line {number}\n" for number in range(10)]
PARTS = (
    EditPart(start=0, end=2),
    EditPart(start=4, end=5),
    EditPart(start=7, end=7),
    EditPart(start=9, end=10),
)


def parser(lines: list[str], parts: tuple[EditPart, ...]) -> RangeReplyParser:
    return RangeReplyParser(
        lines=lines,
        parts=parts,
        make_reader=lambda part: ReplyParser(
            format="rewrite",
            target_lines=lines[part.start : part.end],
            before=lines[: part.start],
            after=lines[part.end :],
        ),
        markers=RangeMarkers.for_text(lines),
    )


def read(
    reply: str, *, lines: list[str] = LINES, parts: tuple[EditPart, ...] = PARTS
) -> Reply:
    """Read a reply character by character; what was certain begins the result."""
    reader = parser(lines, parts)
    fed = [line for char in reply for line in reader.feed(char)]
    found = reader.finish()
    if found.lines is not None and found.is_understood:
        assert list(found.lines[: len(fed)]) == fed
    return found


def answer(number: int, text: str, *, marks: int = 7) -> str:
    return f"{'<' * marks} RANGE {number}\n{text}{'>' * marks} RANGE {number}\n"


def with_parts(*texts: str | None) -> str:
    """The region with the text of some ranges replaced; None: as it was."""
    whole, at = "", 0
    for part, text in zip(PARTS, texts, strict=True):
        whole += "".join(LINES[at : part.start])
        old = "".join(LINES[part.start : part.end])
        whole += old if text is None else text
        at = part.end
    return whole + "".join(LINES[at:])


ONE, TWO, THREE, FOUR = "ONE\none\n", "TWO\n", "three\n", "FOUR\n"
ALL = with_parts(ONE, TWO, THREE, FOUR)
ANSWERS = [answer(n, text) for n, text in enumerate((ONE, TWO, THREE, FOUR), 1)]
FENCED = [
    f"Range {n}:\n```\n{text}```\n" for n, text in enumerate((ONE, TWO, THREE, FOUR), 1)
]


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param("".join(ANSWERS), id="in-order"),
        pytest.param("".join(reversed(ANSWERS)), id="reversed"),
        pytest.param("".join(ANSWERS).rstrip("\n"), id="no-final-newline"),
        pytest.param("".join(ANSWERS).replace("\n", "\r\n"), id="crlf"),
        pytest.param("Here:\n\n" + "\n".join(ANSWERS) + "\nDone.", id="chatter"),
        pytest.param("```\n" + "".join(ANSWERS) + "```\n", id="in-a-fence"),
        pytest.param("".join(FENCED), id="titles-and-fences"),
        pytest.param(
            "\n".join(FENCED).replace("Range", "### Range").replace(":", ""),
            id="headings",
        ),
        pytest.param("".join(ANSWERS) + ANSWERS[1], id="twice-alike"),
        pytest.param(
            re.sub("^>.*\n", "", "".join(ANSWERS), flags=re.MULTILINE),
            id="without-ends",
        ),
        pytest.param("".join(ANSWERS).replace("<<<<<<<", "<<<<<"), id="few-marks"),
        pytest.param(
            "<think>\n" + answer(1, "no\n") + "</think>\n" + "".join(ANSWERS),
            id="reasoning",
        ),
        pytest.param(
            "".join(
                answer(n, f"```\n{text}```\n")
                for n, text in enumerate((ONE, TWO, THREE, FOUR), 1)
            ),
            id="fences-inside",
        ),
    ],
)
def test_all_ranges_are_read(reply: str) -> None:
    """However a model writes them; the lines between them are never touched."""
    found = read(reply)
    assert "".join(found.lines or ()) == ALL
    assert found.left is None
    assert found.is_understood


@pytest.mark.parametrize(
    ("reply", "expected", "left"),
    [
        (
            ANSWERS[0] + ANSWERS[2],
            with_parts(ONE, None, THREE, None),
            "Ranges 2 and 4 are unchanged: the model did not answer.",
        ),
        (
            ANSWERS[3] + ANSWERS[1] + ANSWERS[0],
            with_parts(ONE, TWO, None, FOUR),
            "Range 3 is unchanged: the model did not answer.",
        ),
        (
            "".join([ANSWERS[0], answer(2, "NO CHANGE: it is right.\n"), *ANSWERS[2:]]),
            with_parts(ONE, None, THREE, FOUR),
            "Range 2 is unchanged: it is right.",
        ),
    ],
)
def test_what_is_left_out_stays_and_is_said(
    reply: str, expected: str, left: str
) -> None:
    """A forgotten range is no fault, and neither is one that needs no change."""
    found = read(reply)
    assert "".join(found.lines or ()) == expected
    assert found.left == left
    assert found.is_understood


@pytest.mark.parametrize(
    ("reply", "expected", "kind", "words"),
    [
        ("".join(ANSWERS) + answer(2, "other\n"), ALL, "repeated", "Range 2"),
        ("".join(ANSWERS) + answer(7, "other\n"), ALL, "unknown-range", "1 to 4"),
        ("".join(ANSWERS) + answer(0, "other\n"), ALL, "unknown-range", "range 0"),
        ("ONE\nTWO\n", None, "no-range", "RANGE 1"),
        ("", None, "no-range", "RANGE 1"),
        (answer(9, "x\n"), None, "no-range", "RANGE 1"),
    ],
)
def test_what_cannot_be_understood_is_a_fault(
    reply: str, expected: str | None, kind: str, words: str
) -> None:
    """It goes back to the model; the first of two answers stands meanwhile."""
    found = read(reply)
    text = None if found.lines is None else "".join(found.lines)
    assert text == expected
    (problem,) = [each for each in found.problems if each.kind == kind]
    assert words in problem.message
    assert problem.is_fault


@pytest.mark.parametrize(
    "reply",
    [
        "NO CHANGE: nothing to do.\n",
        "".join(answer(n, "NO CHANGE: nothing to do.\n") for n in range(1, 5)),
    ],
)
def test_a_model_may_decline_all(reply: str) -> None:
    """Once for all ranges, or in each of them."""
    found = read(reply)
    assert (found.lines, found.problems) == (None, ())
    assert found.declined == "nothing to do."


def test_problems_say_their_range_and_line() -> None:
    """The line counts from the first of the region."""
    found = read(ANSWERS[0] + answer(2, "a\n```\nb\n") + ANSWERS[2] + ANSWERS[3])
    (problem,) = [each for each in found.problems if each.kind == "stray-fence"]
    assert problem.message.startswith("Range 2: ")
    assert problem.line is not None
    assert found.lines is not None
    assert found.lines[problem.line] == "```\n"


def test_lines_of_the_file_are_no_markers() -> None:
    """The markers are longer than any that the text has."""
    lines = ["<<<<<<< RANGE 1\n", "a\n", ">>>>>>> RANGE 1\n", "gap\n", "b\n"]
    parts = (EditPart(start=0, end=3), EditPart(start=4, end=5))
    markers = RangeMarkers.for_text(lines)
    shown = mark_ranges(lines, parts, markers)
    assert [each.text for each in read_marked(shown)] == ["".join(lines[:3]), "b\n"]
    reply = shown.replace("a\n", "A\n").replace("gap\n", "")
    found = read(reply, lines=lines, parts=parts)
    assert "".join(found.lines or ()) == "".join(lines).replace("a\n", "A\n", 1)


def test_the_last_line_of_a_file_keeps_its_missing_end() -> None:
    """Also if another line is the last one now."""
    lines = ["a\n", "b\n", "c"]
    parts = (EditPart(start=0, end=1), EditPart(start=2, end=3))
    assert read(answer(1, "A\n") + answer(2, "C\nD\n"), lines=lines, parts=parts).lines
    found = read(answer(1, "A\n") + answer(2, "C\nD\n"), lines=lines, parts=parts)
    assert found.lines == ("A\n", "b\n", "C\n", "D")


def test_new_lines_follow_a_last_line_without_an_end() -> None:
    lines = ["a\n", "b"]
    parts = (EditPart(start=0, end=1), EditPart(start=2, end=2))
    both = read(answer(1, "A\n") + answer(2, "c\n"), lines=lines, parts=parts)
    assert both.lines == ("A\n", "b\n", "c")
    first = read(answer(1, "A\n"), lines=lines, parts=parts)
    assert first.lines == ("A\n", "b")


def test_certain_lines_are_returned_while_the_reply_arrives() -> None:
    """A line of the first range at once; what comes early waits for its turn."""
    reader = parser(LINES, PARTS)
    assert reader.feed("<<<<<<< RANGE 1\nONE\none\n") == ["ONE\n", "one\n"]
    assert "".join(reader.feed(">>>>>>> RANGE 1\n")) == "line 2\nline 3\n"
    assert reader.feed(ANSWERS[2]) == []
    assert reader.feed("<<<<<<< RANGE 2\nTWO\n") == ["TWO\n"]
    rest = "".join(reader.feed(">>>>>>> RANGE 2\n"))
    assert rest == "line 5\nline 6\nthree\nline 7\nline 8\n"


numbers = st.integers(0, 12)
spans = st.lists(st.tuples(numbers, numbers).map(sorted), min_size=1, max_size=5)


@given(spans=spans, texts=st.lists(st.sampled_from("abc"), max_size=20))
def test_parts_follow_any_change_of_the_region(
    spans: list[list[int]], texts: list[str]
) -> None:
    """They stay disjoint, in order and inside; what is between them is as it was."""
    old = [f"{number}\n" for number in range(12)]
    parts = join_parts(EditPart(start=first, end=end) for first, end in spans)
    assert all(a.end < b.start for a, b in pairwise(parts))
    new = [f"{text}\n" for text in texts]
    moved = moved_parts(parts, diff_lines(old, new))
    assert all(a.end < b.start for a, b in pairwise(moved))
    assert all(0 <= each.start <= each.end <= len(new) for each in moved)


@given(data=st.data(), spans=spans)
def test_only_ranges_change(data: st.DataObject, spans: list[list[int]]) -> None:
    """Whatever ranges come, in any order: the rest of the region is as it was."""
    lines = [f"line {number}\n" for number in range(12)]
    parts = join_parts(EditPart(start=first, end=end) for first, end in spans)
    order = data.draw(st.permutations(range(len(parts))))
    kept = data.draw(st.integers(1, len(parts)))
    reply = "".join(answer(at + 1, f"new {at}\n") for at in order[:kept])
    found = read(reply, lines=lines, parts=parts)
    expected, at = [], 0
    for index, part in enumerate(parts):
        expected += lines[at : part.start]
        is_answered = index in order[:kept]
        expected += [f"new {index}\n"] if is_answered else lines[part.start : part.end]
        at = part.end
    assert list(found.lines or ()) == [*expected, *lines[at:]]


@given(reply=st.text("<>RANGE 123\n`ab=#:", max_size=200))
def test_anything_is_read(reply: str) -> None:
    """Nothing raises, and what is outside of the ranges is never changed."""
    found = read(reply)
    if found.lines is not None:
        assert len(diff_lines(LINES, found.lines)) <= len(LINES)
        text = "".join(found.lines)
        assert "line 2\nline 3\n" in text
        assert "line 5\nline 6\n" in text


@given(reply=st.text(max_size=50), number=st.integers(1, 4))
@example(reply="f\u00c3\u00bcr", number=1)
@example(reply="a\nf\u00c3\u00bcr", number=2)
@example(reply="0\x85", number=1)
@example(reply="0\x850", number=1)
@example(reply="\x0c0", number=1)
@example(reply="%", number=3)
def test_one_answer_leaves_the_others(reply: str, number: int) -> None:
    """The lines of other ranges are those of before, whatever one answer holds."""
    found = read(answer(number, reply + "\n"))
    if found.lines is None or not found.is_understood:
        return
    hunks = diff_lines(LINES, found.lines)
    part = PARTS[number - 1]
    inner = moved_parts((part,), hunks)
    assert apply_hunks(LINES, hunks) == list(found.lines)
    assert len(inner) == 1


def test_instructions_are_numbered_and_found_again() -> None:
    """What is said of all ranges is for each of them."""
    parts = (
        EditPart(start=0, end=1, instruction="sort it"),
        EditPart(start=2, end=3),
        EditPart(start=4, end=5, instruction="rename a to b\nand c to d"),
    )
    text = numbered_instruction("Add types.", parts)
    assert text == "Add types.\nRange 1: sort it\nRange 3: rename a to b\nand c to d"
    assert instruction_for(1, text) == "Add types.\nsort it"
    assert instruction_for(2, text) == "Add types."
    assert instruction_for(3, text) == "Add types.\nrename a to b\nand c to d"
    assert numbered_instruction("Add types.", parts[1:2]) == "Add types."


def test_ranges_that_touch_are_one() -> None:
    """With the instructions of all."""
    parts = join_parts(
        [
            EditPart(start=4, end=6, instruction="b"),
            EditPart(start=0, end=4, instruction="a"),
            EditPart(start=5, end=5),
            EditPart(start=8, end=8),
        ]
    )
    assert parts == (
        EditPart(start=0, end=6, instruction="a\nb"),
        EditPart(start=8, end=8),
    )


def test_the_middle_of_far_apart_ranges_is_left_out() -> None:
    """The model sees what is near them, and how many lines are not shown."""
    lines = [f"line {number}\n" for number in range(500)]
    parts = (EditPart(start=0, end=1), EditPart(start=499, end=500))
    markers = RangeMarkers.for_text(lines)
    shown = mark_ranges(lines, parts, markers)
    assert "[438 lines that stay as they are]\n" in shown
    assert len(split_lines(shown)) < 70
    whole = mark_ranges(lines, parts, markers, is_shortened=False)
    (_, last) = read_marked(whole)
    assert last.before + last.text + last.after == "".join(lines)
