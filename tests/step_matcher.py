"""A backtracking matcher of regular expressions that counts its steps.

It tries what Python's own does, in the same order, and so takes as many steps; the
count depends on no clock. A bounded repetition counts as a short one: its bound is a
constant.
"""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Iterator
from importlib import import_module
from typing import Any

# What the parser of the standard library returns is untyped.
_parser: Any = import_module("re._parser")
_codes: Any = import_module("re._constants")
_compile: Any = import_module("re._compiler").compile

_LARGEST_BOUND = 1_000
"""From here on a bound is no longer a constant."""

_SHORT = 3
"""The bound that stands for the bounds below."""

_REPEATS = (_codes.MAX_REPEAT, _codes.MIN_REPEAT, _codes.POSSESSIVE_REPEAT)
_SINGLE = (_codes.LITERAL, _codes.NOT_LITERAL, _codes.ANY, _codes.IN)
_ASSERTS = (_codes.ASSERT, _codes.ASSERT_NOT)


class TooManyStepsError(Exception):
    """The limit of steps was exceeded."""


class StepMatcher:
    """Runs one pattern over texts."""

    def __init__(
        self, pattern: re.Pattern[Any], *, bounds_are_short: bool = True
    ) -> None:
        """Read a pattern.

        Args:
            pattern: The pattern.
            bounds_are_short: Whether a bounded repetition counts as a short one.
        """
        self.n_steps = 0
        self._bounds_are_short = bounds_are_short
        self._tree = _parser.parse(pattern.pattern, pattern.flags)
        self._flags = pattern.flags & ~re.DEBUG
        self._is_bytes = isinstance(pattern.pattern, bytes)
        self._fits: dict[tuple[Any, Any, str], bool] = {}
        self._limit = 0
        self._text = ""
        self._groups: dict[int, str] = {}

    def count(self, method: str, text: str, limit: int) -> int:
        """Return the number of steps that a method of patterns takes for a text.

        Raises:
            TooManyStepsError: If it takes more than `limit`.
        """
        self.n_steps, self._limit, self._text = 0, limit, text
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(100_000)
        try:
            if method in ("match", "fullmatch"):
                self._begins(0, must_end=method == "fullmatch")
            else:
                self._find_all()
        finally:
            sys.setrecursionlimit(before)
        return self.n_steps

    def _find_all(self) -> None:
        at = 0
        while at <= len(self._text):
            end = self._begins(at)
            at = at + 1 if end is None else max(end, at + 1)

    def _begins(self, at: int, *, must_end: bool = False) -> int | None:
        """Return where a match that begins here ends, or None."""
        self._groups.clear()
        self._step()
        for end in self._sequence(self._tree, 0, at):
            if not must_end or end == len(self._text):
                return end
        return None

    def _step(self) -> None:
        self.n_steps += 1
        if self.n_steps > self._limit:
            raise TooManyStepsError

    def _sequence(self, nodes: Any, first: int, at: int) -> Iterator[int]:
        """Yield the ends of matches of the nodes from the first on."""
        data = nodes.data
        # Most nodes are single characters, which match in one way only.
        while first < len(data) and data[first][0] in _SINGLE:
            if not self._is_at(data[first], at):
                return
            first, at = first + 1, at + 1
        if first == len(data):
            yield at
            return
        for end in self._one(data[first], at):
            yield from self._sequence(nodes, first + 1, end)

    def _one(self, node: tuple[Any, Any], at: int) -> Iterator[int]:
        """Yield the ends of matches of a node that is no single character."""
        self._step()
        code, value = node
        if code in _REPEATS:
            return self._repeated(code, value, at)
        if code is _codes.SUBPATTERN:
            return self._group(value[0], value[3], at)
        if code is _codes.ATOMIC_GROUP:
            return self._first(self._sequence(value, 0, at))
        if code is _codes.BRANCH:
            return self._branches(value[1], at)
        if code is _codes.GROUPREF:
            said = self._groups.get(value)
            is_here = said is not None and self._text.startswith(said, at)
            return iter([at + len(said or "")] if is_here else [])
        return iter([at] if self._is_met(code, value, at) else [])

    def _is_met(self, code: Any, value: Any, at: int) -> bool:
        """Whether a condition that takes no text is met."""
        if code is _codes.AT:
            return self._is_border(value, at)
        assert code in _ASSERTS, f"{code} is not implemented"
        return self._holds(value, at) is (code is _codes.ASSERT)

    def _branches(self, branches: Any, at: int) -> Iterator[int]:
        for branch in branches:
            first = branch.data[0] if branch.data else (None, None)
            if first[0] not in _SINGLE or self._is_at(first, at):
                yield from self._sequence(branch, 0, at)

    def _group(self, number: int | None, body: Any, at: int) -> Iterator[int]:
        for end in self._sequence(body, 0, at):
            if number is None:
                yield end
                continue
            before = self._groups.get(number)
            self._groups[number] = self._text[at:end]
            yield end
            # The matcher comes back for another end.
            if before is None:
                self._groups.pop(number, None)
            else:
                self._groups[number] = before

    def _first(self, ends: Iterator[int]) -> Iterator[int]:
        end = next(ends, None)
        if end is not None:
            yield end

    def _repeated(self, code: Any, value: Any, at: int) -> Iterator[int]:
        least, most, body = value
        if self._bounds_are_short:
            if most < _LARGEST_BOUND:
                most = min(most, _SHORT)
            least = min(least, _SHORT)
        if len(body.data) == 1 and body.data[0][0] in _SINGLE:
            ends = self._run(body.data[0], at, least, most)
            if code is _codes.MIN_REPEAT:
                yield from ends
            elif code is _codes.POSSESSIVE_REPEAT:
                yield from deque(ends, maxlen=1)
            else:
                yield from reversed(list(ends))
        elif code is _codes.POSSESSIVE_REPEAT:
            yield from self._first(self._times(body, at, least, most, is_lazy=False))
        else:
            is_lazy = code is _codes.MIN_REPEAT
            yield from self._times(body, at, least, most, is_lazy=is_lazy)

    def _run(self, node: Any, at: int, least: int, most: int) -> Iterator[int]:
        """Yield the ends after as many of one character as may be, shortest first."""
        for n_times in range(most + 1):
            if n_times >= least:
                yield at
            if n_times == most or not self._is_at(node, at):
                return
            at += 1

    def _times(
        self, body: Any, at: int, least: int, most: int, *, is_lazy: bool
    ) -> Iterator[int]:
        self._step()
        if is_lazy and least <= 0:
            yield at
        if most > 0:
            for end in self._sequence(body, 0, at):
                if end > at or least > 0:
                    yield from self._times(
                        body, end, least - 1, most - 1, is_lazy=is_lazy
                    )
        if not is_lazy and least <= 0:
            yield at

    def _holds(self, value: Any, at: int) -> bool:
        direction, body = value
        start = at if direction > 0 else at - body.getwidth()[0]
        if start < 0:
            return False
        return next(self._sequence(body, 0, start), None) is not None

    def _is_at(self, node: tuple[Any, Any], at: int) -> bool:
        """Whether the character here is one that a node matches."""
        self.n_steps += 1
        if self.n_steps > self._limit:
            raise TooManyStepsError
        if at >= len(self._text):
            return False
        code, value = node
        character = self._text[at]
        key = (code, id(value) if code is _codes.IN else value, character)
        known = self._fits.get(key)
        if known is None:
            known = self._fits[key] = self._matches(code, value, character)
        return known

    def _matches(self, code: Any, value: Any, character: str) -> bool:
        one = _parser.SubPattern(_parser.State(), [(code, value)])
        one.state.str = b"" if self._is_bytes else ""
        compiled: re.Pattern[Any] = _compile(one, self._flags)
        text = character.encode("latin-1", "replace") if self._is_bytes else character
        return compiled.fullmatch(text) is not None

    def _is_border(self, value: Any, at: int) -> bool:
        pattern = _BORDERS[value]
        found = re.compile(pattern, self._flags & (re.MULTILINE | re.ASCII))
        return found.match(self._text, at) is not None


_BORDERS = {
    _codes.AT_BEGINNING: "^",
    _codes.AT_BEGINNING_STRING: r"\A",
    _codes.AT_BOUNDARY: r"\b",
    _codes.AT_NON_BOUNDARY: r"\B",
    _codes.AT_END: "$",
    _codes.AT_END_STRING: r"\Z",
}
