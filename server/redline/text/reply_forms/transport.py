"""Restores a reply whose characters were changed on the way, whatever its form.

Terminals add colours, tokenizers write blanks and line ends as letters, and text is
decoded by the wrong table or escaped once too often. Each leaves signs that the file
does not have.
"""

from __future__ import annotations

import base64
import binascii
import quopri
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.reply_forms import (
    breaks,
    characters,
    citations,
    escapes,
    markdown_escapes,
)
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_SEQUENCE = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]")
"""A control sequence of a terminal."""
_COLOUR = re.compile(r"\[(?:\d{1,3};)*\d{1,3}m|\[m(?!\w)")
"""One of a colour that has lost its first character."""
_NUMBERED = re.compile(r"\[(?:\d{1,3};)*\d{1,3}m")
_RESET = re.compile(r"\[0?m")
_BESIDE_CODE = re.compile(r"(?:\[0?m|(?<![\w\\})\]\"'`$]))$")
"""What may stand in front of one, but for the end of a colour. In a string of the
code, an escape or a quotation mark does."""

_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_PIECE_BLANK = "\u2581"
"""SentencePiece's letter for a blank."""

_VISIBLE = {"\u00b7": " ", "\u2423": " ", "\u21e5": "\t", "\u2192": "\t"}
"""What stands for white space in an indentation where it is made visible."""
_VISIBLE_START = re.compile("[" + "".join(_VISIBLE) + r" \t]+")
_LINE_MARK = re.compile(
    r"[\u00b6\u21b5\u23ce\u240a\u2424]$|<br ?/?>$|&#10;$|(?<!\\)(?:\\r)?\\n$"
)
"""What stands for the end of a line where it is made visible."""

_MIN_N_SPACED = 7
"""Lines of a text of which each other one is blank not by chance."""

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_REPLACEMENT = "\ufffd"

_ESCAPE = re.compile(r"\\(?:([nrt\"'\\/])|u([0-9a-fA-F]{4}))")
_ESCAPES = {"n": "\n", "r": "", "t": "\t"}
_STRING = re.compile(r"\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+'")
_ESCAPED_BREAK = re.compile(r"(?<!\\)\\n")

_JSON_START = re.compile(r"[\[{]\s*\"")

_QUOTED_PRINTABLE = re.compile(r"=(?:[0-9A-F]{2}|[ \t]*+(?:\n|$))")
"""A character, or the end of a line that goes on, as in mails (RFC 2045, 6.7)."""
_QUOTED_SIGN = re.compile(r"=3D")

_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4}){6,}(?:[A-Za-z0-9+/]{2,3}={0,2})?")
_MAX_N_CHARS = 200_000

_Step = Callable[[str, Surroundings], "str | Doubt | None"]


def decoded(
    lines: Sequence[str], around: Surroundings
) -> tuple[list[str], bool] | None:
    """Return the lines as the model meant them, and whether that is certain.

    Returns:
        None if they are not changed.
    """
    text = "\n".join(lines)
    if len(text) > _MAX_N_CHARS:
        return None
    found, is_sure = text, True
    for step in _STEPS:
        new = step(found, around)
        if new == "unsure":
            is_sure = False
        elif new and _texts(new.split("\n")) != around.own_texts:
            found = new
    if found == text and is_sure:
        return None
    return found.split("\n"), is_sure


def may_be_decoded(line: str) -> bool:
    """Whether letters of a line may be read in another way once the reply is whole."""
    if citations.has_citation(line) or breaks.has_break(line):
        return True
    return not line.isascii() and (
        _REPLACEMENT in line
        or not unicodedata.is_normalized("NFC", line)
        or any(_reread(found[0]) != found[0] for found in _NOT_ASCII.finditer(line))
    )


def _texts(lines: Sequence[str]) -> list[str]:
    return [line.rstrip() for line in lines if line.strip()]


def _without_colours(text: str, around: Surroundings) -> str | None:
    if "\x1b" in text:
        is_known = any(map(_SEQUENCE.search, around.lines))
        return None if is_known else _SEQUENCE.sub("", text)
    colours = list(_COLOUR.finditer(text)) if _NUMBERED.search(text) else []
    if not colours or any(map(_COLOUR.search, around.lines)):
        return None
    shown = [
        _BESIDE_CODE.search(text, max(at.start() - 4, 0), at.start()) for at in colours
    ]
    is_odd = any(
        place is None and _RESET.fullmatch(one[0]) is None
        for place, one in zip(shown, colours, strict=True)
    )
    return None if is_odd or not any(shown) else _COLOUR.sub("", text)


