"""Cuts talk to the user off the start and the end of code that has no fence.

A sentence is recognized by its form, in any language of people: it begins with a
capital letter, has several words, ends with a stop and holds no signs of code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import takewhile

from redline.text.chatter import (
    PROSE_LANGUAGES,
    is_certain_chatter,
    is_foreign,
    is_plain_sentence,
    is_quotation,
    reads_as_talk,
)
from redline.text.fence import read_fence
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_ITEM = re.compile(
    r"(?:[-*\u2022]|\d+[.)])\s+\S(?=.*\w).*+$|[*_]{2}.+[*_]{2}:?$|-{3,}$|#+\s\S.*$"
)
_LABELLED = re.compile(
    r"(?:Instruction|Task|Request|Question|Goal)s?:(?: [^={};()]*)?$"
)
"""A label with what the user wrote."""
_TITLE = re.compile(r"[A-Z]\w*(?: \w+){0,4}:$")
_BOLD_TITLE = re.compile(r"[*_]{2}.+[*_]{2}:?$")
_EXCLAMATION = re.compile(r"[^\W\d_a-z][^\W\d_]*(?:,? [^\W\d_]+){0,2} ?!")
"""One to three words, such as `Klar!`."""
_NEXT_TURN = re.compile(r"(?:Human|Assistant): .*[.!?]$")
"""A turn of a conversation that the model goes on with."""

_APOLOGY = re.compile(
    r"(?:i apologi[sz]e|my apologies|apologies|(?:i['\u2019]m |i am )?(?:so )?sorry"
    r"|you(?:['\u2019]re| are) (?:absolutely |quite )?right|disculpa|perd[o\u00f3]n"
    r"|lo siento|d\u00e9sol\u00e9|entschuldig|desculp|scusa|mi dispiace"
    r"|\u0438\u0437\u0432\u0438\u043d|\u62b1\u6b49|\u5bf9\u4e0d\u8d77|\u7533\u3057\u8a33|\uc8c4\uc1a1)",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"(?:note: i|i(?:['\u2019]ve| have)? (?:kept|only|also|changed|added|updated"
    r"|removed|replaced|left)|let me know|hope this helps|ich habe|j['\u2019]ai"
    r"|he (?:cambiado|a\u00f1adido|actualizado)|ho (?:aggiunto|modificato))\b"
    r"|\u6211(?:\u5df2|\u5c06|\u628a)",
    re.IGNORECASE,
)
"""The start of a sentence about what the model did."""

_PAGES = frozenset({"html", "xml"})

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
        if any(map(is_foreign, around.lines)) or any(map(is_plain_sentence, bare)):
            return None
    known = around.texts
    own = [line.strip() for line in around.target if line.strip()] or [""]
    is_text = around.may_be_in_text or reads_as_talk(own[0])
    start = 0 if is_text else _n_talk(lines, known)
    stop = len(lines)
    if not (around.may_end_in_text or reads_as_talk(own[-1])):
        stop -= _n_talk(lines[::-1], known)
    if (start, stop) == (0, len(lines)) or start >= stop:
        return None
    return list(lines[start:stop])


def without_talk_on_page(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Remove talk above and below elements of HTML or XML, which stands at the margin.

    Returns:
        None if there is none, or if the range has text beside its elements.
    """
    own = [line for line in around.target if line.strip()]
    if around.language not in _PAGES or not own:
        return None
    if not (own[0].lstrip().startswith("<") and own[-1].rstrip().endswith(">")):
        return None
    known = around.texts
    start = _n_talk(lines, known)
    stop = len(lines) - _n_talk(lines[::-1], known)
    if (start, stop) == (0, len(lines)) or start >= stop:
        return None
    inner = list(lines[start:stop])
    is_sure = own[0][0].isspace() and inner[0].lstrip().startswith("<")
    return inner if is_sure and inner[-1].rstrip().endswith(">") else "unsure"


def talk_beside_text(lines: Sequence[str], around: Surroundings) -> Doubt | None:
    """Say whether the first or the last paragraph of a text for people may be talk.

    It speaks to the user of what the model did; a text of the user may, too.
    """
    is_text = around.language in PROSE_LANGUAGES - _PAGES - {""}
    if not (is_text or around.may_be_in_text):
        return None
    texts = [at for at, line in enumerate(lines) if line.strip()]
    if len(texts) < 2:
        return None
    first, last = texts[0], texts[-1]
    below = lines[first + 1]
    is_apart = not below.strip() or read_fence(below) is not None
    is_above = _APOLOGY.match(lines[first]) and is_apart
    is_below = _REPORT.match(lines[last]) and not lines[last - 1].strip()
    found = [lines[first]] * bool(is_above) + [lines[last]] * bool(is_below)
    is_own = any(_APOLOGY.match(line) or _REPORT.match(line) for line in around.target)
    return (
        "unsure" if found and not is_own and not any(map(around.has, found)) else None
    )


def _may_be_talk(line: str) -> bool:
    is_one = _is_talk(line) or _is_apart_talk(line)
    return is_one or bool(_ITEM.match(line) or _TITLE.match(line))


def _is_apart_talk(line: str) -> bool:
    """Whether a line is talk if it stands apart from the code."""
    return is_plain_sentence(line) or _EXCLAMATION.fullmatch(line) is not None


def _is_talk(line: str) -> bool:
    is_one = reads_as_talk(line) or is_certain_chatter(line) or is_quotation(line)
    return is_one or any(one.match(line) for one in (_LABELLED, _NEXT_TURN))


def _n_talk(lines: Sequence[str], known: Set[str]) -> int:
    """Count the lines at a border that are talk; at least one is a sentence."""
    n_sure = 0
    # Each is looked up once for all items after it: there may be thousands.
    has_sentence: bool | None = None
    is_in_block = False
    for at, line in enumerate(_unquoted(lines)):
        if not line.strip():
            is_in_block = False
            continue
        if line in known or line[0].isspace() or _is_comment(lines[at : at + 2]):
            break
        is_apart = at + 1 < len(lines) and not lines[at + 1].strip()
        if _is_talk(line) or (is_apart and _is_apart_talk(line)):
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


def _is_comment(lines: Sequence[str]) -> bool:
    """Whether the first of two lines is a comment of the other, which is code."""
    is_title = len(lines) > 1 and lines[0][0] == "#"
    return is_title and lines[1].strip() != "" and not _may_be_talk(lines[1])


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
