"""Finds a reply that is in another one: what is left is read as a reply of its own.

A stream of a server, a page, a quotation or the call of a tool may have anything in it
that a reply may have: reasoning, fences, a diff. Each layer says so in its first line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.fence import read_fence
from redline.text.reply_forms.calls import has_call, text_of_call
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.prompts import without_prompts
from redline.text.reply_forms.streams import text_of_response, text_of_stream
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_STARTS = (
    r"(?:data|event|id|retry):|: ?\w|\w:[\"{\[]|HTTP/",  # Of a stream or a response.
    r"[<>\[{\"]",  # Of a call, a quotation, an object.
    r"Thought:|Action(?: Input)?:|Python \d|In \[|[\w.]{1,60}\(",
    r"(?:import|from|const|let|var) \w|.*\[ARGS\]",
)
_START = re.compile(rf"\s{{0,8}}(?:{'|'.join(_STARTS)})")
"""What the first line of a layer may begin with; most lines of code do not."""

_QUOTE = re.compile(r"[ ]{0,3}>(?: |$)")

_Reader = Callable[[Sequence[str], Surroundings], "list[str] | Doubt | None"]


def inner_reply(lines: Sequence[str], around: Surroundings) -> list[str] | Doubt | None:
    """Return the reply in a reply.

    Returns:
        None if there is none; "unsure" if it may also be the range's text.
    """
    first = next(filter(str.strip, lines), "")
    if not (_START.match(first) or has_call(lines)):
        return None
    for read in _READERS:
        found = read(lines, around)
        if found is not None:
            return found
    return None


def _without_prompts(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Take the prompts off a session of Python, which look like a quotation."""
    return without_prompts(lines, around) if around.language == "python" else None


def _without_quotation(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Take the sign of a quotation of Markdown off each line."""
    texts = [line for line in lines if line.strip()]
    if around.language in PROSE_LANGUAGES or around.may_be_in_text:
        return None
    if not all(map(_QUOTE.match, texts)) or any(map(_QUOTE.match, around.lines)):
        return None
    inner = [_QUOTE.sub("", line, count=1) for line in lines]
    if len(texts) == 1 < len(around.own_texts):
        return inner if _START.match(inner[0]) else None
    is_again = all(map(_QUOTE.match, filter(str.strip, inner)))
    has_block = any(map(read_fence, inner))
    return inner if is_again or has_block or fits(inner, around) else None


_READERS: tuple[_Reader, ...] = (
    _without_prompts,
    text_of_stream,
    text_of_response,
    text_of_call,
    _without_quotation,
)
