"""How many chords each task of an edit takes, and how many it takes elsewhere at least,
by the table of `docs/reference/editors.md`. Text and the selection do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.docs.test_keystrokes import TASKS

MOST = {task: min(map(int, others)) for task, (_, _, *others) in TASKS.items()}


class ChordCount:
    """The chords of each task that was driven."""

    def __init__(self) -> None:
        self.by_task: dict[str, int] = {}
        self._n = 0

    def press(self, n_chords: int) -> None:
        """Count chords."""
        self._n += n_chords

    @contextmanager
    def task(self, name: str) -> Iterator[None]:
        """Count the chords of a task."""
        self._n = 0
        yield
        self.by_task[name] = self._n

    def check(self) -> None:
        """Check that every task was driven, and that none takes too many."""
        assert self.by_task.keys() == MOST.keys()
        assert all(self.by_task[task] <= MOST[task] for task in MOST), self.by_task
