"""Fields for which `dataclass` raises an exception."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.python.dataclass_fields import check_dataclass_fields

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

HEAD = (
    "from dataclasses import KW_ONLY, dataclass, field\n\n\n"
    "%s\nclass A:\n»\n    a: int\n«\n"
)


@pytest.mark.parametrize(
    "fields",
    [
        "a: list[int] = []",
        "a: dict = {}",
        "a: set = set()",
        "a: list = [b for b in range(3)]",
        "a: int = 1\n    b: str",
        "a: list = field(default_factory=list)\n    b: str",
    ],
)
def test_refused_fields(fields: str, make_candidate: MakeCandidate) -> None:
    """Each has one problem."""
    candidate = make_candidate(HEAD % "@dataclass", f"    {fields}\n")
    found = list(check_dataclass_fields(candidate))
    assert [one.rule for one in found] == ["compile-error"]


@pytest.mark.parametrize(
    ("decorator", "fields"),
    [
        ("@dataclass", "a: list = field(default_factory=list)"),
        ("@dataclass", "a: tuple = ()"),
        ("@dataclass", "a: ClassVar[list] = []"),
        ("@dataclass", "a: int = 1\n    _: KW_ONLY\n    b: str"),
        ("@dataclass(kw_only=True)", "a: int = 1\n    b: str"),
        ("@dataclass", "a: int = field(init=False, default=1)\n    b: str"),
        ("@other.dataclass", "a: list = []"),
        ("", "a: list = []"),
    ],
)
def test_right_fields(
    decorator: str, fields: str, make_candidate: MakeCandidate
) -> None:
    """Also of classes that another decorator makes."""
    candidate = make_candidate(HEAD % decorator, f"    {fields}\n")
    assert list(check_dataclass_fields(candidate)) == []
