"""Fits the indentation of a reply to the cursor's line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf

from msgspec import Struct

from redline.completion.brackets import LONG_QUOTES, open_in
from redline.completion.place import (
    TAB_WIDTH,
    Place,
    depth_of,
    is_definition,
    opens_block,
    white_space,
)
from redline.text.here_documents import here_document_end

DEDENTS = re.compile(r"\s*(?:(else|elif|except|finally|catch|case|default)\b|[)\]}])")
"""Lines that may stand further left than the line before them."""

_LONG = frozenset((*LONG_QUOTES, "`"))

_N_APART = 2
"""Blank lines that are only written between definitions of a file."""

_PARTNERS = {
    "else": ("if", "elif", "for", "while", "try", "except"),
    "elif": ("if", "elif"),
    "except": ("try", "except"),
    "finally": ("try", "except", "else"),
    "catch": ("try",),
    "case": ("case", "match", "switch"),
    "default": ("case", "switch"),
}


class Indented(Struct, frozen=True):
    """A text to insert, and how much white space before the cursor it replaces."""

    text: str
    n_left: int = 0


def fit_indent(text: str, place: Place, *, is_absolute: bool = False) -> Indented:
    """Indent the lines of a text as the cursor's line asks.

    Only constant shifts are made: the depth of lines relative to each other stays.
    Lines of a string or a here-document that the text opens stay as they are.

    Args:
        text: What is to be inserted.
        place: The cursor.
        is_absolute: Whether it is certain that its lines have the margins of the file.
    """
    lines = text.split("\n")
    quoted = _quoted(lines, place)
    code = [line for at, line in enumerate(lines) if at not in quoted]
    fitted = _fit(code, place, is_absolute=is_absolute)
    if not quoted:
        return fitted
    rest = iter(fitted.text.split("\n"))
    whole = [line if at in quoted else next(rest, "") for at, line in enumerate(lines)]
    return Indented("\n".join(whole), fitted.n_left)


def _quoted(lines: Sequence[str], place: Place) -> set[int]:
    """Return the lines of long strings, but docstrings, and of here-documents that
    begin in the cursor's line or behind it.
    """
    found: set[int] = set()
    if len(lines) == 1 or place.around.openings.quote:
        return found
    end = ""
    for at, line in enumerate([place.left + lines[0], *lines[1:]]):
        if end:
            found.add(at)
            is_over = line.strip() == end if end.isidentifier() else end in line
            end = "" if is_over else end
            continue
        end = here_document_end(line, place.language)
        quote = open_in([line], place.language).quote
        if quote in _LONG and not line.lstrip().startswith(quote):
            end = quote
    return found


def _fit(lines: list[str], place: Place, *, is_absolute: bool) -> Indented:
    has_own_line = lines[0] == "" and len(lines) > 1
    if not place.is_blank:
        base = depth_of(place.left)
        if is_absolute:
            rest = _shifted(lines[1:], 0, place)
        elif has_own_line:
            rest = _placed(lines[1:], place, _after(place))
        else:
            shift = _shift(lines, base, place.left + lines[0], place)
            rest = _shifted(lines[1:], shift, place)
        return Indented("\n".join([lines[0], *rest]))
    first = lines[0].strip()
    given, have = depth_of(lines[0]), depth_of(place.left)
    want = _wanted(first, given, place)
    if given > 1 and first and not _is_absolute(lines, want, place):
        shift = want - given
    elif is_absolute:
        shift = 0
    else:
        shift = _shift(["", *lines[1:]], want, first, place)
    rest = _shifted(lines[1:], shift, place)
    head = lines[0].lstrip(" \t")
    if want >= have:
        added = white_space(want, place.unit)[len(place.left) :]
        if not white_space(want, place.unit).startswith(place.left):
            added = ""
        return Indented("\n".join([added + head, *rest]))
    kept = white_space(want, place.unit)
    n_left = len(place.left) - len(kept) if place.left.startswith(kept) else 0
    return Indented("\n".join([head, *rest]), n_left)


def _is_absolute(lines: Sequence[str], want: int, place: Place) -> bool:
    """Whether the lines after the first have the depths of the file, though the first
    has another than it wants."""
    unit = len(place.unit.expandtabs(TAB_WIDTH))
    first = lines[0]
    step = unit if opens_block(first) else 0
    given = depth_of(first)
    after = next((depth_of(line) for line in lines[1:] if line.strip()), given)
    if after == want + step:
        return after != given + step
    # Nothing lets the next line be deeper, so it is no deeper in the file.
    is_closed = not (step or open_in([first], place.language).closers)
    return is_closed and given < after < want


def _wanted(first: str, given: int, place: Place) -> int:
    """Return the depth of the first line, in a line that is blank before the cursor."""
    have = depth_of(place.left)
    if place.language == "makefile":
        return max(given, have)
    if place.around.openings.quote in LONG_QUOTES:
        # What looks like code in a long string need not be.
        return have
    if found := DEDENTS.match(first):
        partner = _partner_depth(found[1], first, place)
        return min(have, given) if partner is None and given else _least(have, partner)
    header = place.last_line
    if opens_block(header) and have <= depth_of(header):
        # A deeper line below shows that the block has its text already.
        return depth_of(header) + len(place.unit.expandtabs(TAB_WIDTH))
    if not have and given in {depth_of(line) for line in place.above if line.strip()}:
        # Between two methods, say: at the margin the cursor has no depth of its own.
        return given
    return have


def _least(have: int, partner: int | None) -> int:
    return have if partner is None else min(have, partner)


def _partner_depth(word: str | None, first: str, place: Place) -> int | None:
    """Return the depth of the line that a dedent belongs to."""
    have = depth_of(place.left)
    if word is None:
        return _opener_depth(first[0], place)
    limit = have
    for line in reversed(place.above):
        if not line.strip() or depth_of(line) > limit:
            continue
        limit = depth_of(line)
        if line.lstrip(" \t}").startswith(_PARTNERS[word]):
            return limit
    return None


def _opener_depth(closer: str, place: Place) -> int | None:
    for at in range(len(place.above) - 1, -1, -1):
        missing = open_in(place.above[at:], place.language).closers
        if missing and missing[0] == closer:
            return depth_of(place.above[at])
    return None


def _after(place: Place) -> int:
    """Return the depth of a line after the cursor's."""
    unit = len(place.unit.expandtabs(TAB_WIDTH))
    is_open = opens_block(place.left) or open_in([place.left], place.language).closers
    return depth_of(place.left) + (unit if is_open else 0)


