"""The rules for lines, words and comments of any language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from redline.gateway.rules.case_rule import change_case_in_words
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


def comment_out(region: EditedLines) -> Outcome:
    """Put the language's comment marks before, or around, the range's lines."""
    syntax = syntax_of(region.language)
    lines = split_lines(region.target)
    if syntax is not None and syntax.line_comment:
        mark = syntax.line_comment.rstrip()
        indents = [_indent(line) for line in lines if line.strip()]
        # Readers of replies expect the first line to keep its indentation.
        at = indents[0] if indents[0] == min(indents) else None
        return _joined(_marked(line, mark, at) for line in lines)
    if syntax is not None and syntax.block_comment:
        opening, closing = syntax.block_comment
        if opening in region.target or closing in region.target:
            return Declined(reason="there is a comment in the range, and none may nest")
        return _joined(
            _indented(line, f"{opening} {line.strip()} {closing}") for line in lines
        )
    return _unknown(region)


def uncomment(region: EditedLines) -> Outcome:
    """Remove the comment marks of the range's lines."""
    syntax = syntax_of(region.language)
    lines = split_lines(region.target)
    if syntax is not None and syntax.line_comment:
        mark = syntax.line_comment.rstrip()
        return _joined(_without_mark(line, mark) for line in lines)
    if syntax is not None and syntax.block_comment:
        opening, closing = syntax.block_comment
        return _joined(_without_pair(line, opening, closing) for line in lines)
    return _unknown(region)


def _marked(line: str, mark: str, at: int | None) -> str:
    """Insert a mark at a column, or where the line's text begins."""
    if not line.strip():
        return line
    at = _indent(line) if at is None else at
    return f"{line[:at]}{mark} {line[at:]}"


def _without_mark(line: str, mark: str) -> str:
    text = line.lstrip()
    if not text.startswith(mark):
        return line
    rest = text.removeprefix(mark).removeprefix(" ")
    return line[: _indent(line)] + rest if rest else ""


def _without_pair(line: str, opening: str, closing: str) -> str:
    text = line.strip()
    if not (text.startswith(opening) and text.endswith(closing)):
        return line
    inner = text.removeprefix(opening).removesuffix(closing).strip()
    # Two comments on one line are not one.
    return line if opening in inner else _indented(line, inner)


def _indented(line: str, text: str) -> str:
    return line[: _indent(line)] + text if line.strip() else line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


def _unknown(region: EditedLines) -> Declined:
    return Declined(
        reason=f"it does not know how {region.language or 'this language'} writes"
        " comments"
    )


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
    if declined := _nesting(region, lines) or _comments(region, lines):
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


def _comments(region: EditedLines, lines: list[str]) -> Declined | None:
    """Decline to part comments from the lines that they stand above."""
    syntax = syntax_of(region.language)
    if syntax is None or syntax.is_prose:
        return None
    signs = [syntax.line_comment] if syntax.line_comment else []
    signs += [syntax.block_comment[0]] if syntax.block_comment else []
    texts = [line.strip() for line in lines if line.strip()]
    are_comments = {text.startswith(tuple(signs)) for text in texts}
    if len(are_comments) <= 1:
        return None
    return Declined(
        reason="some of the lines are comments, which belong to other lines; select"
        " lines without comments"
    )


_BY_RULE: dict[LineRule, Callable[[EditedLines], Outcome]] = {
    "unique-lines": _unique,
    "comment": comment_out,
    "uncomment": uncomment,
}
