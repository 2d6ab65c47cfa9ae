"""What an edit without a selection works on: the definition around the cursor."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from redline.syntax.facts import Definition
from redline.syntax.language import language_of
from redline.syntax.tree import parse
from redline.text.document import Snapshot
from redline.text.position import Position, Range

_MAX_N_LINES = 200
"""Longest definition that is taken: the cursor in a longer one, such as a class of a
thousand lines, hardly means all of it."""

_MAX_N_CHARS = 1_000_000
"""Longest file that is parsed for this: the user waits for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CursorTarget:
    """The lines that an edit at a cursor works on."""

    range: Range
    """In whole lines; empty: a place for new lines."""
    name: str | None
    """The qualified name of the definition; None: the range is one line, or a place."""


async def target_at(snapshot: Snapshot, cursor: Position) -> CursorTarget:
    """Return what an edit at a cursor works on.

    That is the innermost definition around it; outside of any, or in a very long one,
    its line; on a blank line the place for new lines.

    Args:
        snapshot: The document.
        cursor: A place in it, in code points.
    """
    line = cursor.line
    if not snapshot.lines[line].strip():
        place = Position(line, 0)
        return CursorTarget(range=Range(place, place), name=None)
    definition = await asyncio.to_thread(_definition, snapshot, line)
    if definition is None:
        return CursorTarget(range=_whole(snapshot, line, line), name=None)
    return CursorTarget(
        range=_whole(snapshot, definition.first_line, definition.last_line),
        name=definition.qualified_name,
    )


def _definition(snapshot: Snapshot, line: int) -> Definition | None:
    language = language_of(snapshot.uri, snapshot.language_id)
    text = snapshot.text
    if language is None or len(text) > _MAX_N_CHARS:
        return None
    definition = parse(text, language).enclosing(range(line, line + 1))
    if definition is None:
        return None
    n_lines = definition.last_line - definition.first_line + 1
    return definition if n_lines <= _MAX_N_LINES else None


def _whole(snapshot: Snapshot, first: int, last: int) -> Range:
    """Return the range of whole lines, to the start of the next if there is one."""
    if last + 1 < len(snapshot.lines):
        return Range(Position(first, 0), Position(last + 1, 0))
    return Range(Position(first, 0), Position(last, len(snapshot.lines[last])))