def _placed(lines: Sequence[str], place: Place, want: int) -> list[str]:
    """Shift lines that begin a line of their own."""
    base = depth_of(place.left)
    first = next((line for line in lines if line.strip()), "")
    given = depth_of(first)
    is_dedent = want == base and (0 < given < base or given >= _text_depth(place))
    is_written = is_dedent or _begins_definition(lines)
    if DEDENTS.match(first) or given in (want, base) or is_written:
        # Written with the depths of the file.
        return _shifted(lines, 0, place)
    return _shifted(lines, want - given if given < base else 0, place)


def _shift(lines: Sequence[str], base: int, first: str, place: Place) -> int:
    """Return the shift of the lines after the first.

    They may be written as in the file, or as if the first line began at the margin.
    """
    rest = [line for line in lines[1:] if line.strip()]
    if not rest or not base:
        return 0
    # Only the next line decides, so that later ones do not move what is shown.
    depth = depth_of(rest[0])
    if _begins_definition(lines[1:]):
        return 0
    if opens_block(first):
        return 0 if depth > base else base
    # Above a blank line, a bracket is open by mistake.
    is_above_text = bool(lines[1].strip())
    goes_on = is_above_text and bool(open_in([first], place.language).closers)
    # What looks like code in a long string need not be.
    is_text = depth > 0 and place.around.openings.quote in LONG_QUOTES
    if not (is_text or goes_on) and (found := DEDENTS.match(rest[0])):
        partner = _partner_depth(found[1], rest[0].strip(), place)
        return 0 if partner is None else partner - depth
    # A smaller depth that is not the margin's ends a paragraph or a block, unless the
    # line goes on.
    is_dedent = depth > 0 and not goes_on
    if depth >= base or is_dedent or depth >= _text_depth(place):
        return 0
    return base


def _begins_definition(lines: Sequence[str]) -> bool:
    """Whether lines begin with blank ones and the next definition of the file, which
    has the depth that it has there."""
    n_blank = next((at for at, line in enumerate(lines) if line.strip()), 0)
    first = lines[n_blank]
    is_definition_line = is_definition(first) or first.lstrip().startswith("@")
    return n_blank >= _N_APART or (n_blank > 0 and is_definition_line)


def _text_depth(place: Place) -> float:
    """Return the depth of the line in which the long string at the cursor begins, below
    which its paragraphs do not go; infinite outside of one, or above what is known."""
    if place.around.openings.quote not in LONG_QUOTES:
        return inf
    for at in range(len(place.above) - 1, -1, -1):
        line = place.above[at]
        if open_in([line], place.language).quote == place.around.openings.quote:
            return depth_of(line)
    return inf


def _shifted(lines: Sequence[str], shift: int, place: Place) -> list[str]:
    """Shift lines, written with the file's tabs or blanks."""
    scale = _scale(lines, place)
    return [
        white_space(max(0, depth_of(line) * scale + shift), place.unit)
        + line.lstrip(" \t")
        if line.strip()
        else ""
        for line in lines
    ]


def _scale(lines: Sequence[str], place: Place) -> int:
    """Return 2 if a file with tabs is answered with two blanks for each."""
    if place.unit != "\t":
        return 1
    depths = [depth_of(line) for line in lines if line.strip()]
    return 2 if any(depth % TAB_WIDTH for depth in depths) else 1
