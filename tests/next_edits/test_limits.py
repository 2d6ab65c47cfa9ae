"""The rules run in the server's loop: what they read does not grow with the file."""

from __future__ import annotations

from contextlib import suppress

import pytest
from tests.steps import count_steps

from redline.next_edits.journal import Journal
from redline.next_edits.rules import find_next_edits
from redline.next_edits.source import TooLongError
from redline.text.position import Position, Range


def n_steps(lines: list[str], language: str, line: int, new: str) -> int:
    """Return the steps of the rules after a line was changed."""
    journal = Journal()
    place = Range(Position(line, 0), Position(line, 1))
    changed = [*lines[:line], new, *lines[line + 1 :]]
    journal.record(place, [lines[line]], [new], now_s=0.0)

    def find() -> None:
        cursor = Position(line, 1)
        with suppress(TooLongError):
            find_next_edits(
                changed, language, journal.changes, cursor, 0.0, removes_imports=True
            )

    find()
    return count_steps(find)


@pytest.mark.parametrize(
    ("language", "unit"),
    [
        ("json", '{"a":[1,2]},'),
        ("javascript", "f(total);"),
        ("html", "<p>"),
        ("c", "<"),
    ],
)
def test_a_long_line(language: str, unit: str) -> None:
    """Data, or code that a program has joined."""

    def steps(n_units: int) -> int:
        line = unit * n_units + "\n"
        return n_steps([line], language, 0, "x" + line)

    assert steps(8_000) < 2 * steps(100)


@pytest.mark.parametrize(
    ("language", "quote"), [("javascript", "`"), ("python", '"""')]
)
def test_a_long_string_that_has_no_end(language: str, quote: str) -> None:
    """For each line after it, the quotes of the whole file above were counted."""

    def steps(n_lines: int) -> int:
        lines = [f"{quote}\n", *["total = f(total)\n"] * n_lines]
        return n_steps(lines, language, n_lines // 2, "whole = f(total)\n")

    assert steps(8_000) < 2 * steps(1_000)


def test_many_long_strings() -> None:
    line = "let total = `a`;\n"

    def steps(n_lines: int) -> int:
        return n_steps([line] * n_lines, "javascript", 0, "let whole = `a`;\n")

    assert steps(32_000) < 2 * steps(4_000)


@pytest.mark.parametrize(
    "text",
    [
        "import a\n" * 60_000,
        "import a\n" + "for x in y " * 150_000,
        "import a\n" + "import (" * 200_000,
    ],
)
def test_imports_in_a_hostile_file(text: str) -> None:
    """The time grows with the length, not its square: it would be minutes here."""
    lines = text.splitlines(keepends=True)
    n_steps(lines, "python", 0, "b = os.getcwd()\n")


def test_calls_in_calls() -> None:
    def steps(n_calls: int) -> int:
        lines = ["def f(a): return " + "f(" * n_calls + "\n"]
        return n_steps(lines, "python", 0, lines[0].replace("(a)", "(b, a)"))

    assert steps(900) < 5 * steps(300)
