"""Which lines of a completion may be shown, by a parser."""

from __future__ import annotations

import pytest

from redline.checks.completion_check import CompletionCheck
from redline.checks.completion_lines import n_good_lines

PYTHON, JS = ("a.py", "python"), ("a.js", "javascript")


def check(text: str, new: str, file: tuple[str, str]) -> int:
    """Count the lines that are left of a text at the mark."""
    before, after = text.split("│")
    above, _, left = before.rpartition("\n")
    right, _, below = after.partition("\n")
    lines = [*above.split("\n")] if above else []
    question = CompletionCheck(
        lines=[*lines, left + right, *below.split("\n")],
        at=len(lines),
        left=left,
        new=new.split("\n"),
        right=right,
        path=file[0],
        language=file[1],
    )
    return n_good_lines(question)


@pytest.mark.parametrize(
    ("text", "new", "file", "expected"),
    [
        ("def f(x):\n    │", "y = x\n    return y", PYTHON, 2),
        ("def f(x):\n    │\n\ng()", "y = x\n    return ) y", PYTHON, 1),
        ("x = 1\n│\n", "if x:\n    a()\n    b( = 1", PYTHON, 2),
        # What is begun and not finished is no error that the line above had not.
        ("def f(x):\n    │", "for a in x:\n        if a:", PYTHON, 2),
        ("function f() {\n  │\n}", "a();\n  b();", JS, 2),
        ("function f() {\n  │\n}", "a();\n  }}}", JS, 1),
        # An error far from the end leaves the first line.
        ("x\n│", "y = 1\n= )\n= )\n= )\n= )\n= )", JS, 1),
        ("x\n│", "= )\n= )\n= )\n= )\n= )", JS, 0),
        # Errors that were there do not count.
        ("x = = 1\ndef f(x):\n    │", "y = x\n    return y", PYTHON, 2),
        ("f(│)\n", "a,\n  b", JS, 2),
        ("│", "= )\n= )", ("a.unknown", "unknown"), 2),
        ("│", "= )", PYTHON, 1),
    ],
)
def test_syntax(text: str, new: str, file: tuple[str, str], expected: int) -> None:
    """A block is cut before the lines that bring further syntax errors."""
    assert check(text, new, file) == expected
