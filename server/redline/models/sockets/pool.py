"""The warm sockets of one model: which one a generation gets, and when to open more.

Everything happens in plain calls: a generation that gets a warm connection has sent its
request before `start` returns. Only connecting is a task. Replacements are opened after
the request that took the connection was sent, never before.

The choice: the connection whose server remembers the chain; else an idle one, the last
used first, since its TCP window is open; else a lane on a shared one; else the request
waits for the first connection that opens or becomes free.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from random import random as system_random
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from redline.errors import ModelError, ModelUnavailableError
from redline.models.failures import unreadable_error
from redline.models.proxy_signs import ProxySigns
from redline.models.sockets.connector import Connector
from redline.models.sockets.dial import Dialler
from redline.models.sockets.heartbeat import Heartbeat, Rhythm
from redline.models.sockets.lane_connection import LaneConnection
from redline.supervisor import Supervisor

if TYPE_CHECKING:
    from redline.models.sockets.socket import Socket

logger = logging.getLogger(__name__)

MAX_SOCKETS = 16
"""Most sockets of one model, for any number of generations."""


class PoolLimits(Struct, frozen=True, kw_only=True):
    """The pool's limits: two settings, and values that only tests change."""

    n_sockets: int
    """How many to keep warm: one in use and the rest spare."""
    max_age_s: float
    active_s: float = 600.0
    """How long after the last activity of the developer lost sockets are reopened."""
    refill_s: float = 0.25
    """Longest wait for the next request before a dropped socket is replaced."""
    linger_s: float = 30.0
    """How long sockets beyond `n_sockets` are kept idle."""
    short_life_s: float = 5.0
    """A socket that ends sooner, unused, counts as a failed attempt."""
    proxy_life_s: float = 20.0
    """No proxy's time limit is shorter; see `ProxySigns`."""


class LaneRequest(Protocol):
    """A generation that needs a connection."""

    @property
    def previous(self) -> str | None:
        """The response it continues."""

    def run(self, lane_connection: LaneConnection) -> None:
        """Start on a connection that has room."""

    def unreachable(self, error: ModelError) -> None:
        """Handle that there is no connection."""


