"""Which of the parser's findings hold a candidate back."""

from __future__ import annotations

from typing import get_args

import pytest

from redline.checks.problem import Problem
from redline.checks.reply import check_reply
from redline.text.reply import FaultKind, NoteKind, ReplyKind, ReplyProblem


def check(kind: ReplyKind, instruction: str = "Rename it.") -> tuple[Problem, ...]:
    problem = ReplyProblem(kind=kind, message="A sentence.", line=3)
    return check_reply([problem], instruction=instruction)


@pytest.mark.parametrize("kind", get_args(FaultKind))
def test_faults_are_problems(kind: FaultKind) -> None:
    """With the parser's sentence and place."""
    assert check(kind) == (Problem(rule="reply", message="A sentence.", line=3),)


@pytest.mark.parametrize("kind", get_args(NoteKind))
def test_what_was_fixed_is_no_problem(kind: NoteKind) -> None:
    """The parser's notes do not hold an edit back."""
    assert check(kind) == ()


@pytest.mark.parametrize(
    "instruction",
    [
        "Delete this function.",
        "delete",
        "Please remove the unused imports",
        "get rid of this",
        "Can you drop this class?",
        "This is dead code: remove it.",
        "It is unused, so delete it",
        "I want you to erase these lines.",
        "You can clear all of it",
        "index no longer needed, delete line",
        "Make save a no-op for now, it moves to an actor",
        "supprime la fonction, on ne l'utilise plus",
        "Ya no se usa, elimina esta función",
        "Bitte lösche diese Zeile",
        "Die Funktion löschen.",
        "Rimuovi questo metodo",
        "удали эту функцию",
        "删除这个函数",
        "この関数を削除してください",
        "이 함수를 삭제해 주세요",
    ],
)
def test_an_empty_reply_may_be_a_deletion(instruction: str) -> None:
    """Where the instruction asks for text to go away, nothing is the right answer."""
    assert check("empty", instruction) == ()


@pytest.mark.parametrize(
    "instruction",
    [
        "Rename x to y.",
        "Do not remove anything.",
        "Add types, but don't delete the comments.",
        "Sort them without removing duplicates",
        "Never drop a case",
        "Make this clear to the reader.",
        "Use strip() on the name.",
        "Call remove_user instead of delete_user.",
        "Add a delete button.",
        "Use `del` and `drop`",
        "Keep what was removed.",
        "Use x.clear here.",
        "It can clear the cache: make it faster.",
        "Sort them, remove the line numbers",
        "Do not make it a no-op",
        "If the list is empty, return a no-op",
        "ne supprime pas la fonction",
        "Supprime pas la fonction",
        "no elimines la función",
        "Lösche nicht, sondern benenne um",
        "不要删除这个函数",
        "не удали лишнего",
    ],
)
def test_an_empty_reply_is_no_deletion_unasked(instruction: str) -> None:
    """A word that only looks like a wish to delete does not empty the range."""
    assert len(check("empty", instruction)) == 1


def test_only_emptiness_is_excused_by_a_deletion() -> None:
    """A half-written reply is a problem whatever was asked."""
    assert len(check("truncated", "Delete this.")) == 1


def test_all_faults_are_told_in_order() -> None:
    """None hides another."""
    problems = [
        ReplyProblem(kind="stray-fence", message="One."),
        ReplyProblem(kind="fence", message="A note."),
        ReplyProblem(kind="truncated", message="Two."),
    ]
    found = check_reply(problems, instruction="x")
    assert [problem.message for problem in found] == ["One.", "Two."]
