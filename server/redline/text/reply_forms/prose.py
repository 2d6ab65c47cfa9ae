"""Cuts talk to the user off the start and the end of code that has no fence.

A sentence is recognized by its form, in any language of people: it begins with a
capital letter, has several words, ends with a stop and holds no signs of code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from redline.text.chatter import (
    PROSE_LANGUAGES,
    is_certain_chatter,
    is_foreign,
    is_plain_sentence,
    is_quotation,
    reads_as_talk,
)
from redline.text.reply_forms.surroundings import Surroundings

_ITEM = re.compile(
    r"(?:[-*\u2022]|\d+[.)])\s+\S(?=.*\w).*+$|[*_]{2}.+[*_]{2}:?$|-{3,}$|#+\s\S.*$"
)
_LABELLED = re.compile(
    r"(?:Instruction|Task|Request|Question|Goal)s?:(?: [^={};()]*)?$"
)
"""A label with what the user wrote."""
_TITLE = re.compile(r"[A-Z]\w*(?: \w+){0,4}:$")
_BOLD_TITLE = re.compile(r"[*_]{2}.+[*_]{2}:?$")
_NEXT_TURN = re.compile(r"(?:Human|Assistant): .*[.!?]$")
"""A turn of a conversation that the model goes on with."""

_WITH_BARE_WORDS = frozenset({"yaml", "dockercompose", "haskell", "sql", "dockerfile"})
"""Languages in which words without signs are code or data."""


def without_talk(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Remove talk before and after the code; None if there is none.

    Where the range begins or ends in a string or comment, sentences are text of it.
    """
    if around.language in PROSE_LANGUAGES:
        return None
    texts = [line for line in lines if line.strip()]
    if not texts or not any(map(_may_be_talk, (texts[0], texts[-1]))):
        return None
    if around.language in _WITH_BARE_WORDS:
        # Keys and names are words without any sign, too.
        bare = (*texts[:1], *texts[-1:])
        if any(map(is_foreign, around.lines())) or any(map(is_plain_sentence, bare)):
            return None
    known = {line.strip() for line in around.lines()}
    own = [line.strip() for line in around.target if line.strip()] or [""]
    is_text = around.may_be_in_text() or reads_as_talk(own[0])
    start = 0 if is_text else _n_talk(lines, known)
    stop = len(lines)
    if not (around.may_end_in_text() or reads_as_talk(own[-1])):
        stop -= _n_talk(lines[::-1], known)
    if (start, stop) == (0, len(lines)) or start >= stop:
        return None
    return list(lines[start:stop])


def _may_be_talk(line: str) -> bool:
    is_one = _is_talk(line) or is_plain_sentence(line)
    return is_one or bool(_ITEM.match(line) or _TITLE.match(line))


def _is_talk(line: str) -> bool:
    is_one = reads_as_talk(line) or is_certain_chatter(line) or is_quotation(line)
    return is_one or any(one.match(line) for one in (_LABELLED, _NEXT_TURN))


def _n_talk(lines: Sequence[str], known: set[str]) -> int:
    """Count the lines at a border that are talk; at least one is a sentence."""
    n_sure = 0
    # Each is looked up once for all items after it: there may be thousands.
    has_sentence: bool | None = None
    is_in_block = False
    for at, line in enumerate(_unquoted(lines)):
        if not line.strip():
            is_in_block = False
            continue
        if line in known or line[0].isspace():
            break
        is_apart = at + 1 < len(lines) and not lines[at + 1].strip()
        if _is_talk(line) or (is_apart and is_plain_sentence(line)):
            n_sure = at + 1
        elif not _ITEM.match(line) and not _TITLE.match(line):
            break
        else:
            if has_sentence is None:
                has_sentence = _has_sentence(lines[at:])
            if n_sure or has_sentence:
                n_sure = at + 1
            elif not is_in_block and _is_apart(lines, at):
                # Items after the code, without a sentence among them.
                n_sure = _last_item(lines, at)
            is_in_block = True
    while n_sure and n_sure < len(lines) and not lines[n_sure].strip():
        n_sure += 1
    return n_sure


def _unquoted(lines: Sequence[str]) -> Sequence[str]:
    """Leave out the last lines if all are quoted: then that is the code itself."""
    count = len(lines)
    while count and lines[count - 1][:1] in ("", ">"):
        count -= 1
    return lines[:count]


def _has_sentence(lines: Sequence[str]) -> bool:
    """Whether the items at a border come with a sentence that introduces them."""
    for line in lines:
        if line.strip() and _is_talk(line):
            return True
        if line.strip() and not (_ITEM.match(line) or _TITLE.match(line)):
            return False
    return False


def _is_apart(lines: Sequence[str], at: int) -> bool:
    """Whether several items, and a title, stand apart from the code."""
    rest = (lines[n] for n in range(at, len(lines)))
    block = list(takewhile(str.strip, rest))
    is_block = all(_ITEM.match(line) or _TITLE.match(line) for line in block)
    # A title may also be apart from its items; the lines come from the end.
    above = next((one for one in lines[at + len(block) :] if one.strip()), "")
    has_title = any(map(_TITLE.match, block)) or _BOLD_TITLE.match(above) is not None
    return is_block and has_title


def _last_item(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and lines[at].strip():
        at += 1
    return at
