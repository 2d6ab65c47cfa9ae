"""Reads the output of pytest, with any `--tb`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from redline.traces.failure import MAX_FRAMES, ProgramFailure, TraceFrame
from redline.traces.python import read_python

_RULE = re.compile(r"={3,}+ (?P<title>[^=]*+) ?={3,}+$")
_PLACE = re.compile(r"(?P<path>[^\s:][^:\n]*+):(?P<line>\d{1,9}): ?(?P<rest>.*+)$")
_SUMMARY = re.compile(r"(?:FAILED|ERROR) (?P<id>\S.*?)(?: - (?P<message>.*+))?$")
_ERROR = re.compile(r"(?P<error>[^\W\d][\w.]*+)(?::\s?(?P<message>.*+))?$")
_ERROR_NAME = re.compile(r"[\w.]*?(?:Error|Exception|Warning|Failed|Exit|Failure)$")
_DEF = re.compile(r"\s*+(?:async )?def (?P<name>\w++)")
_AT_SETUP = re.compile(r"ERROR (?:at (?:setup|teardown) of|collecting) (?P<name>.++)$")
_CAPTURED = re.compile(r"-{3,}+ Captured [\w ]++-{3,}+$")
_MAX_CAPTURED_LINES = 200


def is_pytest(lines: Sequence[str]) -> bool:
    """Whether pytest has printed failures here."""
    return any(
        (rule := _RULE.match(line)) is not None
        and rule["title"].strip() in ("FAILURES", "ERRORS", "short test summary info")
        for line in lines
    )


def read_pytest(lines: Sequence[str]) -> list[ProgramFailure]:
    """Return the failures that pytest printed, in order."""
    found: list[ProgramFailure] = []
    summaries: list[ProgramFailure] = []
    for title, first, end in _sections(lines):
        if title in ("FAILURES", "ERRORS"):
            for name, begin, stop in _blocks(lines, first, end):
                found += _read_block(name, lines[begin:stop], begin)
        elif title == "short test summary info":
            summaries += _summaries(lines, first, end)
    return _named(found, summaries)


def _sections(lines: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Yield title, first line and end of the parts between the rules."""
    title, first = "", 0
    for at, line in enumerate(lines):
        if (rule := _RULE.match(line)) is not None:
            yield title, first, at
            title, first = rule["title"].strip(), at + 1
    yield title, first, len(lines)


def _blocks(
    lines: Sequence[str], first: int, end: int
) -> Iterator[tuple[str, int, int]]:
    """Yield name, first line and end of each failure of a section."""
    heads = [(at, name) for at in range(first, end) if (name := _head(lines[at]))]
    if not heads or any(line.strip() for line in lines[first : heads[0][0]]):
        # With `--tb=line` the failures have no heads.
        yield "", first, heads[0][0] if heads else end
    for (at, name), (stop, _) in zip(heads, [*heads[1:], (end, "")], strict=False):
        setup = _AT_SETUP.match(name)
        yield setup["name"] if setup else name, at + 1, stop


def _head(line: str) -> str:
    """Return the name in a head, as in `____ test_name ____`; empty for others."""
    is_head = line.startswith("___") and line.endswith("___")
    return line.strip("_").strip() if is_head else ""


def _read_block(name: str, lines: Sequence[str], at: int) -> list[ProgramFailure]:
    if not name:
        return list(_one_line_each(lines, at))
    body, captured = _split_captured(lines)
    native = read_python(body)
    if native and not any(line.startswith("E ") for line in body):
        return [
            replace(one, kind="pytest", test=name, captured=captured, at=one.at + at)
            for one in native
        ]
    frames, error = _frames(body)
    # The message is indented as the line of code is.
    said = [line[1:].strip() for line in body if line.startswith("E ")]
    if not said:
        is_text = (line.strip() for line in body if not _PLACE.match(line))
        said = [line for line in is_text if line][:_MAX_CAPTURED_LINES]
    head = _ERROR.match(said[0]) if said else None
    if head is not None and _ERROR_NAME.match(head["error"]):
        error = head["error"]
        said = [head["message"] or "", *said[1:]]
    elif not error and said and said[0].startswith("assert "):
        error = "AssertionError"
    return [
        ProgramFailure(
            kind="pytest",
            error=error,
            message="\n".join(said).strip(),
            frames=tuple(frames[:MAX_FRAMES]),
            test=name,
            captured=captured,
            at=at,
        )
    ]


