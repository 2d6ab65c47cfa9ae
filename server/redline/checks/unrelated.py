"""`unrelated`: an answer to something else, which shares no word with its range."""

from __future__ import annotations

import re
from collections.abc import Iterable

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.syntax.word_set import word_set

_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}")
"""A part of a name: `total` of `lineTotal` and of `line_total`."""

_COMMON = word_set(
    "abstract and arg args array async await begin bool boolean break byte"
    " case catch char class const continue data def default define delete"
    " dict do double elif else elsif end enum err error except export"
    " extends extern false final finally float for from func function get"
    " global goto group if impl import in include index int interface"
    " internal is item key len length let list local long loop main map"
    " match message mod module mut name namespace new nil none not null num"
    " number object of or order out package param pass print private"
    " protected pub public raise range ref require result return select self"
    " set short size static std str string struct super switch table test text"
    " then this throw true try tuple type typeof undefined union unsigned"
    " use using val value values var vec void when where while with yield"
    " log console println echo append push the that all are has have its"
    " into each"
)
_MIN_WORDS = 3
_MIN_N_LINES = 3
"""Fewer words or lines say too little."""


def check_unrelated(candidate: CheckedEdit) -> Iterable[Problem]:
    """Report code that has no word of the range, its definition or the instruction."""
    old = _words("".join(candidate.old_lines))
    new = _words("".join(candidate.new_lines))
    n_lines = sum(1 for line in candidate.new_lines if line.strip())
    if not old or not new or n_lines < _MIN_N_LINES:
        return
    if len(old) < _MIN_WORDS:
        # So few words of a line say little; those of the whole file say more. Several
        # lines may be data, such as the rows of a table.
        if len(new) < _MIN_WORDS or len(candidate.old_lines) > 1:
            return
        old = _words(candidate.text_before)
    if new & (old | _words(candidate.instruction)) or candidate.grammar is None:
        return
    tree = candidate.tree_before
    around = None if tree is None else tree.enclosing(candidate.region_before)
    if around is not None and new & _words(around.signature):
        return
    yield Problem(
        rule="unrelated",
        message="The new code has no name in common with the code that it replaces.",
    )


def _words(text: str) -> set[str]:
    return {found.lower() for found in _WORD.findall(text)} - _COMMON
