"""Imports and the outline around a range, as far as they are not shown anyway."""

from __future__ import annotations

import pytest

from redline.prompts.signatures import syntax_context
from redline.syntax.language import Language
from redline.syntax.outline import outline
from redline.syntax.tree import parse

CODE = """\
import os
from math import floor


class Shop:
    name: str

    def open(self, at: int) -> None:
        self.at = at

    def close(self) -> bool:
        def inner(x):
            return x

        return inner(True)

    class Shelf:
        def add(self): ...


def other(): ...
"""


def _context(target: range, shown: range) -> dict[str, str]:
    file = outline(parse(CODE, Language.PYTHON))
    items = syntax_context(file, "shop.py", target=target, shown=shown)
    assert {item.source for item in items} <= {"shop.py"}
    return {item.kind: item.text for item in items}


def test_a_range_is_told_what_it_is_in() -> None:
    """The definitions around it and their members, and the file's imports."""
    context = _context(range(12, 13), range(12, 13))
    assert context["import"] == "import os\nfrom math import floor"
    assert context["enclosing"].split("\n") == [
        "class Shop:",
        "    def open(self, at: int) -> None:",
        "    def close(self) -> bool:",
        "        def inner(x):",
        "    class Shelf:",
    ]


@pytest.mark.parametrize(
    ("shown", "kinds"),
    [
        (range(0, 21), set()),
        (range(2, 21), {"import"}),
        (range(1, 12), {"import", "enclosing"}),
        (range(0, 10), {"enclosing"}),
    ],
)
def test_what_is_shown_is_left_out(shown: range, kinds: set[str]) -> None:
    """Only what the lines around the range do not say already."""
    assert set(_context(range(8, 9), shown)) == kinds


@pytest.mark.parametrize("target", [range(2, 2), range(3, 3), range(0, 21)])
def test_outside_of_definitions_there_is_no_outline(target: range) -> None:
    """An empty range between them, or one over all of them, is in none."""
    assert "enclosing" not in _context(target, range(0))


def test_an_empty_range_is_the_place_before_a_line() -> None:
    """New lines in a method are in that method."""
    around = _context(range(8, 8), range(8, 8))["enclosing"]
    assert around.startswith("class Shop:\n    def open(")
