"""Proposals of claims as new text of whole lines."""

from __future__ import annotations

import pytest

from redline.findings.finding import Claim
from redline.findings.fixes import proposed_fix, with_fix

LINES = ["def f(a):\r\n", "    if a > 0:\r\n", "        return g(a, 1)\r\n", "    pass"]


def propose(quote: str, fix: str | None, span: range) -> str | None:
    """Ask for one fix."""
    claim = Claim(
        file="a",
        quote=quote,
        severity="",
        category="",
        title="",
        explanation="",
        fix=fix,
    )
    return proposed_fix(claim, LINES, span)


@pytest.mark.parametrize(
    ("quote", "fix", "span", "expected"),
    [
        ("    if a > 0:", "    if a >= 0:", range(1, 2), "    if a >= 0:"),
        ("    if a > 0:", "    if a >= 0:\n", range(1, 2), "    if a >= 0:"),
        ("if a > 0:", "if a >= 0:", range(1, 2), "    if a >= 0:"),
        (
            "if a > 0:\n    return g(a, 1)",
            "if a >= 0:\n    return g(a, 1)",
            range(1, 3),
            "    if a >= 0:\n        return g(a, 1)",
        ),
        (
            "    if a > 0:",
            "```python\n    if a >= 0:\n```",
            range(1, 2),
            "    if a >= 0:",
        ),
        ("g(a, 1)", "g(a, 2)", range(2, 3), "        return g(a, 2)"),
        ("g(a, 1)", "return g(a, 2)", range(2, 3), "        return g(a, 2)"),
        ("    if a > 0:", "    if a > 0:", range(1, 2), None),
        ("    if a > 0:", None, range(1, 2), None),
        ("    if a > 0:", "NO CHANGE: it is fine", range(1, 2), None),
        ("    if a > 0:", "\n", range(1, 2), None),
    ],
)
def test_a_proposal_is_of_whole_lines(
    quote: str, fix: str | None, span: range, expected: str | None
) -> None:
    """Indented like the file; an empty proposal gives no fix."""
    assert propose(quote, fix, span) == expected


@pytest.mark.parametrize(
    ("span", "new_text", "expected"),
    [
        (range(1, 2), "a\nb", ["def f(a):\r\n", "a\r\n", "b\r\n", *LINES[2:]]),
        (range(1, 3), "", [LINES[0], LINES[3]]),
        (range(3, 4), "a\nb", [*LINES[:3], "a\r\n", "b"]),
    ],
)
def test_the_new_lines_have_the_ends_of_the_others(
    span: range, new_text: str, expected: list[str]
) -> None:
    """And a file without a last line end still has none."""
    assert with_fix(LINES, span, new_text) == expected
