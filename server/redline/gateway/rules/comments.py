"""Comments lines out and removes comment marks."""

from __future__ import annotations

from collections.abc import Iterable

from redline.gateway.rules.language_syntax import syntax_of
from redline.gateway.rules.region import Declined, EditedLines, Outcome
from redline.gateway.rules.search_blocks import split_lines


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
