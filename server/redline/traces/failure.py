"""A failure as a value: what failed, with which message, and where."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

FailureKind = Literal[
    "python",
    "pytest",
    "node",
    "node-test",
    "jest",
    "mocha",
    "go",
    "rust",
    "java",
    "rspec",
    "phpunit",
    "gcc",
    "tsc",
]
"""The program whose format it has; "gcc" also stands for clang, "jest" for Vitest, and
"node-test" is the test runner of Node."""

MAX_FRAMES = 200
"""Most frames of a failure."""


class TraceFrame(Struct, frozen=True, kw_only=True):
    """One place that a failure names."""

    path: str
    """As it was printed."""
    line: int
    """From 1."""
    function: str | None = None
    text: str | None = None
    """The line of code, if it was printed."""


class ProgramFailure(Struct, frozen=True, kw_only=True):
    """One exception, failed test or compiler error."""

    kind: FailureKind
    error: str
    """The type or code of the error, such as `ValueError` or `TS2322`; may be empty."""
    message: str
    frames: tuple[TraceFrame, ...]
    """From the outermost call to the place where it failed."""
    test: str | None = None
    """The test that failed, by the name that its runner prints."""
    captured: str = ""
    """What the test printed."""
    causes: tuple[ProgramFailure, ...] = ()
    """The failures that led to it, the nearest first."""
    at: int = 0
    """Index of its first line in the output."""
