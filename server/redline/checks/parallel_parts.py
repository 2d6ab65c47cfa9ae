"""`lost-definition`: one of several parallel lines of the range is gone.

Lines are parallel if they begin alike and go on with names or texts of their own:
cases, rows, members of a union, entries of a list. If the new text still has a name of
all but a few of them, the edit has changed the form, and the others were forgotten.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem

_WORD = re.compile(r"[^\W\d_]\w*|\d+")
_ASSIGNMENT = re.compile(r"[\w.\[\]>-]+\s*[-+*/|&?]{0,2}=(?![=>])")
_MIN_N_LINES = 3
_MAX_N_CHARS = 300
"""Longer lines are data."""
_MAX_LOST = 1 / 3
"""Part of the lines that may be forgotten; if more are gone, it is meant."""

_LOSING = re.compile(
    r"\b(?:remov|delet|drop|discard|eliminat|strip|unused|dead|dedup|duplicat|merg"
    r"|combin|collaps|unif|only|short|simplif|clean|instead|rid of|without|fewer|less"
    r"|no longer|don'?t|not|extract|split|mov(?:e|ing)|inlin|filter|skip|ignor|exclud"
    r"|hid(?:e|ing)|loop|generat|reduc|limit|except|fold|group)",
    re.IGNORECASE,
)
"""Words of an instruction that may ask for fewer of them."""
_TURN = re.compile(r"\b(?:us(?:e|ing)|convert|turn|rewrit|replac)\b", re.IGNORECASE)
_INTO = re.compile(r"\b(?:instead of|into|to|with|for)\b", re.IGNORECASE)
_FORM = re.compile(
    r"\b(?:switch|if|ifs|else|elif|when|match|case|chain|map|dict(?:ionary)?|table"
    r"|lookup|object|enum|hash)\b",
    re.IGNORECASE,
)


def check_parallel_parts(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report lines that an edit forgets while it changes those like them."""
    wish = candidate.instruction
    if not wish or (_LOSING.search(wish) and not _asks_for_form(wish)):
        return
    added = set(map(str.strip, candidate.new_lines)) - set(
        map(str.strip, candidate.old_lines)
    )
    new_words = Counter(_WORD.findall("".join(candidate.new_lines)))
    wished = {word.lower() for word in _WORD.findall(wish)}
    for group in _groups(candidate.old_lines):
        counts = Counter(word for line in group for word in set(_WORD.findall(line)))
        names = [
            {word for word in _WORD.findall(line) if counts[word] == 1}
            for line in group
        ]
        if not all(names):
            continue
        lost = [
            line
            for line, own in zip(group, names, strict=True)
            if not own & new_words.keys()
            and not {word.lower() for word in own} & wished
            and not _is_assigned_again(line, added)
        ]
        if lost and len(lost) <= _MAX_LOST * len(group):
            yield Problem(
                rule="lost-definition",
                message=(
                    "This is gone, which was not asked for, while lines like it are"
                    f" still there: {lost[0].strip()}"
                ),
            )
            return


def _is_assigned_again(line: str, added: Set[str]) -> bool:
    """Whether a line sets a name in a way in which one of the new lines does."""
    found = _ASSIGNMENT.match(line)
    return found is not None and any(one.startswith(found[0]) for one in added)


def _asks_for_form(wish: str) -> bool:
    """Whether an instruction asks for another form of the same cases."""
    turn = _TURN.search(wish)
    if turn is None:
        return False
    return any(
        into and _FORM.search(part, into.end())
        for part in re.split(r"[,.;]", wish[turn.end() :])
        if (into := _INTO.search(part))
    )


def _groups(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines of a range that begin alike, where there are several."""
    by_head: dict[str, list[str]] = {}
    for line in lines:
        text = line.strip()
        if not text or len(text) > _MAX_N_CHARS:
            continue
        for head in _heads(text):
            by_head.setdefault(head, []).append(text)
    for group in by_head.values():
        if len(group) >= _MIN_N_LINES:
            yield group


def _heads(text: str) -> set[str]:
    """Return the beginnings of a line, up to each of its first names.

    `return` alone is none: functions that are no parts of one form have such lines.
    """
    ends = [found.start() for found in _WORD.finditer(text)][1:4]
    return {text[:end] for end in ends} - {"return "}
