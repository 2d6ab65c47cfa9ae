"""One socket with its lanes: which generation each message belongs to.

A connection takes one generation at a time until its server has shown that it supports
lanes, and then as many as the protocol allows. Stopping a generation drops the whole
socket if no other generation uses it, since the protocol has no other way to stop the
server. Otherwise its lane is muted until the answer ends.
"""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Protocol

from redline.errors import (
    ModelCutError,
    ModelError,
    RemoteProtocolError,
)
from redline.models.failures import (
    CONNECTION_LIMIT,
    close_error,
    failure_error,
    is_lane_refusal,
    unreadable_error,
)
from redline.wire import events
from redline.wire.connection import (
    MAX_ACTIVE,
    MAX_EVENTS_ASIDE,
    Connection,
    Exchange,
)
from redline.wire.events import ResponseCreate, ResponseSteer, ServerEvent

if TYPE_CHECKING:
    # Importing the WebSocket library takes 0.1 s; a connection has it loaded already.
    from redline.models.generations.generation import LiveGeneration
from redline.models.sockets.socket import Socket

logger = logging.getLogger(__name__)

_LANE_NAMES = tuple(f"lane-{number}" for number in range(MAX_ACTIVE))
"""Names are reused: a connection allows 32 in its lifetime."""


class LaneConnectionOwner(Protocol):
    """Receives the state changes of a connection; the pool implements it."""

    names_lanes: bool
    """Whether requests name a lane; a connection sets it to false if they must not."""

    def lane_freed(self, lane_connection: LaneConnection) -> None:
        """Use the room: an exchange has ended, or the server has shown lanes."""

    def connection_lost(self, lane_connection: LaneConnection) -> None:
        """Handle the end of the socket; called once."""

    def count_waste(self, n_chars: int) -> None:
        """Count discarded text."""


