"""The file parses no worse than before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.syntax import check_syntax

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

PYTHON = "x = 1\n»\ndef f():\n    return 1\n«\ny = 2\n"
BROKEN = "def g(:\n    pass\n\n\n»\ndef f():\n    return 1\n«\n"


@pytest.mark.parametrize(
    ("before", "after", "language"),
    [
        (PYTHON, "def f():\n    return 2\n", "python"),
        (PYTHON, "", "python"),
        (BROKEN, "def f():\n    return 2\n", "python"),
        # A region that does not parse alone is not judged in a file that is broken.
        (BROKEN.replace("»\n", "»\n    x(]\n"), "def f(:\n", "python"),
        ("\ufeff" + PYTHON, "def f():\n    return 2\n", "python"),
        # Mending one fault and leaving the other is no harm.
        ("»\nf(\n«\ng(;\n", "f();\n", "javascript"),
        ("»\nint f() { return 1 }\n«\n", "int f() { return 2 }\n", "c"),
        ("»\n«\n", "(((", "haskell"),
    ],
)
def test_no_worse(
    make_candidate: MakeCandidate, before: str, after: str, language: str
) -> None:
    """What was broken may stay so."""
    assert not list(check_syntax(make_candidate(before, after, language=language)))


@pytest.mark.parametrize(
    ("before", "after", "language", "lines"),
    [
        (PYTHON, "def f(:\n    return 1\n", "python", [0]),
        (PYTHON, "def f():\nreturn 1\n", "python", [1]),
        ("\ufeff" + PYTHON, "def f():\nreturn 1\n", "python", [1]),
        (PYTHON, "def f():\n", "python", [None]),
        (BROKEN, "def f(:\n    return 1\n", "python", [0]),
        (BROKEN, "def f():\nreturn 1\n", "python", [1]),
        (
            "int a() { return 1 }\n»\nint f() { return 1; }\n«\n",
            "int f() { return 1 }\n",
            "c",
            [0],
        ),
        (
            "»\nf();\n«\ng();\n",
            "f(];\nf(];\nf(];\nf(];\nf(];\n",
            "javascript",
            [0, 1, 2],
        ),
    ],
)
def test_worse(
    make_candidate: MakeCandidate,
    before: str,
    after: str,
    language: str,
    lines: list[int | None],
) -> None:
    """The first faults are reported, with their lines in the region."""
    found = list(check_syntax(make_candidate(before, after, language=language)))
    assert [problem.line for problem in found] == lines
    assert {problem.rule for problem in found} == {"syntax"}


def test_a_fault_elsewhere_has_its_line_in_the_message(
    make_candidate: MakeCandidate,
) -> None:
    """An open bracket is often noticed only behind the region."""
    [problem] = check_syntax(make_candidate(PYTHON, "def f():\n"))
    assert problem.line is None
    assert "(line 3 of the file): expected an indented block" in problem.message
