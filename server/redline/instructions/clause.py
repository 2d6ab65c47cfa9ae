"""An instruction split into clauses or words; quoted names and literals stay whole."""

from __future__ import annotations

import re
from typing import NamedTuple

from msgspec import Struct

# An apostrophe inside a word is not a quote: "don't" opens nothing.
_QUOTED = re.compile(
    r"(?<![\w])(?:`(?P<code>[^`\n]+)`|\"(?P<double>[^\"\n]*)\"|'(?P<single>[^'\n]*)'"
    "|\u201c(?P<curly>[^\u201c\u201d\n]*)\u201d|\u2018(?P<curled>[^\u2018\u2019\n]*)\u2019)"
    r"(?!\w)"
)
_BORDER = re.compile(
    r"(?:(?<!\s)\s*|(?=\S))"
    r"(?:[,;\n&]|\.(?=\s|$)|!|\b(?:and|then|also|plus|afterwards|finally)\b)\s*",
    re.IGNORECASE,
)
_HELD = re.compile("\ue000(\\d+)\ue001")
_BORDERS = ",;&!"
_MARKS = "()[]:?!."
"""The punctuation around a word; a full stop may also be inside of one."""

_QUOTES = frozenset("`\"'\u201c\u2018")
# Phrases that mean one word of the tables, each behind letters that all its forms have.
_PHRASES = [
    (letters, re.compile(pattern, re.IGNORECASE), word)
    for letters, pattern, word in (
        ("string", r"\bdoc[ -]strings?\b", "docstrings"),
        ("string", r"\bf[ -]strings?\b", "fstrings"),
        ("type", r"\btype[ -](?:hint|annotation)s?\b", "typehints"),
        ("comment", r"\bcomment (\S+(?: \S+)??) out\b", r"commentout \1"),
        ("comment", r"\bcomment(?:ed)?[ -]out\b", "commentout"),
        ("comment", r"\bun-comment\b", "uncomment"),
        ("dup", r"\bde-dup(?:licate|e)?\b", "deduplicate"),
        ("in ", r"\bin (?:reverse|descending)(?: order)?\b", "reverse"),
        ("case", r"\bcase[ -]insensitive(?:ly)?\b", "case-insensitively"),
        ("case", r"\bignor(?:ing|e) case\b", "case-insensitively"),
        (
            "snake",
            r"\b(?:screaming|upper)[ _-]snake(?:[ _-]?case)?\b",
            "constantcase",
        ),
        ("upper", r"\bUPPER_CASE\b", "constantcase"),
        ("camel", r"\bupper[ -]camel(?:[ -]?case)?\b", "pascalcase"),
        ("camel", r"\blower[ -]camel(?:[ -]?case)?\b", "camelcase"),
        (
            "case",
            r"\b(upper|lower|title|snake|camel|pascal|kebab|constant)[ _-]?cased?\b",
            r"\1case",
        ),
        ("letters", r"\bcapital letters\b", "uppercase"),
        (
            "",
            r"^\s*+(?:(?:can|could|would|will) you\b)?\s*+"
            r"(?:please|kindly|now|just)?\b",
            "",
        ),
    )
]


class Word(Struct, frozen=True, kw_only=True):
    text: str
    """The word as written, without quotes."""
    quote: str = ""
    """The opening quote; empty for a bare word."""

    @property
    def low(self) -> str:
        """The word in the form of the tables."""
        return self.text.lower()

    @property
    def is_quoted(self) -> bool:
        """Whether it is certainly a name or a literal."""
        return bool(self.quote)


class Clause(Struct, frozen=True, kw_only=True):
    """One request of an instruction."""

    words: tuple[Word, ...]


class InstructionWords(NamedTuple):
    """The words of an instruction, of all its clauses."""

    bare: list[str]
    quoted: list[str]
    """Names and literals that were quoted, without the quotes."""


def read_words(text: str) -> InstructionWords:
    """Split an instruction into its words as written, without looking for clauses."""
    quoted: list[str] = []

    def hold(found: re.Match[str]) -> str:
        quoted.append(found[found.lastgroup or 0])
        return " "

    if not _QUOTES.isdisjoint(text):
        text = _QUOTED.sub(hold, text)
    for border in _BORDERS:
        text = text.replace(border, " ")
    bare = [piece.strip(_MARKS) for piece in text.split()]
    return InstructionWords([word for word in bare if word], quoted)


def read_clauses(text: str) -> list[Clause]:
    """Split an instruction at commas, full stops, line ends, "and" and "then"."""
    held: list[Word] = []

    def hold(found: re.Match[str]) -> str:
        kind = found.lastgroup or ""
        held.append(Word(text=found[kind], quote=found[0][0]))
        return f"\ue000{len(held) - 1}\ue001"

    bare = _HELD.sub("", text)
    if not _QUOTES.isdisjoint(bare):
        bare = _QUOTED.sub(hold, bare)
    clauses = []
    for part in _BORDER.split(bare):
        low = part.casefold()
        for letters, pattern, word in _PHRASES:
            if letters in low:
                part = pattern.sub(word, part)
        words = tuple(
            word for piece in part.split() for word in _words(piece, held) if word.text
        )
        if words:
            clauses.append(Clause(words=words))
    return clauses


def _words(piece: str, held: list[Word]) -> list[Word]:
    """Return the quoted names of a piece without spaces, or else the bare word."""
    names = [
        held[int(index)] for index in _HELD.findall(piece) if int(index) < len(held)
    ]
    return names or [Word(text=piece.strip("()[]:?!"))]
