"""Says what an instruction leaves open, and what is taken for granted instead.

A vague instruction such as "improve this" runs. Fixed rules decide what it leaves open;
the prompt tells it to the model, and the preview to the user. An instruction that names
a change is left as it is.

The words are English; in another language an instruction counts as precise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from msgspec import Struct

from redline.instructions.clause import InstructionWords, read_words
from redline.instructions.vague_words import (
    ASPECTS,
    CHANGES,
    FAULTS,
    PLACES,
    SIGNATURE_WORDS,
    SKIPPED,
    SPEED,
    VAGUE,
)
from redline.text.definition_header import defined_name

_MAX_N_CHARS = 500
"""A longer instruction explains itself."""

_MAX_N_ABOVE = 300
_MAX_N_LINES = 2_000
"""Longer ranges have no target and no names: this runs in the event loop."""

_MAX_N_SEARCHED = 4_000
"""Lines of the file that are searched for definitions."""

_MAX_N_NAMES = 4
_EXPECTED = re.compile(
    r"\b(?:(?:should|so that|so it|must|needs? to|has to)\s++"
    r"|(?=(?:returns?|raises?)\b))"
    r"(?P<what>[^.;\n]++)",
    re.IGNORECASE,
)
_CODE_NAME = re.compile(r"[^\W\d]\w*+(?:\.[^\W\d]\w*+)*+$")
_NOT_NAMES = SKIPPED | VAGUE | FAULTS | SPEED | ASPECTS
_NO_NEW_NAMES = "No name that other code uses is added, renamed or removed."
_THIS = re.compile(
    r"\b(?:this|the)\s+(?:function|method|class|code|selection)\b|\b(?:this|it|here)\b",
    re.IGNORECASE,
)


class SharpInstruction(Struct, frozen=True, kw_only=True):
    """An instruction, and what follows from its words and its place."""

    task: str
    """The instruction; a vague one names its target."""
    symbol: str | None
    """The definition that it is about, as far as its header is found."""
    expected: str
    """The clause that says what holds afterwards; may be empty."""
    keeps: tuple[str, ...]
    """What stays as it is, as sentences."""
    assumes: tuple[str, ...]
    """What was taken for granted, as sentences; empty if nothing had to be."""
    is_vague: bool


def sharpen(
    instruction: str, lines: Sequence[str], first: int, end: int
) -> SharpInstruction:
    """Read what an instruction on a range leaves open.

    Args:
        instruction: The user's words.
        lines: The document's lines.
        first: Index of the range's first line.
        end: Index after its last one; `first` for a place for new lines.
    """
    words = _words(instruction)
    symbol, is_around = _symbol(words, lines, first, end)
    is_vague = len(instruction) <= _MAX_N_CHARS and _names(words) <= {symbol}
    task = instruction
    if is_vague:
        named = f"`{symbol}`" if symbol else "the selected lines"
        task = _THIS.sub(lambda _: named, instruction, count=1)
    expected = _EXPECTED.search(instruction.strip()[:_MAX_N_CHARS])
    keeps = ["The style of the file."]
    if symbol and SIGNATURE_WORDS.isdisjoint(_lows(words)):
        keeps.insert(0, f"The way in which other code uses `{symbol}`.")
    return SharpInstruction(
        task=task,
        symbol=symbol,
        expected=expected["what"].strip() if expected else "",
        keeps=tuple(keeps),
        assumes=(
            _assumed_of_vague(words, symbol, is_around=is_around, is_place=first == end)
            if is_vague
            else _assumed_of_precise(words, lines, first, end)
        ),
        is_vague=is_vague,
    )


def assumed(
    instruction: str, lines: Sequence[str], first: int, end: int
) -> tuple[str, ...]:
    """Return what `sharpen` says is taken for granted.

    Each edit waits for this. The usual instruction names a change, and costs a tenth of
    `sharpen` then: no definition is searched.

    Args:
        instruction: The user's words.
        lines: The document's lines.
        first: Index of the range's first line.
        end: Index after its last one; `first` for a place for new lines.
    """
    words = _words(instruction)
    lows = _lows(words)
    is_named = len({low.rpartition(".")[2] for low in lows - _NOT_NAMES}) > 1
    if is_named and CHANGES.isdisjoint(lows):
        # The usual case.
        return ()
    names = _names(words)
    # A vague instruction names its target at most, which is one definition.
    if len(instruction) <= _MAX_N_CHARS and len(names) <= 1:
        symbol, is_around = _symbol(words, lines, first, end)
        if names <= {symbol}:
            return _assumed_of_vague(
                words, symbol, is_around=is_around, is_place=first == end
            )
    return _assumed_of_precise(words, lines, first, end)


def _words(instruction: str) -> InstructionWords:
    return read_words(instruction.strip()[:_MAX_N_CHARS])


def _lows(words: InstructionWords) -> set[str]:
    """Return all words in the form of the tables."""
    return {word.lower() for word in (*words.bare, *words.quoted)}


def _names(words: InstructionWords) -> set[str]:
    """Return the words that name a change or a thing.

    An instruction is vague if it has none, or only the name of its target.
    """
    bare = [word for word in words.bare if word.lower() not in _NOT_NAMES]
    return {word.rpartition(".")[2] for word in bare}.union(words.quoted)


def _assumed_of_vague(
    words: InstructionWords, symbol: str | None, *, is_around: bool, is_place: bool
) -> tuple[str, ...]:
    only = _only(symbol, is_around=is_around, is_place=is_place)
    return only, _meaning(_lows(words)), _NO_NEW_NAMES


def _assumed_of_precise(
    words: InstructionWords, lines: Sequence[str], first: int, end: int
) -> tuple[str, ...]:
    if CHANGES.isdisjoint(_lows(words)):
        return ()
    return tuple(
        f"`{name}` is outside of the selected lines and stays as it is."
        for name in _names_outside(words, lines, first, end)
    )


def _symbol(
    words: InstructionWords, lines: Sequence[str], first: int, end: int
) -> tuple[str | None, bool]:
    """Return the definition that is named, or fills the range, or is around it.

    Returns:
        Its name, if its header is found, and whether it is around the range.
    """
    if end - first > _MAX_N_LINES:
        return None, False
    covered = lines[first:end]
    if (name := _named(words, covered)) is not None:
        return name, False
    filled = (line for line in covered if line.strip())
    code = next((line for line in filled if line.strip()[0] not in "@#/*"), None)
    if code is None:
        return None, False
    if (name := defined_name(code)) is not None:
        width = _width(code)
        heads = (line for line in covered if _width(line) <= width)
        outer = islice(filter(defined_name, heads), 2)
        return (name, False) if len(list(outer)) == 1 else (None, False)
    return _around(lines, first, _width(code)), True


def _named(words: InstructionWords, lines: Sequence[str]) -> str | None:
    """Return the first definition in some lines that a word names."""
    # A definition's name follows a blank, a line's start or Ruby's `self.`. Most words
    # do so nowhere, which a search of the whole text shows sooner.
    text = " ".join(("", *lines)).replace("\t", " ").replace(".", " ")
    mentioned = {word.rpartition(".")[2] for word in (*words.bare, *words.quoted)}
    found = {word for word in mentioned if word and f" {word}" in text}
    for line in lines if found else ():
        if (
            any(word in line for word in found)
            and (name := defined_name(line)) in found
        ):
            return name
    return None


def _around(lines: Sequence[str], first: int, width: int) -> str | None:
    for at in range(first - 1, max(first - _MAX_N_ABOVE, 0) - 1, -1):
        line = lines[at]
        if line.strip() and _width(line) < width:
            if (name := defined_name(line)) is not None:
                return name
            width = _width(line)
    return None


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())


def _only(symbol: str | None, *, is_around: bool, is_place: bool) -> str:
    if is_place:
        return "Only this place changes."
    if symbol is None:
        return "Only the selected lines change."
    if is_around:
        return f"Only the selected lines of `{symbol}` change."
    return f"Only `{symbol}` changes."


def _meaning(lows: set[str]) -> str:
    """Return how a vague instruction is understood."""
    if lows & ASPECTS:
        return "What is named is added or improved; other behaviour stays the same."
    if lows & FAULTS:
        return "No fault is named: what is clearly wrong is fixed, the rest stays."
    if lows & SPEED:
        return "It becomes faster; its results stay the same."
    return "Its behaviour stays the same."


def _names_outside(
    words: InstructionWords, lines: Sequence[str], first: int, end: int
) -> list[str]:
    """Return mentioned definitions of the file that the range does not mention."""
    bare = (word for word in words.bare if "_" in word or not word.islower())
    mentioned = dict.fromkeys(
        word.rpartition(".")[2]
        for word in (*words.quoted, *bare)
        if _CODE_NAME.match(word) and word.lower() not in PLACES
    )
    if end - first > _MAX_N_LINES:
        return []
    names = [
        name
        for name in list(mentioned)[:_MAX_N_NAMES]
        if not any(name in line for line in lines[first:end])
    ]
    found = []
    for name in names:
        searched = (line for line in lines[:_MAX_N_SEARCHED] if name in line)
        if any(defined_name(line) == name for line in searched):
            found.append(name)
    return found
