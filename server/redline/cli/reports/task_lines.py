"""Reads tasks and labels as lines of JSON, and writes their routes.

An invalid line is reported with its number and skipped; the others are answered.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import BinaryIO, TextIO, TypeVar

import msgspec

from redline.routing.confusion import Judged, confusion, confusion_page
from redline.routing.route import Route, Tier, route
from redline.routing.task import Task
from redline.settings.tree import RoutingSettings

_MAX_LINE = 10_000_000
"""Bytes."""


class LabelledTask(Task, frozen=True, kw_only=True):
    """A task with a person's label."""

    id: str
    tier: Tier
    boundaries: tuple[str, ...] = ()
    split: str = ""


_Task = TypeVar("_Task", bound=Task)


def route_lines(
    lines: BinaryIO,
    out: TextIO,
    problems: TextIO,
    settings: RoutingSettings,
    *,
    asked: Tier | None,
) -> int:
    """Write a route for each valid line.

    Returns:
        The number of invalid lines.
    """
    reading = _Lines(problems)
    for task in reading.of(lines, Task):
        out.write(_encoded(route(task, settings=settings, asked=asked)) + "\n")
        # Flush, since callers may send tasks one by one and wait for each answer.
        out.flush()
    return reading.n_bad


def score_lines(
    lines: BinaryIO,
    out: TextIO,
    problems: TextIO,
    settings: RoutingSettings,
    *,
    split: str | None,
) -> int:
    """Write how well the routes of labelled tasks match their labels.

    Returns:
        The number of lines that are not a labelled task.
    """
    reading = _Lines(problems)
    judged = [
        Judged(
            id=task.id,
            tier=task.tier,
            boundaries=task.boundaries,
            route=route(task, settings=settings, asked=None),
        )
        for task in reading.of(lines, LabelledTask)
        if split is None or task.split == split
    ]
    out.write(confusion_page(confusion(judged)).rstrip() + "\n")
    return reading.n_bad


class _Lines:
    """Reads lines, and counts invalid ones."""

    def __init__(self, problems: TextIO) -> None:
        self.n_bad = 0
        self._problems = problems

    def of(self, lines: BinaryIO, kind: type[_Task]) -> Iterator[_Task]:
        """Read tasks of one kind, skipping blank lines; unknown fields are ignored."""
        pieces = iter(partial(lines.readline, _MAX_LINE + 1), b"")
        for number, line in enumerate(pieces, start=1):
            if len(line) > _MAX_LINE:
                self.n_bad += 1
                self._problems.write(
                    f"redline: line {number}: it is longer than 10 MB; nothing from it "
                    "on is read\n"
                )
                return
            if not line.strip():
                continue
            try:
                yield msgspec.json.decode(line, type=kind)
            except msgspec.DecodeError as error:
                # This includes `ValidationError`; the message names the field, not the
                # value.
                self.n_bad += 1
                self._problems.write(f"redline: line {number}: {error}\n")


def _encoded(chosen: Route) -> str:
    fields = {name: getattr(chosen, name) for name in _FIELDS}
    return msgspec.json.encode(fields).decode()


_FIELDS = ("tier", "score", "reasons", "boundaries")
"""Return the fields of a route that are for users, as JSON."""
