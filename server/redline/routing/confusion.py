"""Measures how well routes agree with labels of the same tasks.

A label is the tier that a senior engineer would choose, and the boundaries that must be
found. `docs/explanation/routing.md` quotes these numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import get_args

from msgspec import Struct

from redline.routing.route import Route, Tier

_TIERS: tuple[Tier, ...] = get_args(Tier)


class Judged(Struct, frozen=True, kw_only=True):
    """One labelled task and its route."""

    id: str
    tier: Tier
    """The labelled tier."""
    boundaries: tuple[str, ...]
    """The labelled boundaries."""
    route: Route

    @property
    def missed(self) -> tuple[str, ...]:
        """Labelled boundaries that the route did not find."""
        return tuple(n for n in self.boundaries if n not in self.route.boundaries)


class Confusion(Struct, frozen=True, kw_only=True):
    """The agreement of routes and labels."""

    n_tasks: int
    n_right: int
    """Tasks with the labelled tier."""
    table: dict[tuple[Tier, Tier], int]
    """Tasks by labelled and routed tier; pairs without tasks are left out."""
    wrong: tuple[Judged, ...]
    missed: tuple[Judged, ...]
    """Tasks with a boundary that was not found."""
    alarms: tuple[Judged, ...]
    """Tasks labelled without a boundary but routed with one."""

    @property
    def share_right(self) -> float:
        """Share of tasks with the labelled tier; 1 without tasks."""
        return self.n_right / self.n_tasks if self.n_tasks else 1.0


def confusion(judged: Iterable[Judged]) -> Confusion:
    """Compare routes with their labels."""
    every = list(judged)
    wrong = tuple(each for each in every if each.tier != each.route.tier)
    return Confusion(
        n_tasks=len(every),
        n_right=len(every) - len(wrong),
        table=dict(Counter((each.tier, each.route.tier) for each in every)),
        wrong=wrong,
        missed=tuple(each for each in every if each.missed),
        alarms=tuple(
            each for each in every if each.route.boundaries and not each.boundaries
        ),
    )


def confusion_page(found: Confusion) -> str:
    """Write the table and the disagreements, for a terminal."""
    head = "labelled".ljust(12) + "".join(tier.rjust(10) for tier in _TIERS)
    rows = [
        tier.ljust(12)
        + "".join(str(found.table.get((tier, to), 0)).rjust(10) for to in _TIERS)
        for tier in _TIERS
    ]
    return "\n".join(
        (
            f"{found.n_right} of {found.n_tasks} tiers right ({found.share_right:.1%})",
            f"{len(found.missed)} tasks with a boundary missed, "
            f"{len(found.alarms)} with one that is none",
            "",
            head + "   <- routed",
            *rows,
            "",
            *(f"tier      {each.id}: {_turn(each)}" for each in found.wrong),
            *(
                f"missed    {each.id}: {', '.join(each.missed)}"
                for each in found.missed
            ),
            *(f"no such   {each.id}: {_names(each.route)}" for each in found.alarms),
        )
    )


def _turn(each: Judged) -> str:
    return f"{each.tier} -> {each.route.tier} ({each.route.score:.2f})"


def _names(route: Route) -> str:
    return ", ".join(route.boundaries)
