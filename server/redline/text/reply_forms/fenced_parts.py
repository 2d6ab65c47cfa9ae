"""Takes the code out of a page of Markdown whose text does not read as talk.

Headings, lists, tabs and tags around the only fenced block are no code, if the block
fits the range and none of them is a line of the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.text.chatter import PROSE_LANGUAGES, is_beside_code
from redline.text.fence import read_fence
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Surroundings

_MARKS = ("```", "~~~")
_OUTSIDE = re.compile(
    r"#{1,6} \S.*|[-*+\u2022] \S.*|\d{1,3}[.)] \S.*|[*_]{2}[^*_].*|={3}\+? \".*"
    r"|:{3}.*|</?[a-z]+>.*|[-=*_]{3,}|[\w./-]+\.\w{1,5}:?|[A-Z][\w ]{0,40}[:.!?]"
    r"|[\u2013\u2014].*|\|.*\|"
)
"""A line of Markdown that is no code."""


def block_on_page(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Return the only fenced block, in its fences; None if other lines may be code."""
    if around.language in PROSE_LANGUAGES or around.may_be_in_text:
        return None
    places = [at for at, line in enumerate(lines) if line.lstrip().startswith(_MARKS)]
    if not places or any(line.lstrip().startswith(_MARKS) for line in around.lines):
        return None
    start, stop = places[0], places[-1]
    opening, closing = read_fence(lines[start]), read_fence(lines[stop])
    if opening is None or closing is None or start == stop:
        return None
    if not (closing.is_bare and closing.may_end(opening)):
        return None
    inner = [_without(line, opening.indent) for line in lines[start + 1 : stop]]
    # Other marks within the block are text of it.
    if any(one.startswith(_MARKS) for one in inner) or not fits(inner, around):
        return None
    beside = [line for line in (*lines[:start], *lines[stop + 1 :]) if line.strip()]
    if not beside:
        return None  # Nothing is around the block.
    is_page = all(
        _OUTSIDE.fullmatch(line.strip()) or is_beside_code(line) for line in beside
    )
    if not is_page or any(line.strip() in around.texts for line in beside):
        return None
    return [opening.run, *inner, opening.run]


def _without(line: str, indent: str) -> str:
    return line.removeprefix(indent) if line.strip() else ""
