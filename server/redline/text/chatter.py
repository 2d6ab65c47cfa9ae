"""Distinguishes a model's talk to the user from the requested code.

A rewrite should be only the new text. Two questions are asked about a line before it:
is it certainly talk, even without a fence after it; and could it be talk, so that it is
worth waiting for the next line?
"""

from __future__ import annotations

import re

MARKDOWN_LANGUAGES = frozenset({"markdown", "mdx", "quarto", "rmd"})
"""LSP language ids whose documents contain fences."""

PROSE_LANGUAGES = MARKDOWN_LANGUAGES | frozenset(
    {
        "",
        "asciidoc",
        "bibtex",
        "cucumber",
        "git-commit",
        "gherkin",
        "html",
        "latex",
        "org",
        "plaintext",
        "restructuredtext",
        "tex",
        "text",
        "typst",
        "xml",
    }
)
"""LSP language ids whose documents contain sentences; "" is unknown."""

_GREETING = re.compile(
    r"(sure|certainly|of course|absolutely|okay|ok|alright|got it|no problem"
    r"|understood|great)\b[!,.:]",
    re.IGNORECASE,
)
_ANNOUNCEMENT = re.compile(
    r"(here(['\u2019]s| is| are)\b"
    r"|below (is|are)\b"
    r"|the following (is|code|version)\b"
    r"|this is the (updated|new|rewritten|refactored|modified|complete|full)\b"
    r"|i(['\u2019](ve|ll)| have| will)\b"
    r"|let me\b"
    r"|(the )?(updated|rewritten|refactored|modified|revised|corrected|edited|fixed)"
    r" (code|version|function|method|class|file|range|implementation)\b)",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"(i(['\u2019]m| am) (sorry|afraid|unable|not able)\b|sorry\b"
    r"|i (can['\u2019]t|cannot|don['\u2019]t|do not)\b|unfortunately\b|as an ai\b)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"([-*]\s+|\d+[.)]\s+)?[A-Z`*].*[.:!?)`*]$")
_QUOTATION = re.compile(r">\s+[A-Za-z]\w*(?:\s+\S+)+$")
"""A line of the instruction, quoted as Markdown does."""
_CODE_CHARACTERS = re.compile(r"[={};\\|]|->|::|\)\s*:$")
_CODE_SPAN = re.compile(r"`[^`]*`")
_TITLE = re.compile(r"(#{1,6}\s+\S.*|\*\*.+\*\*:?|[`*]*[\w./\\-]+\.\w+[`*]*:?)$")
_MIN_N_WORDS = 4
"""Shorter lines that look like sentences are often code (`END IF.`)."""


def is_certain_chatter(line: str) -> bool:
    """Whether a line certainly speaks to the user."""
    if not line.endswith((".", ":", "!")) or _has_code(line):
        return False
    return bool(_GREETING.match(line) or _ANNOUNCEMENT.match(line))


def is_greeting(line: str) -> bool:
    """Whether a line greets and announces, as no document does."""
    return line.endswith(":") and _GREETING.match(line) is not None


def is_refusal(line: str) -> bool:
    """Whether a line says that the model cannot or will not do it."""
    return _REFUSAL.match(line) is not None and not _has_code(line)


def is_quotation(line: str) -> bool:
    """Whether a line quotes words, as of the instruction."""
    return _QUOTATION.match(line) is not None and not _has_code(line)


def is_sentence(line: str) -> bool:
    """Whether a line reads as a sentence and not as code."""
    is_one = _REFUSAL.match(line) or (
        len(line.split()) >= _MIN_N_WORDS and _SENTENCE.match(line)
    )
    # The slowest test comes last: most lines are code.
    return bool(is_one) and not _has_code(line)


def reads_as_talk(line: str) -> bool:
    """Whether a line is a sentence to the user, in any language of people."""
    text = line.rstrip()
    if is_sentence(text):
        return True
    n_words = sum(any(map(str.isalpha, word)) for word in text.split())
    return (
        n_words >= _MIN_N_WORDS
        and text[0].isupper()
        and text[-1] in ".:!?\u2026\u3002"
        and not _has_code(text.replace("; ", ", "))
    )


def may_be_talk(line: str) -> bool:
    """Whether a line could be talk, a heading or a path above a fenced block."""
    if _TITLE.match(line) or is_quotation(line) or is_sentence(line):
        return True
    return _SENTENCE.match(line) is not None and not _has_code(line)


def _has_code(line: str) -> bool:
    return _CODE_CHARACTERS.search(_CODE_SPAN.sub("", line)) is not None
