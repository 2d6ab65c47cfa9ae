"""Reads the stacks of Node, and the failures of Jest and Vitest."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from redline.traces.failure import (
    MAX_FRAMES,
    FailureKind,
    ProgramFailure,
    TraceFrame,
)

_MARK = "\u276f"
"""What Vitest prints before a place."""

_CALL = re.compile(r"\s++at ")
_HEAD = re.compile(
    r"\s*+(?:Uncaught |\[cause\]: )?"
    r"(?P<error>(?:[A-Z][\w$]*+\.)?[\w$]*?(?:Error|Exception))"
    r"(?: \[[\w$]++\])?(?:: (?P<message>.*+))?$"
)
_ANY_HEAD = re.compile(r"^(?P<error>[A-Z]\w{0,100}): (?P<message>.*)$")
_PLACE = re.compile(
    r"(?:file://)?(?P<path>(?:[A-Za-z]:)?[^\s:][^:]*+):(?P<line>\d{1,9})(?::\d{1,9})?$"
)
_JEST = re.compile(r"  ● (?P<test>\S.*+)$")
_VITEST = re.compile(r" *+FAIL  (?P<test>[^\s>][^>]*+>.*+)$")
_CODE = re.compile(r"\s*+>\s*+(?P<line>\d{1,9})\s?[|│](?P<text>.*+)$")
_GUTTER = re.compile(r"\s*+>?\s*+\d*+\s*+[|│]")
_INNER = "node:"
_MAX_ABOVE = 20
_MAX_MESSAGE_LINES = 20


def is_jest(lines: Sequence[str]) -> bool:
    """Whether Jest or Vitest has printed failures here."""
    return any(_JEST.match(line) or _VITEST.match(line) for line in lines)


def read_jest(lines: Sequence[str]) -> list[ProgramFailure]:
    """Return the failures that Jest or Vitest printed, in order."""
    heads = [
        (at, head["test"])
        for at, line in enumerate(lines)
        if (head := _JEST.match(line) or _VITEST.match(line)) is not None
    ]
    found: dict[str, ProgramFailure] = {}
    for (at, test), (end, _) in zip(
        heads, [*heads[1:], (len(lines), "")], strict=False
    ):
        failure = read_script_failure("jest", test, lines[at + 1 : end], at)
        if failure is not None:
            # Jest prints the failures again in its summary.
            found.setdefault(test, failure)
    return list(found.values())


def read_script_failure(
    kind: FailureKind, test: str | None, lines: Sequence[str], at: int
) -> ProgramFailure | None:
    """Read what a test runner prints below the name of a failed test.

    Args:
        kind: The format.
        test: The name of the test; None: it is of none.
        lines: The message, the code and the calls, and what comes after them.
        at: Index of the name in the output.
    """
    end = _end_of_stack(lines)
    calls = [line for line in lines[:end] if is_call(line)]
    frames = [frame for line in calls if (frame := call_frame(line)) is not None]
    code = next((found for line in lines[:end] if (found := _CODE.match(line))), None)
    for number, frame in enumerate(frames):
        if code is not None and frame.line == int(code["line"]):
            frames[number] = replace(frame, text=code["text"].strip())
            break
    error, message = error_and_message(_said(lines[:end]))
    if not frames and not message:
        return None
    return ProgramFailure(
        kind=kind,
        error=error,
        message=message,
        # A stack begins with the innermost call.
        frames=tuple(reversed(frames[:MAX_FRAMES])),
        test=test,
        at=at,
    )


def _end_of_stack(lines: Sequence[str]) -> int:
    """Return where the text after a failure begins."""
    is_stack = False
    for at, line in enumerate(lines):
        is_in_stack = is_call(line)
        is_stack |= is_in_stack
        if is_stack and line.strip() and not is_in_stack and not _GUTTER.match(line):
            return at
    return len(lines)


def _said(lines: Sequence[str]) -> list[str]:
    """Return the message: the lines above the code and the calls."""
    said: list[str] = []
    for line in lines:
        if is_call(line) or _GUTTER.match(line) or len(said) == _MAX_MESSAGE_LINES:
            break
        said.append(line.strip())
    return said


def error_and_message(said: Sequence[str]) -> tuple[str, str]:
    """Return the type of the error, if the message begins with it, and the rest."""
    message = "\n".join(said).strip()
    first, _, rest = message.partition("\n")
    head = _HEAD.match(first)
    if head is None:
        return "", message
    return head["error"], f"{head['message'] or ''}\n{rest}".strip()


def read_node(lines: Sequence[str]) -> list[ProgramFailure]:
    """Return the errors with a stack that Node printed, in order."""
    found: list[ProgramFailure] = []
    at = 0
    while at < len(lines):
        if not _CALL.match(lines[at]):
            at += 1
            continue
        first = at
        frames = []
        while at < len(lines) and (
            _CALL.match(lines[at]) or lines[at].lstrip().startswith("... ")
        ):
            frame = call_frame(lines[at])
            if frame is not None:
                frames.append(frame)
            at += 1
        failure = _above(lines, first, tuple(reversed(frames[:MAX_FRAMES])))
        if failure is None:
            continue
        if found and lines[failure.at].lstrip().startswith("[cause]: "):
            before = found.pop()
            failure = replace(before, causes=(*before.causes, failure))
        found.append(failure)
    return [one for one in found if one.frames]


def _above(
    lines: Sequence[str], first: int, frames: tuple[TraceFrame, ...]
) -> ProgramFailure | None:
    """Read the head of a stack: the lines above it."""
    for at in range(first - 1, max(first - _MAX_ABOVE, 0) - 1, -1):
        head = _HEAD.match(lines[at])
        if head is None and at == first - 1 and _thrown(lines, at)[0] is not None:
            # An uncaught error may have any name.
            head = _ANY_HEAD.match(lines[at])
        if head is None:
            if _CALL.match(lines[at]):
                return None
            continue
        message = "\n".join([head["message"] or "", *lines[at + 1 : first]]).strip()
        place, text = _thrown(lines, at)
        if not frames and place is not None:
            frames = (place,)
        elif text and frames:
            frames = (*frames[:-1], replace(frames[-1], text=text))
        return ProgramFailure(
            kind="node", error=head["error"], message=message, frames=frames, at=at
        )
    return None


def _thrown(lines: Sequence[str], head: int) -> tuple[TraceFrame | None, str | None]:
    """Read what Node prints above an uncaught error: place, code, a mark."""
    for at in range(head - 1, max(head - 6, 0) - 1, -1):
        frame = script_place(lines[at])
        if frame is not None:
            text = lines[at + 1].strip() or None
            return replace(frame, text=text), text
    return None, None


def is_call(line: str) -> bool:
    return _CALL.match(line) is not None or line.lstrip().startswith(f"{_MARK} ")


def call_frame(line: str) -> TraceFrame | None:
    """Read a call: `at f (path:1:2)`, `at path:1:2`, or `f path:1:2` after a mark."""
    rest = line.strip().removesuffix(" {").partition(" ")[2]
    if rest.endswith(")"):
        # A path may have parentheses, too.
        function, _, place = rest[:-1].partition(" (")
    elif line.lstrip().startswith(_MARK):
        function, _, place = rest.rpartition(" ")
    else:
        function, place = "", rest.removeprefix("async ")
    frame = script_place(place)
    function = function.strip().removeprefix("async ")
    return frame and replace(frame, function=function or None)


def script_place(text: str) -> TraceFrame | None:
    """Read a place as `path:1:2`; None for others, and for those inside of Node."""
    place = _PLACE.match(text)
    if place is None or text.startswith(_INNER):
        return None
    return TraceFrame(path=place["path"], line=int(place["line"]))
