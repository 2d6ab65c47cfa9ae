"""The code that an edit takes out of its range, and what it puts in.

Lines that both texts have are neither; their comments and indentation do not count. So
what is in place of a lost protection can only be in the lines that came.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile

from msgspec import Struct

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import without_text
from redline.text.line_diff import diff_lines
from redline.text.lines import with_line_feeds

_MAX_N_CHARS = 400
"""Longer lines are data."""

_MAX_N_BELOW = 60
"""Lines below the range that are read."""

_WORD = re.compile(r"[^\W\d]\w*")
_CALLED = re.compile(r"(?<!\w)([^\W\d]\w*)[!?]?\(")
_DEFINITION = re.compile(
    r"(?:[\w]+\s+){0,4}?(?:def|fn|func|function|fun|class|sub|struct|interface)\s+"
    r"(?:\([^()]*\)\s*)?(?P<name>\w+)"
    r"|(?!(?:return|else|new|await|throw)\b)[\w<>\[\],.?:*&]+\s+(?:[\w<>\[\],.?:*&]+\s+){0,4}"
    r"(?P<method>\w+)\s*\([^;]*$"
)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+|\d+")


class CodeLine(Struct, frozen=True, kw_only=True):
    text: str
    """Without its comment and indentation."""
    code: str
    """The same with the texts of strings blank."""
    depth: int
    """The width of its indentation."""


class Code(Struct, frozen=True, kw_only=True, dict=True):
    """The lines of a range."""

    lines: tuple[CodeLine, ...]

    @cached_property
    def text(self) -> str:
        """The lines' texts, with strings."""
        return "\n".join(line.text for line in self.lines)

    @cached_property
    def code(self) -> str:
        """The lines' texts with blank strings."""
        return "\n".join(line.code for line in self.lines)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(_WORD.findall(self.text))


class ChangedCode(Struct, frozen=True, kw_only=True):
    old: Code
    new: Code
    removed: Code
    """Lines of the old code that the new code lacks, as often as it lacks them."""
    added: Code
    """Lines of the new code that the old code lacks."""
    hunks: tuple[tuple[range, tuple[CodeLine, ...]], ...]
    """The old lines that are replaced, by number in `old`, each with the new ones."""
    outside: str
    """The new file's text around the range."""
    words_below: frozenset[str]
    """The words of the lines below the range that are in the same block."""
    instruction: str
    language: str

    def counterparts(self, own: Iterable[CodeLine]) -> frozenset[str]:
        """Return the words that came which may stand for what some lines did.

        Args:
            own: The lines that are gone; their words may have moved. Those of other
                lines were there before.
        """
        moved = {word for line in own for word in words_in(line.text)}
        return (self.added.words - self.old.words) | (self.added.words & moved)


def changed_code(candidate: CheckedEdit) -> ChangedCode:
    language = candidate.language_id
    old = _code(candidate.before, candidate.region_before, language)
    new = _code(candidate.after, candidate.region_after, language)
    return ChangedCode(
        old=old,
        new=new,
        removed=_without(old, new),
        added=_without(new, old),
        hunks=_hunks(old, new),
        outside=_outside(candidate),
        words_below=_words_below(candidate, old),
        instruction=candidate.instruction,
        language=language,
    )


def _outside(candidate: CheckedEdit) -> str:
    region = candidate.region_after
    after = candidate.after
    return "".join((*after[: region.start], *after[region.stop :]))


def _words_below(candidate: CheckedEdit, old: Code) -> frozenset[str]:
    region = candidate.region_before
    below = range(region.stop, min(len(candidate.before), region.stop + _MAX_N_BELOW))
    depth = min((line.depth for line in old.lines), default=0)
    lines = _code(candidate.before, below, candidate.language_id).lines
    inside = takewhile(lambda line: line.depth >= depth, lines)
    return Code(lines=tuple(inside)).words if depth else frozenset()


def value_changed(change: ChangedCode, name: str) -> bool:
    """Whether a name gets its value from other calls than before."""
    sign = r"\$" if change.language == "php" else ""
    form = re.compile(
        rf"(?<![\w.]){sign}{re.escape(name)}(?:\s*:\s*[\w<>\[\]]+)?(?:,\s*+\w++){{0,4}}\s*+:?=(?!=)(.*)"
    )
    old, new = (
        [found[1] for line in code.lines if (found := form.search(line.code))]
        for code in (change.removed, change.added)
    )
    if not old or not new:
        return False
    calls = [set(_CALLED.findall(" ".join(values))) for values in (old, new)]
    return not calls[0] & calls[1]


def owner_is_gone(change: ChangedCode, line: CodeLine) -> bool:
    """Whether the definition that a line is in, or in front of, is no longer there."""
    names = [list(_definitions(code.lines)) for code in (change.old, change.new)]
    if len(names[1]) >= len(names[0]):
        return False
    at = change.old.lines.index(line)
    depth = line.depth
    above = []
    for other in reversed(change.old.lines[:at]):
        if other.depth < depth:
            above.append(other)
            depth = other.depth
    below = change.old.lines[at + 1 :] if line.text.startswith(("@", "[", "#[")) else ()
    first = next((one for one in below if not one.text.startswith(("@", "["))), None)
    owners = _definitions([*above, *([first] if first else [])])
    return any(name not in names[1] for name in owners)


def _definitions(lines: Iterable[CodeLine]) -> Iterator[str]:
    for line in lines:
        if found := _DEFINITION.match(line.code):
            yield found["name"] or found["method"]


def words_in(code: str) -> list[str]:
    """Return the names and keywords of a text, in order."""
    return _WORD.findall(code)


def split_name(name: str) -> str:
    """Return the words of a name in lower case, separated by blanks."""
    return " ".join(_PARTS.findall(name)).lower()


def squeezed(code: str) -> str:
    """Return a text without blanks."""
    return "".join(code.split())


def _code(lines: Sequence[str], region: range, language: str) -> Code:
    masked = without_text(with_line_feeds(lines), language).split("\n")
    return Code(lines=tuple(_lines(lines, masked, region)))


def _lines(
    lines: Sequence[str], masked: Sequence[str], region: range
) -> Iterator[CodeLine]:
    for number in region:
        code = masked[number].rstrip() if number < len(masked) else ""
        if code and len(code) <= _MAX_N_CHARS:
            text = lines[number][: len(code)]
            depth = len(text) - len(text.lstrip())
            yield CodeLine(text=text.strip(), code=code[depth:], depth=depth)


def _without(code: Code, other: Code) -> Code:
    """Return the lines of a code that are not in another one."""
    left = Counter(squeezed(line.text) for line in other.lines)
    own = []
    for line in code.lines:
        key = squeezed(line.text)
        left[key] -= 1
        if left[key] < 0:
            own.append(line)
    return Code(lines=tuple(own))


def _hunks(old: Code, new: Code) -> tuple[tuple[range, tuple[CodeLine, ...]], ...]:
    shift = 0
    hunks = []
    keys = ([squeezed(line.text) for line in code.lines] for code in (old, new))
    for hunk in diff_lines(*keys):
        start = hunk.start + shift
        added = new.lines[start : start + len(hunk.lines)]
        hunks.append((range(hunk.start, hunk.end), added))
        shift += hunk.shift
    return tuple(hunks)
