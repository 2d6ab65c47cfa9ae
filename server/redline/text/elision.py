"""Finds comments in place of code that a model did not write: "rest unchanged".

The patterns were observed in chat models, in any comment style. They are strict: a
match holds an edit back, so an ordinary comment must not match. A single line does not
show whether such a text is in a string, nor whether it was there before: callers check
that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_DOTS = r"(?:\.{3,}|…)"
_COMMENT = re.compile(
    r"(?:\{\s*)?(?:\#+|/\*+|//+!?|--+\[*|;+|%+|<!--|\(\*|\{-|\{\{!?-*|<%[#-]*|\.\.\s"
    r"|\"{3}|'{3}|\*+\s|REM\s|dnl\s|\"\s|'\s)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?<!\s)\s*+(?:(?<!\*)\*++/\s*+\}?|-->|\*\)|-\}"
    r"|(?<!-)-*+(?:%>|\}\})|\]\]|\"{3}|'{3})?\s*+$"
)
_BLOCK_COMMENT = re.compile(r"/\*++(.*?)(?<!\*)\*++/")
_ITEM = re.compile(r"(?:[-*+]|\d+[.)])\s+(?=[.\u2026\[(])")
"""The mark of a list's item before what may be in place of items."""
_AFTER_NOTHING = re.compile(r"(?:\.\.\.|pass|return)\s*(?=#|//|/\*)")
"""Code without effect, before a comment on its line."""
_MAY_BEGIN = re.compile(r"(?:REM|dnl|pass|return)\b", re.IGNORECASE)
"""A word that may begin a line with an elision."""
_DECORATION = " \t-\u2013\u2014=*~#/.…:,;!()[]<>{}"

BRACE_LANGUAGES = frozenset(
    [
        "javascript",
        "typescript",
        "javascriptreact",
        "typescriptreact",
        "java",
        "c",
        "cpp",
        "csharp",
        "go",
        "rust",
        "php",
        "kotlin",
        "swift",
        "scala",
        "dart",
    ]
)
"""LSP language ids of programming languages with braces around blocks."""

_BARE_DOTS_LANGUAGES = BRACE_LANGUAGES | frozenset(
    ["css", "groovy", "json", "less", "objective-c", "scss", "vue", "zig"]
)
"""LSP language ids in which a line of three dots is not a statement."""

_THE = r"(?:(?:the|your|this|that|all|any|my|our) )*"
_CODE = (
    r"(?:code|functions?|methods?|class|classes|file|implementation|logic|body|module"
    r"|component|script|block|section|definitions?|program)"
)
_THING = (
    rf"(?:{_CODE}|imports?|contents?|fields?|tests?|cases?|config|configuration|lines?"
    r"|items?|entries|handlers?|routes?|styles?|rules?|query|properties|options"
    r"|arguments?|parameters?|variables|constants|members|attributes|parts?|text|columns"
    r"|statements?|keys|settings|values|services|steps|jobs|flags|dependencies|rows"
    r"|sections?|paragraphs?|headings|variants|branches|arms|selectors|targets|stages"
    r"|resources|messages|elements|nodes|tags|links|bullets|points|tables|views|indexes"
    r"|assertions|declarations|instructions|commands|blocks|elements|list|document|page)"
)
_STATE = (
    r"(?: (?:is|are|was|remains?|stays?|goes|go|continues?|kept|left|exactly|all|as"
    r"|the|same|here|unchanged|before|above|below|identical|intact|omitted"
    r"|untouched|unmodified|they|elided|follows?|not shown|for brevity|for clarity))+"
)
_OTHER = r"(?:existing|previous|original|remaining|other|rest|same|unchanged|old)"

_ELIDED = re.compile(
    "|".join(
        [
            rf"{_THE}(?:rest|remainder)(?: of {_THE}(?:\w+ ){{0,2}}{_CODE})?{_STATE}",
            rf"{_THE}(?:rest|remainder) of {_THE}(?:\w+ ){{0,2}}{_CODE}",
            rf"{_THE}(?:rest|remainder) of \w+(?: \w+)?{_STATE}",
            rf"{_THE}{_OTHER}(?: \w+){{0,2}} {_THING}{_STATE}",
            rf"{_THE}(?:existing|unchanged) (?:code|implementation|logic)",
            rf"{_THE}(?:previous|remaining|original) (?:code|implementation)",
            rf"{_THE}(?:\w+ ){{0,2}}{_CODE}{_STATE}",
            rf"(?:everything|nothing)(?: else)?{_STATE}",
            r"unchanged|no changes?(?: here| below| needed| required)?",
            r"(?:exactly )?(?:the )?same as (?:before|above|the original)|as before",
            r"(?:code |body |rest )?(?:omitted|elided|snipped)(?: for \w+)?|snip",
            rf"(?:{_THE}|place |put |add |insert ){_CODE}(?: goes)? here",
            rf"keep {_THE}(?:existing|rest|remaining|original|other)(?: \w+){{0,5}}",
        ]
    )
)
"""Texts of comments that replace code, with or without dots around them."""

