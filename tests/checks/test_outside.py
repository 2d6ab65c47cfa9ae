"""The edit stays in its range and repeats nothing around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.candidate import CheckedEdit
from redline.checks.outside import check_outside

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

MIDDLE = "import a\n\n\ndef f():\n    one = 1\n»\n    y = 2\n«\n    return x + y\n"
CLASS = (
    "class A:\n    def f(self):\n        return 1\n"
    "\n»\n    def g(self):\n        return 2\n«\n"
)


@pytest.mark.parametrize(
    ("before", "after", "language", "line"),
    [
        (MIDDLE, "    one = 1\n    y = 3\n", "python", 0),
        (MIDDLE, "def f():\n    one = 1\n    y = 3\n", "python", 0),
        (MIDDLE, "    def f():\n        one = 1\n    y = 3\n", "python", 0),
        (MIDDLE, "    y = 3\n    return x + y\n", "python", 1),
        (MIDDLE, "    y = 3\n    return x + y\r\n", "python", 1),
        ("add()\nend()\n»\nc()\n«\n", "add()\nend()\nd()\n", "python", 0),
        ("»\nc()\n«\nadd()\n\nend()\n", "d()\nadd()\n\nend()\n", "python", 1),
        (CLASS, "    def f(self):\n        return 3\n\n    def h(self): pass\n",
         "python", 0),
        ("»\nint g() { return 1; }\n«\nint f() { return 1; }\n",
         "int f() { return 2; }\n\nint g() { return 1; }\n", "c", 0),
    ],
)  # fmt: skip
def test_repetitions(
    make_candidate: MakeCandidate, before: str, after: str, language: str, line: int
) -> None:
    """With the line at which what came again begins."""
    found = list(check_outside(make_candidate(before, after, language=language)))
    assert [(problem.rule, problem.line) for problem in found] == [
        ("outside-range", line)
    ]


@pytest.mark.parametrize(
    ("before", "after", "language"),
    [
        (MIDDLE, "    y = 3\n", "python"),
        (MIDDLE, "", "python"),
        # One call may well come twice, and brackets do all the time.
        ("a()\n»\nb()\n«\n", "a()\nc()\n", "python"),
        ("f() {\n}\n»\n«\n}\n", "g() {\n}\n", "javascript"),
        # The same words deeper are another line.
        (MIDDLE, "    y = 3\n    if y:\n        return x + y\n", "python"),
        # It came again before.
        ("x = 1\n»\nx = 1\ny = 2\n«\n", "x = 1\ny = 3\n", "python"),
        (CLASS, "    @property\n    def f(self):\n        return 1\n", "python"),
        (CLASS, "    def f(self, x):\n        return 1\n", "python"),
        (
            "def f():\n    return 1\n»\n«\n",
            "if x:\n    def f():\n        return 2\n",
            "python",
        ),
        (
            "#if X\nint f() { return 1; }\n»\n«\n#endif\n",
            "#else\nint f() { return 2; }\n",
            "c",
        ),
        (
            "impl A for X {\n  fn f() { a() }\n}\n»\n«\n",
            "impl B for X {\n  fn f() { b() }\n}\n",
            "rust",
        ),
        # Two of one name that were there before.
        (
            "def f(): pass\ndef f(): pass\nz = 1\n»\nx = 1\n«\n",
            "def f(): pass\ny = 1\n",
            "python",
        ),
        # What does not parse is reported by another rule.
        (CLASS, "    def f(self):\n        return (\n", "python"),
        ("f\n»\ng\n«\n", "h\n", "haskell"),
    ],
)
def test_left_alone(
    make_candidate: MakeCandidate, before: str, after: str, language: str
) -> None:
    """Lines that may come twice, and definitions that are others."""
    assert not list(check_outside(make_candidate(before, after, language=language)))


def test_of_a_class_that_came_twice_its_methods_are_not_told(
    make_candidate: MakeCandidate,
) -> None:
    """One problem says it."""
    again = "class A:\n    def f(self):\n        return 5\n"
    candidate = make_candidate("x = 1\n»\n«\n" + again, again + "\n\ny = 1\n")
    [problem] = check_outside(candidate)
    assert problem.message.startswith("`A` is already defined at line 8 of the file")


@pytest.mark.parametrize(
    ("after", "places"),
    [
        (["a\n", "x\n", "c\n"], []),
        (["b\n", "x\n", "c\n"], ["before"]),
        (["a\n", "x\n", "d\n"], ["after"]),
        (["a\n", "x\n"], ["after"]),
        (["b\n", "x\n", "d\n"], ["before", "after"]),
    ],
)
def test_lines_outside_stay(after: list[str], places: list[str]) -> None:
    """Every change there is reported."""
    candidate = CheckedEdit(
        before=["a\n", "b\n", "c\n"],
        after=after,
        region_before=range(1, 2),
        region_after=range(1, 2),
    )
    messages = [problem.message for problem in check_outside(candidate)]
    assert messages == [f"Lines {place} the range were changed." for place in places]


@pytest.mark.parametrize(
    ("language", "after", "n_problems"),
    [
        ("python", "def f():\n    pass\n\n\ndef f():\n    return 1\n", 1),
        ("go", "func f() {}\n\nfunc f() { g() }\n", 1),
        ("javascript", "class C {\n  f() {}\n  f() { g(); }\n}\n", 1),
        ("javascript", "class C {\n  get f() {}\n  set f(x) {}\n}\n", 0),
        ("javascript", "const a = { f() {} };\nconst b = { f() {} };\n", 0),
        ("javascript", "function f() {\n  h(g() {});\n  h(g() {});\n}\n", 0),
        ("go", "func init() {}\n\nfunc init() { g() }\n", 0),
        ("python", "@a\ndef f():\n    pass\n\n\n@b\ndef f():\n    pass\n", 0),
        ("python", "if x:\n    def f(): pass\nelse:\n    def f(): pass\n", 0),
        ("typescript", "function f(x: 1);\nfunction f(x: 2) {}\n", 0),
        ("c", "int f(int);\nint f(int x) { return x; }\n", 0),
    ],
)
def test_a_name_that_is_defined_twice(
    make_candidate: MakeCandidate, language: str, after: str, n_problems: int
) -> None:
    """In one place, where only one can be."""
    head = "package a\n" if language == "go" else ""
    candidate = make_candidate(f"{head}»\nx\n«\n", after, language=language)
    assert len(list(check_outside(candidate))) == n_problems
