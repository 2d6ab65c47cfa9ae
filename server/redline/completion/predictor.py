"""Predicts the rest of a line from the file's own tokens, without a model.

It is strict: the last tokens must have occurred before at least twice, and always with
the same continuation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.completion.place import Place
from redline.text.document import Document

N_TOKENS = 6
"""Tokens before the cursor that must have occurred before."""

MIN_TIMES = 2
MAX_PREDICTED = 30
"""Tokens of a prediction."""

MIN_CHARS = 8

_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")
_END = ""
"""Follows the last token of a line."""

_N_LINES = 4_000
"""Lines that are read."""


def predict_at(document: Document, line: int, place: Place) -> str:
    """Return the text to insert at a cursor; empty: none is likely."""
    first = max(0, line - _N_LINES)
    lines = document.lines_between(first, line)
    lines += document.lines_between(line + 1, first + _N_LINES)
    return predict(place.left, lines)


def predict(left: str, lines: Sequence[str]) -> str:
    """Return the predicted rest of a line; empty: there is none.

    Args:
        left: The text before the cursor in its line.
        lines: The other lines of the file.
    """
    tokens = _TOKEN.findall(left.lstrip())
    if sum(map(_is_code, tokens)) < N_TOKENS or (left[-1:].isalnum()):
        return ""
    tail = "".join(_last(tokens))
    # Each occurrence: a line and the index after the tail in it.
    found = [
        (line, at + len(tail))
        for line in lines
        if tail in line
        for at in [line.rindex(tail)]
        if at == 0 or not (_is_word(line[at - 1]) and _is_word(tail[0]))
    ]
    rests = [_TOKEN.findall(line[end:].rstrip()) for line, end in found]
    if len(rests) < MIN_TIMES:
        return ""
    predicted: list[str] = []
    while len(predicted) < MAX_PREDICTED:
        n_before = len(predicted)
        next_ones = {rest[n_before] if n_before < len(rest) else _END for rest in rests}
        if len(next_ones) != 1 or _END in next_ones:
            break
        predicted.append(next_ones.pop())
    text = "".join(predicted).rstrip()
    return text if len(text) >= MIN_CHARS else ""


def _last(tokens: Sequence[str]) -> Sequence[str]:
    """Return the last tokens, as many as must agree, white space aside."""
    n_code = 0
    for at in range(len(tokens) - 1, -1, -1):
        n_code += _is_code(tokens[at])
        if n_code == N_TOKENS:
            return tokens[at:]
    return tokens


def _is_code(token: str) -> bool:
    return not token.isspace()


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
