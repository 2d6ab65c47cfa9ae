"""Quotes that match, and texts that only resemble the file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.findings.quote import Likeness, locate, places

FILE = (
    "def first(a):\n"
    "    total = 0\n"
    "    for x in a:\n"
    "        total += x\n"
    "\n"
    "    return total\n"
    "\n"
    "\n"
    "def second(a):\n"
    "    return total\n"
    "    # The end of it \t\n"
    '\tdone = a["key"]\n'
).splitlines()


@pytest.mark.parametrize(
    ("quote", "first", "end", "likeness"),
    [
        ("    total = 0", 1, 2, "exact"),
        ("\n    total = 0\n    for x in a:\n", 1, 3, "exact"),
        ("    total = 0  \n    for x in a:", 1, 3, "trailing-blanks"),
        ("    # The end of it", 10, 11, "trailing-blanks"),
        ("total = 0\nfor x in a:", 1, 3, "indentation"),
        ("total += x\nreturn total", 3, 6, "indentation"),
        ('    done = a["key"]', 11, 12, "indentation"),
        ("2:     total = 0\n3:     for x in a:", 1, 3, "marked"),
        ("  2 |     total = 0", 1, 2, "marked"),
        ("L9 def second(a):", 8, 9, "marked"),
        ("+    total = 0\n+    for x in a:", 1, 3, "marked"),
        ("     total = 0\n-    nothing\n+    for x in a:", 1, 3, "marked"),
        ("```python\ntotal = 0\n```", 1, 2, "marked"),
        ("```\n2: total = 0\n```", 1, 2, "marked"),
        ("`total = 0`", 1, 2, "marked"),
        ("(a):\n    total = 0\n    for x", 0, 3, "part"),
        ('a["key"]', 11, 12, "part"),
    ],
)
def test_a_quote_is_found(quote: str, first: int, end: int, likeness: Likeness) -> None:
    """In all the ways in which models copy."""
    found = locate(quote, FILE)
    assert found is not None
    assert found.spans == (range(first, end),)
    assert found.likeness == likeness


@pytest.mark.parametrize(
    "quote",
    [
        "",
        " \n\t\n",
        "    total = 1",
        "    total = 0\n    total += x",
        "total",
        "def first(a):\n    ...\n    return total",
        "(a):\n  break",
        "x" * 100,
        "```",
        "12:",
    ],
)
def test_what_is_not_there_is_not_found(quote: str) -> None:
    """Similar lines, omitted lines, and parts of several lines."""
    assert locate(quote, FILE) is None


def test_equal_places_come_nearest_first() -> None:
    """The hint only orders them."""
    quote = "    return total"
    spans = (range(5, 6), range(9, 10))
    for hint, expected in [(None, spans), (0, spans), (8, spans[::-1]), (7, spans)]:
        found = locate(quote, FILE, hint=hint)
        assert found is not None
        assert found.spans == expected


def test_the_better_likeness_wins() -> None:
    """An exact place wins over one with other indentation."""
    found = locate("  x = 1", ["x = 1", "  x = 1", "    x = 1"])
    assert found is not None
    assert found.spans == (range(1, 2),)


def test_places_are_found_at_every_indentation() -> None:
    """To number them, wherever they move."""
    assert places("x = 1", ["x = 1\n", "  x = 1\n", "y\n", "\tx = 1"]) == [
        range(0, 1),
        range(1, 2),
        range(3, 4),
    ]


TEXTS = st.lists(st.text(alphabet="ab {}\t", max_size=6), min_size=1, max_size=30)


@given(TEXTS, st.data())
def test_what_is_copied_is_found_where_it_was(
    lines: list[str], data: st.DataObject
) -> None:
    """Any whole lines, with or without their blanks."""
    first = data.draw(st.integers(0, len(lines) - 1))
    end = data.draw(st.integers(first + 1, len(lines)))
    copied = lines[first:end]
    if not copied[0].strip() or not copied[-1].strip():
        return
    exact = locate("\n".join(copied), lines)
    assert exact is not None
    assert range(first, end) in exact.spans
    stripped = "\n".join(line.strip() for line in copied if line.strip())
    assert range(first, end) in places(stripped, lines)
