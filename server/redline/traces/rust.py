"""Reads panics, failed tests and compiler errors of Rust."""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.traces.failure import MAX_FRAMES, ProgramFailure, TraceFrame

_PANIC = re.compile(
    r"thread '(?P<thread>[^']*+)'(?: \(\d++\))? panicked at (?P<rest>.*+)$"
)
_PLACE = re.compile(r"(?P<path>[^\s:][^:]*+):(?P<line>\d{1,9}):\d{1,9}:?$")
_STACK = re.compile(r"stack backtrace:")
_CALL = re.compile(r"\s++\d{1,6}: (?:0x[\da-f]++ - )?(?P<function>\S.*+)$")
_AT = re.compile(r"\s++at (?P<path>[^\s:][^:]*+):(?P<line>\d{1,9})(?::\d{1,9})?$")
_ERROR = re.compile(r"error(?:\[(?P<code>E\d{1,6})\])?: (?P<message>.++)$")
_ARROW = re.compile(r"\s*+--> (?P<path>[^\s:][^:]*+):(?P<line>\d{1,9}):\d{1,9}$")
_CODE = re.compile(r"(?P<line>\d{1,9}) +\| (?P<text>.*+)$")
_OWN = ("/rustc/", "std::", "core::", "__rustc")
_MAX_MESSAGE_LINES = 20


def read_rust(lines: Sequence[str]) -> list[ProgramFailure]:
    """Return the panics and compiler errors that Rust printed, in order."""
    found: list[ProgramFailure] = []
    for at, line in enumerate(lines):
        if (panic := _PANIC.match(line)) is not None:
            failure = _panic(lines, at, panic["thread"], panic["rest"])
            found += [failure] if failure is not None else []
        elif (error := _ERROR.match(line)) is not None:
            frame = _arrow(lines, at)
            if frame is not None:
                found.append(
                    ProgramFailure(
                        kind="rust",
                        error=error["code"] or "error",
                        message=error["message"],
                        frames=(frame,),
                        at=at,
                    )
                )
    return found


def _panic(
    lines: Sequence[str], at: int, thread: str, rest: str
) -> ProgramFailure | None:
    # Before Rust 1.73: 'message', path:1:2.
    quoted, _, named = rest.rpartition("', ")
    found = _PLACE.match(named)
    if found is None:
        return None
    said = [quoted[1:]] if quoted else []
    here = at + 1
    while here < len(lines) and len(said) < _MAX_MESSAGE_LINES:
        line = lines[here]
        if not line.strip() or _STACK.match(line) or line.startswith("note: "):
            break
        said.append(line)
        here += 1
    place = TraceFrame(path=found["path"], line=int(found["line"]))
    calls = _calls(lines, here)
    if not calls or (calls[0].path.removeprefix("./"), calls[0].line) != (
        place.path.removeprefix("./"),
        place.line,
    ):
        calls.insert(0, place)
    return ProgramFailure(
        kind="rust",
        error="panic",
        message="\n".join(said).strip(),
        frames=tuple(reversed(calls[:MAX_FRAMES])),
        test=thread if "::" in thread else None,
        at=at,
    )


def _calls(lines: Sequence[str], at: int) -> list[TraceFrame]:
    """Read a backtrace, without the frames of the standard library."""
    if at >= len(lines) or not _STACK.match(lines[at]):
        return []
    frames = []
    function = ""
    for line in lines[at + 1 : at + 1 + 2 * MAX_FRAMES]:
        if (place := _AT.match(line)) is not None:
            if not function.startswith(_OWN) and not place["path"].startswith(_OWN):
                frames.append(
                    TraceFrame(
                        path=place["path"],
                        line=int(place["line"]),
                        function=function or None,
                    )
                )
        elif (call := _CALL.match(line)) is not None:
            function = call["function"]
        else:
            break
    return frames


def _arrow(lines: Sequence[str], at: int) -> TraceFrame | None:
    """Read the place of a compiler error, and its line of code."""
    for number in range(at + 1, min(at + 4, len(lines))):
        if (place := _ARROW.match(lines[number])) is None:
            continue
        text = None
        for line in lines[number + 1 : number + 12]:
            code = _CODE.match(line)
            if code is not None and code["line"] == place["line"]:
                text = code["text"].strip()
                break
        return TraceFrame(path=place["path"], line=int(place["line"]), text=text)
    return None
