"""Applies fixes of ruff inside the range only.

ruff reports its fixes without applying them. A fix is used only if all its edits are in
the range, and if ruff or the calling rule considers it safe.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import accumulate
from pathlib import PurePosixPath
from typing import Literal

from msgspec.structs import replace

from redline.checks.ruff import MAX_CHARS, RuffEdit, RuffMessage, ask_ruff
from redline.errors import LinterError
from redline.gateway.rules.python_source import parses
from redline.gateway.rules.region import Declined, EditedLines, Outcome
from redline.instructions.request import LintFix

Place = tuple[int, int]
"""A line and a column, both from 1, in code points."""

Accept = Callable[[str, list[RuffMessage]], list[RuffMessage]]
"""Selects from ruff's messages about a text."""

RuffRule = Literal["sort-imports", "unused-imports", "lint"]

_MAX_ROUNDS = 10
"""Most rounds, since one fix can enable another; ruff itself stops after 100."""

_SELECTED: dict[RuffRule, str] = {
    "sort-imports": "I001",
    "unused-imports": "F401",
    "lint": "F,E,W,I,B,C4,PIE,SIM,UP",
}
_TARGET_VERSION = "py39"
"""The oldest Python that the fixed code may have to support."""


def apply_ruff(region: EditedLines, rule: RuffRule) -> Outcome:
    """Apply a rule's safe fixes until there are none left in the range."""
    if rule == "sort-imports" and not region.is_whole_file:
        # Imports alone can be sorted without the rest of the file.
        region = replace(region, before="", after="", is_whole_file=True)
    return _fixed(region, _SELECTED[rule], _safe)


def apply_lint_fix(region: EditedLines, request: LintFix) -> Outcome:
    """Apply the safe fixes of some of ruff's rules, in the file or on one line."""

    def on_line(text: str, messages: list[RuffMessage]) -> list[RuffMessage]:
        at = request.line
        return [m for m in _safe(text, messages) if at in (None, m.location.row)]

    # One round only: it may move the line.
    n_rounds = _MAX_ROUNDS if request.line is None else 1
    outcome = _fixed(region, ",".join(request.codes), on_line, n_rounds=n_rounds)
    if outcome == region.target:
        place = "here" if request.line is None else f"on line {request.line}"
        codes = ", ".join(request.codes)
        return Declined(reason=f"ruff has no safe fix of {codes} {place}")
    return outcome


def fix_formats(
    region: EditedLines, certain_places: Callable[[str], Collection[Place]]
) -> Outcome:
    """Convert formats to f-strings at the places that are certain.

    ruff converts via `str.format`, which takes two rounds.
    """

    def certain(text: str, messages: list[RuffMessage]) -> list[RuffMessage]:
        places = certain_places(text)
        return [m for m in messages if (m.location.row, m.location.column) in places]

    return _fixed(region, "UP030,UP031,UP032", certain)


def _safe(text: str, messages: list[RuffMessage]) -> list[RuffMessage]:
    return [m for m in messages if m.fix is not None and m.fix.applicability == "safe"]


def _fixed(
    region: EditedLines, rules: str, accept: Accept, *, n_rounds: int = _MAX_ROUNDS
) -> Outcome:
    if len(region.text) > MAX_CHARS:
        return Declined(reason="the file is too long")
    if not region.is_whole_file:
        return Declined(reason="it would have to see the whole file for this")
    if not parses(region.text):
        return Declined(reason="the file cannot be parsed as Python")
    try:
        return _apply_fixes(region, rules, accept, n_rounds)
    except LinterError as error:
        return Declined(reason=str(error))


def _apply_fixes(region: EditedLines, rules: str, accept: Accept, n_rounds: int) -> str:
    for _ in range(n_rounds):
        batches = _batches(region, accept(region.text, _asked(region, rules)))
        targets = (_applied(region, batch) for batch in batches)
        target = next((text for text in targets if text is not None), None)
        if target is None:
            break
        region = region.with_target(target)
    return region.target


Edit = tuple[int, int, str]


def line_starts(lines: Iterable[str]) -> list[int]:
    """Return the offset where each line begins, and that of the text's end."""
    return [0, *accumulate(len(line) + 1 for line in lines)]


def offsets(edit: RuffEdit, starts: Sequence[int], *, first_line: int = 0) -> Edit:
    """Return an edit by its offsets in a text that begins at a line, from 0."""
    at, end = edit.location, edit.end_location
    return (
        starts[at.row - 1 - first_line] + at.column - 1,
        starts[end.row - 1 - first_line] + end.column - 1,
        edit.content,
    )


def _batches(region: EditedLines, messages: list[RuffMessage]) -> list[list[Edit]]:
    """Return the fixes that are compatible, and as a fallback the first one alone."""
    starts = line_starts(region.text.split("\n"))
    start = len(region.before)
    end = start + len(region.target)
    taken: list[Edit] = []
    first: list[Edit] = []
    for message in messages:
        if message.fix is None:
            continue
        edits = [offsets(edit, starts) for edit in message.fix.edits]
        is_inside = all(start <= s and e <= end for s, e, _ in edits)
        is_apart = all(e < s2 or e2 < s for s, e, _ in edits for s2, e2, _ in taken)
        if is_inside and is_apart and edits:
            taken += edits
            first = first or edits
    return [batch for batch in (taken, first) if batch]


def _applied(region: EditedLines, edits: list[Edit]) -> str | None:
    """Return the new range; None if the file could no longer be parsed."""
    offset = len(region.before)
    target = region.target
    for start, end, text in sorted(edits, reverse=True):
        target = target[: start - offset] + text + target[end - offset :]
    return target if parses(region.with_target(target).text) else None


def _asked(region: EditedLines, rules: str) -> list[RuffMessage]:
    return ask_ruff(
        region.text,
        path=region.path,
        rules=rules,
        target_version=_TARGET_VERSION,
        first_party=_first_party(region.path),
    )


def _first_party(path: str) -> list[str]:
    """Return the folders around the file, whose modules are the project's own."""
    names = PurePosixPath(path.replace("\\", "/")).parent.parts
    return [n for n in names if n.isidentifier() and n not in sys.stdlib_module_names]
