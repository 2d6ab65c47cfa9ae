"""Reads panics and failed tests of Go."""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.traces.failure import MAX_FRAMES, ProgramFailure, TraceFrame

_PANIC = re.compile(r"(?P<error>panic|fatal error): (?P<message>.*+)$")
_GOROUTINE = re.compile(r"goroutine \d++ .*:$")
_PLACE = re.compile(r"\t(?P<path>[^:]++):(?P<line>\d{1,9})(?: \+0x[\da-f]++)?$")
_FAIL = re.compile(r"\s*+--- FAIL: (?P<test>\S++) \(")
_SAID = re.compile(
    r"\s++(?P<path>[^\s:]++)(?<=\.go):(?P<line>\d{1,9}): ?(?P<message>.*+)$"
)
_RECOVERED = re.compile(r" \[recovered(?:, repanicked)?\]$")
_OWN = ("runtime.", "testing.", "panic", "created by ")
_MAX_MESSAGE_LINES = 20


def read_go(lines: Sequence[str]) -> list[ProgramFailure]:
    """Return the panics and failed tests that Go printed, in order."""
    found: list[ProgramFailure] = []
    test: str | None = None
    end = 0
    for at, line in enumerate(lines):
        if at < end:
            continue
        if (failed := _FAIL.match(line)) is not None:
            test = failed["test"]
        elif (panic := _PANIC.match(line)) is not None:
            frames, end = _stack(lines, at + 1)
            if frames:
                found.append(
                    ProgramFailure(
                        kind="go",
                        error=panic["error"],
                        message=_RECOVERED.sub("", panic["message"]),
                        frames=frames,
                        test=test,
                        at=at,
                    )
                )
        elif test is not None and (said := _SAID.match(line)) is not None:
            frame = TraceFrame(
                path=said["path"],
                line=int(said["line"]),
                function=test.partition("/")[0],
            )
            message = [said["message"], *_continued(lines, at)]
            found.append(
                ProgramFailure(
                    kind="go",
                    error="",
                    message="\n".join(message),
                    frames=(frame,),
                    test=test,
                    at=at,
                )
            )
    return found


def _continued(lines: Sequence[str], at: int) -> list[str]:
    """Return the further lines of a message, which are indented more."""
    width = len(lines[at]) - len(lines[at].lstrip())
    more = []
    for line in lines[at + 1 : at + _MAX_MESSAGE_LINES]:
        if len(line) - len(line.lstrip()) <= width or _SAID.match(line):
            break
        more.append(line.strip())
    return more


def _stack(lines: Sequence[str], at: int) -> tuple[tuple[TraceFrame, ...], int]:
    """Read the stack of the goroutine that panicked; returns the index after it."""
    for start in range(at, min(at + _MAX_MESSAGE_LINES, len(lines))):
        if _GOROUTINE.match(lines[start]):
            at = start + 1
            break
    else:
        return (), at
    frames: list[TraceFrame] = []
    function = ""
    for line in lines[at : at + 2 * MAX_FRAMES]:
        if (place := _PLACE.match(line)) is not None:
            if not function.startswith(_OWN):
                frames.append(
                    TraceFrame(
                        path=place["path"],
                        line=int(place["line"]),
                        function=function or None,
                    )
                )
        elif line.startswith("created by "):
            function = line
        elif line.endswith(")") and "(" in line:
            function = line[: line.rindex("(")]
        else:
            break
        at += 1
    return tuple(reversed(frames)), at