@lru_cache(maxsize=1)
def _bytes_of_letters() -> dict[str, int]:
    """Return the bytes for which tokenizers on bytes write other letters."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(0x100) if byte not in shown]
    table = {chr(byte): byte for byte in shown}
    return table | {chr(0x100 + at): byte for at, byte in enumerate(hidden)}


def _from_token_letters(text: str, around: Surroundings) -> str | Doubt | None:
    for blank in ("\u0120", "\u010a"):
        if blank in text and not around.has(blank):
            break
    else:
        return _from_pieces(text, around)
    table = _bytes_of_letters() | {" ": 0x20, "\n": 0x0A, "\t": 0x09}
    if not all(letter in table for letter in text):
        return "unsure"
    try:
        return bytes(table[letter] for letter in text).decode()
    except UnicodeDecodeError:
        return "unsure"


def _from_pieces(text: str, around: Surroundings) -> str | None:
    new = text
    if _PIECE_BLANK in text and not around.has(_PIECE_BLANK):
        new = new.replace(_PIECE_BLANK, " ")
    if _BYTE.search(new) and not any(map(_BYTE.search, around.lines)):
        new = _BYTE.sub(lambda found: chr(int(found[1], 16)), new)
    return None if new == text else new


def _from_quoted_printable(text: str, around: Surroundings) -> str | Doubt | None:
    """Read the coding of mails, in which each `=` is written as `=3D`."""
    if not _QUOTED_SIGN.search(text) or any(map(_QUOTED_SIGN.search, around.lines)):
        return None
    if text.count("=") != len(_QUOTED_PRINTABLE.findall(text)):
        return None
    try:
        return quopri.decodestring(text.encode()).decode()
    except UnicodeDecodeError:
        return "unsure"


def _with_plain_blanks(text: str, around: Surroundings) -> str | None:
    new = characters.with_plain_blanks(text.split("\n"), around)
    return None if new is None else "\n".join(new)


def _with_plain_space(text: str, around: Surroundings) -> str | None:
    """Replace signs that stand for white space and line ends."""
    if around.language in PROSE_LANGUAGES:
        return None
    lines = text.split("\n")
    texts = [line for line in lines if line.strip()]
    marks: set[str] = set()
    if any(map(_LINE_MARK.search, texts[:2])):  # At most one line is without it.
        marks = {found[0] for line in texts if (found := _LINE_MARK.search(line))}
    if len(marks) == 1 and not any(map(_LINE_MARK.search, around.lines)):
        (mark,) = marks
        if sum(line.endswith(mark) for line in texts) >= max(2, len(texts) - 1):
            lines = [line.removesuffix(mark) for line in lines]
    for sign in _VISIBLE:
        if sign in text and not around.has(sign) and _is_in_indent(sign, lines):
            lines = [line.replace(sign, _VISIBLE[sign]) for line in lines]
    new = "\n".join(lines)
    return None if new == text else new


def _is_in_indent(sign: str, lines: Sequence[str]) -> bool:
    starts = (_VISIBLE_START.match(line) for line in lines)
    return any(sign in found[0] for found in starts if found)


def _single_spaced(text: str, around: Surroundings) -> str | Doubt | None:
    """Remove blank lines that stand between all lines, and blanks that end all.

    Where the range has blank lines, too, those between all lines may be meant.
    """
    if around.language in PROSE_LANGUAGES:
        return None
    lines = text.strip("\n").split("\n")
    own = around.target
    has_pair = any(one.strip() and two.strip() for one, two in pairwise(own))
    if (
        len(lines) >= _MIN_N_SPACED
        and has_pair
        and not any(map(str.strip, lines[1::2]))
    ):
        if any(not line.strip() for line in "\n".join(own).strip().split("\n")):
            return "unsure"
        lines = lines[::2]
    texts = [line for line in lines if line.strip()]
    if len(texts) > 1 and all(line[-1] in " \t" for line in texts):
        own_ends = (line[-1:] for line in around.lines)
        if not any(end in (" ", "\t") for end in own_ends):
            lines = [line.rstrip() for line in lines]
    new = "\n".join(lines)
    return None if new == text.strip("\n") else new


def _with_right_letters(text: str, around: Surroundings) -> str | Doubt | None:
    """Read letters again that were decoded by a table of one byte for each."""
    if text.isascii():
        return _with_lost_letters(text, around)
    is_composed = all(map(_is_composed, around.lines))
    new = unicodedata.normalize("NFC", text) if is_composed else text
    for _ in range(2):
        new = _NOT_ASCII.sub(lambda found: _read_again(found[0], around), new)
    return _with_lost_letters(new, around) or (None if new == text else new)


def _is_composed(line: str) -> bool:
    return line.isascii() or unicodedata.is_normalized("NFC", line)


def _read_again(letters: str, around: Surroundings) -> str:
    new = _reread(letters)
    return letters if new == letters or around.has(letters) else new


def _reread(letters: str) -> str:
    raw = bytearray()
    for letter in letters:
        try:
            raw += letter.encode("cp1252")
        except UnicodeEncodeError:
            if ord(letter) > 0xFF:
                return letters
            raw.append(ord(letter))
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return letters


def _with_lost_letters(text: str, around: Surroundings) -> str | Doubt | None:
    """Restore letters in place of which there is a sign; from the file's words."""
    if _REPLACEMENT not in text and "?" not in text:
        return None
    has_sign = _REPLACEMENT in text and not around.has(_REPLACEMENT)
    foreign = "\n".join(line for line in around.lines if not line.isascii())
    own = {word for word in re.findall(r"\w+", foreign) if not word.isascii()}
    if not has_sign and not own:
        return None

    def restored(found: re.Match[str]) -> str:
        damaged = found[0].rstrip(f"{_REPLACEMENT}?")
        parts = re.split(rf"[{_REPLACEMENT}?]+", damaged)
        if len(parts) == 1:
            return found[0]
        pattern = re.compile(r"[^\x00-\x7f]+".join(map(re.escape, parts)))
        words = [word for word in own if pattern.fullmatch(word)]
        word = words[0] if len(words) == 1 else damaged
        return word + found[0].removeprefix(damaged)

    new = re.sub(rf"[\w{_REPLACEMENT}?]+", restored, text)
    if has_sign and _REPLACEMENT in new:
        return "unsure"
    return None if new == text else new


