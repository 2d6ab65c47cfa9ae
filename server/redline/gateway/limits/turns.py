"""Who is answered next: the queue of requests that wait for a model.

Edits come before completions, and these before reviews, except that every eighth turn
goes the other way round, so that nothing waits for ever. Among requests of one kind,
users take turns, weighted by the tokens that they ask for: the user who was served
least is next.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import get_args

from msgspec import Struct, field

from redline.gateway.refusals import RefusedError, too_many_waiting, waited_too_long
from redline.wire.events import TaskKind

_RANKS = {kind: rank for rank, kind in enumerate(get_args(TaskKind))}

_EVERY = 8
"""Every which turn the least urgent kind is first."""


class Turn(Struct, eq=False, kw_only=True):
    """One request, from its arrival to its end."""

    user: str
    model: str
    kind: TaskKind
    n_tokens: int
    """About how many tokens it takes."""
    user_running: int | None
    """Most requests of this user that run at once; None: no limit."""
    granted: asyncio.Event = field(default_factory=asyncio.Event)


class Schedule:
    """The requests that wait and run. Knows no clock."""

    def __init__(self, capacity: Callable[[str], int | None]) -> None:
        """Begin."""
        self._capacity = capacity
        self._waiting: dict[Turn, int] = {}
        """With the number of the arrival."""
        self._running: set[Turn] = set()
        self._n_of_user: Counter[str] = Counter()
        self._n_of_model: Counter[str] = Counter()
        self._n_elsewhere: dict[str, int] = {}
        """Requests of each user that run in other workers."""
        self._arrivals = itertools.count()
        self._n_granted = 0
        self._served: dict[str, float] = {}
        """The tokens that each user was served, counted from the least served one."""
        self._least = 0.0

    def n_waiting(self, user: str) -> int:
        """Return how many requests of a user wait."""
        return sum(turn.user == user for turn in self._waiting)

    def n_running_here(self, user: str) -> int:
        """Return how many requests of a user run in this process."""
        return self._n_of_user[user]

    def n_running(self, user: str) -> int:
        """Return how many requests of a user run, in all workers."""
        return self._n_of_user[user] + self._n_elsewhere.get(user, 0)

    def run_elsewhere(self, n_running: Mapping[str, int]) -> None:
        """Take how many requests of some users run in other workers."""
        self._n_elsewhere |= n_running

    def add(self, turn: Turn) -> None:
        """Let a request wait for its turn."""
        self._waiting[turn] = next(self._arrivals)

    def remove(self, turn: Turn) -> None:
        """Forget a request, in any state."""
        self._waiting.pop(turn, None)
        if turn in self._running:
            self._running.discard(turn)
            self._n_of_user[turn.user] -= 1
            self._n_of_model[turn.model] -= 1

    def grant(self) -> list[Turn]:
        """Let all requests run that may run now; return them in their order."""
        granted = []
        while (turn := self._next()) is not None:
            del self._waiting[turn]
            self._running.add(turn)
            self._n_of_user[turn.user] += 1
            self._n_of_model[turn.model] += 1
            self._least = self._start_of(turn)
            self._served[turn.user] = self._least + turn.n_tokens
            self._n_granted += 1
            granted.append(turn)
        return granted

    def _next(self) -> Turn | None:
        able = [turn for turn in self._waiting if self._may_run(turn)]
        sign = -1 if self._n_granted % _EVERY == _EVERY - 1 else 1
        return min(
            able,
            key=lambda turn: (
                sign * _RANKS[turn.kind],
                self._start_of(turn),
                self._waiting[turn],
            ),
            default=None,
        )

    def _start_of(self, turn: Turn) -> float:
        # A user who was away has no credit for that time.
        return max(self._least, self._served.get(turn.user, 0.0))

    def _may_run(self, turn: Turn) -> bool:
        limit = self._capacity(turn.model)
        is_free = limit is None or self._n_of_model[turn.model] < limit
        most = turn.user_running
        return is_free and (most is None or self.n_running(turn.user) < most)


class Turns:
    """The queue of one gateway."""

    def __init__(
        self, capacity: Callable[[str], int | None], *, queue_s: float
    ) -> None:
        """Begin."""
        self._schedule = Schedule(capacity)
        self._queue_s = queue_s
        self.changed = asyncio.Event()
        """Set whenever a request begins or ends."""

    @asynccontextmanager
    async def turn(
        self, turn: Turn, *, queued: int | None, is_patient: bool
    ) -> AsyncIterator[None]:
        """Wait for a turn, and hold it.

        Args:
            turn: The request.
            queued: Most requests of this user that wait at once; None: no limit.
            is_patient: Whether it may wait for any time, because nobody looks on.

        Raises:
            RefusedError: If too many wait, or this one has waited for too long.
        """
        try:
            self._schedule.add(turn)
            self._grant()
            if not turn.granted.is_set():
                await self._wait(turn, queued=queued, is_patient=is_patient)
            yield
        finally:
            self._schedule.remove(turn)
            self.changed.set()
            self._grant()

    def n_running_here(self, user: str) -> int:
        """Return how many requests of a user run in this process."""
        return self._schedule.n_running_here(user)

    def n_running(self, user: str) -> int:
        """Return how many requests of a user run, in all workers."""
        return self._schedule.n_running(user)

    def run_elsewhere(self, n_running: Mapping[str, int]) -> None:
        """Take how many requests of some users run in other workers."""
        self._schedule.run_elsewhere(n_running)
        self._grant()

    def n_waiting(self, user: str) -> int:
        """Return how many requests of a user wait."""
        return self._schedule.n_waiting(user)

    def configure(self, *, queue_s: float) -> None:
        """Take other limits, under which more requests may run."""
        self._queue_s = queue_s
        self._grant()

    async def _wait(self, turn: Turn, *, queued: int | None, is_patient: bool) -> None:
        if queued is not None and self._schedule.n_waiting(turn.user) > queued:
            raise RefusedError(too_many_waiting(queued))
        try:
            async with asyncio.timeout(None if is_patient else self._queue_s):
                await turn.granted.wait()
        except TimeoutError as exc:
            raise RefusedError(waited_too_long(self._queue_s)) from exc

    def _grant(self) -> None:
        for turn in self._schedule.grant():
            turn.granted.set()
            self.changed.set()
