"""A measure: its name, its floor, and how to run it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from benchmarks.figures import Figure


@dataclass(frozen=True, slots=True)
class Scale:
    """The number of repetitions: all, or a few to check that a measure runs."""

    is_quick: bool

    def n(self, whole: int, quick: int) -> int:
        """Choose a number of repetitions."""
        return quick if self.is_quick else whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The figures of a measure."""

    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotRun:
    """A measure could not be run."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One measure."""

    letter: str
    title: str
    floor: str
    """What the floor is, in a few words."""
    run: Callable[[Scale], Awaitable[Found]]
    """May raise `NotRunError`."""


@dataclass(frozen=True, slots=True)
class Result:
    """A measure and its result."""

    measure: Measure
    found: Found | NotRun

    @property
    def was_run(self) -> bool:
        """Whether there are figures."""
        return isinstance(self.found, Found)

    @property
    def is_within(self) -> bool:
        """Whether there are figures, and no budget is exceeded."""
        return isinstance(self.found, Found) and not any(
            figure.is_within is False for figure in self.found.figures
        )
