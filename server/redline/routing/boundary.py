"""Boundaries: kinds of task that the fast tier never does alone.

A rule reads the task as words. Some phrases are enough alone; others are hints, since a
`token` may be a lexer's and a `session` a database's: two different hints are needed.
The surrounding code only gives hints. The rules themselves are data, in
`security_rules.py` and `data_rules.py`; the user's settings add to them by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from redline.routing.phrases import NO_PHRASES, Phrases
from redline.routing.task import Task
from redline.routing.words import (
    MAX_PROSE_CHARS,
    Words,
    head_and_tail,
    words_of_code,
    words_of_prose,
)

_ENOUGH = 2
_HINT = 1

_INERT_LANGUAGES = frozenset(
    {"css", "less", "markdown", "plaintext", "sass", "scss", "stylus", "svg"}
)
"""Languages of style or prose, which execute nothing."""

_INERT_ENDS = (".css", ".less", ".md", ".rst", ".sass", ".scss", ".svg")
"""The same, for a file whose language is not known, such as one of a plan. A `.txt`
may be a `CMakeLists.txt` or name the dependencies."""


def is_inert(task: Task) -> bool:
    """Whether a task is on a file that executes nothing."""
    if not task.language:
        return task.path.lower().endswith(_INERT_ENDS)
    return task.language in _INERT_LANGUAGES


class Syntax(Struct, frozen=True):
    """A pattern for what only the source text can show."""

    words: frozenset[str]
    """The pattern can match only if one of these words occurs; otherwise the code is
    not searched, which keeps a call under a millisecond. Empty: always search."""
    pattern: re.Pattern[str]

    def found_in(self, reading: Reading) -> str | None:
        """Return the matching text, on one line."""
        if self.words and reading.code.known.isdisjoint(self.words):
            return None
        match = self.pattern.search(reading.text)
        return " ".join(match[0].split()) if match else None


class Boundary(Struct, frozen=True, kw_only=True):
    """One rule: phrases in words, and patterns in code."""

    name: str
    what: str
    """What it guards, to complete "It touches ..."."""
    enough: Phrases = NO_PHRASES
    """Phrases in code or instruction; one is enough."""
    hints: Phrases = NO_PHRASES
    """Phrases in code or instruction; two are needed."""
    asked: Phrases = NO_PHRASES
    """Phrases in the instruction; one is enough."""
    asked_hints: Phrases = NO_PHRASES
    """Phrases that count as hints only in the instruction."""
    said: tuple[re.Pattern[str], ...] = ()
    """Patterns of sentences in the instruction; one is enough."""
    paths: Phrases = NO_PHRASES
    """Phrases in the path of a file; one is enough."""
    path_hints: Phrases = NO_PHRASES
    code: tuple[Syntax, ...] = ()
    code_hints: tuple[Syntax, ...] = ()
    own_paths: tuple[re.Pattern[str], ...] = ()
    """The user's own patterns; each is enough."""
    own_code: tuple[re.Pattern[str], ...] = ()
    own_instruction: tuple[re.Pattern[str], ...] = ()


class Crossing(Struct, frozen=True, kw_only=True):
    """A boundary that applies to a task, with its evidence."""

    name: str
    reason: str
    is_certain: bool = False
    """Whether it holds whatever the learned score says."""


class RuleEvidence(Struct, frozen=True, kw_only=True):
    """What a reading shows for one rule."""

    shown: tuple[str, ...]
    """What is enough to apply the rule; empty: it does not apply."""
    places: frozenset[tuple[str, int]]
    """Where something was found, and how much it counts there."""
    points: int
    is_own: bool
    """Whether one of the user's own patterns was found."""


