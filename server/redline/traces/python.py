"""Reads tracebacks of Python: chained, in groups, of unittest and of doctest."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from redline.traces.failure import MAX_FRAMES, ProgramFailure, TraceFrame

_START = re.compile(
    r"(?P<rail>[ |+-]{0,80}?)(?:Exception Group )?Traceback \(most recent call last\):$"
)
_FRAME = re.compile(
    r'\s*+File "(?P<path>[^"]++)", line (?P<line>\d{1,9})(?:, in (?P<function>.++))?$'
)
_ERROR = re.compile(
    r"(?P<error>[^\W\d][\w.]*+)(?: \(\d++ sub-exceptions?\))?(?::\s?(?P<message>.*+))?$"
)
_SYNTAX = re.compile(r"(?:SyntaxError|IndentationError|TabError)\b")
_TEST = re.compile(r"(?:FAIL|ERROR): (?P<name>\S++)(?: \((?P<place>[^()]++)\))?")
_RULE = re.compile(r"[=*-]{20}")
_LINKS = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
_RAIL = re.compile(r"[ |]*+")
_MAX_MESSAGE_LINES = 20


def read_python(lines: Sequence[str]) -> list[ProgramFailure]:
    """Return the failures that Python printed, in order."""
    found: list[ProgramFailure] = []
    test: str | None = None
    is_linked = False
    at = 0
    while at < len(lines):
        line = lines[at]
        if _START.match(line) or _is_syntax_error(lines, at):
            at, failure = _read(lines, at, test)
            if failure is not None:
                is_caused = is_linked and bool(found)
                found.append(_caused(failure, found.pop()) if is_caused else failure)
                is_linked, test = False, None
            continue
        if line.strip("| ") in _LINKS:
            is_linked = True
        elif (named := _TEST.match(line)) is not None:
            test = _test_name(named)
        elif (failed := _doctest(lines, at)) is not None:
            found.append(failed)
        at += 1
    return found


def _caused(failure: ProgramFailure, before: ProgramFailure) -> ProgramFailure:
    """Return a failure with the one that was printed before it as its cause."""
    causes = (replace(before, causes=()), *before.causes)
    return replace(failure, causes=causes, at=before.at)


def _test_name(named: re.Match[str]) -> str:
    name, place = named["name"], named["place"]
    if not place:
        return str(name)
    # Python 3.11 and later name the method with its class.
    return place if place.endswith(f".{name}") else f"{place}.{name}"


def _is_syntax_error(lines: Sequence[str], at: int) -> bool:
    """Whether a syntax error without a traceback begins here: `File`, code, marks."""
    if not lines[at].startswith("  File ") or _FRAME.match(lines[at]) is None:
        return False
    return any(_SYNTAX.match(line) for line in lines[at + 1 : at + 5])


def _read(
    lines: Sequence[str], at: int, test: str | None
) -> tuple[int, ProgramFailure | None]:
    """Read one traceback; returns the index after it."""
    begun, start = at, _START.match(lines[at])
    rail = start["rail"] if start is not None else ""
    at, frames = _read_frames(lines, at + (start is not None), rail)
    if at == len(lines):
        return at, None
    head = _ERROR.match(_without_rail(lines[at], rail))
    if head is None or not frames:
        return at + 1, None
    at, more = (at + 1, []) if _is_group(rail) else _read_message(lines, at + 1)
    return at, ProgramFailure(
        kind="python",
        error=head["error"],
        message="\n".join([head["message"] or "", *more]).strip(),
        frames=_kept(frames),
        test=test,
        at=begun,
    )


def _read_frames(
    lines: Sequence[str], at: int, rail: str
) -> tuple[int, list[TraceFrame]]:
    """Read the frames; returns the index of the line that names the error."""
    frames: list[TraceFrame] = []
    while at < len(lines):
        line = _without_rail(lines[at], rail)
        if (frame := _FRAME.match(line)) is not None:
            after = _without_rail(lines[at + 1], rail) if at + 1 < len(lines) else ""
            is_code = after.startswith("    ") and _FRAME.match(after) is None
            frames.append(
                TraceFrame(
                    path=frame["path"],
                    line=int(frame["line"]),
                    function=frame["function"],
                    text=after.strip() if is_code else None,
                )
            )
        elif line and not line[0].isspace():
            break
        at += 1
    return at, frames


def _read_message(lines: Sequence[str], at: int) -> tuple[int, list[str]]:
    """Read the further lines of a message, and the notes; returns the index after."""
    more: list[str] = []
    while at < len(lines) and len(more) < _MAX_MESSAGE_LINES:
        line = lines[at]
        is_next = _START.match(line) or _TEST.match(line) or _RULE.match(line)
        if not line.strip() or is_next:
            break
        more.append(line)
        at += 1
    return at, more


def _is_group(rail: str) -> bool:
    return "|" in rail or "+" in rail


def _without_rail(line: str, rail: str) -> str:
    """Return a line without the bars at the left of a group, or its indentation."""
    if not _is_group(rail):
        return line[len(rail) :] if line.startswith(rail) else line
    bars = _RAIL.match(line[: len(rail)])
    return line[len(rail) :] if bars is not None and bars.end() == len(rail) else ""


def _kept(frames: Sequence[TraceFrame]) -> tuple[TraceFrame, ...]:
    """Fold repeated frames of a recursion; of very many, keep both ends."""
    folded: list[TraceFrame] = []
    for frame in frames:
        if not folded or folded[-1] != frame:
            folded.append(frame)
    if len(folded) > MAX_FRAMES:
        half = MAX_FRAMES // 2
        folded = [*folded[:half], *folded[-half:]]
    return tuple(folded)


def _doctest(lines: Sequence[str], at: int) -> ProgramFailure | None:
    """Read a failed example: the place, the code, what was expected, what came."""
    place = _FRAME.match(lines[at])
    if place is None or lines[at + 1 : at + 2] != ["Failed example:"]:
        return None
    body: list[str] = []
    for line in lines[at + 2 : at + 42]:
        if line.startswith("***"):
            break
        body.append(line)
    text = body[0].strip() if body else None
    return ProgramFailure(
        kind="python",
        error="doctest",
        message="\n".join(line.strip() for line in body[1:]).strip(),
        frames=(
            TraceFrame(
                path=place["path"],
                line=int(place["line"]),
                function=place["function"],
                text=text,
            ),
        ),
        test=place["function"],
        at=at,
    )
