"""The rules for lines and words of any language."""

from __future__ import annotations

import re
from collections.abc import Callable

from redline.gateway.rules.case_rule import change_case_in_words
from redline.gateway.rules.comments import comment_out, uncomment
from redline.gateway.rules.language_syntax import syntax_of
from redline.gateway.rules.region import Declined, EditedLines, Outcome
from redline.gateway.rules.search_blocks import split_lines
from redline.gateway.rules.word_rename import rename_word
from redline.instructions.request import (
    ChangeCase,
    LineRequest,
    LineRule,
    Rename,
    SortLines,
)

_BARE = re.compile(r"[^\w]*")


def apply_to_lines(
    region: EditedLines, request: LineRequest | SortLines | Rename | ChangeCase
) -> Outcome:
    """Carry out one request."""
    match request:
        case SortLines():
            return _sorted(region, request)
        case Rename():
            return rename_word(region, request)
        case ChangeCase():
            return change_case_in_words(region, request)
        case LineRequest():
            return _BY_RULE[request.rule](region)


def _sorted(region: EditedLines, request: SortLines) -> Outcome:
    lines = split_lines(region.target)
    if declined := _nesting(region, lines):
        return declined

    def key(line: str) -> str:
        line = line.strip()
        return line.casefold() if request.ignores_case else line

    result: list[str] = []
    paragraph: list[str] = []
    # Blank lines separate the sorted groups; the added one ends the last group.
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line)
            continue
        ordered = sorted(paragraph, key=key, reverse=request.is_reversed)
        result += [*_with_commas(ordered, paragraph), line]
        paragraph = []
    return "\n".join(result[:-1]) + "\n"


def _with_commas(ordered: list[str], original: list[str]) -> list[str]:
    """Move the missing comma to the new last line."""
    *head, last = original or [""]
    if not head or last.endswith(",") or not all(line.endswith(",") for line in head):
        return ordered
    bare = [line.removesuffix(",") for line in ordered]
    return [f"{line}," for line in bare[:-1]] + bare[-1:]


def _unique(region: EditedLines) -> Outcome:
    lines = split_lines(region.target)
    if declined := _nesting(region, lines):
        return declined
    seen: set[str] = set()
    kept = []
    for line in lines:
        text = line.rstrip()
        if _BARE.fullmatch(text) or text not in seen:
            kept.append(line)
        seen.add(text)
    return "\n".join(kept) + "\n"


def _nesting(region: EditedLines, lines: list[str]) -> Declined | None:
    """Decline to move lines of code that are nested in each other."""
    syntax = syntax_of(region.language)
    if syntax is not None and syntax.is_prose:
        return None
    indents = {line[: len(line) - len(line.lstrip())] for line in lines if line.strip()}
    if len(indents) <= 1:
        return None
    return Declined(
        reason="the lines are indented differently, so some belong to others; select"
        " lines of one level"
    )


_BY_RULE: dict[LineRule, Callable[[EditedLines], Outcome]] = {
    "unique-lines": _unique,
    "comment": comment_out,
    "uncomment": uncomment,
}
