"""Reads the failures that Mocha lists after a run, with any of its usual reporters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from redline.traces.failure import ProgramFailure
from redline.traces.javascript import read_script_failure

_FAILING = re.compile(r"  \d{1,9} failing$")
_PASSING = re.compile(r"  \d{1,9} passing \(")
_HEAD = re.compile(r"  \d{1,9}\) (?P<title>\S.*+)$")
_HOOK = re.compile(r'"(?:before|after) (?:all|each)" hook(?P<rest>.*)"$')
_FIRST_INDENT = 7
"""Blanks before the second part of a name; each further part has two more."""


def is_mocha(lines: Sequence[str]) -> bool:
    """Whether Mocha has listed failures here."""
    return any(_FAILING.match(line) for line in lines)


def read_mocha(lines: Sequence[str]) -> list[ProgramFailure]:
    """Return the failures that Mocha listed, in order."""
    found = []
    for at, end in _blocks(lines):
        names, first = _names(lines, at)
        test = " > ".join(names)
        failure = read_script_failure("mocha", test, lines[first:end], at)
        if failure is not None:
            found.append(failure)
    return found


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield first line and end of each failure of a list."""
    begun: int | None = None
    is_list = False
    for at, line in enumerate(lines):
        is_head = is_list and _HEAD.match(line) is not None
        is_end = _PASSING.match(line) is not None
        if begun is not None and (is_head or is_end):
            yield begun, at
            begun = None
        if is_head:
            begun = at
        # Of several runs, such as of several packages, each has a list.
        is_list = not is_end and (is_list or _FAILING.match(line) is not None)
    if begun is not None:
        yield begun, len(lines)


def _names(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    """Return the suites and the name of a test, and where its message begins.

    A hook has the name of the test for which it ran.
    """
    head = _HEAD.match(lines[at])
    names = [head["title"] if head is not None else ""]
    first = at + 1
    while first < len(lines):
        line = lines[first]
        indent = len(line) - len(line.lstrip(" "))
        if not line.strip() or indent != _FIRST_INDENT + 2 * (len(names) - 1):
            break
        names.append(line.strip())
        first += 1
    last = names[-1].removesuffix(":")
    if (hook := _HOOK.match(last)) is not None:
        last = hook["rest"].partition(' for "')[2] or last
    return [*names[:-1], last], first