_UNCHANGED = re.compile(
    r"\W*(?:[\w-]++ ){1,4}(?:(?:is|are|stays?|remains?|left|as|kept) )?"
    r"(?:unchanged|untouched|omitted|elided|not shown|as is|the same)\W*",
    re.IGNORECASE,
)
"""A comment that names what is missing, if lines are."""

_WEAK = re.compile(
    r"\b(?:unchanged|existing|rest|remaining|remainder|same|previous|original|omitted"
    r"|others?|above|before|as is|continues?|implementation|code|here|methods"
    r"|functions|imports|fields|tests)\b"
)
"""Words that form an elision together with dots."""

_MARKED = re.compile(rf"{_DOTS}\s*[\s(\[]\w|[\[(<]\s*(?:{_DOTS}|rest\b)")
"""How a line without a comment mark begins that replaces code."""

_MAY_BE_MARKED = re.compile(r"[.…\[(<\d*+-]")
"""What such a line begins with, also as an item of a list."""

_LEADING_DOTS = re.compile(rf"[\[(<\s]*{_DOTS}")
_TRAILING_DOTS = re.compile(rf"{_DOTS}[\])>\s]*$")

_MAX_N_WEAK_WORDS = 8
"""A longer comment with dots is a sentence."""


_MAX_N_CHARS = 200
"""Longer lines are code; the patterns are not meant for them."""


def find_elision(line: str, language: str = "") -> int | None:
    """Return the column at which a line has a text in place of missing code.

    Args:
        line: One line of the new text, with or without its end.
        language: The LSP language id, which decides the meaning of bare dots.

    Returns:
        The column of the comment or of the bare text; None without a match.
    """
    text = line.strip()
    if len(text) > _MAX_N_CHARS or _is_code(text):
        return None
    start = len(line) - len(line.lstrip())
    if language in _BARE_DOTS_LANGUAGES and re.fullmatch(_DOTS, text):
        return start
    if idle := _AFTER_NOTHING.match(text):
        text, start = text[idle.end() :], start + idle.end()
    for comment in _BLOCK_COMMENT.finditer(text):
        if _is_elided(comment[1], is_comment=True):
            return start + comment.start()
    return start if _is_elided_line(text) else None


def _is_code(text: str) -> bool:
    """Whether a text cannot be an elision: it begins with a word that is code."""
    is_word = text[:1].isalpha() and "/*" not in text
    return is_word and _MAY_BEGIN.match(text) is None


def says_unchanged(comment: str) -> bool:
    """Whether a comment says that something stays, such as "two probes unchanged".

    It may also stand beside what stays: callers see whether lines are lost.
    """
    return len(comment) <= _MAX_N_CHARS and _UNCHANGED.fullmatch(comment) is not None


def lines_are_lost(old: Iterable[str], new: Iterable[str]) -> bool:
    """Whether more lines are gone than lines of code came."""
    before, after = (
        Counter(line.strip().rstrip(",") for line in lines if line.strip())
        for lines in (old, new)
    )
    came = [line for line in after - before if not _COMMENT.match(line)]
    return (before - after).total() > len(came)


def _is_elided_line(text: str) -> bool:
    if comment := _COMMENT.match(text):
        return _is_elided(_CLOSING.sub("", text[comment.end() :]), is_comment=True)
    if not _MAY_BE_MARKED.match(text):
        return False
    text = _ITEM.sub("", text)
    return _MARKED.match(text) is not None and _is_elided(text, is_comment=False)


def _is_elided(body: str, *, is_comment: bool) -> bool:
    text = body.strip().strip("\"'").strip()
    has_leading_dots = _LEADING_DOTS.match(text) is not None
    has_trailing_dots = _TRAILING_DOTS.search(text) is not None
    core = " ".join(text.strip(_DECORATION).lower().split())
    core = core.replace("(", "").replace(")", "").replace(",", "")
    if not core:
        return is_comment and has_leading_dots
    if _ELIDED.fullmatch(core):
        return True
    n_words = len(core.split())
    # "... code" without a comment mark is also a continued doctest.
    if has_leading_dots and (is_comment or has_trailing_dots):
        return n_words <= _MAX_N_WEAK_WORDS and _WEAK.search(core) is not None
    if has_trailing_dots:
        is_about_rest = _WEAK.match(core) is not None
        return n_words <= _MAX_N_WEAK_WORDS // 2 and is_about_rest
    return False
