"""The warm sockets of one model: which one a generation gets, and when to open more.

All of it happens in plain calls: a generation that finds a warm line has its request on
the wire before `start` returns. Only connecting is a task. Replacements are opened
after the request that took the line has gone out, never before.

Which line: the one whose server remembers the chain; else an idle one, the last used
first, since its TCP window is open; else a lane on a shared one; else the order waits
for the first line that opens or becomes free.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import random as system_random
from typing import TYPE_CHECKING, Protocol

from redline.errors import ModelError, ModelUnavailableError
from redline.models.connector import Connector
from redline.models.dial import Dialler
from redline.models.heartbeat import Heartbeat, Rhythm
from redline.models.line import Line
from redline.supervisor import Supervisor

if TYPE_CHECKING:
    from redline.models.socket import Socket

logger = logging.getLogger(__name__)

MAX_SOCKETS = 16
"""Most sockets of one model, however many generations run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLimits:
    """The pool's numbers: two settings, and what only tests change."""

    n_sockets: int
    """How many to keep warm: one in use and the rest spare."""
    max_age_s: float
    active_s: float = 600.0
    """How long after the last sign of a developer lost sockets are opened again."""
    refill_s: float = 0.25
    """Longest wait for the next request before a dropped socket is replaced."""
    linger_s: float = 30.0
    """How long sockets beyond `n_sockets` are kept idle."""
    short_life_s: float = 5.0
    """A socket that ends sooner, unused, counts as a failed attempt."""


class Order(Protocol):
    """A generation that wants a line."""

    @property
    def previous(self) -> str | None:
        """The response it continues."""

    def run(self, line: Line) -> None:
        """Begin on a line that has room."""

    def unreachable(self, error: ModelError) -> None:
        """Learn that there is no line."""


