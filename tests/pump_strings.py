"""Strings that a backtracking matcher may need long for, derived from its pattern.

Each is what leads to a repetition, then what it repeats many times, then an end that
does not match: whatever can be matched in two ways is tried in both there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

_parser: Any = import_module("re._parser")
_codes: Any = import_module("re._constants")

_ORDINARY = " a\n0"
_MANY = 20
"""A repetition of up to fewer costs little."""

_MAX_CHARACTERS = 10
"""Of a class: those that are tried."""

_REPEATS = (_codes.MAX_REPEAT, _codes.MIN_REPEAT, _codes.POSSESSIVE_REPEAT)
_CLASSES = (_codes.LITERAL, _codes.NOT_LITERAL, _codes.ANY, _codes.IN)


def pump_strings(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """Return the start, the part to repeat, and the end of each string."""
    pumps = _Pumps(pattern).found
    for start, part in pumps:
        yield start, part, "\0"
        yield start, part, "\n\0"
        if start:
            yield "", start + part, "\0"


class _Pumps:
    def __init__(self, pattern: re.Pattern[Any]) -> None:
        self._flags = pattern.flags
        tree = _parser.parse(pattern.pattern, pattern.flags)
        characters = dict.fromkeys(_ORDINARY) | dict.fromkeys(_literals(tree))
        self._characters = list(characters)
        self._groups: dict[int, str] = {}
        found: dict[tuple[str, str], None] = {}
        # What may be absent is absent at first, then there.
        for self._least in (0, 1):
            found |= dict.fromkeys(self._pumps(tree, ""))
        self.found = list(found)

    def _pumps(self, tree: Any, start: str) -> Iterator[tuple[str, str]]:
        for code, value in tree:
            if code in _REPEATS and value[1] >= _MANY:
                for part in self._parts(value[2]):
                    yield start, part
            for inner in _inside(code, value):
                yield from self._pumps(inner, start)
            start += self._one(code, value)

    def _parts(self, body: Any) -> list[str]:
        """Return strings that a repetition's body matches."""
        if len(body) == 1 and body[0][0] in _CLASSES:
            return self._matching(*body[0])[:_MAX_CHARACTERS]
        branches = [branch for each in body for branch in _branches(*each)]
        return list(filter(None, map(self._sample, [body, *branches])))

    def _sample(self, tree: Any) -> str:
        return "".join(self._one(code, value) for code, value in tree)

    def _one(self, code: Any, value: Any) -> str:
        """Return a string that a node matches, as far as that is simple."""
        if code in _CLASSES:
            fitting = self._matching(code, value)
            return "a" if "a" in fitting else "".join(fitting[:1])
        if code in _REPEATS:
            n_times: int = max(value[0], self._least)
            return self._sample(value[2]) * n_times
        if code is _codes.GROUPREF:
            return self._groups.get(value, "")
        if code in (_codes.ASSERT, _codes.ASSERT_NOT):
            return ""
        inside = _inside(code, value)
        text: str = self._sample(inside[0]) if inside else ""
        if code is _codes.SUBPATTERN:
            self._groups[value[0]] = text
        return text

    def _matching(self, code: Any, value: Any) -> list[str]:
        one = _parser.SubPattern(_parser.State(), [(code, value)])
        one.state.str = ""
        matches = import_module("re._compiler").compile
        compiled: re.Pattern[str] = matches(one, self._flags & ~re.DEBUG)
        fitting = [each for each in self._characters if compiled.fullmatch(each)]
        return fitting or [c for c in map(chr, range(0x250)) if compiled.fullmatch(c)]


def _inside(code: Any, value: Any) -> Sequence[Any]:
    """Return the trees inside a node."""
    if code in _REPEATS:
        return [value[2]]
    if code is _codes.SUBPATTERN:
        return [value[3]]
    if code is _codes.ATOMIC_GROUP:
        return [value]
    if code is _codes.BRANCH:
        return list(value[1])
    if code in (_codes.ASSERT, _codes.ASSERT_NOT):
        return [value[1]]
    return []


def _branches(code: Any, value: Any) -> list[Any]:
    if code is _codes.BRANCH:
        return list(value[1])
    if code is _codes.SUBPATTERN:
        return [branch for each in value[3] for branch in _branches(*each)]
    return []


def _literals(tree: Any) -> Iterator[str]:
    for code, value in tree:
        if code in (_codes.LITERAL, _codes.NOT_LITERAL):
            yield chr(value)
        elif code is _codes.IN:
            for inner, of in value:
                if inner is _codes.LITERAL:
                    yield chr(of)
                elif inner is _codes.RANGE:
                    yield from map(chr, of)
        for inner in _inside(code, value):
            yield from _literals(inner)
