"""Takes the text for the range out of the call of a tool.

Models write a call in the form that they were trained on: as a call in Python, or as
JSON behind a sign of their chat format. What a library prints of a message is a call,
too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from redline.text.reply_forms.json_text import (
    JSON_DECODER,
    texts_in_json,
)
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.payload import KEYS
from redline.text.reply_forms.special_tokens import TOKEN
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_NAMED = re.compile(KEYS, re.IGNORECASE)
_CALL = re.compile(r"[\[(]{0,2}\s{0,4}(?P<name>[A-Za-z_]\w*(?:\.\w+){0,4})\(")
_HAS_TEXT = re.compile(rf"[(,]\s{{0,40}}{KEYS}\s?=\s?[rb]?[\"']", re.IGNORECASE)

_MARK = re.compile(
    r"\[TOOL_CALLS\]|\[ARGS\]|<TOOLCALL>|</?tool_calls?>|<\|tool_call\|?>|>>>\s?[\w.]{1,60}"
    r"|to=[\w.]{1,60}|<\|?tool_call\w{0,40}\|?>|^Action Input:|<\|python_tag\|>"
    r"|<\uff5ctool[^\s<>\uff5c]{0,40}\uff5c>",
    re.MULTILINE,
)
"""Signs in front of the arguments of a call, in several chat formats."""
_SIGNS = (
    *("[TOOL_CALLS]", "[ARGS]", "TOOLCALL", "tool_call", "\uff5ctool", ">>>", "to="),
    *("Action Input:", "<|python_tag|>"),
)
"""A part of each of them; to look for it is fast."""
_BETWEEN = re.compile(r"[^{}\[\]\"';=()]{0,120}(?:\[ARGS\])?(?=\s{0,4}[\[{])")
_TOKENS_AROUND = re.compile(
    rf"\A(?:\s{{0,4}}(?:{TOKEN.pattern}))+\s{{0,4}}|\s{{0,4}}(?:{TOKEN.pattern})\s{{0,4}}\Z"
)
_MAX_N_CHARS = 200_000
_MAX_N_MARKS = 40


def has_call(lines: Sequence[str]) -> bool:
    """Whether lines may have the sign of a call."""
    text = "\n".join(lines)
    return any(sign in text for sign in _SIGNS)


def text_of_call(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Return the one text for the range in a call.

    Returns:
        None if the reply is no call, or may be a call that the code has.
    """
    text = "\n".join(lines).strip()
    if len(text) > _MAX_N_CHARS or around.may_be_in_text:
        return None
    found = list(_in_arguments(text, around))
    is_marked = bool(found)
    found = found or list(_in_python(_TOKENS_AROUND.sub("", text), around))
    fitting = [one for one in found if fits(one, around) and not around.is_target(one)]
    if len({tuple(one) for one in fitting}) == 1:
        return fitting[0]
    return "unsure" if is_marked or fitting else None


def _in_arguments(text: str, around: Surroundings) -> Iterator[list[str]]:
    """Yield the texts in JSON behind the signs of a call."""
    for n, mark in enumerate(_MARK.finditer(text)):
        sign = mark[0].strip()
        start = _BETWEEN.match(text, mark.end())
        if n > _MAX_N_MARKS or start is None or around.has(sign):
            continue
        at = start.end()
        at += len(text[at:]) - len(text[at:].lstrip())
        try:
            _, end = JSON_DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        yield from texts_in_json([text[at:end]], around)


def _texts(value: str) -> list[str]:
    return value.strip("\n").split("\n")


def _parsed(text: str) -> ast.AST | None:
    try:
        return ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _in_python(text: str, around: Surroundings) -> Iterator[list[str]]:
    """Yield the texts in the named arguments of a call in Python's syntax."""
    call = _CALL.match(text)
    if call is None or not text.endswith((")", "]")) or not _HAS_TEXT.search(text):
        return
    if around.has(f"{call['name']}("):
        return
    tree = _parsed(text)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.keyword) and _NAMED.fullmatch(node.arg or ""):
            value = node.value.value if isinstance(node.value, ast.Constant) else None
            if isinstance(value, str) and value.strip():
                yield _texts(value)
