"""The failures that the output of a program or of tests shows, and their frames."""

from __future__ import annotations

from collections.abc import Sequence

from redline.errors import InvalidArgumentsError
from redline.plans.record import PlanRequest
from redline.traces.failure import ProgramFailure, TraceFrame
from redline.traces.read import read_failures

MAX_OUTPUT_CHARS = 1_000_000
"""Longest output of which the end is read."""


def failures_of(request: PlanRequest) -> tuple[ProgramFailure, ...]:
    """Return the failures of a debug's output, the one that it is about first.

    Raises:
        InvalidArgumentsError: If none is recognized.
    """
    found = read_failures(request.output)
    if not found:
        raise InvalidArgumentsError(
            "No failure was recognized in this text.",
            remedy="Select the whole output. Redline reads those of Python, pytest, "
            "Node, its test runner, Jest, Vitest, Mocha, Go, Rust, Java, RSpec, "
            "PHPUnit, gcc, clang and tsc.",
        )
    first = request.failure_number
    return (*found[first : first + 1], *found[:first], *found[first + 1 :])


def failure_title(failure: ProgramFailure) -> str:
    first = failure.message.partition("\n")[0]
    words = ": ".join(filter(None, (failure.error, first))) or "failed"
    return f"{words} ({failure.test})" if failure.test else words


def frames_of(failures: Sequence[ProgramFailure]) -> tuple[TraceFrame, ...]:
    """Return the frames of failures and their causes, nearest to the failure first."""
    return tuple(
        frame
        for failure in failures
        for one in (failure, *failure.causes)
        for frame in one.frames[::-1]
    )
