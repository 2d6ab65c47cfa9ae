"""Writes a diff in an older form as a unified diff, which `patch` applies.

That is the usual output of `diff` with commands such as `18c18`, a script for `ed`, a
diff with context, and a unified diff below the lines that Git or Subversion prints.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile, takewhile

from msgspec import Struct, field

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.lines import strip_end
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.patch import applied
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_COMMAND = re.compile(
    r"(?P<first>\d{1,6})(?:,(?P<last>\d{1,6}))?(?P<kind>[acd])(?P<new>\d{1,6}(?:,\d{1,6})?)?"
)
_FILE = re.compile(
    r"(?:diff |Index: |={10,}$|index [0-9a-f]|(?:\*{3}|-{3}) \S.*(?<![*-])$)"
)
_HUNK = re.compile(r"\*{10}")
_OLD_SIDE = re.compile(r"\*{3} \d{1,6}(?:,\d{1,6})? \*{4}")
_NEW_SIDE = re.compile(r"-{3} \d{1,6}(?:,\d{1,6})? -{4}")
_MAIL = re.compile(
    r"commit [0-9a-f]{7,40}|From (?:[0-9a-f]{4,40} |\S+@)"
    r"|(?:Index|From|Subject|Date): \S"
)
_DIFF = re.compile(r"diff --git |--- \S")
_SIGNATURE = re.compile(r"-- ?")
_WRITTEN = re.compile(r"[wq.]{1,2}|wq!?|")
"""The last commands of a script for `ed`."""


class _Change(Struct):
    """A command with its old lines, if it has them, and its new ones."""

    kind: str
    first: int
    last: int
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, command: re.Match[str]) -> _Change:
        """Return the change that a command makes, without its lines."""
        first = int(command["first"])
        return cls(
            kind=command["kind"], first=first, last=int(command["last"] or first)
        )


def as_diff(lines: Sequence[str], around: Surroundings) -> list[str] | Doubt | None:
    """Return the lines of a unified diff.

    Returns:
        None if the reply is no other form of one; "unsure" if it does not apply. A text
        for people may show a diff.
    """
    if around.may_be_in_text:
        return None
    found = _as_unified(lines, around)
    if found is None or found == "unsure" or applied(found, around) is not None:
        return found
    return None if around.language in PROSE_LANGUAGES else "unsure"


def _as_unified(lines: Sequence[str], around: Surroundings) -> list[str] | Doubt | None:
    """Write a diff as a unified one.

    Lines that commands name by their numbers alone must be in the range.
    """
    texts = list(lines)
    while texts and not texts[-1].strip():
        texts.pop()
    while texts and not texts[0].strip():
        texts.pop(0)
    if not texts or texts[0] in around.lines:
        return None
    if _MAIL.match(texts[0]):
        return _out_of_mail(texts)
    head = len(list(takewhile(_FILE.match, texts)))
    texts = texts[head:]
    if texts and _HUNK.match(texts[0]):
        return _with_hunks(texts)
    if not texts or not _COMMAND.fullmatch(texts[0]):
        return None
    file = [strip_end(one) for one in (*around.before, *around.target, *around.after)]
    if any(line.startswith(("< ", "> ")) for line in texts):
        return _with_sides(texts, file, around)
    return _of_script(texts, file, around)


def _out_of_mail(lines: Sequence[str]) -> list[str] | None:
    start = next((at for at, line in enumerate(lines) if _DIFF.match(line)), None)
    if start is None:
        return None
    ends = [
        at for at, line in enumerate(lines) if at > start and _SIGNATURE.fullmatch(line)
    ]
    return list(lines[start : ends[-1] if ends else len(lines)])


def _with_hunks(lines: Sequence[str]) -> list[str] | Doubt:
    """Write the two sides of each hunk of a diff with context."""
    found: list[str] = []
    sides: dict[str, list[str]] = {"old": [], "new": []}
    side = ""
    for line in [*lines[1:], lines[0]]:
        if _HUNK.match(line):
            found += _hunk(**sides)
            sides, side = {"old": [], "new": []}, ""
        elif _OLD_SIDE.fullmatch(line):
            side = "old"
        elif _NEW_SIDE.fullmatch(line):
            side = "new"
        elif side and (line[:2] in ("  ", "! ", "+ ", "- ") or not line.strip()):
            sides[side].append(line or "  ")
        else:
            return "unsure"
    return found


def _hunk(old: Sequence[str], new: Sequence[str]) -> list[str]:
    # Without changes on one side, a diff has only the other one.
    old = old or [line for line in new if line[0] != "+"]
    new = new or [line for line in old if line[0] != "-"]
    sides = (
        (sign, _without_blank_end(side)) for sign, side in (("-", old), ("+", new))
    )
    return [
        "@@ -1 +1 @@",
        *(sign + line[2:] for sign, side in sides for line in side),
    ]


def _without_blank_end(side: Sequence[str]) -> list[str]:
    """Drop blank lines of context, of which a reply may have lost those at its end."""
    rest = dropwhile(lambda line: not line.strip(), reversed(side))
    return list(rest)[::-1]


def _with_sides(
    lines: Sequence[str], file: Sequence[str], around: Surroundings
) -> list[str] | Doubt:
    """Write commands that have the old lines, too."""
    changes: list[_Change] = []
    for line in lines:
        if command := _COMMAND.fullmatch(line):
            changes.append(_Change.of(command))
        elif line[:1] in ("<", ">"):
            side = changes[-1].old if line[0] == "<" else changes[-1].new
            side.append(line[2:])
        elif line != "---" and not line.startswith("\\ No newline"):
            return "unsure"
    is_at_numbers = all(
        one.old == file[one.first - 1 : one.last] for one in changes if one.kind != "a"
    )
    if is_at_numbers and (found := _at_numbers(changes, file, around)) is not None:
        return found
    # The numbers may be those of another version; then the old lines show the place.
    return [
        line
        for one in changes
        for line in (
            "@@ -1 +1 @@",
            *(f"-{old}" for old in one.old),
            *(f"+{new}" for new in one.new),
        )
    ]


def _of_script(
    lines: Sequence[str], file: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Write the commands of a script, which names old lines by their numbers."""
    changes: list[_Change] = []
    is_open = False
    for line in lines:
        if is_open:
            is_open = line != "."
            changes[-1].new += [line] * is_open
        elif command := _COMMAND.fullmatch(line):
            changes.append(_Change.of(command))
            is_open = changes[-1].kind != "d"
        elif not _WRITTEN.fullmatch(line):
            return None
    if not fits([line for one in changes for line in one.new], around):
        return None
    return _at_numbers(changes, file, around) or "unsure"


def _at_numbers(
    changes: Sequence[_Change], file: Sequence[str], around: Surroundings
) -> list[str] | None:
    """Write one hunk for the whole range; None if a change is not within it."""
    start = len(around.before)
    new = list(around.target)
    for one in sorted(changes, key=lambda one: -one.first):
        # A command adds its lines below the one that it names.
        first = one.first - start - (one.kind != "a")
        last = first if one.kind == "a" else one.last - start
        if not 0 <= first <= last <= len(around.target):
            return None
        new[first:last] = one.new
    old = (f"-{line}" for line in file[start : start + len(around.target)])
    return ["@@ -1 +1 @@", *old, *(f"+{line}" for line in new)]
