"""What an instruction leaves open, in many wordings, and what it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.instructions.sharpen import SharpInstruction, assumed, sharpen

LINES = '''\
import os

def load(path):
    return open(path)

class Row:
    """A row."""

    def parse_row(self, text):
        a, b = text.split(",")
        return a, b

async def other(): pass
'''.splitlines(keepends=True)
METHOD = range(8, 11)
ONE_LINE = range(9, 10)
TWO = range(2, 13)


def check(instruction: str, lines: range = METHOD) -> SharpInstruction:
    """Sharpen an instruction on lines of the example."""
    return sharpen(instruction, LINES, lines.start, lines.stop)


@pytest.mark.parametrize(
    ("instruction", "means"),
    [
        ("make this better", "Its behaviour stays the same."),
        ("Please clean up", "Its behaviour stays the same."),
        ("refactor this function", "Its behaviour stays the same."),
        ("improve parse_row", "Its behaviour stays the same."),
        ("", "Its behaviour stays the same."),
        (
            "fix it",
            "No fault is named: what is clearly wrong is fixed, the rest stays.",
        ),
        (
            "make it work!",
            "No fault is named: what is clearly wrong is fixed, the rest stays.",
        ),
        ("faster", "It becomes faster; its results stay the same."),
        (
            "error handling",
            "What is named is added or improved; other behaviour stays the same.",
        ),
    ],
)
def test_a_vague_instruction_says_what_is_taken_for_granted(
    instruction: str, means: str
) -> None:
    """It names its target, what it means, and that other code is safe."""
    found = check(instruction)
    assert found.is_vague
    assert found.assumes == (
        "Only `parse_row` changes.",
        means,
        "No name that other code uses is added, renamed or removed.",
    )


@pytest.mark.parametrize(
    "instruction",
    [
        "add type hints",
        "memoize this",
        "make parse_row handle quotes",
        "fix the off by one",
        "add error handling",
        "it should return None for an empty row",
        'say "better"',
        "use `other` here",
        "mach das besser",
        "better " * 200,
    ],
)
def test_a_precise_instruction_takes_nothing_for_granted(instruction: str) -> None:
    """What names a change is left alone, and so is what is not understood."""
    found = check(instruction)
    assert not found.is_vague
    assert found.assumes == ()
    assert found.task == instruction


@pytest.mark.parametrize(
    ("instruction", "assumes"),
    [
        ("rename `load` to `read`", ("`load`",)),
        ("remove load_all and load", ()),
        ("fix parse_row and Row", ("`Row`",)),
        ("delete `missing`", ()),
        ("rename `a` to `first`", ()),
    ],
)
def test_definitions_outside_of_the_range_stay(
    instruction: str, assumes: tuple[str, ...]
) -> None:
    """An edit changes its range only, which a change of another definition needs."""
    said = " is outside of the selected lines and stays as it is."
    assert check(instruction).assumes == tuple(name + said for name in assumes)


@pytest.mark.parametrize(
    ("lines", "symbol", "only"),
    [
        (METHOD, "parse_row", "Only `parse_row` changes."),
        (range(5, 11), "Row", "Only `Row` changes."),
        (ONE_LINE, "parse_row", "Only the selected lines of `parse_row` change."),
        (range(9, 11), "parse_row", "Only the selected lines of `parse_row` change."),
        (TWO, None, "Only the selected lines change."),
        (range(0, 1), None, "Only the selected lines change."),
        (range(1, 2), None, "Only the selected lines change."),
        (range(12, 13), "other", "Only `other` changes."),
        (range(4, 4), None, "Only this place changes."),
    ],
)
def test_the_target_is_the_definition_at_the_range(
    lines: range, symbol: str | None, only: str
) -> None:
    """The one that fills the range, or the nearest one around it."""
    found = check("improve it", lines)
    assert found.symbol == symbol
    assert found.assumes[0] == only


def test_a_named_definition_of_the_range_is_the_target() -> None:
    """Even if the range has others."""
    assert check("speed up other", TWO).symbol == "other"


@pytest.mark.parametrize(
    ("instruction", "task"),
    [
        ("make this better", "make `parse_row` better"),
        ("clean up the method", "clean up `parse_row`"),
        ("fix it", "fix `parse_row`"),
        ("faster", "faster"),
    ],
)
def test_the_task_of_a_vague_instruction_names_its_target(
    instruction: str, task: str
) -> None:
    """A pronoun becomes the name."""
    assert check(instruction).task == task


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        (
            "it should return None for an empty row. Quickly.",
            "return None for an empty row",
        ),
        ("sort it so that the order is kept", "the order is kept"),
        ("an empty row raises ValueError", "raises ValueError"),
        ("add type hints", ""),
    ],
)
def test_the_expected_behaviour_is_found(instruction: str, expected: str) -> None:
    """It is the clause after "should", "so that", "must" or "returns"."""
    assert check(instruction).expected == expected


def test_what_stays() -> None:
    """The use by other code stays, unless the words are about the signature."""
    style = "The style of the file."
    callers = "The way in which other code uses `parse_row`."
    assert check("log each row").keeps == (callers, style)
    assert check("add a parameter for the comma").keeps == (style,)
    assert check("log", range(0, 1)).keeps == (style,)


def test_a_very_long_range_is_not_searched() -> None:
    """An instruction is sharpened between two keystrokes."""
    lines = ["def f(): pass\n", "def load(): pass\n", *["x = 1\n"] * 3_000]
    found = sharpen("improve f", lines, 0, len(lines))
    assert found.symbol is None
    assert not sharpen("rename `load`", lines, 2, len(lines)).assumes


@given(
    instruction=st.text(max_size=60), lines=st.lists(st.text(max_size=20), max_size=6)
)
def test_any_text_can_be_sharpened(instruction: str, lines: list[str]) -> None:
    """Hostile words and lines raise nothing; a precise instruction stays as it is."""
    found = sharpen(instruction, lines, 0, len(lines))
    assert found.is_vague or found.task == instruction


@given(
    words=st.lists(
        st.sampled_from(
            [
                "fix",
                "rename",
                "improve",
                "parse_row",
                "load",
                "`load`",
                "`parse_row`",
                "Row.parse_row",
                "the",
                "it",
                "to",
                "x",
                "tests",
                "faster",
                "and",
                "other,",
                "`clean`",
            ]
        ),
        max_size=6,
    ),
    place=st.sampled_from([METHOD, ONE_LINE, TWO, range(2, 2)]),
)
def test_what_is_assumed_needs_no_whole_reading(words: list[str], place: range) -> None:
    """An edit reads only what it takes for granted; the command says the same."""
    instruction = " ".join(words)
    found = assumed(instruction, LINES, place.start, place.stop)
    assert found == check(instruction, place).assumes
