"""New lines are indented as the file is, and as deep as the region was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.indentation import check_indentation

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

TABS = "func f() {\n\tx()\n\ty()\n}\n"
SPACES = "func f() {\n    x()\n    y()\n}\n"
METHOD = "class A {\n»\n  f() {\n    x();\n  }\n«\n  g() {}\n}\n"
PYTHON = "class A:\n»\n    def f(self):\n        return 1\n«\n    x = 1\n"


@pytest.mark.parametrize(
    ("before", "after", "language", "line"),
    [
        (TABS, TABS.replace("\ty", "    z"), "go", 2),
        (SPACES, SPACES.replace("    y", "\tz"), "go", 2),
        (SPACES, SPACES.replace("    y", "    \tz"), "go", 2),
        # A line that is not new, but indented otherwise.
        (TABS, TABS.replace("\ty", "    y"), "go", 2),
        (METHOD, "h() {\n  x();\n}\n", "javascript", 0),
        (METHOD, "f() {\n  x();\n}\n", "javascript", 0),
        (METHOD, "    f() {\n      x();\n    }\n", "javascript", 0),
        (PYTHON, "def g(self):\n    return 1\n", "python", 0),
        ("a {\n»\n«\n  b\n}\n", "c\n", "yaml", None),
        ("{\n  a\n»\n«\n  b\n}\n", "c\n", "yaml", 0),
    ],
)
def test_changes(
    make_candidate: MakeCandidate,
    before: str,
    after: str,
    language: str,
    line: int | None,
) -> None:
    """The first wrong line is reported."""
    found = list(check_indentation(make_candidate(before, after, language=language)))
    assert [(problem.rule, problem.line) for problem in found] == (
        [] if line is None else [("indentation", line)]
    )


@pytest.mark.parametrize(
    ("before", "after", "language", "instruction"),
    [
        (TABS, TABS.replace("y", "z"), "go", ""),
        (TABS, TABS.replace("\ty()", "\tz(a,\n\t  b)"), "go", ""),
        (TABS, "/*\n * x\n */\n" + TABS, "go", ""),
        (TABS, TABS.replace("y()", "y(`\n  a\n`)"), "go", ""),
        # Too little to be a habit, or both.
        ("if x:\n\ty\n", "if x:\n    z\n", "python", ""),
        (TABS + SPACES, TABS + SPACES.replace("y", "z"), "go", ""),
        (TABS, SPACES, "go", "Indent with spaces."),
        ("a:\n\tb\n\tc\n", "a:\n\tb\n    c\n", "makefile", ""),
        (METHOD, "  f() {\n    z();\n  }\n", "javascript", ""),
        (METHOD, "", "javascript", ""),
        (METHOD, "// why\n#x\n  f() {\n  }\n", "javascript", ""),
        # The head of a branch stands further left than the branch.
        ("if (a) {\n»\n  b();\n«\n}\n", "  b();\n} else {\n  c();\n", "javascript", ""),
        # In the middle of Python's blocks, depth is meaning.
        ("def f():\n    if a:\n»\n        b\n«\n", "    b\n", "python", ""),
        ("x = '''\n»\n    a\n«\n'''\n", "a\n", "python", ""),
        ("»\n«\n", "  a\n", "python", ""),
        ("a\n»\n«\n", "b\n", "python", ""),
        (PYTHON, "x = 1\n", "python", "Move f to module level."),
    ],
)
def test_left_alone(
    make_candidate: MakeCandidate,
    before: str,
    after: str,
    language: str,
    instruction: str,
) -> None:
    """Alignment, text, files with both, and what was asked for."""
    candidate = make_candidate(
        before, after, language=language, instruction=instruction
    )
    assert not list(check_indentation(candidate))


LIST = "- a\n  - one\n  - two\n- b\n"
CLASS = "class A:\n    x = 1\n\n    def f(self):\n        return 1\n"


@pytest.mark.parametrize(
    ("before", "after", "language", "instruction", "line"),
    [
        (LIST, LIST.replace("  - ", "    - ") + "- c\n", "markdown", "add c", 1),
        (LIST, LIST.replace("  - ", "    - "), "yaml", "sort it", 1),
        (CLASS, CLASS.replace("    ", "  ") + "  y = 2\n", "python", "add y", 1),
        (LIST, LIST.replace("  - ", "    - "), "markdown", "indent by 4", None),
        (LIST, LIST + "- c\n", "markdown", "add c", None),
        (LIST, "- z\n" + LIST, "markdown", "add z", None),
        (
            "def f():\n    a = 1\n    b = 2\n",
            "def f():\n    if x:\n        a = 1\n        b = 2\n",
            "python",
            "only if x",
            None,
        ),
        (
            "def f():\n    if x:\n        a = 1\n        b = 2\n",
            "def f():\n    a = 1\n    b = 2\n",
            "python",
            "always",
            None,
        ),
        ("f(a,\n  b,\n  c)\n", "f(a,\n  b,\n    c)\n", "python", "x", None),
    ],
)
def test_a_block_at_another_depth(
    make_candidate: MakeCandidate,
    before: str,
    after: str,
    language: str,
    instruction: str,
    line: int | None,
) -> None:
    """Its lines and the line above it are the same, so nothing asks for it."""
    candidate = make_candidate(
        before, after, language=language, instruction=instruction
    )
    assert [one.line for one in check_indentation(candidate)] == (
        [] if line is None else [line]
    )
