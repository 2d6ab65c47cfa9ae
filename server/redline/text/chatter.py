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
_BARE_CODE = re.compile(r"[A-Z]{2,}\s|.*\w\([^()]*\)$")
"""A line of code of words alone: it begins with a keyword in capitals, as in SQL, or
ends with a call."""
_QUOTATION = re.compile(r">\s+[A-Za-z]\w*(?:\s+\S+)+$")
"""A line of the instruction, quoted as Markdown does."""
_CODE_CHARACTERS = re.compile(r"[={};\\|]|->|::|\)\s*:$")
_CODE_SPAN = re.compile(r"`[^`]*`")
_TITLE = re.compile(r"(#{1,6}\s+\S.*|\*\*.+\*\*:?|[`*]*[\w./\\-]+\.\w+[`*]*:?)$")
_MIN_N_WORDS = 4
"""Shorter lines that look like sentences are often code (`END IF.`)."""
_MIN_N_LOWER = 2
"""Lower-case words that show that three words are a sentence."""

_STOPS = ".:!?\u2026\u3002\uff1a\uff01\uff1f\u061f\u06d4\u0964"
_WIDE_STOPS = tuple("\u3002\uff1a\uff01\uff1f")
_OPENING_STOPS = "\u00a1\u00bf"
_FOREIGN = re.compile(r"[^\W\d_\u0041-\u024f\u1e00-\u1eff]")
"""A letter of another script than the Latin one, in which code is written."""
STATEMENT = re.compile(
    r"(?:return|raise|throw|import|from|use|using|def|class|if|for|while|end|else|break"
    r"|continue|pass|const|let|var|fn|func|include|require|package|module|export)\b"
)
"""What lines of code without any sign begin with."""
_COMMENT_SIGN = re.compile(r"(?:#|//|/?\*|--|;|%|<|[\"'`])")
_PLAIN_WORDS = re.compile(r"[A-Z][a-z']*(?: [a-z'-]+)+")
_FUNCTION_WORD = re.compile(
    r"\b(?:an?|are|as|and|for|in|is|it|not|now|of|that|the|this|to|was|with|you)\b"
)


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
    return bool(is_one) and not (_has_code(line) or _BARE_CODE.match(line))


def reads_as_talk(line: str) -> bool:
    """Whether a line is a sentence to the user, in any language of people."""
    text = line.rstrip()
    if is_sentence(text) or is_foreign(text):
        return True
    words = [word for word in text.split() if any(map(str.isalpha, word))]
    n_lower = sum(word.strip(_STOPS + ",").islower() for word in words)
    return (
        (
            (len(words) >= _MIN_N_WORDS and n_lower > 0)
            or (len(words) == _MIN_N_WORDS - 1 and n_lower >= _MIN_N_LOWER)
        )
        and text.lstrip(_OPENING_STOPS)[:1].isupper()
        and text[-1] in _STOPS
        and not _has_code(text.replace("; ", ", "))
    )


def is_foreign(line: str) -> bool:
    """Whether a line is text in another script than that of code."""
    text = _CODE_SPAN.sub("", line.strip())
    n_letters = sum(map(str.isalpha, text))
    n_foreign = len(_FOREIGN.findall(text))
    least = _MIN_N_WORDS if text[-1:] not in _WIDE_STOPS else _MIN_N_LOWER
    return (
        n_foreign >= least
        and 2 * n_foreign > n_letters
        and not _COMMENT_SIGN.match(line.strip())
        and not _has_code(text)
    )


def is_plain_sentence(line: str) -> bool:
    """Whether a line is an English sentence without a stop."""
    text = line.strip()
    has_words = _PLAIN_WORDS.fullmatch(text) and text.count(" ") >= _MIN_N_WORDS - 1
    return bool(has_words) and _FUNCTION_WORD.search(text) is not None


def may_be_talk(line: str) -> bool:
    """Whether a line could be talk, a heading or a path above a fenced block."""
    if _TITLE.match(line) or is_quotation(line) or reads_as_talk(line):
        return True
    return _SENTENCE.match(line) is not None and not _has_code(line)


def is_beside_code(line: str) -> bool:
    """Whether a line that stands outside of a fence is no code."""
    text = _CODE_SPAN.sub("", line.strip())
    if line[:1].isspace() or _has_code(text) or STATEMENT.match(text):
        return False
    return len(line.split()) > 1 or may_be_talk(line) or not any(map(str.isalnum, text))


def _has_code(line: str) -> bool:
    return _CODE_CHARACTERS.search(_CODE_SPAN.sub("", line)) is not None