def _is_json(line: str) -> bool:
    """Whether a line is a value of JSON, perhaps behind a label, which has escapes of
    its own."""
    if line.startswith(("[", "{", '"', "b'", 'b"')):
        return True
    is_closed = line.rstrip().endswith(("]", "}"))
    return is_closed and _JSON_START.search(line) is not None


def _with_line_ends(text: str, around: Surroundings) -> str | Doubt | None:
    """Read the escapes of a text that came as one line."""
    code = text.strip("\n")
    if around.language in PROSE_LANGUAGES or "\n" in code:
        return None
    if _is_json(code) or not _ESCAPED_BREAK.search(code):
        return None
    if any(map(_ESCAPED_BREAK.search, map(_outside, around.target))):
        return None
    new = _ESCAPE.sub(
        lambda found: (
            chr(int(found[2], 16)) if found[2] else _ESCAPES.get(found[1], found[1])
        ),
        code,
    )
    own = {line.strip() for line in around.target if line.strip()}
    is_known = any(line.strip() in own for line in new.split("\n"))
    if not _ESCAPED_BREAK.search(_outside(code)) and not is_known:
        return None
    return new if fits(new.split("\n"), around) else "unsure"


def _outside(line: str) -> str:
    return _STRING.sub("", line)


def from_base64(code: str) -> str:
    """Return the text that is in base64; an empty one if it is not."""
    if not _BASE64.fullmatch(code):
        return ""
    try:
        return base64.b64decode(code, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _without_entities(text: str, around: Surroundings) -> str | Doubt | None:
    new = characters.unescaped(text.split("\n"), around)
    return new if new is None or new == "unsure" else "\n".join(new)


_STEPS: tuple[_Step, ...] = (
    breaks.with_line_feeds,
    breaks.with_blanks,
    citations.without_citations,
    _without_entities,
    _without_colours,
    _from_token_letters,
    _from_quoted_printable,
    _with_plain_blanks,
    _with_plain_space,
    _single_spaced,
    _with_right_letters,
    _with_line_ends,
    escapes.without_escapes,
    markdown_escapes.without_escapes,
    escapes.with_plain_signs,
    escapes.with_plain_letters,
)
