"""The blocks in which models put their reasoning, or the answer: tags and fences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.fence import read_fence
from redline.text.reply_forms.special_tokens import is_token_line, without_tokens
from redline.text.reply_forms.surroundings import Surroundings

OPENING = re.compile(
    r"\s*(?:<(?P<angle>[A-Za-z][\w:.-]*)>|\u25c1(?P<wide>[\w-]+)\u25b7"
    r"|\[(?P<square>[A-Z]+)\])"
)
REASONING = re.compile(
    r"think|thought|reason|reflect|scratch|analy[sz]|deliberat|ponder|monolog|^cot$"
    r"|^plan(?:ning)?$|^internal",
    re.IGNORECASE,
)
"""Names of blocks that hold reasoning."""

_ANSWER = re.compile(
    r"(?:answer|response|replacement|rewrite|rewritten)s?"
    r"|(?:new|updated|edited|final|modified|rewritten|replacement)[_-]"
    r"(?:answer|code|range|text|lines|version|content)"
    r"|(?:tool|function)[_-]?calls?|tool[_-]use|invoke",
    re.IGNORECASE,
)
"""Names of blocks that hold an answer or a call, and are no elements of HTML."""

_PAGES = frozenset({"svelte", "vue"})
"""LSP language ids of files that are mostly tags, and are no prose."""

_WITH_SECTIONS = frozenset({"ini", "properties", "toml"})
"""LSP language ids in which a name in brackets begins a section."""

_BEGINS_WITH_TAG = re.compile(r"\s*</?[A-Za-z]")
"""A line of markup in code, such as JSX."""

ASIDE = re.compile(
    r"expla|note|summar|comment|descri|changes|rationale|old|origin|search|^tests?$"
)
"""Names of blocks that hold neither the answer nor reasoning."""

CLOSING = re.compile(
    r"(?:</(?P<angle>[A-Za-z][\w:.-]*)>|\u25c1/(?P<wide>[\w-]+)\u25b7)"
)

MARKUP = frozenset(
    [
        "html",
        "xml",
        "vue",
        "svelte",
        "php",
        "javascriptreact",
        "typescriptreact",
        "javascript",
        "markdown",
        "mdx",
        "",
    ]
)
"""LSP language ids in which a tag is code."""


def may_be_wrapper(opening: re.Match[str], around: Surroundings) -> bool:
    """Whether a tag cannot be one of the document."""
    if opening["square"]:
        return around.language not in PROSE_LANGUAGES | _WITH_SECTIONS
    if opening["angle"] is None or around.language in ("xml", ""):
        return False
    if around.language not in MARKUP | PROSE_LANGUAGES:
        return True
    is_page = around.language in PROSE_LANGUAGES | _PAGES
    lines = around.lines
    has_none = not is_page and not any(map(_BEGINS_WITH_TAG.match, lines))
    return has_none or _ANSWER.fullmatch(opening["angle"]) is not None


def without_inner_block(lines: Sequence[str]) -> list[str]:
    """Take the lines out of a further block that is around all of them."""
    texts = [at for at, line in enumerate(lines) if line.strip()]
    if len(texts) < 3:
        return list(lines)
    first, last = lines[texts[0]].strip(), lines[texts[-1]].strip()
    opening = OPENING.fullmatch(first)
    if opening is None or last != f"</{opening['angle']}>":
        return list(lines)
    return list(lines[texts[0] + 1 : texts[-1]])


def closes_fence(lines: Sequence[str]) -> bool:
    """Whether a text begins with a fence and ends with the one that closes it."""
    filled = [line for line in lines if line.strip()]
    if len(filled) < 2:
        return False
    first, last = read_fence(filled[0]), read_fence(filled[-1])
    if first is None or last is None:
        return False
    return last.is_bare and last.may_end(first)


def last_fenced(lines: Sequence[str]) -> list[str] | None:
    """Return the fenced block that a text ends with, but for special tokens."""
    texts = list(lines)
    while texts and is_token_line(texts[-1]):
        texts.pop()
    if texts:
        texts[-1] = without_tokens(texts[-1])
    fences = [at for at, line in enumerate(texts) if read_fence(line)]
    if len(fences) < 2 or len(fences) % 2 or fences[-1] != len(texts) - 1:
        return None
    return texts[fences[-2] :]
