"""The pages of `redline debug`: text for people, data for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from redline.assist.testing.workspace_frames import (
    MAX_SEARCH_S,
    PlacedFrame,
    WorkspaceFrames,
)
from redline.printable import printable, printable_line
from redline.traces.failure import ProgramFailure

_CUT = (
    "The workspace is too large to search in {} seconds: only files that the output"
    " names by their whole path are shown. Name a smaller folder with --workspace."
)
_MAX_MESSAGE_LINES = 12


NO_MODEL = "Read without a model: the cause is not explained.\n"


def text_page(failures: Sequence[ProgramFailure], frames: WorkspaceFrames) -> str:
    """Write failures with the code of the workspace that they name."""
    lines: list[str] = []
    for failure in failures:
        lines += [*_failure(failure, frames), ""]
    cut = [_CUT.format(round(MAX_SEARCH_S))] if frames.is_cut else []
    return "\n".join([*lines, *cut]) + "\n"


def _failure(failure: ProgramFailure, frames: WorkspaceFrames) -> Iterator[str]:
    yield from _head(failure)
    yield from _places(frames.place(failure.frames))
    for cause in failure.causes:
        yield f"caused by {_title(cause)}"
        yield from _places(frames.place(cause.frames))


def _head(failure: ProgramFailure) -> Iterator[str]:
    yield _title(failure)
    for line in failure.message.split("\n")[1:][:_MAX_MESSAGE_LINES]:
        yield f"  {printable(line)}"
    if failure.test is not None:
        yield f"  test {printable_line(failure.test)}"


def _title(failure: ProgramFailure) -> str:
    first = failure.message.partition("\n")[0]
    parts = (failure.error, first)
    return printable_line(": ".join(filter(None, parts))) or "failed"


def _places(placed: Sequence[PlacedFrame]) -> Iterator[str]:
    """Show the frames in the workspace, and count the others between them."""
    n_others = 0
    for one in placed:
        if one.path is None:
            n_others += 1
            continue
        if n_others:
            yield _others(n_others)
            n_others = 0
        yield from _place(one)
    if n_others:
        yield _others(n_others)


def _others(n: int) -> str:
    return f"  ({n} call{'s' * (n > 1)} outside of the workspace)"


def _place(one: PlacedFrame) -> Iterator[str]:
    frame = one.frame
    within = f" in {printable_line(frame.function)}" if frame.function else ""
    yield f"  {printable_line(one.path or '')}:{frame.line}{within}"
    if one.withheld is not None:
        yield f"      (not shown: {printable_line(one.withheld)})"
        return
    width = len(str(one.first_line + len(one.code)))
    for number, line in enumerate(one.code, one.first_line):
        mark = ">" if number == frame.line else " "
        yield f"    {mark} {number:{width}} | {printable(line)}".rstrip()
    if one.has_changed:
        yield "      (the file has changed since, or is another one)"


def failures_data(
    failures: Sequence[ProgramFailure], frames: WorkspaceFrames
) -> dict[str, object]:
    """Return failures as JSON data."""
    listed = [_data(one, frames) for one in failures]
    return {"schema": 1, "failures": listed, "search_cut": frames.is_cut}


def _data(failure: ProgramFailure, frames: WorkspaceFrames) -> dict[str, object]:
    return {
        "kind": failure.kind,
        "error": failure.error,
        "message": failure.message,
        "test": failure.test,
        "captured": failure.captured,
        "frames": [_frame_data(one) for one in frames.place(failure.frames)],
        "causes": [_data(cause, frames) for cause in failure.causes],
    }


def _frame_data(one: PlacedFrame) -> dict[str, object]:
    return {
        "printed": one.frame.path,
        "file": one.path,
        "line": one.frame.line,
        "function": one.frame.function,
        "text": one.frame.text,
        "withheld": one.withheld,
        "changed": one.has_changed,
        "first_line": one.first_line,
        "code": list(one.code),
    }