class Pool:
    """Chooses, replaces and closes the lines of one model."""

    def __init__(
        self,
        dialler: Dialler,
        limits: PoolLimits,
        *,
        model: str,
        rhythm: Rhythm | None = None,
        random: Callable[[], float] = system_random,
    ) -> None:
        self.wasted_n_chars = 0
        self.names_lanes = True
        """Whether requests name a lane: until the server refuses one that does."""
        self.connector = Connector(dialler, self, model=model, random=random)
        self._limits = limits
        self._model = model
        self._random = random
        self._heartbeat = Heartbeat(rhythm or Rhythm(), on_slow_beat=self._shrink)
        self._supervisor = Supervisor()
        self._lines: list[Line] = []
        self._orders: deque[Order] = deque()
        self._active_until = 0.0
        self._refill_timer: asyncio.TimerHandle | None = None
        self._ages: dict[Line, asyncio.TimerHandle] = {}
        self._is_closed = False

    @property
    def n_lines(self) -> int:
        """How many sockets are open."""
        return len(self._lines)

    @property
    def is_quick(self) -> bool:
        """Whether the windows are being kept open."""
        return self._heartbeat.is_quick

    def submit(self, order: Order) -> None:
        """Run an order on a warm line now, or when there is one."""
        self._note_activity()
        line = self._choose(order.previous)
        if line is not None:
            order.run(line)
        elif self._is_closed or self.connector.has_no_websocket:
            order.unreachable(self._reason())
            return
        else:
            self._orders.append(order)
            # Somebody waits: try now, whatever failed before.
            self.connector.hurry()
        self._fill()

    def withdraw(self, order: Order) -> None:
        """Forget an order that has not run."""
        if order in self._orders:
            self._orders.remove(order)

    def warm(self) -> None:
        """Begin to open what is missing."""
        self._note_activity()
        self._fill()

    def activity(self) -> None:
        """Take a sign of the developer: keep the windows open, and the lines."""
        self._note_activity()
        if self._lines:
            self._heartbeat.quicken()
        elif self.connector.may_try:
            self._fill()

    def close_idle(self) -> None:
        """Close what is not in use: it may be as dead as what was."""
        for line in [one for one in self._lines if one.is_idle]:
            self._close(line)

    def count_waste(self, n_chars: int) -> None:
        """Count text that was generated for nothing."""
        self.wasted_n_chars += n_chars

    async def aclose(self) -> None:
        """Close every line and forget every order; idempotent."""
        self._is_closed = True
        self._cancel_refill()
        self._fail_orders()
        await self.connector.aclose()
        lines = list(self._lines)
        for line in lines:
            self._remove(line)
        await asyncio.gather(*(line.aclose() for line in lines))
        await self._supervisor.wait()

    # Called by the connector.

    def opened(self, socket: Socket) -> None:
        """Take a new socket into use."""
        line = Line(socket, self, model=self._model)
        self._lines.append(line)
        self._heartbeat.watch(line)
        # Not all at once, if they were opened at once.
        age_s = self._limits.max_age_s * (0.9 + 0.1 * self._random())
        loop = asyncio.get_running_loop()
        self._ages[line] = loop.call_later(age_s, self._retire, line)
        if not line.is_open:
            line.lose()
            return
        self._run_orders(line)
        self._close_retired()
        self._fill()

    def unopened(self, error: ModelError) -> None:
        """Give up on the orders, unless another attempt is under way."""
        self.connector.note_failure(error, is_active=self._is_active)
        if self.connector.n_opening == 0:
            self._fail_orders()

    def retry(self) -> None:
        """Try again after a pause."""
        if self._is_active:
            self._fill()

    # Called by the lines.

    def line_freed(self, line: Line) -> None:
        """Give a line to the next order, or let it go if it has had its time."""
        self.connector.note_answer()
        if not line.is_retiring:
            self._run_orders(line)
        self._close_retired()

    def line_lost(self, line: Line) -> None:
        """Replace a line whose socket has ended, but not at once."""
        if line not in self._lines:
            return
        self._remove(line)
        logger.info("model %s: socket lost, %d left", self._model, len(self._lines))
        loop = asyncio.get_running_loop()
        lived_s = loop.time() - line.opened
        if lived_s < self._limits.short_life_s and not line.was_used:
            self.unopened(
                ModelUnavailableError(
                    f"The server of model {self._model} ends connections at once.",
                    model=self._model,
                )
            )
        elif self._orders:
            self._fill()
        elif self._refill_timer is None:
            # The request that made us drop it is about to follow; it goes first.
            self._refill_timer = loop.call_later(self._limits.refill_s, self._refill)

    # Orders.

    def _choose(self, previous: str | None) -> Line | None:
        usable = [line for line in self._lines if line.has_room]
        for line in usable:
            if line.remembers(previous) and not line.is_retiring:
                return line
        return max(usable, key=_fitness, default=None)

    def _run_orders(self, line: Line) -> None:
        while self._orders and line.has_room:
            self._orders.popleft().run(line)

    def _fail_orders(self) -> None:
        orders, self._orders = self._orders, deque()
        for order in orders:
            order.unreachable(self._reason())

    def _reason(self) -> ModelError:
        return self.connector.error or ModelUnavailableError(
            f"Model {self._model} was closed.", model=self._model
        )

    # Opening.

    def _fill(self) -> None:
        """Open what is missing; every call that sends has sent before it."""
        connector = self.connector
        if self._is_closed or connector.has_no_websocket or connector.is_pausing:
            return
        self._cancel_refill()
        for _ in range(self._n_missing()):
            connector.open()

    def _n_missing(self) -> int:
        fresh = [one for one in self._lines if one.is_open and not one.is_retiring]
        n_busy = sum(not line.is_idle for line in fresh)
        has_lane = any(line.has_room and not line.is_idle for line in fresh)
        # Without lanes the next request needs a socket of its own.
        n_spare = 0 if has_lane else min(1, self._limits.n_sockets - 1)
        n_wanted = max(self._limits.n_sockets, n_busy + max(n_spare, len(self._orders)))
        # One goes ahead where nobody knows yet whether the server lets us in.
        n_most = MAX_SOCKETS if self.connector.is_proven else 1
        return min(n_most, n_wanted) - len(fresh) - self.connector.n_opening

    def _refill(self) -> None:
        self._refill_timer = None
        if self._is_active:
            self._fill()

    def _cancel_refill(self) -> None:
        if self._refill_timer is not None:
            self._refill_timer.cancel()
            self._refill_timer = None

    # Closing.

    def _retire(self, line: Line) -> None:
        """Have a line replaced before its server ends it; never while it is in use."""
        line.is_retiring = True
        self._refill()
        self._close_retired()

    def _close_retired(self) -> None:
        """Close idle lines that have had their time, once there is a fresh one."""
        has_fresh = any(not line.is_retiring for line in self._lines)
        is_needed = self._is_active and not has_fresh
        for line in [one for one in self._lines if one.is_retiring and one.is_idle]:
            if line.is_spent or not is_needed:
                self._close(line)

    def _shrink(self) -> None:
        """Close idle lines beyond those to keep warm."""
        idle_since = asyncio.get_running_loop().time() - self._limits.linger_s
        idle = [one for one in self._lines if one.is_idle and not one.is_retiring]
        idle.sort(key=lambda line: line.last_used)
        n_surplus = len(self._lines) - self._limits.n_sockets
        for line in idle[: max(0, n_surplus)]:
            if line.last_used <= idle_since:
                self._close(line)

    def _close(self, line: Line) -> None:
        self._remove(line)
        self._supervisor.start(line.aclose(), name=f"close socket of {self._model}")

    def _remove(self, line: Line) -> None:
        self._lines.remove(line)
        self._heartbeat.forget(line)
        self._ages.pop(line).cancel()

    @property
    def _is_active(self) -> bool:
        return not self._is_closed and (
            asyncio.get_running_loop().time() < self._active_until
        )

    def _note_activity(self) -> None:
        now = asyncio.get_running_loop().time()
        self._active_until = now + self._limits.active_s


def _fitness(line: Line) -> tuple[bool, bool, int, float]:
    return (not line.is_retiring, line.is_idle, -line.n_active, line.last_used)
