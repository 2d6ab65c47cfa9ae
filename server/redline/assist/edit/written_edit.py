"""An edit that was written before its session began: no model is asked again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from redline.checks.problem import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenEdit:
    """The new lines of a session's region, and what the checks say about them."""

    old_lines: tuple[str, ...]
    """The region that they replace; if it has other lines now, a model writes."""
    lines: tuple[str, ...]
    problems: tuple[Problem, ...] | None = ()
    """None: they are to be checked."""
    score: float = 0.0


FinishWriting = Callable[[], Awaitable[WrittenEdit | None]]
"""Waits for an edit that is written elsewhere; None: a model writes it after all.
Cancelling is safe."""
