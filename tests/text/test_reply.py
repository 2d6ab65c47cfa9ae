"""What a reply's values say about themselves."""

from __future__ import annotations

from typing import get_args

import pytest

from redline.text.reply import (
    DECLINED,
    FaultKind,
    NoteKind,
    Reply,
    ReplyKind,
    ReplyProblem,
    read_decline,
)


@pytest.mark.parametrize("kind", get_args(NoteKind))
def test_a_note_is_no_fault(kind: ReplyKind) -> None:
    problem = ReplyProblem(kind=kind, message="m")
    assert not problem.is_fault
    assert Reply(lines=("a\n",), problems=(problem,)).is_understood


@pytest.mark.parametrize("kind", get_args(FaultKind))
def test_a_fault_is_not_understood(kind: ReplyKind) -> None:
    problem = ReplyProblem(kind=kind, message="m")
    assert problem.is_fault
    assert not Reply(lines=None, problems=(problem,)).is_understood


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (f"{DECLINED} it is right", "it is right"),
        (f"  {DECLINED}it is right  ", "it is right"),
        (f"**{DECLINED}** it is *right*", "it is *right"),
        (DECLINED, ""),
        ("NO CHANGE", None),
        ("no change: x", None),
        (f"x {DECLINED} y", None),
    ],
)
def test_the_marker_starts_the_line(line: str, reason: str | None) -> None:
    assert read_decline(line) == reason
