"""Readers of a property that is a method now, and callers of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.accessors import check_accessors

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

QUEUE = (
    "class JobQueue {\n»\n  get size(): number {\n    return this.waiting.length;\n"
    "  }\n«\n}\nexport function drain(queue: JobQueue) {\n  return %s;\n}\n"
)
METHOD = "  size(): number {\n    return this.waiting.length;\n  }\n"
BASKET = (
    "class Basket:\n»\n%s    def total(self):\n        return sum(self.prices)\n«\n\n"
    "    def line(self):\n        return str(self.%s)\n"
)
TOTAL = "    def total(self):\n        return sum(self.prices)\n"

MISFITS = [
    ("typescript", QUEUE % "queue.size", METHOD),
    ("python", BASKET % ("    @property\n", "total"), TOTAL),
    ("python", BASKET % ("", "total()"), "    @property\n" + TOTAL),
    (
        "csharp",
        "class Stay {\n»\n    public int Nights => 3;\n«\n"
        "    int Price() => 2 * this.Nights;\n}\n",
        "    public int Nights() => 3;\n",
    ),
    (
        "kotlin",
        "class Stay {\n»\n    fun nights() = 3\n«\n"
        "    fun price() = 2 * this.nights()\n}\n",
        "    val nights get() = 3\n",
    ),
    (
        "swift",
        "struct Clock {\n»\n    var other: Side { .white }\n«\n"
        "    func next() { use(self.other) }\n}\n",
        "    func other() -> Side { .white }\n",
    ),
]
SOUND = [
    ("typescript", QUEUE % "queue.size()", METHOD),  # It was changed before.
    ("typescript", QUEUE % "window.size", METHOD),  # Of another object.
    ("python", BASKET % ("    @property\n", "total()"), TOTAL),
    ("python", BASKET % ("", "total()"), "    @cached\n" + TOTAL),  # Not known.
    (  # A field that holds a function is called, too.
        "typescript",
        "class A {\n»\n  run() {\n    go();\n  }\n«\n"
        "  all() {\n    this.run();\n  }\n}\n",
        "  run = () => {\n    go();\n  };\n",
    ),
    (  # Another class of the file has one of the name.
        "python",
        "class A:\n»\n    @property\n    def total(self):\n        return 1\n«\n\n"
        "class B:\n    def total(self):\n        return 2\n\n"
        "    def two(self):\n        return self.total\n",
        "    def total(self):\n        return 1\n",
    ),
]


@pytest.mark.parametrize(("language", "before", "after"), MISFITS)
def test_a_use_in_the_other_form_is_reported(
    make_candidate: MakeCandidate, language: str, before: str, after: str
) -> None:
    found = list(check_accessors(make_candidate(before, after, language=language)))
    assert [one.rule for one in found] == ["phantom-member"]


@pytest.mark.parametrize(("language", "before", "after"), SOUND)
def test_a_use_that_may_fit_is_not(
    make_candidate: MakeCandidate, language: str, before: str, after: str
) -> None:
    assert not list(check_accessors(make_candidate(before, after, language=language)))
