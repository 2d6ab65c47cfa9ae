"""The result of a measure: samples, those of the floor, and the budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Unit = Literal["ms", "us", "%", "MB", "round trips", "connections"]


class NotRunError(Exception):
    """A measure could not be run; the message says why."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Values of one thing, measured several times."""

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise NotRunError("Nothing was measured.")

    @property
    def p50(self) -> float:
        """The median."""
        return self.quantile(0.5)

    @property
    def p99(self) -> float:
        """The 99th percentile; of fewer than 100 values their largest."""
        return self.quantile(0.99)

    def quantile(self, share: float) -> float:
        """The smallest value that this share of the values does not exceed."""
        ordered = sorted(self.values)
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def samples(values: Sequence[float], *, times: float = 1.0) -> Samples:
    """Multiply values by a factor; 1,000 turns seconds into milliseconds."""
    return Samples(tuple(value * times for value in values))


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The limit of a figure, in its own unit."""

    most: float
    of: Literal["p50", "p99", "p50 over floor", "ratio"] = "p50"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the report."""

    case: str
    unit: Unit
    ours: Samples
    floor: Samples | None = None
    budget: Budget | None = None

    @property
    def over_floor(self) -> float | None:
        """The median minus that of the floor."""
        return None if self.floor is None else self.ours.p50 - self.floor.p50

    @property
    def ratio(self) -> float | None:
        """The median divided by that of the floor."""
        if self.floor is None or self.floor.p50 <= 0:
            return None
        return self.ours.p50 / self.floor.p50

    @property
    def is_within(self) -> bool | None:
        """Whether the budget is kept; None if there is none."""
        if self.budget is None:
            return None
        what = {
            "p50": self.ours.p50,
            "p99": self.ours.p99,
            "p50 over floor": self.over_floor,
            "ratio": self.ratio,
        }[self.budget.of]
        return what is not None and what <= self.budget.most
