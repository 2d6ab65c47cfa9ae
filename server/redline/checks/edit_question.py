"""The question and the answer of the checks, as a parser process gets and gives them.

Importing this module loads no rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from redline.checks.problem import Problem
from redline.errors import ParserEndedError
from redline.parsing.work import Work
from redline.text.line_diff import LineHunk

UNCHECKED = "unchecked"
"""The rule of the problem that the checks did not come to an end."""


class CheckedFolders(msgspec.Struct, frozen=True, kw_only=True):
    """What an edit's imports are resolved with."""

    roots: tuple[str, ...]
    """URIs of the open folders."""
    python: str | None = None
    """The environment that the user chose; None: search for it."""
    open_texts: Mapping[str, Sequence[str]] = {}
    """The lines of the files that are open in the editor, by URI."""


class EditCheck(msgspec.Struct, frozen=True, kw_only=True):
    """An edit to check; see `CheckedEdit`."""

    before: Sequence[str]
    first: int
    """The first line of the region."""
    n_old: int
    """The number of its lines before the edit."""
    new: Sequence[str]
    """Its lines after the edit."""
    lead: Sequence[str] = ()
    """Lines of imports that came in front of them, without ends."""
    adds_imports: bool = False
    """Whether imports above the region may be changed."""
    after: Sequence[str] | None = None
    """The whole file after the edit; None: only the region differs."""
    language: str
    path: str
    instruction: str
    kind: str = ""
    secrets: tuple[str, ...] = ()
    """Values that the model saw placeholders of."""
    reply_problems: tuple[Problem, ...] = ()
    """Problems of the whole reply, such as being cut off, which rules cannot see."""
    off: frozenset[str] = frozenset()
    """Ids of the rules that do not run."""
    environment: CheckedFolders


class EditVerdict(msgspec.Struct, frozen=True, kw_only=True):
    problems: tuple[Problem, ...]
    score: float
    imports: tuple[LineHunk, ...] | None = ()
    """The changes of imports above the region, which are checked with it; None: those
    that came have no place there, and nothing is checked."""
    passed: tuple[str, ...] = ()
    """Ids of the rules that ran and found nothing."""


CHECK: Work[EditCheck, EditVerdict] = Work(
    function="redline.checks.check_process:check_edit", result=EditVerdict
)
"""Check one edit; the argument is an `EditCheck`."""


def unchecked(error: ParserEndedError) -> Problem:
    """Return the problem of an edit that could not be checked."""
    return Problem(
        rule=UNCHECKED,
        message=f"The edit is not checked: {error.reason}. Read it before accepting.",
    )
