"""What Python's own parser knows beyond the grammar."""

from __future__ import annotations

import pytest

from redline.checks.python.source import MAX_CHARS, python_fault


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n",
        "",
        r"x = '\d'" + "\n",  # A warning, and none of ours.
        "-" * 50_000 + "1\n",  # Deeper than anybody could.
        "(" * (MAX_CHARS + 1),  # Longer than anybody would read.
        "type A = list[int]\n",
        "def f[T](x: T) -> T:\n    return x\n",
        "x = f'{'a'}'\n",
        "try:\n    pass\nexcept A, B:\n    pass\n",
        'x = t"{y}"\n',
    ],
)
def test_right_or_unknown(text: str) -> None:
    """What a newer Python may parse is not reported."""
    assert python_fault(text) is None


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("x = 1\n  y = 2\n", 1, "unexpected indent"),
        ("if x:\ny = 2\n", 1, "expected an indented block"),
        ("print 'a'\n", 0, "Missing parentheses"),
        ("f(a=1, 2)\n", 0, "positional argument follows keyword"),
        ("if x:\n\ty\n        z\n", 2, "inconsistent use of tabs"),
    ],
)
def test_faults(text: str, line: int, message: str) -> None:
    """With their line and Python's words."""
    fault = python_fault(text)
    assert fault is not None
    assert fault.line == line
    assert message in fault.message
