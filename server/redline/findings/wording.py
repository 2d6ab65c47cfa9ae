"""Maps the words of models to the fixed severities and categories.

It also recognizes claims about style, which have no category.
"""

from __future__ import annotations

import re
from typing import get_args

from redline.findings.finding import Category, Severity

MAX_TITLE_CHARS = 120
MAX_EXPLANATION_CHARS = 4_000

_SEVERITIES: dict[str, Severity] = {
    **{word: word for word in get_args(Severity)},
    "blocker": "critical",
    "fatal": "critical",
    "severe": "critical",
    "p0": "critical",
    "error": "high",
    "important": "high",
    "major": "high",
    "p1": "high",
    "moderate": "medium",
    "warning": "medium",
    "p2": "medium",
    "hint": "low",
    "info": "low",
    "informational": "low",
    "minor": "low",
    "note": "low",
    "p3": "low",
    "suggestion": "low",
    "trivial": "low",
}

_CATEGORIES: dict[str, Category] = {word: word for word in get_args(Category)}

_CATEGORY_WORDS: tuple[tuple[Category, str], ...] = (
    ("concurrency", r"concurren|race|deadlock|thread|async|atomic|\block|parallel"),
    (
        "security",
        r"secur|inject|auth|xss|csrf|ssrf|xxe|crypto|vulnerab|secret|privacy|permiss"
        r"|traversal|deseriali|disclos|exposure|sensitive",
    ),
    ("data-loss", r"data.?(?:loss|integrity|corrupt)|corrupt|overwrit"),
    ("resource", r"resource|leak|handle|memory|cleanup|descriptor"),
    ("time", r"\btime|timezone|clock|date|expir"),
    ("testing", r"\btest|coverage|assertion"),
    ("performance", r"perf|complexity|efficien|scal|slow"),
    ("error-handling", r"error|except|fail|panic"),
)
"""The first pattern that matches a model's category decides; without one it is
correctness."""

_STYLE_CATEGORY = re.compile(
    r"\b(?:styl|format|naming|readab|maintain|document|comment|convention|nit\b"
    r"|nitpick|cosmetic|typo|best.?practice|clean.?code|idiom|lint|simplif)"
)
_STYLE_TITLE = re.compile(
    r"\b(?:docstrings?|naming|renam(?:e[ds]?|ing)|formatting|whitespace|line too long"
    r"|line length|type (?:hints?|annotations?)|readab\w+|more descriptive|descriptive"
    r"|magic (?:number|value|string)s?|code style|coding style|pep ?8|missing comments?"
    r"|add (?:a )?comments?|unused imports?|import order|trailing (?:comma|blank)s?"
    r"|inconsistent (?:naming|quotes?|style|spacing)|simplif\w+|nit(?:pick)?|typo"
    r"|(?:snake|camel)[ _-]?case|f-strings?|too long|long function|blank lines?)\b",
    re.IGNORECASE,
)
_HARM = re.compile(
    r"\b(?:crash\w*|wrong\w*|rais\w+|fail\w*|leak\w*|los[est]\w*|lost|rac(?:e|es|y)"
    r"|overwrit\w+|deadlock\w*|inject\w+|incorrect\w*|corrupt\w*|vulnerab\w+|never"
    r"|throws?|panics?|hangs?|undefined|nil|null|bypass\w*|leav\w+ open|bug)\b",
    re.IGNORECASE,
)
_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
"""Control characters: they move a terminal's cursor, or reverse the text direction."""


def severity_of(word: str) -> Severity:
    """Map a model's word to a severity; unknown words are medium."""
    return _SEVERITIES.get(word.strip().lower(), "medium")


def category_of(word: str) -> Category:
    """Map a model's word to a category; unknown words are correctness."""
    said = word.strip().lower()
    plain = re.sub(r"[^a-z]+", "-", said).strip("-")
    if plain in _CATEGORIES:
        return _CATEGORIES[plain]
    found = (one for one, words in _CATEGORY_WORDS if re.search(words, said))
    return next(found, "correctness")


def is_style(*, category: str, title: str, explanation: str) -> bool:
    """Whether a claim is only about the style of code.

    A title about style counts only if the claim names no harm.
    """
    said = category.strip().lower()
    if said not in _CATEGORIES and _STYLE_CATEGORY.search(said):
        return True
    if not _STYLE_TITLE.search(title):
        return False
    return not _HARM.search(f"{title} {explanation}")


def clean_title(text: str) -> str:
    """Return a title as one line of bounded length."""
    title = " ".join(showable(text).split()).strip("*# ").removesuffix(".")
    # Backticks around the whole title are decoration; around a name they are not.
    if title.count("`") == 2 and title[0] == title[-1] == "`":
        title = title.strip("`")
    return _cut(title, MAX_TITLE_CHARS)


def clean_explanation(text: str) -> str:
    """Return an explanation of bounded length, with its paragraphs."""
    return _cut(showable(text).strip(), MAX_EXPLANATION_CHARS)


def showable(text: str) -> str:
    """Remove control characters."""
    return _UNSHOWABLE.sub("", text)


def _cut(text: str, n_chars: int) -> str:
    return text if len(text) <= n_chars else text[: n_chars - 1].rstrip() + "…"
