"""Tasks and labels as lines of JSON: read, routed, and written.

A line that is no task is told with its number and left out; the others are answered.
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
    """A task as a line holds it; fields that are not known are left alone."""

    instruction: str
    path: str
    language: str
    code: str
    surroundings: str = ""
    files: tuple[str, ...] = ()
    n_lines: int | None = None
    kind: Kind = "edit"

    def task(self) -> Task:
        """Return it as routing takes it."""
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
    """A task with what a person says about it."""

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
    """Write a route for each line that is a task.

    Returns:
        How many lines are none.
    """
    reading = _Lines(problems)
    for line in reading.of(lines, TaskLine):
        out.write(_encoded(route(line.task(), settings=settings, asked=asked)) + "\n")
        # Whoever sends tasks one by one waits for each answer.
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
    """Write how the routes of labelled tasks agree with their labels.

    Returns:
        How many lines are no labelled task.
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
    """Reads lines, and counts those that are not understood."""

    def __init__(self, problems: TextIO) -> None:
        self.n_bad = 0
        self._problems = problems

    def of(self, lines: Iterable[bytes], kind: type[_Line]) -> Iterator[_Line]:
        """Read lines of one kind; blank ones say nothing."""
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield msgspec.json.decode(line, type=kind)
            except msgspec.DecodeError as error:
                # `ValidationError` is one; the message names the field, not the value.
                self.n_bad += 1
                self._problems.write(f"redline: line {number}: {error}\n")


def _encoded(chosen: Route) -> str:
    told = {name: getattr(chosen, name) for name in _TOLD}
    return msgspec.json.encode(told).decode()


_TOLD = ("tier", "score", "reasons", "boundaries")
"""The fields of a route that are for people."""
