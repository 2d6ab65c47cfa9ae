"""Reads the stacks of Java, also of tests by JUnit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from redline.traces.failure import MAX_FRAMES, ProgramFailure, TraceFrame

_AT = re.compile(
    r"\s++at (?:[\w.@-]++/{1,2})*+(?P<function>[\w.$<>]++)"
    r"\((?:(?P<file>[\w$]++\.(?:java|kt|scala|groovy)):(?P<line>\d{1,9})|[^()]*+)\)"
)
_HEAD = re.compile(
    r"\s*+(?P<lead>Exception in thread \"[^\"]*+\" |Caused by: |Suppressed: )?"
    r"(?P<error>(?:[\w$]++\.)*+[\w$]++)(?:: (?P<message>.*+))?$"
)
_ERROR_NAME = re.compile(r".*(?:Error|Exception|Failure|Throwable)$")
_TEST = re.compile(
    r"(?:\[ERROR\]\s++)?(?P<test>[\w.$]++)(?:\((?P<place>[\w.$]++)\))?"
    r"(?:[ -]++Time elapsed: [^<]*+)?\s*+<<< (?:FAILURE|ERROR)!"
)
_MAX_ABOVE = 20


def read_java(lines: Sequence[str]) -> list[ProgramFailure]:
    """Return the exceptions with a stack that Java printed, in order."""
    found: list[ProgramFailure] = []
    test: str | None = None
    at = 0
    while at < len(lines):
        if (named := _TEST.match(lines[at])) is not None:
            place = named["place"]
            test = f"{place}.{named['test']}" if place else named["test"]
        if not _AT.match(lines[at]):
            at += 1
            continue
        first, frames = at, []
        while at < len(lines) and (
            (place_of := _AT.match(lines[at])) is not None
            or lines[at].lstrip().startswith("... ")
        ):
            if place_of is not None and place_of["file"] is not None:
                frames.append(_frame(place_of))
            at += 1
        failure = _above(lines, first, tuple(reversed(frames[:MAX_FRAMES])), test)
        if failure is None:
            continue
        if found and lines[failure.at].lstrip().startswith("Caused by: "):
            before = found.pop()
            failure = replace(before, causes=(*before.causes, failure))
        found.append(failure)
        test = None
    return [one for one in found if one.frames]


def _frame(place: re.Match[str]) -> TraceFrame:
    # The package is the folder of the file.
    package = place["function"].split(".")[:-2]
    path = "/".join([*package, place["file"]])
    return TraceFrame(path=path, line=int(place["line"]), function=place["function"])


def _above(
    lines: Sequence[str],
    first: int,
    frames: tuple[TraceFrame, ...],
    test: str | None,
) -> ProgramFailure | None:
    for at in range(first - 1, max(first - _MAX_ABOVE, 0) - 1, -1):
        if _AT.match(lines[at]):
            return None
        head = _HEAD.match(lines[at])
        if head is None or not (head["lead"] or _ERROR_NAME.match(head["error"])):
            continue
        message = "\n".join([head["message"] or "", *lines[at + 1 : first]]).strip()
        return ProgramFailure(
            kind="java",
            error=head["error"],
            message=message,
            frames=frames,
            test=test,
            at=at,
        )
    return None
