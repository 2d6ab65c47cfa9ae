"""Whether a file writes the type of a variable, read without a grammar."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LOOP = re.compile(
    r"\bfor\b[^\n:=]{0,40}?\b(\w+)\s?(?:\bin\b|\bof\b|:=? ?(?:range\b)?)\s?"
    r"(?:self\.|this\.|&)?(\w+)"
)
"""A loop, its variable and the list of its items."""
_MAX_N_LINES = 60
"""Lines above a use in which its variable is looked for."""


def is_of_type(lines: Sequence[str], at: int, name: str, type_name: str) -> bool:
    """Whether the nearest place that names a variable gives it a type.

    Args:
        lines: The code of the file.
        at: The line of the use.
        name: The variable.
        type_name: The type, without its arguments; one in a collection does not count.
    """
    kind, word = re.escape(type_name), re.escape(name)
    given = re.compile(
        rf"\b{word}\s?[?!]?:\s?(?:readonly |&(?:mut )?|\*|Optional\[|[\"'])?"
        rf"{kind}\b(?![\[.]|::)"
        rf"|(?<![\w.]){kind}(?:<[^<>\n]{{0,60}}>)?[ &*?]{{1,3}}{word}(?=\s?[,)=;:{{])"
        rf"|[(,] ?{word} \*?{kind}\b(?!\.)"
        rf"|\b{word}\s?:?=\s?(?:new |&)?{kind}(?:::new)?[({{]"
    )
    named = re.compile(
        rf"\b{word}\s?[?!]?:(?![:=])|\b{word}\s?:?=(?![=>])|\b{word}\)?\s?(?:=|(?<=\s)-)>"
        rf"|[\w>\]&*] [&*]*{word}\s?[,)=;]|\bfor\b[^\n]{{0,120}}\b{word}\b|\|{word}\b"
    )
    for line in lines[max(0, at - _MAX_N_LINES) : at + 1][::-1]:
        if given.search(line):
            return True
        if named.search(line):
            loop = _LOOP.search(line)
            return bool(loop and loop[1] == name and _holds(lines, loop[2], kind))
    return False


def _holds(lines: Sequence[str], name: str, kind: str) -> bool:
    """Whether the file declares a list of that name with items of a type."""
    word = re.escape(name)
    form = re.compile(
        rf"\b{word}\s?[?!]?:\s?[^=;,\n]{{0,40}}(?:[\[<]{kind}[\]>]|\b{kind}\[\])"
        rf"|(?:<{kind}>|\b{kind}\[\])[ &*]{{1,3}}{word}\b|[(,] ?{word} \[\]\*?{kind}\b"
    )
    return any(map(form.search, lines))
