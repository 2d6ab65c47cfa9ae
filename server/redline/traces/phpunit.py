"""Reads the errors and failures of PHPUnit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from redline.traces.failure import MAX_FRAMES, ProgramFailure, TraceFrame

_LIST = re.compile(r"There (?:was|were) \d{1,9} (?P<what>[\w ]++):$")
_READ = frozenset({"error", "errors", "failure", "failures"})
"""The lists that are read; others have warnings, risky and skipped tests."""
_HEAD = re.compile(r"\d{1,9}\) (?P<test>[^\W\d][\w\\]*+::\S.*+)$")
_END = re.compile(r"--$|(?:FAILURES|ERRORS)!$")
_PLACE = re.compile(r"(?P<path>(?:[A-Za-z]:)?[/\\][^:]*+):(?P<line>\d{1,9})$")
_ERROR = re.compile(r"(?P<error>[A-Z][\w\\]*?(?:Exception|Error)): (?P<message>.*+)$")
_CAUSE = "Caused by"
_MAX_MESSAGE_LINES = 20


def read_phpunit(lines: Sequence[str]) -> list[ProgramFailure]:
    """Return the errors and failures that PHPUnit printed, in order."""
    return [
        _read_block(test, lines[first:end], first - 1)
        for test, first, end in _blocks(lines)
    ]


def _blocks(lines: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the test, first line and end of each failure."""
    begun: tuple[str, int] | None = None
    is_list = False
    for at, line in enumerate(lines):
        what = _LIST.match(line)
        head = _HEAD.match(line) if is_list else None
        is_end = what is not None or _END.match(line) is not None
        if begun is not None and (head is not None or is_end):
            yield *begun, at
            begun = None
        if head is not None:
            begun = head["test"], at + 1
        if is_end:
            is_list = what is not None and what["what"] in _READ
    if begun is not None:
        yield *begun, len(lines)


def _read_block(test: str, lines: Sequence[str], at: int) -> ProgramFailure:
    """Read a failure, and the exceptions that led to it."""
    cuts = [number for number, line in enumerate(lines) if line == _CAUSE]
    ends = [*cuts, len(lines)]
    main, *causes = (
        _read_error(lines[first:end], at)
        for first, end in zip([0, *(cut + 1 for cut in cuts)], ends, strict=True)
    )
    return replace(main, test=test, causes=tuple(causes))


def _read_error(lines: Sequence[str], at: int) -> ProgramFailure:
    places = [found for line in lines if (found := _PLACE.match(line)) is not None]
    said = [line for line in lines if not _PLACE.match(line)]
    message = "\n".join(said[:_MAX_MESSAGE_LINES]).strip()
    first, _, rest = message.partition("\n")
    head = _ERROR.match(first)
    if head is not None:
        message = f"{head['message']}\n{rest}".strip()
    return ProgramFailure(
        kind="phpunit",
        error="" if head is None else head["error"],
        message=message,
        # The innermost call is printed first.
        frames=tuple(
            TraceFrame(path=place["path"], line=int(place["line"]))
            for place in places[:MAX_FRAMES][::-1]
        ),
        at=at,
    )
