"""Boundaries: kinds of task that the fast tier never takes alone.

A rule reads the task in words. Some phrases are enough by themselves; others only hint,
since a `token` may be a lexer's and a `session` a database's, and it takes two that
differ. What the surroundings say is only ever a hint. The rules themselves are data, in
`security_rules.py` and `data_rules.py`; the user's settings add to them by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
"""Languages that look like something or say something, and do nothing."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """What only the code as it stands can show."""

    words: frozenset[str]
    """Without any of these words the pattern cannot match: code that has none is not
    searched, which keeps a call under a millisecond. Empty: it is always searched."""
    pattern: re.Pattern[str]

    def found_in(self, reading: Reading) -> str | None:
        """Return what matches, on one line."""
        if self.words and reading.code.known.isdisjoint(self.words):
            return None
        match = self.pattern.search(reading.text)
        return " ".join(match[0].split()) if match else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """One rule: phrases in words, and what only syntax shows."""

    name: str
    what: str
    """What it guards, so that "It touches ..." becomes a sentence."""
    enough: Phrases = NO_PHRASES
    """Phrases in code or instruction, one of which is enough."""
    hints: Phrases = NO_PHRASES
    """Phrases in code or instruction, two of which are needed."""
    asked: Phrases = NO_PHRASES
    """Phrases that are enough in the instruction."""
    asked_hints: Phrases = NO_PHRASES
    """Phrases that only the instruction hints with."""
    said: tuple[re.Pattern[str], ...] = ()
    """Sentences of an instruction that are enough."""
    paths: Phrases = NO_PHRASES
    """Phrases that are enough in the path of a file."""
    path_hints: Phrases = NO_PHRASES
    code: tuple[Syntax, ...] = ()
    code_hints: tuple[Syntax, ...] = ()
    own_paths: tuple[re.Pattern[str], ...] = ()
    """The user's own patterns: each is enough."""
    own_code: tuple[re.Pattern[str], ...] = ()
    own_instruction: tuple[re.Pattern[str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """A boundary that holds for a task, and what shows it."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A task in words, read once for all rules."""

    instruction: Words
    code: Words
    surroundings: Words
    path: Words
    text: str
    """The code as it stands, as much of it as is read."""
    said: str
    """The instruction as it stands, as much of it as is read."""
    paths: str
    """The paths as they stand, one a line."""

    @classmethod
    def of(cls, task: Task) -> Reading:
        """Read a task."""
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
    """Write a pattern down with the words it needs, parted by commas.

    Patterns that begin with a letter, and not with `\\b` or a choice, are found many
    times faster. Repetitions that could run over a whole file are given a bound.
    """
    needed = frozenset(word.strip() for word in words.split(",") if word)
    return Syntax(needed, re.compile(pattern, re.MULTILINE))


def crossings(
    task: Task, reading: Reading, rules: Sequence[Boundary]
) -> list[Crossing]:
    """Find the boundaries that hold for a task."""
    if task.language in _INERT_LANGUAGES:
        return []
    found = ((rule, evidence(rule, reading)) for rule in rules)
    return [
        Crossing(
            name=rule.name, reason=f"It touches {rule.what}: {' and '.join(shown)}."
        )
        for rule, shown in found
        if shown
    ]


def evidence(rule: Boundary, reading: Reading) -> list[str]:
    """Say what shows that a rule holds; empty: it does not."""
    points = 0
    shown: dict[str, None] = {}
    hinted: set[str] = set()
    for phrase, place, weight in _found(rule, reading):
        if phrase in hinted:
            continue
        hinted.add(phrase)
        points += weight
        shown[f"“{phrase}” in {place}"] = None
        if points >= _ENOUGH:
            return list(shown)
    return []


def _found(rule: Boundary, reading: Reading) -> Iterator[tuple[str, str, int]]:
    """Go through what matches, the strongest and cheapest first."""
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
    for patterns, text, place, weight in (
        (rule.own_instruction, reading.said, "the instruction", _ENOUGH),
        (rule.said, reading.said, "the instruction", _ENOUGH),
        (rule.own_paths, reading.paths, "a path", _ENOUGH),
        (rule.own_code, reading.text, "the code", _ENOUGH),
    ):
        for pattern in patterns:
            if match := pattern.search(text):
                yield " ".join(match[0].split()), place, weight
    for entries, weight in ((rule.code, _ENOUGH), (rule.code_hints, _HINT)):
        for entry in entries:
            if shown := entry.found_in(reading):
                yield shown, "the code", weight
