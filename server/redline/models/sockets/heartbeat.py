"""Pings: slow ones check that sockets are alive, quick ones keep their windows open.

TCP forgets its congestion window after about one retransmission timeout of silence; a
request of more than 13 kB then costs one more round trip, of more than 43 kB two. A
ping every 100 ms keeps the window (measured: 43 instead of 125 ms at 40 ms round trip,
64 kB). Quick pings run for the seconds after a keystroke. While the editor is idle one
timer runs, and none without sockets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec import Struct

from redline.models.sockets.lane_connection import LaneConnection


class Rhythm(Struct, frozen=True, kw_only=True):
    """Intervals in seconds; only tests change them."""

    quick_s: float = 0.1
    """Between pings while the developer is active."""
    quick_for_s: float = 3.0
    """How long quick pings continue after the last activity."""
    slow_s: float = 20.0
    """A socket that is silent for this long is pinged, and dropped after the same time
    again. Any data counts as life: pongs may wait behind a burst of deltas."""


class Heartbeat:
    """Pings the connections that it watches."""

    def __init__(self, rhythm: Rhythm, *, on_slow_beat: Callable[[], None]) -> None:
        self._rhythm = rhythm
        self._on_slow_beat = on_slow_beat
        self._connections: set[LaneConnection] = set()
        self._heard: dict[LaneConnection, float] = {}
        """When each connection had last received data, at the last slow beat."""
        self._asked: set[LaneConnection] = set()
        """Connections that were silent for one beat and have been pinged."""
        self._quick_until = 0.0
        self._quick: asyncio.TimerHandle | None = None
        self._slow: asyncio.TimerHandle | None = None

    @property
    def is_quick(self) -> bool:
        """Whether quick pings are being sent."""
        return self._quick is not None

    def watch(self, lane_connection: LaneConnection) -> None:
        self._connections.add(lane_connection)
        if self._slow is None:
            loop = asyncio.get_running_loop()
            self._slow = loop.call_later(self._rhythm.slow_s, self._beat_slowly)

    def forget(self, lane_connection: LaneConnection) -> None:
        self._connections.discard(lane_connection)
        self._asked.discard(lane_connection)
        self._heard.pop(lane_connection, None)
        if not self._connections:
            self.stop()

    def quicken(self) -> None:
        """Ping quickly for a while; cheap enough to call for every keystroke."""
        loop = asyncio.get_running_loop()
        self._quick_until = loop.time() + self._rhythm.quick_for_s
        if self._quick is None and self._connections:
            self._quick = loop.call_later(self._rhythm.quick_s, self._beat_quickly)

    def stop(self) -> None:
        """Stop until a connection is watched again."""
        for timer in (self._quick, self._slow):
            if timer is not None:
                timer.cancel()
        self._quick = self._slow = None

    def _beat_quickly(self) -> None:
        loop = asyncio.get_running_loop()
        self._quick = None
        if loop.time() >= self._quick_until:
            return
        for lane_connection in tuple(self._connections):
            lane_connection.ping()
        self._quick = loop.call_later(self._rhythm.quick_s, self._beat_quickly)

    def _beat_slowly(self) -> None:
        loop = asyncio.get_running_loop()
        self._slow = loop.call_later(self._rhythm.slow_s, self._beat_slowly)
        for lane_connection in tuple(self._connections):
            # Count beats, not seconds: a blocked event loop is not silence.
            heard_before = self._heard.get(lane_connection)
            self._heard[lane_connection] = lane_connection.last_heard
            if lane_connection.is_paused or heard_before != lane_connection.last_heard:
                self._asked.discard(lane_connection)
            elif lane_connection in self._asked:
                lane_connection.abort()
            else:
                self._asked.add(lane_connection)
                lane_connection.ping()
        self._on_slow_beat()