def _frames(body: Sequence[str]) -> tuple[list[TraceFrame], str]:
    """Return the places, and the error that stands behind the last one."""
    frames: list[TraceFrame] = []
    error = ""
    function: str | None = None
    text: str | None = None
    for number, line in enumerate(body):
        if line.startswith(">"):
            text = line[1:].strip()
        elif (named := _DEF.match(line)) is not None:
            function = named["name"]
        elif (place := _PLACE.match(line)) is not None and not line.startswith("E "):
            rest = place["rest"].strip()
            if rest.startswith("in "):
                function, text = rest[3:], _next_text(body, number)
            elif _ERROR_NAME.match(rest):
                error = rest
            frames.append(
                TraceFrame(
                    path=place["path"],
                    line=int(place["line"]),
                    function=function,
                    text=text,
                )
            )
            function = text = None
    return frames, error


def _next_text(lines: Sequence[str], at: int) -> str | None:
    after = lines[at + 1] if at + 1 < len(lines) else ""
    return after.strip() or None if after.startswith("    ") else None


def _split_captured(lines: Sequence[str]) -> tuple[Sequence[str], str]:
    for at, line in enumerate(lines):
        if _CAPTURED.match(line):
            rest = lines[at + 1 : at + 1 + _MAX_CAPTURED_LINES]
            return lines[:at], "\n".join(rest).strip()
    return lines, ""


def _one_line_each(lines: Sequence[str], at: int) -> Iterator[ProgramFailure]:
    for number, line in enumerate(lines):
        place = _PLACE.match(line)
        if place is None:
            continue
        head = _ERROR.match(place["rest"])
        is_named = head is not None and _ERROR_NAME.match(head["error"]) is not None
        yield ProgramFailure(
            kind="pytest",
            error=head["error"] if head and is_named else "AssertionError",
            message=(head["message"] or "") if head and is_named else place["rest"],
            frames=(TraceFrame(path=place["path"], line=int(place["line"])),),
            at=at + number,
        )


def _summaries(lines: Sequence[str], first: int, end: int) -> Iterator[ProgramFailure]:
    for at in range(first, end):
        if (one := _SUMMARY.match(lines[at])) is not None:
            head = _ERROR.match(one["message"] or "")
            is_named = head is not None and _ERROR_NAME.match(head["error"])
            yield ProgramFailure(
                kind="pytest",
                error=head["error"] if head and is_named else "",
                message=(head["message"] or "")
                if head and is_named
                else one["message"] or "",
                frames=(),
                test=one["id"],
                at=at,
            )


def _named(
    found: Sequence[ProgramFailure], summaries: Sequence[ProgramFailure]
) -> list[ProgramFailure]:
    """Give the failures the ids of the summary; add those that only it has."""
    left = {one.test or "": one for one in summaries}
    by_name: dict[str, str] = {}
    for each in left:
        # A file that cannot be collected has no name in it.
        name = each.partition("::")[2].replace("::", ".") or each
        by_name.setdefault(name, each)
    named: list[ProgramFailure] = []
    for failure in found:
        name = (failure.test or "").removeprefix("[doctest] ")
        test = by_name.get(name)
        left.pop(test or "", None)
        named.append(replace(failure, test=test) if test else failure)
    is_anonymous = any(failure.test is None for failure in found)
    return named if is_anonymous else [*named, *left.values()]
