"""Tasks with only what a test is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from redline.routing.boundary import Reading
from redline.routing.task import Task

PLAIN = {
    "instruction": "do it",
    "path": "src/shape.py",
    "language": "python",
    "code": "x = 1\n" * 10,
}

MakeTask = Callable[..., Task]


@pytest.fixture
def task() -> MakeTask:
    """Build a task that no signal has anything to say about, but for what is given."""

    def make(**given: Any) -> Task:  # Fields of `Task`, of their own types.
        return Task(**{**PLAIN, **given})

    return make


@pytest.fixture
def read(task: MakeTask) -> Callable[..., Reading]:
    """Read a task with only what is given."""

    def make(**given: Any) -> Reading:  # As above.
        return Reading.of(task(**given))

    return make
