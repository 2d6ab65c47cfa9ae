"""Definitions that vanish unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.lost import check_lost

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

CLASS = (
    "class A:\n    def f(self):\n        return 1\n"
    "\n    def g(self):\n        return 2\n"
)
SPENT = (
    "class A:\n    def f(self):\n        return self._h()\n"
    "\n    def _h(self):\n        return 2\n"
)


@pytest.mark.parametrize(
    ("before", "after", "instruction", "names"),
    [
        (CLASS, CLASS.split("\n    def g")[0], "", ["A.g"]),
        (CLASS, "", "", ["A"]),
        (CLASS, CLASS.replace("def g", "def h"), "Add types.", ["A.g"]),
        (CLASS, CLASS.replace("def g", "def h"), "Do not rename anything.", ["A.g"]),
        (CLASS, CLASS.replace("class A", "class B"), "", ["A"]),
        ("def f(): pass\ndef g(): pass\n", "x = 1\n", "", ["f", "g"]),
        # It becomes something else of its name.
        ("def f(): pass\n", "class f: pass\n", "", ["f"]),
        ("def f(): pass\n", "f = 1\n", "", ["f"]),
        ("def f(): pass\n", "def g():\n    f = lambda: 1\n", "", ["f"]),
        # A private one that others still ask for.
        (SPENT, SPENT.split("\n    def _h")[0], "", ["A._h"]),
        # One that nobody in the file asked for may be another's.
        (SPENT.replace("self._h()", "1"), "class A:\n    pass\n", "", ["A.f", "A._h"]),
    ],
)
def test_losses(
    make_candidate: MakeCandidate,
    before: str,
    after: str,
    instruction: str,
    names: list[str],
) -> None:
    """Each is named, but of a lost class not every method."""
    found = list(check_lost(make_candidate(before, after, instruction=instruction)))
    assert [problem.message.split("`")[1] for problem in found] == names
    assert {problem.rule for problem in found} == {"lost-definition"}


@pytest.mark.parametrize(
    ("before", "after", "instruction"),
    [
        (CLASS, CLASS.replace("return 2", "return 3"), ""),
        (CLASS, CLASS.split("\n    def g")[0], "Remove g."),
        (CLASS, CLASS.replace("def g", "def h"), "Rename g to h."),
        (CLASS, "@dataclass\n" + CLASS, ""),
        # It is somewhere else in the file now, or still.
        ("def f(): pass\n»\ndef f(): return 1\n«\n", "x = 1\n", ""),
        ("»\ndef f(): pass\n«\ndef g(): pass\n", "def f(x): pass\n", ""),
        # What a function has inside is its own.
        ("def f():\n    def g(): pass\n    g()\n", "def f():\n    pass\n", ""),
        (SPENT, "class A:\n    def f(self):\n        return 2\n", ""),
        # What does not parse is reported by another rule.
        (CLASS, "class A:\n    def f(self:\n", ""),
        # A function may be a value.
        ("def f(x): return x\n", "f = lambda x: x\n", "no def"),
        ("def f(x): return g(1, x)\n", "f = partial(g, 1)\n", "use partial"),
        (CLASS, "class A:\n    f = lambda self: 1\n    g = lambda self: 2\n", ""),
        (CLASS, "class A:\n    pass\n", "only an empty class with pass"),
        (CLASS, 'class A:\n    """A thing."""\n', "an empty class, no methods"),
    ],
)
def test_left_alone(
    make_candidate: MakeCandidate, before: str, after: str, instruction: str
) -> None:
    """Requested, moved, or private to the file."""
    candidate = make_candidate(before, after, instruction=instruction)
    assert not list(check_lost(candidate))


@pytest.mark.parametrize(
    ("before", "after", "language", "names"),
    [
        ("static int f(void) { return 1; }\nint g(void) { return f(); }\n",
         "int g(void) { return 1; }\n", "c", []),
        ("class A {\n  private f() {}\n  g() { this.f(); }\n}\n",
         "class A {\n  g() {}\n}\n", "typescript", []),
        ("class A {\n  f() {}\n  g() { this.f(); }\n}\n",
         "class A {\n  g() {}\n}\n", "typescript", ["A.f"]),
        ("interface A { x: number }\n", "type A = { x: number };\n", "typescript", []),
        ("f() {\n  x\n}\n", "g() {\n  x\n}\n", "shellscript", ["f"]),
        ("x\n", "y\n", "haskell", []),
    ],
)  # fmt: skip
def test_other_languages(
    make_candidate: MakeCandidate,
    before: str,
    after: str,
    language: str,
    names: list[str],
) -> None:
    """The same holds in each."""
    found = check_lost(make_candidate(before, after, language=language))
    assert [problem.message.split("`")[1] for problem in found] == names


SQL = "CREATE VIEW a AS SELECT 1;\n\nCREATE VIEW b AS SELECT 2;\n"


def test_a_view_of_sql_is_lost(make_candidate: MakeCandidate) -> None:
    """SQL has no grammar here; what it creates is found by its lines."""
    after = SQL.split("\n\n")[0] + "\n"
    [problem] = check_lost(make_candidate(SQL, after, language="sql"))
    assert problem.message == "`b` is gone, which was not asked for."
    renamed = SQL.replace("VIEW b", "VIEW c")
    assert not list(check_lost(make_candidate(SQL, renamed, language="sql")))
