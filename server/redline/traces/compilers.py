"""Reads the errors of compilers that print `file:line: message`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.traces.failure import FailureKind, ProgramFailure, TraceFrame

_TSC = re.compile(
    r"(?P<path>[^\s:(][^:(]*+)(?:\((?P<line>\d{1,9}),\d{1,9}\):"
    r"|:(?P<row>\d{1,9}):\d{1,9} -) error (?P<error>TS\d{1,6}): (?P<message>.++)$"
)
_GO = re.compile(
    r"(?:vet: )?(?P<path>[^\s:][^:]*+)(?<=\.go):(?P<line>\d{1,9}):\d{1,9}:"
    r" (?P<message>.++)$"
)
_JAVAC = re.compile(
    r"(?:\[ERROR\] )?(?P<path>[^\s:][^:]*+)(?<=\.java):(?:(?P<line>\d{1,9}): error:"
    r"|\[(?P<row>\d{1,9}),\d{1,9}\]) (?P<message>.++)$"
)
_GCC = re.compile(
    r"(?P<path>(?:[A-Za-z]:)?[^\s:][^:]*+):(?P<line>\d{1,9}):(?:\d{1,9}:)? "
    r"(?P<error>fatal error|error): (?P<message>.++)$"
)
_IN_FUNCTION = re.compile(
    "[^:]++: In [\\w ]*?function ['\u2018](?P<name>[^'\u2019]++)['\u2019]:$"
)
_GUTTER = re.compile(r"\s*+(?P<line>\d{1,9})(?: \| ?| )(?P<text>.*+)$")
_FORMATS: tuple[tuple[FailureKind, re.Pattern[str]], ...] = (
    ("tsc", _TSC),
    ("java", _JAVAC),
    ("go", _GO),
    ("gcc", _GCC),
)
"""The first that matches a line counts."""


def read_compilers(lines: Sequence[str]) -> list[ProgramFailure]:
    """Return the errors of compilers, in order."""
    found: list[ProgramFailure] = []
    function: str | None = None
    for at, line in enumerate(lines):
        if ": In " in line and (inside := _IN_FUNCTION.match(line)) is not None:
            function = inside["name"]
            continue
        for kind, form in _FORMATS:
            if (said := form.match(line)) is None:
                continue
            fields = said.groupdict()
            number = int(fields["line"] or fields["row"] or 0)
            frame = TraceFrame(
                path=said["path"],
                line=number,
                function=function if kind == "gcc" else None,
                text=_text(lines, at, number, kind),
            )
            found.append(
                ProgramFailure(
                    kind=kind,
                    error=fields.get("error") or "error",
                    message=said["message"],
                    frames=(frame,),
                    at=at,
                )
            )
            break
    return found


def _text(lines: Sequence[str], at: int, number: int, kind: FailureKind) -> str | None:
    """Return the line of code that a compiler prints below its message."""
    if kind == "java":
        return (lines[at + 1].strip() or None) if at + 1 < len(lines) else None
    for line in lines[at + 1 : at + 3]:
        code = _GUTTER.match(line)
        if code is not None and int(code["line"]) == number:
            return code["text"].strip() or None
    return None