class LaneConnection:
    """A socket, its protocol state, and the listener of each exchange."""

    def __init__(
        self, socket: Socket, owner: LaneConnectionOwner, *, model: str
    ) -> None:
        self.opened = self.last_used = socket.loop.time()
        self.was_used = False
        """Whether any request was ever sent on it."""
        self.is_paused = False
        self.is_retiring = False
        """Whether it is to be replaced; it is used only while there is no other."""
        self.is_spent = False
        """Whether its server accepts no more requests on it."""
        self._socket = socket
        self._owner = owner
        self._model = model
        self._connection = Connection()
        self._listeners: dict[Exchange, LiveGeneration | None] = {}
        """None: the exchange is muted."""
        self._lanes: dict[Exchange, str] = {}
        """The lane of each exchange, named or not."""
        self._free_lanes = deque(_LANE_NAMES)
        """Least recently used first, so that the server remembers recent chains."""
        self._latest: dict[str, str] = {}
        """The last response of each lane, which the server still remembers."""
        self._n_late_answers = 0
        """Steers of exchanges that have ended, which may still be answered."""
        self._n_aside = 0
        """Events since the last one for a listener."""
        self._fault: ModelError | None = None
        self._is_lost = False
        self._was_aborted = False
        socket.receiver = self

    @property
    def is_open(self) -> bool:
        """Whether it can be written to."""
        return not self._is_lost and self._socket.is_open

    @property
    def announces_steering(self) -> bool:
        """Whether the server announced at the upgrade that it accepts steers."""
        return self._socket.announces_steering

    @property
    def has_flooded(self) -> bool:
        """Whether the socket ended because its server sent frames without end."""
        return self._socket.has_flooded

    @property
    def was_cut(self) -> bool:
        """Whether the socket ended without a closing handshake."""
        is_silent = self._socket.peer_close_code is None
        is_fault = self._was_aborted or self._socket.is_broken_by_peer
        return self._is_lost and is_silent and not is_fault

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs on it, muted or not."""
        return not self._listeners

    @property
    def has_room(self) -> bool:
        """Whether a generation could start now without waiting for another."""
        if self.is_spent or not self.is_open:
            return False
        n_active = len(self._listeners)
        has_lanes = bool(self._connection.has_lanes)
        return not n_active or (has_lanes and n_active < MAX_ACTIVE)

    @property
    def n_active(self) -> int:
        """How many exchanges run on it, including muted ones."""
        return len(self._listeners)

    @property
    def last_heard(self) -> float:
        """When data last arrived, on the loop's clock."""
        return self._socket.last_heard

    def remembers(self, response_id: str | None) -> bool:
        """Whether the server still has a response in this connection's memory."""
        return response_id is not None and response_id in self._latest.values()

    def begin(self, create: ResponseCreate, listener: LiveGeneration) -> Exchange:
        """Send a create; the caller has checked `has_room`."""
        lane = self._take_lane(create.previous_response_id)
        if self._owner.names_lanes:
            create.stream_id = lane
        exchange = self._connection.create(create)
        self._lanes[exchange] = lane
        self._listeners[exchange] = listener
        self._latest.pop(lane, None)
        self._socket.write(events.encode(create))
        self.last_used = self._socket.loop.time()
        self.was_used = True
        return exchange

    def steer(self, exchange: Exchange, steer: ResponseSteer) -> bool:
        """Send a steer; return false if the exchange cannot take one now."""
        if self._connection.steer(steer.previous_response_id) is not exchange:
            return False
        self._socket.write(events.encode(steer))
        return True

    def drop(self, exchange: Exchange) -> None:
        """Stop listening to an exchange, and stop it if that affects no other."""
        if exchange not in self._listeners:
            return
        self._listeners[exchange] = None
        if all(listener is None for listener in self._listeners.values()):
            self.abort()

    def pause(self) -> None:
        """Stop reading, for all lanes."""
        self.is_paused = True
        self._socket.pause()

    def resume(self) -> None:
        self.is_paused = False
        self._socket.resume()

    def ping(self) -> None:
        self._socket.write_ping()

    def abort(self) -> None:
        """Drop the socket; data that still arrives on it is ignored."""
        self._was_aborted = True
        self.lose()
        # Deferred: the caller of the stop is answered first.
        self._socket.loop.call_soon(self._socket.abort)

    async def aclose(self) -> None:
        """Close normally if nothing runs on it, else drop; bounded."""
        if self.is_idle and self.is_open:
            await self._socket.close()
        else:
            self._socket.abort()
        await self._socket.wait_closed()

    # Called by the socket.

    def receive(self, data: bytes) -> None:
        """Handle a message of the server."""
        if self._is_lost:
            return
        had_lanes = self._connection.has_lanes
        try:
            event = events.decode_server_event(data)
            exchange = self._connection.server_event(event)
        except RemoteProtocolError as exc:
            logger.warning("model %s: %s The socket is dropped.", self._model, exc)
            self._fault = unreadable_error(model=self._model)
            self.abort()
            return
        if event.type == events.ERROR:
            self._note_error(event, exchange)
        listener = None if exchange is None else self._listeners.get(exchange)
        if listener is None:
            self._count_aside(event)
        else:
            self._n_aside = 0
        if exchange is None:
            return
        if has_ended := exchange.has_ended:
            self._end(exchange)
        if listener is not None:
            listener.feed(event, exchange)
        elif event.delta:
            self._owner.count_waste(len(event.delta))
        has_found_lanes = self._connection.has_lanes and not had_lanes
        if (has_ended or has_found_lanes) and not self._is_lost:
            self._owner.lane_freed(self)

    def lose(self) -> None:
        """Handle the end of the socket and notify all listeners; idempotent."""
        if self._is_lost:
            return
        self._is_lost = True
        listeners = [one for one in self._listeners.values() if one is not None]
        self._listeners.clear()
        self._owner.connection_lost(self)
        for listener in listeners:
            self._tell_lost(listener)

    def _tell_lost(self, listener: LiveGeneration) -> None:
        if self._fault is not None:
            listener.fail(self._fault)
        elif self._socket.is_broken_by_peer:
            listener.fail(unreadable_error(model=self._model))
        else:
            error = close_error(
                self._socket.peer_close_code,
                self._socket.peer_close_reason,
                model=self._model,
            )
            if isinstance(error, ModelCutError):
                listener.cut(error)
            else:
                listener.fail(error)

    def _count_aside(self, event: ServerEvent) -> None:
        """Count an event that nothing waits for; a stopped answer may still end."""
        if not event.delta:
            self._n_aside += 1
            if self._n_aside > MAX_EVENTS_ASIDE:
                self._socket.refuse_flood("too many events")

    def _take_lane(self, previous_response_id: str | None) -> str:
        for lane, response_id in self._latest.items():
            if response_id == previous_response_id and lane in self._free_lanes:
                self._free_lanes.remove(lane)
                return lane
        return self._free_lanes.popleft()

    def _end(self, exchange: Exchange) -> None:
        self._listeners.pop(exchange, None)
        lane = self._lanes.pop(exchange)
        self._free_lanes.append(lane)
        if exchange.n_unanswered:
            # An error that answers the steer would be attributed to the next exchange.
            self._n_late_answers += exchange.n_unanswered
            self.is_retiring = self.is_spent = True
        if not self._connection.has_lanes:
            # Such servers remember one response for the whole connection.
            self._latest.clear()
        if exchange.response_id is not None:
            self._latest[lane] = exchange.response_id

    def _note_error(self, event: ServerEvent, exchange: Exchange | None) -> None:
        """Handle an error that concerns the whole connection."""
        failure = events.read_failure(event)
        if failure.code == CONNECTION_LIMIT:
            self.is_retiring = self.is_spent = True
        if is_lane_refusal(failure):
            self._owner.names_lanes = False
        if exchange is not None:
            return
        if self._n_late_answers:
            self._n_late_answers -= 1
            return
        error = failure_error(failure, model=self._model)
        logger.info(
            "model %s: error on the connection: %s", self._model, type(error).__name__
        )
        for listener in [one for one in self._listeners.values() if one is not None]:
            if failure.code == CONNECTION_LIMIT:
                listener.move()
            else:
                listener.fail(error)
