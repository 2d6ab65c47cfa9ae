"""Takes off what stands before or behind each line of a reply.

Logs, chats, listings and quotations put something beside every line. Which part of the
lines that is, the range says: without it they are lines of the file, and with it none
of them is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence, Set

from msgspec import Struct

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.indentation import indent_of
from redline.text.reply_forms.likeness import begins_as_range
from redline.text.reply_forms.numbers import least_depth
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_HEXADECIMAL = re.compile(r"[0-9a-f]{1,40}")
_MAX_N_TOKENS = 24
_MAX_N_CHARS = 1_000
"""Longer lines are data."""
_MIN_N_LETTERS = 4
"""Letters and digits of a line that says something."""
_MIN_N_KNOWN = 2
_MIN_N_LINES = 3
_REQUESTED = re.compile(
    r"(?:#++!?|/{2,}+!?|-{2,}+|;++|%++|/?\*++|<!--|'|\.\.|REM|rem|>|[-+])?+[,;\s]*+"
)
"""What each line may begin or end with because the user asked for it."""
_ODD = re.compile("[|\u2502\u2503\u00a6\u2022\u25b8\u25ba\u00bb\u276f]")
_ODD_END = re.compile(r"[\\$\u00b6|\u2502%]")
"""Signs that no code has at the start or the end of all lines."""
_MIN_N_BLANKS = 2
_MARKUP = frozenset({"", "html", "xml"})


class _Inner(Struct, frozen=True, kw_only=True):
    """The lines of a reply without what stands beside them."""

    lines: Sequence[str]
    margin: str = ""
    """What was in front of the first line."""
    end: str = ""
    """What was behind it."""
    has_last: bool = True
    """Whether the last line had it, too."""
    is_counted: bool = False
    """Whether either has a number that differs from line to line."""


def without_margins(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Remove what stands beside each line.

    Returns:
        None if nothing does, or if all that is left are lines of the range: then the
        user asked for it. "unsure" in text for people, which may count its lines.
    """
    texts = [line.rstrip() for line in lines if line.strip()]
    if any(_is_known(line, around.texts) for line in texts[:-1]):
        return None  # Nearly every reply.
    if len(texts) < _MIN_N_KNOWN or not any(map(_says_something, around.target)):
        return None
    if max(map(len, texts)) > _MAX_N_CHARS:
        return None
    best = max(
        _candidates(texts),
        key=lambda one: _likeness(one, around),
        default=None,
    )
    is_margin = best is not None and _is_margin(best, texts, around)
    if best is None or is_margin is False:
        return None
    bare = [line.strip() for line in best.lines]
    if around.may_be_in_text or bare == [line.strip() for line in around.own_texts]:
        return None
    is_margin = is_margin and not _is_doubled(best.lines, around)
    if not is_margin or around.language in PROSE_LANGUAGES - _MARKUP:
        return "unsure"
    inner = iter(_as_deep(best.lines, around))
    return [next(inner).rstrip() if line.strip() else "" for line in lines]


def _likeness(inner: _Inner, around: Surroundings) -> tuple[int, bool, int]:
    """Return how much lines are like those of the file, and how long they are."""
    n_known = _n_known(inner.lines, around.texts)
    is_start = begins_as_range(inner.lines, around)
    return n_known, is_start, sum(map(len, inner.lines))


def _is_margin(
    inner: _Inner, texts: Sequence[str], around: Surroundings
) -> bool | None:
    """Whether what stood beside the lines is no part of them; None if that is open."""
    if not inner.has_last and len(texts) < _MIN_N_LINES:
        return False
    end = inner.end.strip()
    if (
        end
        and not inner.margin
        and any(line.rstrip().endswith(end) for line in around.lines)
    ):
        return False
    if not (inner.is_counted or _is_apart(inner, around)):
        return False
    n_known = _n_known(inner.lines[: None if inner.has_last else -1], around.texts)
    if n_known >= _MIN_N_KNOWN:
        return True
    is_alike = begins_as_range(inner.lines, around) > begins_as_range(texts, around)
    if not (n_known or (is_alike and inner.margin)):
        return False
    is_sure = n_known > 0 and len(inner.lines) >= _MIN_N_LINES
    return True if is_sure and inner.margin else None


def _is_apart(inner: _Inner, around: Surroundings) -> bool:
    """Whether a margin has a sign that code has not, or stands outside of the code.

    Then the indentation of the lines follows it.
    """
    if _ODD.search(inner.margin) or _ODD_END.search(inner.end):
        return True
    depths = [len(indent_of(line)) for line in inner.lines]
    is_outside = inner.margin != "" and not inner.margin[0].isspace()
    least = least_depth(around.target)
    return is_outside and (
        0 < least <= min(depths) or max(depths) >= min(depths) + _MIN_N_BLANKS
    )


