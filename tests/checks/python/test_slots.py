"""Attributes that `__slots__` has no place for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.python.slots import check_slots

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

CLASS = (
    'class A:\n    __slots__ = ("b",)\n\n    def __init__(self, b):\n'
    "        self.b = b\n"
)


def messages(make_candidate: MakeCandidate, before: str, after: str) -> list[str]:
    found = check_slots(make_candidate(before, after, language="python"))
    return [problem.message for problem in found]


@pytest.mark.parametrize("line", ["self.c = 1", "self.b, self.c = b", "self.c += b"])
def test_a_place_that_is_missing(make_candidate: MakeCandidate, line: str) -> None:
    after = f"{CLASS}        {line}\n"
    assert messages(make_candidate, CLASS, after) == ["`__slots__` of `A` lacks `c`."]
    assert messages(make_candidate, after, after) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('("b",)', '("b", "c")'),
        ('("b",)', '("b", "__dict__")'),
        ('("b",)', '("b", *MORE)'),
        ("class A:", "class A(B):"),
        ("class A:", "@dataclass\nclass A:"),
        ("\n    def", "    c = Field()\n\n    def"),
        ("\n    def", "\n    @c.setter\n    def c(self, d): ...\n\n    def"),
        ("self.b = b", "other.b = b"),
    ],
)
def test_what_may_have_it(make_candidate: MakeCandidate, old: str, new: str) -> None:
    before = CLASS.replace(old, new, 1)
    line = "other.c = 1" if old == "self.b = b" else "self.c = 1"
    assert messages(make_candidate, before, f"{before}        {line}\n") == []
