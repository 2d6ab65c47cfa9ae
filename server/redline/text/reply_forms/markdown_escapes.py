"""Removes backslashes that escape signs of Markdown from code."""

from __future__ import annotations

import re

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Surroundings

_STRING = re.compile(r"\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+'")
_MARKDOWN_ESCAPE = re.compile(r"\\([_*\[\]#<>`~])")
_WITH_BACKSLASHES = PROSE_LANGUAGES | frozenset(
    {"perl", "r", "shellscript", "powershell", "sql", "dockerfile", "makefile"}
)
"""Languages that have backslashes before other signs, outside of strings."""
_REGULAR = frozenset({"javascript", "typescript", "ruby", "php", "typescriptreact"})
_MIN_N_ESCAPED = 3
"""Escapes of Markdown that code does not have by chance."""
_NAME_ESCAPE = re.compile(r"(?<=\w)\\_|\\_(?=\w)")


def without_escapes(text: str, around: Surroundings) -> str | None:
    """Remove the escapes of Markdown from code."""
    if not _MARKDOWN_ESCAPE.search(text) or around.language in PROSE_LANGUAGES:
        return None
    if _are_all_escaped(text, around):
        return _MARKDOWN_ESCAPE.sub(r"\1", text)
    if around.language in _WITH_BACKSLASHES:
        return None
    pattern = _NAME_ESCAPE if around.language in _REGULAR else _MARKDOWN_ESCAPE
    outside = "\n".join(map(_outside, text.split("\n")))
    if not pattern.search(outside) or any(
        map(pattern.search, map(_outside, around.lines))
    ):
        return None
    new = _NAME_ESCAPE.sub("_", text)
    lines = []
    for line in new.split("\n"):
        at, parts = 0, []
        for string in _STRING.finditer(line):
            parts += [_MARKDOWN_ESCAPE.sub(r"\1", line[at : string.start()]), string[0]]
            at = string.end()
        lines.append("".join((*parts, _MARKDOWN_ESCAPE.sub(r"\1", line[at:]))))
    return "\n".join(lines)


def _are_all_escaped(text: str, around: Surroundings) -> bool:
    """Whether all signs of Markdown are escaped, and none of the file's."""
    signs = {found[1] for found in _MARKDOWN_ESCAPE.finditer(text)}
    n_escaped = sum(text.count(f"\\{sign}") for sign in signs)
    outside = "\n".join(map(_outside, text.split("\n")))
    return (
        n_escaped >= _MIN_N_ESCAPED
        and n_escaped == sum(map(text.count, signs))
        and _MARKDOWN_ESCAPE.search(outside) is not None
        and any(map(around.has, signs))
        and not any(around.has(f"\\{sign}") for sign in signs)
        and fits(_MARKDOWN_ESCAPE.sub(r"\1", text).split("\n"), around)
    )


def _outside(line: str) -> str:
    return _STRING.sub("", line)
