"""Cuts the text for the range out of a reply that has more than that.

Copies of the range, and of the lines above and below it, show where the new text begins
and ends; so do fences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from operator import or_

from redline.text.chatter import PROSE_LANGUAGES, STATEMENT, is_beside_code
from redline.text.elision import find_elision, lines_are_lost
from redline.text.fence import Fence, read_fence
from redline.text.indentation import indent_of
from redline.text.reply_forms.brackets import depth
from redline.text.reply_forms.enclosed import CLOSERS
from redline.text.reply_forms.foreign import OF_WORDS, is_foreign
from redline.text.reply_forms.likeness import is_alike
from redline.text.reply_forms.repeated_lines import stripped, texts_of
from redline.text.reply_forms.surroundings import Surroundings

_WORDS = re.compile(
    r"(?:\*\*)?[^\W\d]+(?: [^\W\d]+){0,4}[^\w\s()\[\]{};,]{0,3}|[^\w\s@#()\[\]{};]+"
)
"""A line of words alone, or of signs, that parts two versions."""
_SIGNS = re.compile(r"[-.=~*\u2026]{2,}|\u2026")
"""A line of signs, such as dots for lines that are left out."""
_CONFLICT = ("<<<<<<<", ">>>>>>>")
_MIN_N_AROUND, _MIN_N_LETTERS = 2, 20
"""Least lines around a range; letters that nobody has twice without a change."""


def only_block(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Return the only fenced block that is not the unchanged range."""
    blocks, words = _blocks(lines, around)
    own = stripped(around.own_texts)
    others = [block for block in blocks if stripped(texts_of(block)) != own]
    is_certain = len(others) == 1 and (any(words) or len(blocks) == 1)
    return others[0] if is_certain else None


def joined_blocks(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Return what all fenced blocks have, if each of them alone lacks lines."""
    blocks, _ = _blocks(lines, around)
    joined = [line for block in blocks for line in block]
    own, wanted = around.own_texts, depth(around.target)
    are_cut = [depth(block) != wanted for block in blocks]
    are_parts = (lines_are_lost(own, block) for block in blocks)
    if len(blocks) < 2 or not all(map(or_, are_cut, are_parts)):
        return None
    return joined if any(are_cut) or not lines_are_lost(own, joined) else None


def _blocks(
    lines: Sequence[str], around: Surroundings
) -> tuple[list[list[str]], list[str]]:
    """Return the fenced blocks, and the words outside of them.

    One fence may close a block and open the next one. There are no blocks at all if
    code is outside of them, or one has the beginning of another.
    """
    fences = list(map(read_fence, lines))
    if not any(fences) or around.language in PROSE_LANGUAGES:
        return [], []
    has_info = any(fence is not None and fence.info for fence in fences)
    opening: Fence | None = None
    blocks, words = list[list[str]](), list[str]()
    for line, fence in zip(lines, fences, strict=True):
        if opening is None:
            if fence is not None and fence.is_bare and has_info and blocks:
                return [], []
            opening = fence
            words += [line] * (fence is None)
            blocks += [[]] * (fence is not None)
        elif fence is None or fence.indent != opening.indent:
            blocks[-1].append(line)
        elif fence.is_bare and fence.run == opening.run:
            opening = None
        elif fence.run == 2 * opening.run:
            blocks.append([])
        else:
            return [], []
    has_code = not all(is_beside_code(one) or _is_words(one, around) for one in words)
    return ([], []) if has_code else (blocks, words)


def beside_old(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Return what stands below the unchanged range, or above it, and parted by words.

    On the other side is no code.
    """
    own, texts = stripped(around.own_texts), stripped(texts_of(lines))
    text, old = ("\n".join(("", *part, "")) for part in (texts, own))
    before, *rest = text.split(old)
    if len(rest) != 1 or len(own) == len(texts) or len(old) < _MIN_N_LETTERS:
        return None
    if around.language in PROSE_LANGUAGES | OF_WORDS or around.may_be_in_text:
        return None
    if any(read_fence(line) or line.startswith(_CONFLICT) for line in lines):
        return None
    places = [at for at, line in enumerate(lines) if line.strip()]
    start = before.count("\n")
    above = list(lines[: places[start]])
    below = list(lines[places[start + len(own) - 1] + 1 :])
    head, tail = _n_words(below, around), _n_words(above[::-1], around)
    if tail == len(above) and any(map(str.strip, below[:head])):
        return below[head:]
    stop = len(above) - tail
    is_parted = any(map(str.strip, above[stop:]))
    start = _n_words(above, around)
    return above[start:stop] if head == len(below) and is_parted else None


def _n_words(lines: Sequence[str], around: Surroundings) -> int:
    """Count the first lines that are blank or words."""
    return sum(1 for _ in takewhile(lambda line: _is_words(line, around), lines))


def _is_words(line: str, around: Surroundings) -> bool:
    text = line.strip()
    if not text or text in around.texts or CLOSERS.match(line):
        return not text
    is_alone = _WORDS.fullmatch(line) is not None and STATEMENT.match(line) is None
    return is_alone or is_foreign(line, around)


def in_context(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Cut off lines of the file above and below the range, also if some are left out.

    At either end, one of them must be less deep than the range, or stand for others.
    """
    if not around.own_texts:
        return None
    head = _n_around(lines, around.before, around, 0)
    tail = _n_around(lines[head:][::-1], around.after[::-1], around, -1)
    inner = list(lines[head : len(lines) - tail])
    texts, own = texts_of(inner), around.own_texts
    if not texts or len(texts_of(lines)) - len(texts) < _MIN_N_AROUND:
        return None
    is_as_deep = all(indent_of(texts[at]) == indent_of(own[at]) for at in (0, -1))
    return inner if is_as_deep and is_alike(texts[0], own[0]) else None


def _n_around(
    lines: Sequence[str], near: Sequence[str], around: Surroundings, border: int
) -> int:
    """Count the first lines that are those beside the range, in the same order.

    They end where the line of the range comes that has the index `border`.
    """
    own = around.own_texts
    least = min(len(indent_of(line)) for line in own)
    rest = iter([line.rstrip() for line in near if line.strip()])
    known = {line.rstrip() for line in near}
    count, is_outside = 0, False
    for at, line in enumerate(map(str.rstrip, lines)):
        if not line.strip():
            continue
        is_known = line in known and line in rest
        is_elided = (
            _SIGNS.fullmatch(line) or find_elision(line, around.language) is not None
        )
        is_fence = not count and read_fence(line) is not None
        if line == own[border] or not (
            is_known or is_elided or is_fence or is_foreign(line, around)
        ):
            break
        is_outside |= bool(is_elided) or (is_known and len(indent_of(line)) < least)
        count = at + 1
    return count if is_outside else 0