def _candidates(texts: Sequence[str]) -> Iterator[_Inner]:
    """Yield the lines without what they have in common at their start and end."""
    for head in (_Inner(lines=texts), *_without_heads(texts)):
        if head.margin:
            yield head
        backwards = [line[::-1] for line in head.lines]
        for tail in _without_heads(backwards, may_lack_last=True):
            inner = [line[::-1] for line in tail.lines]
            is_counted = head.is_counted or tail.is_counted
            for each in (inner, _decoded(head.lines, inner)):
                if each is not None:
                    yield _Inner(
                        lines=each,
                        margin=head.margin,
                        end=tail.margin[::-1],
                        has_last=tail.has_last,
                        is_counted=is_counted,
                    )


def _decoded(quoted: Sequence[str], inner: Sequence[str]) -> list[str] | None:
    """Read lines that stood between quotation marks, with escapes."""
    if not any('\\"' in line or '""' in line or "\\\\" in line for line in inner):
        return None
    if any('""' in line for line in quoted):
        return [line.replace('""', '"') for line in inner]
    try:
        return [str(json.loads(f'"{line}"')) for line in inner]
    except ValueError:
        return None


def _without_heads(
    texts: Sequence[str], *, may_lack_last: bool = False
) -> Iterator[_Inner]:
    """Yield the lines without the signs and words that all of them begin with.

    Numbers may differ. The last line may lack what is behind all others.
    """
    rests, margin, is_counted, has_last = list(texts), "", False, True
    for _ in range(_MAX_N_TOKENS):
        found = [_TOKEN.match(line) for line in rests]
        tokens = [one[0] if one else "" for one in found]
        sure = tokens[:-1] if may_lack_last else tokens
        if not _are_alike(sure):
            return
        has_it = _are_alike([sure[0], tokens[-1]])
        has_last = has_last and has_it
        margin += sure[0]
        is_counted = is_counted or (len(set(sure)) > 1 and not sure[0].isspace())
        rests = [
            line[len(token) :] if has_it or at < len(rests) - 1 else line
            for at, (line, token) in enumerate(zip(rests, tokens, strict=True))
        ]
        if not _REQUESTED.fullmatch(margin.strip()):
            yield _Inner(
                lines=rests, margin=margin, has_last=has_last, is_counted=is_counted
            )


def _are_alike(tokens: Sequence[str]) -> bool:
    """Whether tokens are the same, or all numbers, or all blanks."""
    first = tokens[0] if tokens else ""
    if not first:
        return False
    if first.isspace():
        return all(map(str.isspace, tokens))
    if _is_number(first):
        return all(map(_is_number, tokens))
    return all(one == first for one in tokens)


def _is_number(token: str) -> bool:
    """Whether a word is a number, also of hexadecimal digits or with a unit."""
    has_digit = token.isalnum() and any(map(str.isdigit, token))
    return has_digit or _HEXADECIMAL.fullmatch(token) is not None


def _as_deep(texts: Sequence[str], around: Surroundings) -> list[str]:
    """Remove the blanks behind a margin, as the lines of the range show."""
    depths = {line.strip(): len(indent_of(line)) for line in around.target}
    shifts = {
        len(indent_of(line)) - depths[line.strip()]
        for line in texts
        if line.strip() in depths and _says_something(line)
    }
    usual = max(least_depth(texts) - least_depth(around.target), 0)
    n_blanks = max(shifts) if len(shifts) == 1 and min(shifts) >= 0 else usual
    return [line[n_blanks:] if line.strip() else "" for line in texts]


def _is_doubled(texts: Sequence[str], around: Surroundings) -> bool:
    """Whether all lines that the range has, too, are twice as deep as there."""
    depths = {line.strip(): len(indent_of(line)) for line in around.target}
    pairs = [
        (len(indent_of(line)), depths[line.strip()])
        for line in texts
        if line.strip() in depths and depths[line.strip()]
    ]
    return len(set(pairs)) > 1 and all(have == 2 * own for have, own in pairs)


def _n_known(texts: Sequence[str], known: Set[str]) -> int:
    return sum(_is_known(line, known) for line in texts)


def _is_known(line: str, known: Set[str]) -> bool:
    return line.strip() in known and _says_something(line)


def _says_something(line: str) -> bool:
    return sum(map(str.isalnum, line)) >= _MIN_N_LETTERS
