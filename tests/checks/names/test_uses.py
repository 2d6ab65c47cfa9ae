"""Variables of PHP, Python's built-in types and an `end` of Ruby too many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.names.members import check_members
from redline.checks.names.php_variables import check_php_variables
from redline.checks.python.typed_uses import check_typed_uses
from redline.checks.syntax import check_syntax

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

CHECKS = {
    "php": lambda candidate: check_php_variables(candidate, None),
    "python": lambda candidate: check_typed_uses(candidate, None),
    "ruby": check_syntax,
}


def file_of(language: str) -> str:
    """Return a file with a function to edit."""
    heads = {
        "php": "<?php\nfunction f($a) {\n»\n    return 1;\n«\n}\n",
        "python": (
            "class C:\n    def __init__(self, p: str) -> None:\n"
            "        self.d: dict[str, int] = {}\n        self.l = []\n"
            "»\n        pass\n«\n"
        ),
        "ruby": "class A\n  def f\n»\n    1\n«\n  end\nend\n",
    }
    return heads[language]


WRONG = [
    ("php", "    return $b;\n"),
    ("php", "    return array_map(fn ($x) => $x + $c, $a);\n"),
    ("php", "    $t = 1;\n    return $t + $T2;\n"),
    ("python", "        self.d.get('a', default=1)\n"),
    ("python", "        self.d.remove('a')\n"),
    ("python", "        self.l.add(1)\n"),
    ("python", "        p.contains('a')\n"),
    ("python", "        sorted(p, reversed=True)\n"),
    ("python", "        p.split(separator=',')\n"),
    ("python", "        print(p, newline='')\n"),
    ("ruby", "    1\n  end\n"),
]

RIGHT = [
    ("php", "    $b = 1;\n    return $b;\n"),
    ("php", "    foreach ($a as $k => $v) {\n        echo $k . $v;\n    }\n"),
    ("php", "    preg_match('/a/', $a, $found);\n    return $found;\n"),
    ("php", "    [$x, $y] = $a;\n    return $x + $y;\n"),
    ("php", "    return array_map(fn ($x) => $x + 1, $a);\n"),
    ("php", "    try { g(); } catch (E $e) { return $e; }\n"),
    ("python", "        self.d.get('a', 1)\n        self.l.append(2)\n"),
    ("python", "        sorted(p, key=len, reverse=True)\n        dict(a=1)\n"),
    ("python", "        p = g()\n        p.contains('a')\n"),
    ("ruby", "    if g\n      2\n    end\n"),
]


@pytest.mark.parametrize(("language", "line"), WRONG)
def test_a_wrong_use_is_reported(
    make_candidate: MakeCandidate, language: str, line: str
) -> None:
    candidate = make_candidate(file_of(language), line, language=language)
    assert len(list(CHECKS[language](candidate))) == 1


@pytest.mark.parametrize(("language", "line"), RIGHT)
def test_a_right_use_is_not(
    make_candidate: MakeCandidate, language: str, line: str
) -> None:
    candidate = make_candidate(file_of(language), line, language=language)
    assert not list(CHECKS[language](candidate))


@pytest.mark.parametrize("language", ["java", "typescript", "python"])
@pytest.mark.parametrize("is_named", [True, False])
def test_a_member_that_the_instruction_names_may_be_set_elsewhere(
    make_candidate: MakeCandidate, language: str, is_named: bool
) -> None:
    before, new = {
        "java": ("class A {\n  int f() {\n»\n    return 1;\n«\n  }\n}\n", "this.b"),
        "typescript": ("class A {\n  f() {\n»\n    return 1;\n«\n  }\n}\n", "this.b"),
        "python": ("class A:\n    def f(self):\n»\n        1\n«\n", "self.b()"),
    }[language]
    indent, end = ("        ", "") if language == "python" else ("    ", ";")
    candidate = make_candidate(
        before,
        f"{indent}return {new}{end}\n",
        language=language,
        instruction=f"return {new if is_named else 'b'}",
    )
    check = check_typed_uses if language == "python" else check_members
    assert len(list(check(candidate, None))) == (not is_named)
