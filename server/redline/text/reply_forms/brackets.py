"""Whether a text closes the brackets that it opens; strings and comments are skipped.

It reads any language roughly: a wrong count makes a reply uncertain, not wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.indentation import indent_of

_TOKEN = re.compile(
    r"\\.|\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+'|`(?:\\.|[^`\\\n])*+`"
    r"|(?:(?<=\s)|^)(?://|#(?!\[|\{)).*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|[()\[\]{}]",
)
_MAX_N_CHARS = 2_000
"""Longer lines are data."""

_DEPTHS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_MARKUP = frozenset({"html", "svelte", "vue", "xml"})
_TAG = re.compile(r"<(?P<end>/)?(?P<name>[A-Za-z][\w:.-]*+)[^<>]*?(?P<empty>/)?>")
VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta"}
    | {"param", "source", "track", "wbr"}
)
"""Elements of HTML without an end tag."""
_UNFINISHED = re.compile(
    r"(?:[-+*/%&|^=<,.:(\[{\\?]|(?<=[\s=-])>|\b(?:and|or|not|in))\s*$"
)
_LAST_WORD = re.compile(r"(?<!\w)\w{3,}+\W*+$")
_LAST_PART = re.compile(r"(?<!\S)\w{3,}+\S++$")
"""A word with what is behind it, without blanks, such as a call."""
WITHOUT_BLOCKS = PROSE_LANGUAGES | frozenset(
    {"css", "csv", "dockercompose", "dockerfile", "dotenv", "graphql", "ini", "json"}
    | {"jsonc", "less", "makefile", "properties", "proto", "scss", "sql", "terraform"}
    | {"toml", "tsv", "yaml"}
)
"""LSP language ids of texts that may end behind any line."""
_EXIT = re.compile(r"\s*(?:return|raise|throw|yield|break|continue|pass)\b")
_NO_END = re.compile(r"\s*(?:#|//|/?\*|--|@|\"{3}|'{3})")
"""What no code ends with: a comment, a decorator."""
_CLOSED = re.compile(r"[)\]}\"'`;]\s*$")
_CLOSER = re.compile(r"[)\]}]+[;,]?")


def depth(lines: Iterable[str]) -> int:
    """Return how many more brackets are opened than closed."""
    return sum(
        _DEPTHS.get(found[0], 0)
        for line in lines
        if len(line) < _MAX_N_CHARS
        for found in _TOKEN.finditer(line)
    )


def tag_depth(lines: Iterable[str], language: str) -> int:
    """Return how many more tags are opened than closed in markup; 0 in other text."""
    if language not in _MARKUP:
        return 0
    return sum(
        -1 if found["end"] else int(found["name"].lower() not in VOID)
        for line in lines
        if len(line) < _MAX_N_CHARS
        for found in _TAG.finditer(line)
        if not found["empty"]
    )


def is_whole(lines: Sequence[str], target: Sequence[str]) -> bool:
    """Whether a text that lacks its end mark is certainly not cut off.

    Its last line must be that of its range, or close it, or end with the same word, as
    deep as the range's does.

    Args:
        lines: The text that may be incomplete.
        target: The range, which it replaces.
    """
    if not may_be_whole(lines, target):
        return False
    new, own = _filled(lines), _filled(target)
    if _relative(new) != _relative(own):
        return False
    ends = (
        (pattern.search(new[-1]), pattern.search(own[-1]))
        for pattern in (_LAST_WORD, _LAST_PART)
    )
    has_same_word = any(one and other and one[0] == other[0] for one, other in ends)
    return has_same_word or _is_same_end(new[-1], own[-1])


def may_be_whole(lines: Sequence[str], target: Sequence[str]) -> bool:
    """Whether a text closes as many brackets as its range, and may end there."""
    new, own = _filled(lines), _filled(target)
    if not new or not own:
        return False
    is_same = new[-1].strip() == own[-1].strip()
    if _UNFINISHED.search(new[-1]) and not is_same:
        return False
    return depth(lines) == depth(target)


def ends_block(
    lines: Sequence[str], target: Sequence[str], *, has_line_end: bool
) -> bool:
    """Whether a text of code that lacks its end mark has its last statement.

    In blocks without an end, that is a statement that leaves a block, or one as deep as
    the outermost block. A line that nothing ends may be cut off; it must be like the
    range's last one.
    """
    if not may_be_whole(lines, target):
        return False
    new, own = _filled(lines), _filled(target)
    last = new[-1]
    if _NO_END.match(last):
        return False
    depths = [len(indent_of(line)) for line in new]
    is_header = len(new) > 1 and min(depths[1:]) > depths[0]
    is_outermost = depths[-1] == min(depths[is_header:])
    is_exit = _EXIT.match(last) is not None
    if has_line_end:
        return is_exit or is_outermost
    is_same = is_exit and _EXIT.match(own[-1]) is not None
    return is_same and is_outermost and _CLOSED.search(last) is not None


def ends_like(lines: Sequence[str], target: Sequence[str]) -> bool:
    """Whether a text ends with the line that its range ends with."""
    new, own = _filled(lines), _filled(target)
    return bool(new and own) and _is_same_end(new[-1], own[-1])


def _filled(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.strip()]


def _relative(lines: Sequence[str]) -> int:
    """Return how much deeper the last line is indented than the first."""
    return len(indent_of(lines[-1])) - len(indent_of(lines[0]))


def _is_same_end(one: str, other: str) -> bool:
    return one.strip() == other.strip() or (
        _CLOSER.fullmatch(one.strip()) is not None
        and _CLOSER.fullmatch(other.strip()) is not None
    )
