"""Reads characters that were escaped, or replaced by similar ones, in a whole reply.

A sign counts as escaped only if all of its kind are, and as replaced only outside of
strings and comments, where no code has it; in each case the file must not have it.
"""

from __future__ import annotations

import re

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.reply_forms.surroundings import Surroundings

STRING = re.compile(
    r"\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)|/\*.*?(?:\*/|\Z)|`(?:\\.|[^`\\])*+`"
    r"|\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+'|(?<![\w:])//[^\n]*|(?<!\S)#[^\n]*",
    re.DOTALL,
)
"""Strings and comments of most languages."""

_CODE_POINT = re.compile(r"\\u00(3[cCeE]|2[2678]|27)")
_ESCAPABLE = "\"'`$"
_TRIPLES = ('\\"\\"\\"', "\\'\\'\\'")

_WIDE = {chr(0xFEE0 + at): chr(at) for at in range(0x21, 0x7F)}
_SIMILAR = _WIDE | {
    "\u3000": " ",
    "\u3001": ",",
    "\u3010": "[",
    "\u3011": "]",
    "\u2013": "-",
    "\u2212": "-",
    "\u2192": "->",
    "\u21d2": "=>",
    "\u2260": "!=",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2026": "...",
    "\u00d7": "*",
}
"""Signs in place of those of code: of wide scripts, and of typography."""
_SIMILAR_SIGN = re.compile("[" + "".join(_SIMILAR) + "]")
_NUMBER = re.compile(r"^[ \t]*+\d{1,6} ?\u2192", re.MULTILINE)
_ONLY_PUNCTUATION = re.compile("[" + "".join(s for s in _WIDE if not s.isalnum()) + "]")
_WIDE_LETTER = re.compile("[\u2e80-\u9fff\uac00-\ud7af]")
_WITH_SIGNS = PROSE_LANGUAGES | frozenset(
    {"haskell", "julia", "scala", "yaml", "dockercompose", "r", "properties", "ini"}
)
"""Languages with such signs outside of strings and comments."""
_TAGGED = frozenset(
    {"javascript", "javascriptreact", "php", "typescriptreact", "vue", "svelte"}
)

_UNSEEN = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_IN_WORD = re.compile("(?<=[A-Za-z_])[\u00ad\u200b-\u200d\u2060\ufeff]+(?=[A-Za-z_])")
"""What a page has put within words for breaks of lines."""
_LIGATURES = {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi"}
_CYRILLIC = (
    "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0410\u0412\u0421"
    "\u0415\u041d\u041a\u041c\u041e\u0420\u0422\u0425\u0456\u0458"
)
_LIKE_LATIN = dict(zip(_CYRILLIC, "aceopxyABCEHKMOPTXij", strict=True))
"""Letters of the Cyrillic script that look like one of the Latin script."""
_WORD = re.compile(r"\w++")
_LATIN_LETTER = re.compile(r"[A-Za-z]")


def without_escapes(text: str, around: Surroundings) -> str | None:
    """Read quotation marks and other signs that are all escaped."""
    new = text
    if around.language not in PROSE_LANGUAGES:
        new = _with_code_points(new, around)
    for sign in _ESCAPABLE:
        escaped = f"\\{sign}"
        if escaped not in new or around.has(escaped):
            continue
        if new.count(sign) == new.count(escaped) and around.has(sign):
            new = new.replace(escaped, sign)
    for escaped in _TRIPLES:
        if escaped not in new or around.has(escaped):
            continue
        if escaped in STRING.sub("", new):
            new = new.replace(escaped, escaped.replace("\\", ""))
    return None if new == text else new


def _with_code_points(text: str, around: Surroundings) -> str:
    """Read `\\u003c` and the like, as JSON of some servers writes `<`."""
    if "\\u00" not in text or around.has("\\u00"):
        return text
    if not _CODE_POINT.search(text):
        return text
    if not _CODE_POINT.search(STRING.sub("", text)):
        return text  # All are in strings.
    return _CODE_POINT.sub(lambda found: chr(int(found[1], 16)), text)


def with_plain_signs(text: str, around: Surroundings) -> str | None:
    """Replace signs that look like those of code, outside of strings and comments."""
    if text.isascii() or around.language in _WITH_SIGNS or around.may_be_in_text:
        return None
    if _NUMBER.search(text):
        return None  # An arrow follows the number of a line.
    parts, at = [], 0
    for string in STRING.finditer(text):
        parts += [_plain(text, at, string.start(), around), string[0]]
        at = string.end()
    new = "".join((*parts, _plain(text, at, len(text), around)))
    return None if new == text else new


def _plain(text: str, start: int, stop: int, around: Surroundings) -> str:
    def replaced(found: re.Match[str]) -> str:
        sign = found[0]
        if around.has(sign):
            return sign
        if around.language in _TAGGED:
            # Text within tags has such signs beside words of its script.
            near = text[max(0, start + found.start() - 1) : start + found.end() + 1]
            if not _ONLY_PUNCTUATION.match(sign) or _WIDE_LETTER.search(near):
                return sign
        plain = _SIMILAR[sign]
        is_last = text[start + found.end() : start + found.end() + 1] in ("", "\n")
        needs_blank = sign in "\uff0c\uff1b\u3001\uff1a" and not is_last
        has_blank = text[start + found.end() : start + found.end() + 1].isspace()
        return plain + " " if needs_blank and not has_blank else plain

    return _SIMILAR_SIGN.sub(replaced, text[start:stop])


def with_plain_letters(text: str, around: Surroundings) -> str | None:
    """Replace ligatures, and letters of another script within a word of code."""
    if text.isascii() or around.language in PROSE_LANGUAGES:
        return None
    new = text
    is_in_code = _IN_WORD.search(STRING.sub("", text)) is not None
    if is_in_code and not any(map(_IN_WORD.search, around.lines)):
        new = _UNSEEN.sub("", new)
    for sign, plain in _LIGATURES.items():
        if sign in new and not around.has(sign):
            new = new.replace(sign, plain)
    new = _WORD.sub(lambda found: _latin(found[0], around), new)
    return None if new == text else new


def _latin(word: str, around: Surroundings) -> str:
    if word.isascii() or not _LATIN_LETTER.search(word) or around.has(word):
        return word
    new = "".join(_LIKE_LATIN.get(letter, letter) for letter in word)
    return new if new.isascii() else word
