"""K3: two neighbouring lines were changed by one program; the lines below follow.

Two lines have one shape if their tokens agree, with names, numbers and strings left
open. A program says for each token of the new line whether it is new, or which token of
the old line it repeats. It is applied to the lines below, up to the first one of
another shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from redline.next_edits.journal import replaced
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.source import EditedSource
from redline.next_edits.tokens import Family, Token, tokens
from redline.text.lines import strip_end

_MAX_FOLLOWING = 50
_MAX_LINE = 400

Program: TypeAlias = tuple[str | int, ...]
"""For each token of the new line: its text, or the index of an old one."""


def line_pattern(
    source: EditedSource, pairs: Sequence[tuple[int, str, str]]
) -> list[NextEdit]:
    """Return the lines below that the last two changed lines apply to.

    Args:
        source: The document.
        pairs: The lines that the user changed lately: number, old and new; the newest
            last.
    """
    if len(pairs) < 2:
        return []
    one, other = sorted(pairs[-2:])
    if other[0] != one[0] + 1:
        return []
    shape = _shape(one[1], source.family)
    if shape is None or shape != _shape(other[1], source.family):
        return []
    program = _program(one, other, source.family)
    if program is None:
        return []
    offers: list[NextEdit] = []
    end = min(other[0] + 1 + _MAX_FOLLOWING, len(source.lines))
    for line in range(other[0] + 1, end):
        text = source.lines[line]
        if _shape(text, source.family) != shape:
            break
        new = _run(program, text, source.family)
        if (offer := _offer(source, line, text, new)) is not None:
            offers.append(offer)
    return offers


def _shape(line: str, family: Family) -> tuple[str, ...] | None:
    """Return what the tokens of a line are; None: it says too little."""
    text = strip_end(line)
    if not text.strip() or len(text) > _MAX_LINE:
        return None
    split = tokens(text, family)
    if all(one.kind in ("op", "blank") for one in split):
        return None
    return tuple(
        one.text if one.kind in ("op", "blank") or _is_keyword(one) else one.kind
        for one in split
    )


def _is_keyword(token: Token) -> bool:
    return token.text in (
        "def", "class", "return", "import", "from", "if", "for", "while", "const",
        "let", "var", "public", "private", "static", "assert", "raise", "await",
    )  # fmt: skip


def _program(
    one: tuple[int, str, str], other: tuple[int, str, str], family: Family
) -> Program | None:
    olds = [_texts(pair[1], family) for pair in (one, other)]
    news = [_texts(pair[2], family) for pair in (one, other)]
    if len(news[0]) != len(news[1]) or len(olds[0]) != len(olds[1]):
        return None
    program: list[str | int] = []
    for index, (left, right) in enumerate(zip(*news, strict=True)):
        sources = [
            number
            for number, (a, b) in enumerate(zip(*olds, strict=True))
            if (a, b) == (left, right)
        ]
        if left == right:
            program.append(left)
        elif sources:
            # The nearest one, if a token stands there twice.
            program.append(min(sources, key=lambda number: abs(number - index)))
        else:
            return None
    is_same = all(isinstance(step, str) for step in program)
    return None if is_same else tuple(program)


def _texts(line: str, family: Family) -> list[str]:
    return [one.text for one in tokens(strip_end(line), family)]


def _run(program: Program, line: str, family: Family) -> str:
    old = _texts(line, family)
    return "".join(step if isinstance(step, str) else old[step] for step in program)


def _offer(source: EditedSource, line: int, text: str, new: str) -> NextEdit | None:
    old = strip_end(text)
    what = replaced(old, new)
    if what is None:
        return None
    start = source.line_start(line) + what.start
    why = "The two lines above were changed in the same way"
    return source.edit("line-pattern", start, start + len(what.old), what.new, why)
