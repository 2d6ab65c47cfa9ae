"""Results of another kind, and what uses them in the rest of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.changed_results import check_changed_results

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

LIST = "def f(x) -> list[int]:\n    found = []\n    found.append(x)\n    return found\n"
PAIR = (
    "def f(x) -> tuple[list[int], int]:\n    found = []\n    found.append(x)\n"
    "    return found, 1\n"
)
DICT = "def f(x):\n    return {'a': x}\n"
JS_LIST = "function f(x) {\n  const found = [];\n  return found;\n}\n"
JS_OBJECT = "function f(x) {\n  const found = [];\n  return { found, x };\n}\n"


@pytest.mark.parametrize(
    ("language", "old", "new", "use", "is_wrong"),
    [
        ("python", LIST, PAIR, "for a in f(1):\n    print(a)\n", True),
        ("python", LIST, PAIR, "n = len(f(1))\n", True),
        ("python", LIST, DICT, "first, second = f(1)\n", True),
        ("python", PAIR, DICT, "found, n = f(1)\n", True),
        # It fits, is not used, or is of the same kind.
        ("python", LIST, PAIR, "found, n = f(1)\n", False),
        ("python", LIST, PAIR, "f(1)\n", False),
        ("python", LIST, PAIR, "x.f(1).sort()\n", False),
        ("python", LIST, DICT, "for a, b in f(1).items():\n    print(a, b)\n", False),
        ("python", LIST, LIST.replace("found", "all_found"), "n = len(f(1))\n", False),
        ("python", LIST, "def f(x):\n    return g(x)\n", "n = len(f(1))\n", False),
        ("python", PAIR, PAIR.replace(", 1", ", 2"), "found, n = f(1)\n", False),
        ("javascript", JS_LIST, JS_OBJECT, "const all = f(1);\n", True),
        ("javascript", JS_LIST, JS_OBJECT, "f(1).map(g);\n", True),
        ("javascript", JS_LIST, JS_OBJECT, "const { found } = f(1);\n", False),
        ("javascript", JS_LIST, JS_OBJECT, "g(f(1).found);\n", False),
        ("javascript", JS_LIST, JS_OBJECT, "f(1);\n", False),
    ],
)
def test_uses(
    make_candidate: MakeCandidate,
    language: str,
    old: str,
    new: str,
    use: str,
    *,
    is_wrong: bool,
) -> None:
    candidate = make_candidate(f"»\n{old}«\n\n\n{use}", new, language=language)
    assert bool(list(check_changed_results(candidate))) is is_wrong


def test_a_declared_type_of_typescript(make_candidate: MakeCandidate) -> None:
    old = "function f(x: number): number {\n  return x - 1;\n}\n"
    new = "function f(x: number): { a: number } {\n  return { a: x };\n}\n"
    text = f"»\n{old}«\nconst half = 2 - f(1);\n"
    found = list(
        check_changed_results(make_candidate(text, new, language="typescript"))
    )
    assert [one.message for one in found] == [
        "`f` now returns an object, and line 4 of the file uses its result as before."
    ]
