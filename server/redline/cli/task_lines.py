"""Reads tasks and labels as lines of JSON, and writes their routes.

An invalid line is reported with its number and skipped; the others are answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

import msgspec

from redline.routing.confusion import Judged, confusion, confusion_page
from redline.routing.route import Route, Tier, route
from redline.routing.task import Kind, Task
from redline.settings.tree import RoutingSettings


class TaskLine(msgspec.Struct, frozen=True, kw_only=True):
    """A task in a line; unknown fields are ignored."""

    instruction: str
    path: str
    language: str
    code: str
    surroundings: str = ""
    files: tuple[str, ...] = ()
    n_lines: int | None = None
    kind: Kind = "edit"

    def task(self) -> Task:
        """Return the task in the form for routing."""
        return Task(
            instruction=self.instruction,
            path=self.path,
            language=self.language,
            code=self.code,
            surroundings=self.surroundings,
            files=self.files,
            n_lines=self.n_lines,
            kind=self.kind,
        )


class LabelledLine(TaskLine, frozen=True, kw_only=True):
    """A task with a person's label."""

    id: str
    tier: Tier
    boundaries: tuple[str, ...] = ()
    split: str = ""


_Line = TypeVar("_Line", bound=TaskLine)


def route_lines(
    lines: Iterable[bytes],
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
    for line in reading.of(lines, TaskLine):
        out.write(_encoded(route(line.task(), settings=settings, asked=asked)) + "\n")
        # Flush, since callers may send tasks one by one and wait for each answer.
        out.flush()
    return reading.n_bad


def score_lines(
    lines: Iterable[bytes],
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
            id=line.id,
            tier=line.tier,
            boundaries=line.boundaries,
            route=route(line.task(), settings=settings, asked=None),
        )
        for line in reading.of(lines, LabelledLine)
        if split is None or line.split == split
    ]
    out.write(confusion_page(confusion(judged)).rstrip() + "\n")
    return reading.n_bad


class _Lines:
    """Reads lines, and counts invalid ones."""

    def __init__(self, problems: TextIO) -> None:
        self.n_bad = 0
        self._problems = problems

    def of(self, lines: Iterable[bytes], kind: type[_Line]) -> Iterator[_Line]:
        """Read lines of one kind, skipping blank ones."""
        for number, line in enumerate(lines, start=1):
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
