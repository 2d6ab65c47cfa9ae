"""What an edit without a selection works on: the definition around the cursor."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from redline.errors import ParserEndedError
from redline.parsing.work import Work, WorkRunner
from redline.syntax.language import Language, language_of
from redline.syntax.tree import parse
from redline.text.document import Snapshot
from redline.text.position import Position, Range

_MAX_N_LINES = 200
"""Longest definition that is taken: the cursor in a longer one, such as a class of a
thousand lines, hardly means all of it."""

_MAX_N_CHARS = 1_000_000
"""Longest file that is parsed for this: the user waits for it."""


class CursorTarget(Struct, frozen=True, kw_only=True):
    """The lines that an edit at a cursor works on."""

    range: Range
    """In whole lines; empty: a place for new lines."""
    name: str | None
    """The qualified name of the definition; None: the range is one line, or a place."""


class EnclosingQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """The line whose definition is looked for."""

    text: str
    language: Language
    line: int


class EnclosingDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """The innermost definition around a line."""

    name: str
    """The qualified name."""
    first_line: int
    last_line: int


_ENCLOSING: Work[EnclosingQuestion, list[EnclosingDefinition]] = Work(
    function=f"{__name__}:enclosing_definition", result=list[EnclosingDefinition]
)


def enclosing_definition(question: EnclosingQuestion) -> list[EnclosingDefinition]:
    """Return the definition around a line; none if it is outside of any.

    This runs in a parser process: some texts of a few kilobytes take a grammar
    gigabytes.
    """
    lines = range(question.line, question.line + 1)
    found = parse(question.text, question.language).enclosing(lines)
    if found is None:
        return []
    return [
        EnclosingDefinition(
            name=found.qualified_name,
            first_line=found.first_line,
            last_line=found.last_line,
        )
    ]


async def target_at(
    snapshot: Snapshot, cursor: Position, parser: WorkRunner
) -> CursorTarget:
    """Return what an edit at a cursor works on.

    That is the innermost definition around it; outside of any, in a very long one, or
    in a text that cannot be parsed in time, its line; on a blank line the place for new
    lines.

    Args:
        snapshot: The document.
        cursor: A place in it, in code points.
        parser: Runs the parser.
    """
    line = cursor.line
    if not snapshot.lines[line].strip():
        place = Position(line, 0)
        return CursorTarget(range=Range(place, place), name=None)
    for found in await _definitions(snapshot, line, parser):
        if found.last_line - found.first_line < _MAX_N_LINES:
            return CursorTarget(
                range=_whole(snapshot, found.first_line, found.last_line),
                name=found.name,
            )
    return CursorTarget(range=_whole(snapshot, line, line), name=None)


async def _definitions(
    snapshot: Snapshot, line: int, parser: WorkRunner
) -> list[EnclosingDefinition]:
    language = language_of(snapshot.uri, snapshot.language_id)
    text = snapshot.text
    if language is None or len(text) > _MAX_N_CHARS:
        return []
    question = EnclosingQuestion(text=text, language=language, line=line)
    try:
        return await parser.run(_ENCLOSING, question)
    except ParserEndedError:
        return []


def _whole(snapshot: Snapshot, first: int, last: int) -> Range:
    """Return the range of whole lines, to the start of the next if there is one."""
    if last + 1 < len(snapshot.lines):
        return Range(Position(first, 0), Position(last + 1, 0))
    return Range(Position(first, 0), Position(last, len(snapshot.lines[last])))