class Pool:
    """Chooses, replaces and closes the connections of one model."""

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
        self.signs = ProxySigns(model, min_life_s=limits.proxy_life_s)
        self.connector = Connector(dialler, self, model=model, random=random)
        self._limits = limits
        self._model = model
        self._random = random
        self._heartbeat = Heartbeat(rhythm or Rhythm(), on_slow_beat=self._shrink)
        self._supervisor = Supervisor()
        self._connections: list[LaneConnection] = []
        self._lane_requests: deque[LaneRequest] = deque()
        self._active_until = 0.0
        self._refill_timer: asyncio.TimerHandle | None = None
        self._ages: dict[LaneConnection, asyncio.TimerHandle] = {}
        self._is_closed = False

    @property
    def n_lines(self) -> int:
        """How many sockets are open."""
        return len(self._connections)

    @property
    def is_quick(self) -> bool:
        """Whether the windows are being kept open."""
        return self._heartbeat.is_quick

    def submit(self, lane_request: LaneRequest) -> None:
        """Run a request on a warm connection now, or as soon as there is one."""
        self._note_activity()
        lane_connection = self._choose(lane_request.previous)
        if lane_connection is not None:
            lane_request.run(lane_connection)
        elif self._is_closed or self.connector.has_no_websocket:
            lane_request.unreachable(self._reason())
            return
        else:
            self._lane_requests.append(lane_request)
            # A request waits: connect now, even after failures.
            self.connector.hurry()
        self._fill()

    def withdraw(self, lane_request: LaneRequest) -> None:
        """Remove a request that has not run."""
        if lane_request in self._lane_requests:
            self._lane_requests.remove(lane_request)

    def warm(self) -> None:
        """Start opening missing connections."""
        self._note_activity()
        self._fill()

    def activity(self) -> None:
        """Record activity of the developer: keep connections and their windows open."""
        self._note_activity()
        if self._connections:
            self._heartbeat.quicken()
        elif self.connector.may_try:
            self._fill()

    def close_idle(self) -> None:
        """Close idle connections: they may be as dead as the one that failed."""
        for lane_connection in [one for one in self._connections if one.is_idle]:
            self._close(lane_connection)

    def replace_all(self) -> None:
        """Send nothing more on the open connections, and close them once idle."""
        for lane_connection in self._connections:
            lane_connection.is_retiring = lane_connection.is_spent = True
        self._close_retired()

    def count_waste(self, n_chars: int) -> None:
        self.wasted_n_chars += n_chars

    async def aclose(self) -> None:
        """Close every connection and drop every request; idempotent."""
        self._is_closed = True
        self._cancel_refill()
        self._fail_requests()
        await self.connector.aclose()
        connections = list(self._connections)
        for lane_connection in connections:
            self._remove(lane_connection)
        await asyncio.gather(
            *(lane_connection.aclose() for lane_connection in connections)
        )
        await self._supervisor.wait()

    # Called by the connector.

    def opened(self, socket: Socket) -> None:
        """Take a new socket into use."""
        lane_connection = LaneConnection(socket, self, model=self._model)
        self._connections.append(lane_connection)
        self._heartbeat.watch(lane_connection)
        # Sockets that were opened together must not all expire together.
        age_s = self._limits.max_age_s * (0.9 + 0.1 * self._random())
        loop = asyncio.get_running_loop()
        self._ages[lane_connection] = loop.call_later(
            age_s, self._retire, lane_connection
        )
        if not lane_connection.is_open:
            lane_connection.lose()
            return
        self._run_requests(lane_connection)
        self._close_retired()
        self._fill()

    def unopened(self, error: ModelError) -> None:
        """Fail the waiting requests, unless another attempt is running."""
        self.connector.note_failure(error, is_active=self._is_active)
        if self.connector.n_opening == 0:
            self._fail_requests()

    def retry(self) -> None:
        """Try again after a pause."""
        if self._is_active:
            self._fill()

    # Called by the connections.

    def lane_freed(self, lane_connection: LaneConnection) -> None:
        """Give a connection to the next request, or close it if it is retired."""
        self.connector.note_answer()
        if not lane_connection.is_retiring:
            self._run_requests(lane_connection)
        self._close_retired()

    def connection_lost(self, lane_connection: LaneConnection) -> None:
        """Schedule the replacement of a connection whose socket has ended."""
        if lane_connection not in self._connections:
            return
        self._remove(lane_connection)
        logger.info(
            "model %s: socket lost, %d left", self._model, len(self._connections)
        )
        loop = asyncio.get_running_loop()
        lived_s = loop.time() - lane_connection.opened
        if lane_connection.was_cut:
            self.signs.note_cut(lived_s)
        if lane_connection.has_flooded:
            logger.warning(
                "model %s: its server floods the socket; it is closed.",
                self._model,
            )
            self.unopened(unreadable_error(model=self._model))
        elif lived_s < self._limits.short_life_s and not lane_connection.was_used:
            self.unopened(
                ModelUnavailableError(
                    f"The server of model {self._model} ends connections at once.",
                    model=self._model,
                )
            )
        elif self._lane_requests:
            self._fill()
        elif self._refill_timer is None:
            # The request that caused the drop is about to be sent; it goes first.
            self._refill_timer = loop.call_later(self._limits.refill_s, self._refill)

    # Requests.

    def _choose(self, previous: str | None) -> LaneConnection | None:
        usable = [
            lane_connection
            for lane_connection in self._connections
            if lane_connection.has_room
        ]
        for lane_connection in usable if previous is not None else ():
            if lane_connection.remembers(previous) and not lane_connection.is_retiring:
                return lane_connection
        return max(usable, key=_fitness, default=None)

    def _run_requests(self, lane_connection: LaneConnection) -> None:
        while self._lane_requests and lane_connection.has_room:
            self._lane_requests.popleft().run(lane_connection)

    def _fail_requests(self) -> None:
        lane_requests, self._lane_requests = self._lane_requests, deque()
        for lane_request in lane_requests:
            lane_request.unreachable(self._reason())

    def _reason(self) -> ModelError:
        return self.connector.error or ModelUnavailableError.closed(self._model)

    # Opening.

    def _fill(self) -> None:
        """Open missing connections; callers have already sent their requests."""
        connector = self.connector
        if self._is_closed or connector.has_no_websocket or connector.is_pausing:
            return
        self._cancel_refill()
        for _ in range(self._n_missing()):
            connector.open()

    def _n_missing(self) -> int:
        fresh = [
            one for one in self._connections if one.is_open and not one.is_retiring
        ]
        n_busy = sum(not lane_connection.is_idle for lane_connection in fresh)
        has_lane = any(
            lane_connection.has_room and not lane_connection.is_idle
            for lane_connection in fresh
        )
        # Without lanes the next request needs a socket of its own.
        n_spare = 0 if has_lane else min(1, self._limits.n_sockets - 1)
        n_wanted = max(
            self._limits.n_sockets, n_busy + max(n_spare, len(self._lane_requests))
        )
        # Open one first until it is known whether the server accepts us.
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

    def _retire(self, lane_connection: LaneConnection) -> None:
        """Mark a connection for replacement before its server ends it."""
        lane_connection.is_retiring = True
        self._refill()
        self._close_retired()

    def _close_retired(self) -> None:
        """Close idle retired connections once there is a fresh one."""
        has_fresh = any(
            not lane_connection.is_retiring for lane_connection in self._connections
        )
        is_needed = self._is_active and not has_fresh
        for lane_connection in [
            one for one in self._connections if one.is_retiring and one.is_idle
        ]:
            if lane_connection.is_spent or not is_needed:
                self._close(lane_connection)

    def _shrink(self) -> None:
        """Close idle connections beyond the number to keep warm."""
        idle_since = asyncio.get_running_loop().time() - self._limits.linger_s
        idle = [one for one in self._connections if one.is_idle and not one.is_retiring]
        idle.sort(key=lambda lane_connection: lane_connection.last_used)
        n_surplus = len(self._connections) - self._limits.n_sockets
        for lane_connection in idle[: max(0, n_surplus)]:
            if lane_connection.last_used <= idle_since:
                self._close(lane_connection)

    def _close(self, lane_connection: LaneConnection) -> None:
        self._remove(lane_connection)
        self._supervisor.start(
            lane_connection.aclose(), name=f"close socket of {self._model}"
        )

    def _remove(self, lane_connection: LaneConnection) -> None:
        self._connections.remove(lane_connection)
        self._heartbeat.forget(lane_connection)
        self._ages.pop(lane_connection).cancel()

    @property
    def _is_active(self) -> bool:
        return not self._is_closed and (
            asyncio.get_running_loop().time() < self._active_until
        )

    def _note_activity(self) -> None:
        now = asyncio.get_running_loop().time()
        self._active_until = now + self._limits.active_s


def _fitness(lane_connection: LaneConnection) -> tuple[bool, int, float]:
    return (
        not lane_connection.is_retiring,
        -lane_connection.n_active,
        lane_connection.last_used,
    )
