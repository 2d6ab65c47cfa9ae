"""An outline says what its tree does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from redline.syntax.language import Language
from redline.syntax.outline import outline
from redline.syntax.tree import parse

CODE = """\
import os


def one(x):
    return two(three(x), os.getcwd()) + two(1)


def two(y):
    one(y); one(y)
    print("three()")
"""
TREE = parse(CODE, Language.PYTHON)
OUTLINE = outline(TREE)


@given(first=st.integers(0, 12), n_lines=st.integers(0, 12))
def test_calls_are_those_of_the_tree(first: int, n_lines: int) -> None:
    """Of any lines, each name once, in order."""
    lines = range(first, first + n_lines)
    names = dict.fromkeys(one.name for one in TREE.called if one.line in lines)
    assert OUTLINE.called_in(lines) == tuple(names)


def test_calls_of_some_lines() -> None:
    """Not what stands in a string."""
    assert OUTLINE.called_in(range(4, 5)) == ("two", "three", "getcwd")
    assert OUTLINE.called_in(range(8, 10)) == ("one", "print")


def test_the_rest_is_taken_over() -> None:
    """Definitions and imports are values already."""
    assert OUTLINE.definitions == TREE.definitions
    assert OUTLINE.imports == TREE.imports
