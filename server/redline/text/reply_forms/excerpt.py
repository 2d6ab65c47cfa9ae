"""Finds the range's part in a reply that repeats lines around the range.

Models return the whole file, the class around the range, or some lines before or after
it, often with other spacing or quotes. Lines at the borders of the reply are compared
with those at the borders of the range.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import islice

from msgspec import Struct

from redline.text.common_lines import LcsRows
from redline.text.indentation import indent_of
from redline.text.reply_forms.brackets import depth
from redline.text.reply_forms.surroundings import Surroundings

_MIN_N_LETTERS = 3
"""Lines with fewer letters and digits recur, and prove nothing alone."""

_MAX_N_CHANGED = 12
"""Most repeated lines of which the outermost is not an exact copy."""

_MAX_N_CHARS = 300
"""Longer lines are only compared exactly."""

_MAX_N_TRIES = 50
"""Most places at which a copy may begin: in a table of equal rows, each is one."""

_N_NEXT, _MIN_N_NEXT_LETTERS = 2, 20
"""Lines next to the range that show that a reply goes beyond it, and their letters."""

_MIN_LIKENESS = 0.8
"""Of two lines of which one was copied from the other; single words differ."""

_TELLING = re.compile(
    r"\s*+(?:(?:export|public|private|protected|internal|static|async|final|abstract"
    r"|pub|default|unsafe|override|virtual|const|let|var|val|type)\b.*+"
    r"|(?:return|raise|throw|import|from|use|using|package|require|include|#include|def"
    r"|class|fn|func|function|interface|struct|enum|impl|trait|module|namespace|if|elif"
    r"|for|while|switch|match|with|try|@\w++)\b.*+"
    r"|[\w.$]++\s*+(?::=|[-+*/|&]?=(?!=)).*+|.*[:{(\[])\s*+$"
)
"""Lines that do not occur twice in a row: headers, imports, assignments, exits."""

HEADER = re.compile(
    r"(?<!\s)\s*+(?:(?:export|default|async|pub|public|private|protected|static)\s++)*+"
    r"(?:def|class|fn|func|function|interface|struct|impl|trait|module)\b"
)
"""The header of a definition."""

_MIN_N_INSIDE = 3
"""Lines with text of a definition with a header and something in it."""

_HEADER_OF_SCOPE = re.compile(
    r".*\b(?:class|struct|impl|trait|module|namespace|interface|enum|record|object)\b"
)
"""The header of what holds definitions."""

_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--|;|\"{3}|'{3}|<!--)")

_OPENER = re.compile(r"\s*\S.*[{:(\[]\s*$")
_CLOSERS = re.compile(r"\s*(?:[)\]}]+[;,]?|end|fi|done|esac)\s*$")
_FREE = re.compile(r"[\W_]+")


class RangePart(Struct, frozen=True, kw_only=True):
    """The part of a reply that replaces the range."""

    lines: list[str]
    is_sure: bool = True
    """Whether the rest is a copy of the lines around the range, and nothing of it is
    left in the part."""


def range_part(lines: Sequence[str], around: Surroundings) -> RangePart:
    """Cut off what a reply repeats of the lines around the range.

    Args:
        lines: The reply's code.
        around: What it is compared with.
    """
    texts = [at for at, line in enumerate(lines) if line.strip()]
    reply = [lines[at].rstrip() for at in texts]
    own = _texts(around.target)
    # Blank lines are left out below.
    n_near = 2 * len(lines) + _MAX_N_CHANGED
    before, after = _texts(around.before[-n_near:]), _texts(around.after[:n_near])
    head = _repeated(reply, before[::-1], own)
    tail = _repeated(reply[::-1], after, own[::-1])
    if head + tail >= len(reply):
        return RangePart(lines=list(lines), is_sure=head + tail == 0)
    if not head and not tail and (inner := _inside(lines, around)) is not None:
        known = {line.strip() for line in (*around.before, *around.after)}
        borders = {inner[0].strip(), inner[-1].strip()} - {line.strip() for line in own}
        is_spilled = any(
            line in known and not _CLOSERS.match(line) for line in borders if line
        )
        return RangePart(lines=inner, is_sure=not is_spilled)
    if not head and not tail:
        return RangePart(
            lines=_without_blanks(list(lines), around, 0, 0),
            is_sure=not _is_spilled(lines, around),
        )
    found = head, tail
    head, tail = _certain(reply, own, head, tail)
    borders = {before[-1] if found[0] else "", after[0] if found[1] else ""}
    is_doubtful = (head, tail) == (0, 0) and any(
        line in borders
        and (line[0] == "#" or len(_FREE.sub("", line)) > 2 * _MIN_N_LETTERS)
        for line in (*reply[: found[0]], *reply[len(reply) - found[1] :])
    )
    n_closers = _closers(reply[head:], own) if head and not tail else 0
    stop = len(reply) - tail - n_closers
    first = texts[head - 1] + 1 if head else 0
    last = texts[stop] if stop < len(reply) else len(lines)
    part = _without_blanks(list(lines[first:last]), around, head, len(reply) - stop)
    if head:
        part = _as_deep(part, reply[0], before[len(before) - head], own)
    is_copy = all(map(_is_copy, reply[:head], before[len(before) - head :])) and all(
        map(_is_copy, reply[len(reply) - tail :], after[:tail])
    )
    may_be_own = _may_be_own(reply[:head], reply, own) or _may_be_own(
        reply[len(reply) - tail :], reply, own
    )
    is_sure = is_copy and not (is_doubtful or may_be_own or _is_spilled(part, around))
    return RangePart(lines=part, is_sure=is_sure)


def _may_be_own(cut: Sequence[str], reply: Sequence[str], own: Sequence[str]) -> bool:
    """Whether what is cut off may be lines of the range that are like those around it.

    The range then has them at least as often as the reply.
    """
    return len(cut) > 0 and _n_runs(cut, reply) <= _n_runs(cut, own)


def _n_runs(run: Sequence[str], lines: Sequence[str]) -> int:
    """Count where lines stand one after the other."""
    whole, part = ("".join(f"\n{line}\n" for line in each) for each in (lines, run))
    return whole.count(part)


def _certain(
    reply: Sequence[str], own: Sequence[str], head: int, tail: int
) -> tuple[int, int]:
    """Return how many repeated lines to cut off at either end."""
    if is_telling(reply[:head]) or is_telling(reply[len(reply) - tail :]):
        return head, tail
    # Lone brackets are cut off if the rest is balanced only without them.
    wanted = depth(own)
    for n_head, n_tail in ((0, 0), (head, 0), (0, tail), (head, tail)):
        if depth(reply[n_head : len(reply) - n_tail]) == wanted:
            return n_head, n_tail
    return 0, 0


def _texts(lines: Sequence[str]) -> list[str]:
    return [line.rstrip() for line in lines if line.strip()]


def _without_blanks(
    part: list[str], around: Surroundings, n_head: int, n_tail: int
) -> list[str]:
    """Remove the blank lines that lie between the range and the lines around it."""
    own = around.target
    has_blank_head = bool(own) and not own[0].strip()
    has_blank_tail = bool(own) and not own[-1].strip()
    is_after_blank = bool(around.before) and not around.before[-1].strip()
    is_before_blank = bool(around.after) and not around.after[0].strip()
    while part and not part[0].strip() and (n_head or is_after_blank):
        if has_blank_head:
            break
        part.pop(0)
    while part and not part[-1].strip() and (n_tail or is_before_blank):
        if has_blank_tail:
            break
        part.pop()
    return part


def _repeated(reply: Sequence[str], away: Sequence[str], own: Sequence[str]) -> int:
    """Count the first lines of a reply that are those next to the range.

    Args:
        reply: The reply's lines with text, from one border on.
        away: The lines with text outside, from the border outwards.
        own: The range's lines with text, from the border inwards.
    """
    if not reply:
        return 0
    most = min(len(reply), len(away))
    if own and reply[0] == own[0] and reply[0] not in away[:most]:
        # The reply begins where the range does.
        return 0
    n_tries = 0
    for n_lines in range(most, 0, -1):
        first = away[n_lines - 1]
        is_same = reply[0].strip() == first.strip()
        if not is_same and (n_lines > _MAX_N_CHANGED or not _is_like(reply[0], first)):
            continue
        n_tries += 1
        if n_tries > _MAX_N_TRIES:
            return 0
        outside = away[:n_lines][::-1]
        if not all(map(_is_like, reply[:n_lines], outside)):
            continue
        if not _is_as_deep(reply[:n_lines], outside):
            continue
        if own and own[:n_lines] == outside[: len(own)]:
            # The range begins with the same lines: these are its own.
            continue
        is_same = reply[:n_lines] == outside
        if not is_same and all(map(_is_like, reply[:n_lines], own)):
            # So do the range's own lines, as in functions with similar names.
            continue
        return n_lines
    return 0


def _is_like(one: str, other: str) -> bool:
    """Whether a line may be a copy of another, but for spacing and single signs."""
    if one.strip() == other.strip():
        return True
    if HEADER.match(one) and one.split("(")[0].split() != other.split("(")[0].split():
        return False
    first, second = _FREE.sub("", one), _FREE.sub("", other)
    if min(len(first), len(second)) < _MIN_N_LETTERS:
        return _bare(one) == _bare(other)
    return first.lower() == second.lower() or (
        min(len(first), len(second)) > 2 * _MIN_N_LETTERS
        and max(len(first), len(second)) < _MAX_N_CHARS
        and _shares_most(first, second)
    )


def _shares_most(first: str, second: str) -> bool:
    """Whether two texts have most of their characters in common, in one order."""
    wanted = _MIN_LIKENESS * (len(first) + len(second)) / 2
    if min(len(first), len(second)) <= wanted:
        return False
    rows = LcsRows(first)
    last = reduce(rows.after, second, rows.first)
    return len(first) - last.bit_count() > wanted


def _is_as_deep(reply: Sequence[str], outside: Sequence[str]) -> bool:
    """Whether lines are indented like those they repeat; all may be shifted alike.

    A line of another depth may be another line, unless it is a header.
    """
    if any(map(HEADER.match, outside)) or "\t" in "".join(reply):
        return True
    if all(_OPENER.match(line) or _CLOSERS.match(line) for line in outside):
        return True  # `depth` decides about these.
    shifts = {
        len(indent_of(one)) - len(indent_of(other))
        for one, other in zip(reply, outside, strict=True)
    }
    return shifts == {0} or (len(shifts) == 1 and len(reply) > 2)


def _as_deep(
    part: list[str], copied: str, original: str, own: Sequence[str]
) -> list[str]:
    """Indent a part as deep as the line above it that came with it, if that fits."""
    have, want = indent_of(copied), indent_of(original)
    first = next(filter(str.strip, part), "")
    missing = want.removesuffix(have)
    if not (own and first and missing) or not want.endswith(have):
        return part
    if missing + indent_of(first) != indent_of(own[0]):
        return part
    return [missing + line if line.strip() else line for line in part]


def _is_copy(one: str, other: str) -> bool:
    """Whether a line says the same as another: blanks and signs may differ, and the
    words of a comment.
    """
    first, second = _FREE.sub("", one), _FREE.sub("", other)
    return first == second or (_COMMENT.match(one) is not None)


def _bare(line: str) -> str:
    """Return a line of brackets without blanks and separators."""
    return "".join(line.split()).strip(";,")


def is_telling(lines: Sequence[str]) -> bool:
    """Whether lines that stand next to each other twice cannot be intended."""
    worded = [
        line
        for line in lines
        if len(_FREE.sub("", line)) >= _MIN_N_LETTERS and not _CLOSERS.match(line)
    ]
    return len(worded) > 1 or any(map(_TELLING.match, worded))


def _closers(reply: Sequence[str], own: Sequence[str]) -> int:
    """Count the last lines that only close what the cut-off lines opened."""
    count = 0
    while (
        count < len(reply)
        and _CLOSERS.match(reply[len(reply) - 1 - count])
        and depth(reply[: len(reply) - count]) < depth(own)
    ):
        count += 1
    return count


def _inside(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Take the range's part out of a definition of which only the header came.

    Returns:
        None if the reply does not begin with the header of what is around the range, or
        does not end with what closes it.
    """
    texts = [at for at, line in enumerate(lines) if line.strip()]
    reply = [lines[at] for at in texts]
    if len(reply) < _MIN_N_INSIDE or not _HEADER_OF_SCOPE.match(reply[0]):
        return None
    own = next((line for line in around.target if line.strip()), "")
    least = len(indent_of(own))
    for line in reversed(around.before):
        if line.strip() in ("", "{") or len(indent_of(line)) >= least:
            continue
        least = len(indent_of(line))
        if line.strip() == reply[0].strip():
            break
    else:
        return None
    first = texts[2 if reply[1].strip() == "{" else 1]
    is_closed = _CLOSERS.match(reply[-1]) and indent_of(reply[-1]) == indent_of(
        reply[0]
    )
    inner = list(lines[first : texts[-1] if is_closed else len(lines)])
    inner = _without_blanks(inner, around, 1, 1)
    return inner if inner and depth(inner) == depth(around.target) else None


def _is_spilled(part: Sequence[str], around: Surroundings) -> bool:
    """Whether a part still has the lines with text that are next to the range.

    A new text has them neither at its borders nor side by side.
    """
    reply = [line for line in part if line.strip()]
    if not reply:
        return False
    own = _texts(around.target)
    before = _nearest(reversed(around.before))[::-1]
    after = _nearest(around.after)
    return any(
        len(near) == _N_NEXT
        and is_telling(near)
        and sum(len(_FREE.sub("", line)) for line in near) > _MIN_N_NEXT_LETTERS
        and _count(reply, near) > _count(own, near)
        for near in (before, after)
    )


def _nearest(lines: Iterable[str]) -> list[str]:
    """Return the first lines with text, without reading the rest of a document."""
    return [line.rstrip() for line in islice(filter(str.strip, lines), _N_NEXT)]


def _count(lines: Sequence[str], run: Sequence[str]) -> int:
    """Count the places of a run of lines."""
    texts, wanted = [line.strip() for line in lines], [line.strip() for line in run]
    return sum(
        texts[at : at + len(wanted)] == wanted
        for at in range(len(texts) - len(wanted) + 1)
    )
