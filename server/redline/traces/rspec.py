"""Reads the failures of RSpec."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from redline.traces.failure import MAX_FRAMES, ProgramFailure, TraceFrame

_MARK = "Failure/Error: "
_HEAD = re.compile(r"  \d{1,9}\) (?P<name>\S.*+)$")
_PART = re.compile(r"\s++\d{1,9}\.\d{1,9}\) Failure/Error: ")
_LOADING = re.compile(r"An error occurred .*\.$")
_END = re.compile(r"Finished in |Failed examples:$|Pending: |Failures:$")
_ERROR = re.compile(r"(?P<error>[A-Z]\w*+(?:::\w++)*+):$")
_PLACE = re.compile(
    r"#\s++(?P<path>[^\s:#][^:]*+):(?P<line>\d{1,9})(?::in [`'](?P<function>.*)')?$"
)
_CAUSE = "# --- Caused by: ---"
_MAX_MESSAGE_LINES = 20


def is_rspec(lines: Sequence[str]) -> bool:
    """Whether RSpec has printed failures here."""
    return any(line.lstrip().startswith(_MARK) for line in lines)


def read_rspec(lines: Sequence[str]) -> list[ProgramFailure]:
    """Return the failures that RSpec printed, in order."""
    return [
        failure
        for test, first, end in _blocks(lines)
        for failure in _read_block(test, lines[first:end], first)
    ]


def _blocks(lines: Sequence[str]) -> Iterator[tuple[str | None, int, int]]:
    """Yield the test, first line and end of each failure; the test of a file that
    cannot be loaded is None."""
    begun: tuple[str | None, int] | None = None
    is_list = False
    for at, line in enumerate(lines):
        head = _HEAD.match(line) if is_list else None
        is_loading = _LOADING.match(line) is not None
        is_end = _END.match(line) is not None
        if begun is not None and (head is not None or is_loading or is_end):
            yield *begun, at
            begun = None
        if head is not None:
            begun = head["name"].strip(), at + 1
        elif is_loading:
            begun = None, at + 1
        if is_end:
            is_list = line == "Failures:"
    if begun is not None:
        yield *begun, len(lines)


def _read_block(
    test: str | None, lines: Sequence[str], at: int
) -> Iterator[ProgramFailure]:
    """Read a failure; with `aggregate_failures` it has several parts."""
    firsts = [number for number, line in enumerate(lines) if _PART.match(line)]
    if not firsts:
        first = next(
            (n for n, line in enumerate(lines) if line.lstrip().startswith(_MARK)), None
        )
        if first is None:
            return
        firsts = [first]
    for first, end in zip(firsts, [*firsts[1:], len(lines)], strict=True):
        body = [line.strip() for line in lines[first:end]]
        yield _read_part(test, body, at + first)


def _read_part(test: str | None, body: Sequence[str], at: int) -> ProgramFailure:
    """Read what begins with the code that failed."""
    is_place = (n for n, line in enumerate(body) if line.startswith("# "))
    first = next(is_place, len(body))
    code_end = next((n for n, line in enumerate(body[:first]) if not line), first)
    code = body[0].partition(_MARK)[2]
    error, message = _error_of(body[code_end:first])
    cut = body.index(_CAUSE) if _CAUSE in body else len(body)
    frames = _frames(body[first:cut])
    if frames and code:
        frames[-1] = TraceFrame(
            path=frames[-1].path,
            line=frames[-1].line,
            function=frames[-1].function,
            text=code,
        )
    causes = () if cut == len(body) else (_read_cause(body[cut + 1 :], at),)
    return ProgramFailure(
        kind="rspec",
        error=error,
        message=message,
        frames=tuple(frames),
        test=test,
        causes=causes,
        at=at,
    )


def _read_cause(body: Sequence[str], at: int) -> ProgramFailure:
    said = [
        line.removeprefix("#").strip()
        for line in body
        if line.startswith("#") and not _PLACE.match(line)
    ]
    error, message = _error_of(said)
    return ProgramFailure(
        kind="rspec",
        error=error,
        message=message,
        frames=tuple(_frames(body)),
        at=at,
    )


def _error_of(said: Sequence[str]) -> tuple[str, str]:
    lines = "\n".join(said).strip().split("\n")[:_MAX_MESSAGE_LINES]
    head = _ERROR.match(lines[0])
    if head is None:
        return "", "\n".join(lines).strip()
    return head["error"], "\n".join(lines[1:]).strip()


def _frames(lines: Sequence[str]) -> list[TraceFrame]:
    """Return the places, which are printed with the innermost call first."""
    found = [
        TraceFrame(
            path=place["path"], line=int(place["line"]), function=place["function"]
        )
        for line in lines
        if (place := _PLACE.match(line)) is not None
    ]
    return found[:MAX_FRAMES][::-1]
