"""`lost-definition`: lines that an edit drops although it should only add something.

A line of any kind is lost if nothing replaces it: a rule of CSS, a constant, a
paragraph. A comment, an `#include` or a line of text is also lost if what replaces it
has other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.requested_changes import wants_addition, wants_deletion
from redline.text.chatter import MARKDOWN_LANGUAGES
from redline.text.line_diff import diff_lines

_WORD = re.compile(r"[^\W_]+")
_NOTE = re.compile(r"(?:#(?![!\[])|//(?!go:)|/\*|\*|--|<!--|;|%|\"\"\")")
_OPEN_WISH = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
_OF_NOTES = re.compile(
    r"\b(?:comment|document|docstring|describ|explain|annotat|note|header|licen[cs]e)",
    re.IGNORECASE,
)
_TEXT = MARKDOWN_LANGUAGES | {"plaintext", "restructuredtext"}
_WITH_DIRECTIVES = frozenset({"c", "cpp", "csharp"})
_MIN_N_WORDS = 2
_MIN_N_WORDS_OF_TEXT = 5
"""Of a line of text that others replace: shorter ones may only hold its place."""
_MAX_QUOTED = 80


def check_kept_lines(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first line that an addition leaves out."""
    wish = candidate.instruction
    if not wants_addition(wish) or wants_deletion(wish):
        return
    old, new = (
        [line.strip() for line in lines]
        for lines in (candidate.old_lines, candidate.new_lines)
    )
    if not any(new):
        return  # Another check reports an empty reply.
    kept, words = set(new), set(_WORD.findall("\n".join(new)))
    for hunk in diff_lines(old, new):
        for text in old[hunk.start : hunk.end]:
            own = set(_WORD.findall(text))
            if (
                text in kept
                or len(own) < _MIN_N_WORDS
                or 2 * len(own - words) < len(own)
            ):
                continue
            if _may_go(candidate, text, words) or _is_replaced(
                candidate, text, hunk.lines
            ):
                continue
            yield Problem(
                rule="lost-definition",
                message="This line is gone, which was not asked for:"
                f" {text[:_MAX_QUOTED]}",
            )
            return


def _may_go(candidate: CheckedEdit, text: str, words: set[str]) -> bool:
    """Whether the instruction names a line, or asks for what a comment says."""
    wish = candidate.instruction
    stems = _stems(_WORD.findall(wish))
    if _is_note(candidate, text):
        if _OPEN_WISH.search(text):
            return True
        stems |= _stems(words) if _OF_NOTES.search(wish) else set()
    return not stems.isdisjoint(_stems(_WORD.findall(text)))


def _stems(words: Iterable[str]) -> set[str]:
    return {word[:5].lower() for word in words if len(word) > 2}


def _is_replaced(candidate: CheckedEdit, text: str, came: Sequence[str]) -> bool:
    """Whether other lines may be in the place of a line."""
    if candidate.language_id in _TEXT:
        return any(came) and len(_WORD.findall(text)) < _MIN_N_WORDS_OF_TEXT
    if _is_note(candidate, text):
        return any(came) and _OF_NOTES.search(candidate.instruction) is not None
    return any(one and not _is_note(candidate, one) for one in came)


def _is_note(candidate: CheckedEdit, text: str) -> bool:
    is_directive = candidate.language_id in _WITH_DIRECTIVES and text.startswith("#")
    return not is_directive and _NOTE.match(text) is not None