class Reading(Struct, frozen=True, kw_only=True):
    """A task as words, read once for all rules."""

    instruction: Words
    code: Words
    surroundings: Words
    path: Words
    text: str
    """The code itself, up to the limit."""
    said: str
    """The instruction itself, up to the limit."""
    paths: str
    """The paths themselves, one per line."""

    @classmethod
    def of(cls, task: Task) -> Reading:
        paths = "\n".join((task.path, *task.files))[:MAX_PROSE_CHARS]
        return cls(
            instruction=words_of_prose(task.instruction),
            code=words_of_code(task.code),
            surroundings=words_of_code(task.surroundings),
            path=words_of_prose(paths),
            text=head_and_tail(task.code),
            said=task.instruction[:MAX_PROSE_CHARS],
            paths=paths,
        )


def syntax(words: str, pattern: str) -> Syntax:
    """Create a pattern with the words that it needs, separated by commas.

    A pattern that begins with a letter, and not with `\\b` or an alternative, is many
    times faster. Bound every repetition that could span a whole file.
    """
    needed = frozenset(word.strip() for word in words.split(",") if word)
    return Syntax(needed, re.compile(pattern, re.MULTILINE))


def crossings(
    rules: Sequence[Boundary], found: Sequence[RuleEvidence]
) -> list[Crossing]:
    """Return the boundaries that apply, given the evidence for each of the rules."""
    return [
        Crossing(
            name=rule.name,
            reason=f"It touches {rule.what}: {' and '.join(each.shown)}.",
            is_certain=each.is_own,
        )
        for rule, each in zip(rules, found, strict=True)
        if each.shown
    ]


def evidence(rule: Boundary, reading: Reading) -> RuleEvidence:
    points = 0
    shown: dict[str, None] = {}
    hinted: set[str] = set()
    places: set[tuple[str, int]] = set()
    is_own = False
    for phrase, place, weight in _found(rule, reading):
        places.add((place, weight))
        if phrase in hinted:
            continue
        hinted.add(phrase)
        if points < _ENOUGH:
            shown[f"“{phrase}” in {place}"] = None
        points += weight
    for phrase, place in _found_by_own(rule, reading):
        shown.setdefault(f"“{phrase}” in {place}")
        points += _ENOUGH
        is_own = True
    return RuleEvidence(
        shown=tuple(shown) if points >= _ENOUGH else (),
        places=frozenset(places),
        points=points,
        is_own=is_own,
    )


def _found(rule: Boundary, reading: Reading) -> Iterator[tuple[str, str, int]]:
    """Yield matches, the strongest and cheapest first."""
    said, code = reading.instruction, reading.code
    for words, place, table, weight in (
        (said, "the instruction", rule.asked, _ENOUGH),
        (said, "the instruction", rule.enough, _ENOUGH),
        (code, "the code", rule.enough, _ENOUGH),
        (reading.path, "a path", rule.paths, _ENOUGH),
        (said, "the instruction", rule.asked_hints, _HINT),
        (said, "the instruction", rule.hints, _HINT),
        (code, "the code", rule.hints, _HINT),
        (reading.path, "a path", rule.path_hints, _HINT),
        (reading.surroundings, "the code around it", rule.enough, _HINT),
    ):
        for phrase in table.found_in(words):
            yield phrase, place, weight
    for pattern in rule.said:
        if match := pattern.search(reading.said):
            yield " ".join(match[0].split()), "the instruction", _ENOUGH
    for entries, weight in ((rule.code, _ENOUGH), (rule.code_hints, _HINT)):
        for entry in entries:
            if shown := entry.found_in(reading):
                yield shown, "the code", weight


def _found_by_own(rule: Boundary, reading: Reading) -> Iterator[tuple[str, str]]:
    """Yield what the user's own patterns match, and where."""
    for patterns, text, place in (
        (rule.own_instruction, reading.said, "the instruction"),
        (rule.own_paths, reading.paths, "a path"),
        (rule.own_code, reading.text, "the code"),
    ):
        for pattern in patterns:
            if match := pattern.search(text):
                yield " ".join(match[0].split()), place
