"""Whether a text that was read from a reply still has something that is no code.

No form says how to take it off, so the reply is held.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.import_lines import IMPORT
from redline.text.indentation import indent_of
from redline.text.reply_forms.brackets import depth
from redline.text.reply_forms.copies import HEADER
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Surroundings

_MIN_N_LETTERS = 20
"""Letters and digits of a range that nobody has twice without a change."""
_MIN_N_OF_LINE = 4
_GLUED = re.compile(r"(?:[)\]};\"'>\w] ?)(?:%|[\u2580-\u259f])$")
"""What a terminal writes behind a text without a last line end."""
_PAGE_NUMBER = re.compile(r"(?:Page \d+(?: (?:of|/) \d+)?|- \d+ -|\d+ ?/ ?\d+)", re.I)
_OF_DIFFS = re.compile(
    r"\d{1,6}(?:,\d{1,6})?[acd](?:\d{1,6}(?:,\d{1,6})?)?|\*{3} \S.*|\*{15}"
    r"|(?:From|commit) [0-9a-f]{7,40}\b.*|diff --git .*"
)
"""The first line of a diff that `patch` does not read, or of a mail with one."""

_MIN_N_LINES = 2
_ENCODED = re.compile(r"\S{40,}+")
_ENCODED_END = re.compile(r"%0A|\\n", re.IGNORECASE)
_IMPORT_AT_TOP = frozenset({"dart", "kotlin", "swift", "vue"})
"""LSP language ids without a grammar here, whose imports stand only in front."""
_HIGHLIGHTED = re.compile(r"<span class=\"(?:hljs|token|[a-z]{1,2}\d?\b)")
"""What programs that paint code on pages write around a word."""


def has_leftovers(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a text has the range twice, or what another program has written."""
    texts = [line.strip() for line in lines if line.strip()]
    own = [line.strip() for line in around.own_texts]
    if not texts or not own:
        return False
    is_odd = (
        _has_old(texts, own)
        or _has_glued_sign(texts, around)
        or any(map(_PAGE_NUMBER.fullmatch, texts))
        or _is_other_diff(texts[0], around)
        or _is_encoded(texts, own, around)
        or _is_painted(texts, around)
        or _has_lost_indentation(lines, around)
        or _has_inner_import(texts, around)
    )
    return is_odd and not around.may_be_in_text


def _has_inner_import(texts: Sequence[str], around: Surroundings) -> bool:
    """Whether an import stands in front of code that is inside of something."""
    own = around.own_texts
    return (
        around.language in _IMPORT_AT_TOP
        and IMPORT.match(texts[0]) is not None
        and indent_of(own[0]) != ""
        and not any(IMPORT.match(line.strip()) for line in own)
    )


def _has_old(texts: Sequence[str], own: Sequence[str]) -> bool:
    """Whether the range stands unchanged before or behind another version of it."""
    n_own = len(own)
    if not 1 < n_own < len(texts) or own.count(own[0]) > 1:
        return False
    if sum(map(str.isalnum, "".join(own))) < _MIN_N_LETTERS:
        return False
    if texts[:n_own] == own:
        rest = texts[n_own:]
    elif texts[-n_own:] == own:
        rest = texts[:-n_own]
    else:
        return False
    worded = list(filter(_is_worded, own))
    headers = [line for line in worded if HEADER.match(line)]
    # Overloads have other parameters; a result or a body may follow these.
    starts = {line.partition(")")[0] for line in rest}
    is_same = all(line.partition(")")[0] in starts for line in headers[:1])
    is_version = own[0] in rest and is_same
    n_common = sum(line in rest for line in worded)
    return is_version and 2 * n_common >= len(worded)


def _has_glued_sign(texts: Sequence[str], around: Surroundings) -> bool:
    """Whether the last line ends with the sign of a terminal."""
    if around.language in PROSE_LANGUAGES - {""} or not _GLUED.search(texts[-1]):
        return False
    return not any(_GLUED.search(line) for line in around.texts)


def _is_other_diff(first: str, around: Surroundings) -> bool:
    is_text = around.language in PROSE_LANGUAGES or first in around.texts
    return not is_text and _OF_DIFFS.fullmatch(first) is not None


def _is_worded(line: str) -> bool:
    return sum(map(str.isalnum, line)) >= _MIN_N_OF_LINE


def _is_encoded(texts: Sequence[str], own: Sequence[str], around: Surroundings) -> bool:
    """Whether a text is not for readers, as in base64, a URL or a literal."""
    if all(map(_ENCODED.fullmatch, texts[:-1] or texts)) and not fits(texts, around):
        return True
    if len(texts) > 1 or len(own) < _MIN_N_LINES:
        return False
    (text,) = texts
    n_inside = sum(line in text for line in own)
    has_ends = len(_ENCODED_END.findall(text)) > 1
    return has_ends and (" " not in text or n_inside >= _MIN_N_LINES)


def _is_painted(texts: Sequence[str], around: Surroundings) -> bool:
    is_one = _HIGHLIGHTED.search("\n".join(texts)) is not None
    return is_one and not any(map(_HIGHLIGHTED.search, around.texts))


def _has_lost_indentation(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether no line is indented, although one opens a block, as in the range."""
    if around.language in PROSE_LANGUAGES or any(map(indent_of, lines)):
        return False
    own = {len(indent_of(line)) for line in around.own_texts}
    return len(own) > 1 and any(depth([line]) > 0 for line in lines)
