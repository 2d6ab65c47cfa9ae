"""What follows from a change by rules: here, or for long parts in a parser process.

The event loop may only read a few thousand characters. A class or function that is
longer is read by a process, where a rule may take its time.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from redline.next_edits.importers import ExportedRename, exported_rename
from redline.next_edits.journal import UserChange
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.rules import find_next_edits
from redline.next_edits.source import MAX_TOKENIZED, EditedSource, TooLongError
from redline.parsing.work import Work
from redline.text.position import Position

_MAX_TOKENIZED = 300_000
"""Characters that a process may tokenize, which takes about half a second."""


class RuleSearch(Struct, frozen=True, kw_only=True):
    """A document after a change."""

    lines: Sequence[str]
    language: str
    path: str
    """Relative to the workspace folder; empty: it is in none."""
    changes: tuple[UserChange, ...]
    cursor: Position | None
    now_s: float
    removes_imports: bool


class RuleAnswer(Struct, frozen=True, kw_only=True):
    """What follows from the last change."""

    edits: tuple[NextEdit, ...] = ()
    exported: ExportedRename | None = None
    """A renamed definition that other files may import."""


APPLY_RULES: Work[RuleSearch, RuleAnswer] = Work(
    function="redline.assist.suggestions.next_edits.rule_search:apply_rules_to_long",
    result=RuleAnswer,
)


def apply_rules(
    search: RuleSearch, *, max_tokenized: int = MAX_TOKENIZED
) -> RuleAnswer:
    """Apply the rules.

    Raises:
        TooLongError: If nothing is found, and a rule would have to read more.
    """
    edits = find_next_edits(
        search.lines,
        search.language,
        search.changes,
        search.cursor,
        search.now_s,
        removes_imports=search.removes_imports,
        max_tokenized=max_tokenized,
    )
    exported = None
    changes = search.changes
    if search.path and changes and not changes[-1].is_accepted:
        source = EditedSource(
            search.lines, search.language, max_tokenized=max_tokenized
        )
        exported = exported_rename(source, changes[-1], search.path)
    return RuleAnswer(edits=tuple(edits), exported=exported)


def apply_rules_to_long(search: RuleSearch) -> RuleAnswer:
    """Apply the rules in a parser process; what is still too long has no next edit."""
    try:
        return apply_rules(search, max_tokenized=_MAX_TOKENIZED)
    except TooLongError:
        return RuleAnswer()
