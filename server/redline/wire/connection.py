"""One connection of the Responses protocol: which event belongs to which request.

Both ends run this same machine over the same events, so a gateway cannot send what a
client would not accept. It does no I/O: the client calls `create` and `steer` when it
sends and `server_event` when it receives, the server the other way round.

Theory of operation. An *exchange* is one `response.create` and everything that the
server says about it. Exchanges on one lane (one `stream_id`, or the default lane) run
strictly one after the other; different lanes run concurrently, `MAX_ACTIVE` at once. An
accepted steer makes the exchange outlive its response: after the terminal event the
server begins a successor on the same lane without a new create, and only that
successor's own terminal event ends the exchange. Several steers may be on their way at
once; they are counted separately from the phase, because the refusal of one says
nothing about the others. An error while a steer is unanswered may be its refusal, as
sent by servers that do not know steers, or the end; the next event decides which. A
server without lanes echoes no `stream_id`: its events belong to the oldest exchange
that has not ended. Whether the server knows lanes is learnt from its first answer to a
named lane, never assumed.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from enum import IntEnum, auto

from redline.errors import LocalProtocolError, RemoteProtocolError
from redline.wire import events
from redline.wire.events import ResponseCreate, ServerEvent
from redline.wire.failure import Failure

MAX_ACTIVE = 16
"""Responses running at once on one connection (WebSocket mode guide, "Lanes")."""

MAX_LANES = 32
"""Distinct lane names in a connection's life; the default lane is not counted."""

MAX_EVENTS_ASIDE = 10_000
"""Most events in a row that belong to no response; an hour of a keepalive each second
is less. The ends count them."""

_LANE_NAME = re.compile(r"[A-Za-z0-9_.-]{1,256}")


class Phase(IntEnum):
    WAITING = auto()
    """Created; no event has arrived yet."""
    RUNNING = auto()
    STEERED = auto()
    """A steer was accepted: a successor will follow."""
    SUCCEEDING = auto()
    """The steered response has ended, its successor has not begun."""
    ENDED = auto()


class Sign(IntEnum):
    """The meaning of an event for an exchange."""

    BEGAN = auto()
    OUTPUT = auto()
    TERMINAL = auto()
    ERROR = auto()
    STEER = auto()
    """A client requested a steer; not an event of the server."""
    STEER_ACCEPTED = auto()
    STEER_PENDING = auto()
    STEERS_LOST = auto()
    """The last accepted steer failed after all."""


# An absent cell is a protocol error. Tolerated beyond the letter of the protocol:
# output without a `response.created` before it, and a second `created` (some gateways
# repeat it). A terminal event while a steer is unanswered ends the exchange: an
# accepted steer is acknowledged before it, so this one can only fail.
_NEXT: dict[Phase, dict[Sign, Phase]] = {
    Phase.WAITING: {
        Sign.BEGAN: Phase.RUNNING,
        Sign.OUTPUT: Phase.RUNNING,
        Sign.TERMINAL: Phase.ENDED,
        Sign.ERROR: Phase.ENDED,
    },
    Phase.RUNNING: {
        Sign.BEGAN: Phase.RUNNING,
        Sign.OUTPUT: Phase.RUNNING,
        Sign.TERMINAL: Phase.ENDED,
        Sign.ERROR: Phase.ENDED,
        Sign.STEER: Phase.RUNNING,
        Sign.STEER_ACCEPTED: Phase.STEERED,
    },
    Phase.STEERED: {
        Sign.OUTPUT: Phase.STEERED,
        Sign.TERMINAL: Phase.SUCCEEDING,
        Sign.ERROR: Phase.ENDED,
        Sign.STEER: Phase.STEERED,
        Sign.STEER_ACCEPTED: Phase.STEERED,
        Sign.STEERS_LOST: Phase.RUNNING,
    },
    Phase.SUCCEEDING: {
        Sign.BEGAN: Phase.RUNNING,
        # `response.queued` may come before the successor's `response.created`.
        Sign.OUTPUT: Phase.SUCCEEDING,
        Sign.ERROR: Phase.ENDED,
        Sign.STEER_ACCEPTED: Phase.SUCCEEDING,
        Sign.STEER_PENDING: Phase.ENDED,
        Sign.STEERS_LOST: Phase.ENDED,
    },
    Phase.ENDED: {},
}

_IN_OUTPUT = tuple(
    phase for phase, following in _NEXT.items() if following.get(Sign.OUTPUT) is phase
)
"""Phases in which output is no step. No set: an enum's hash is slow."""

_SIGNS: dict[str, Sign] = {
    events.CREATED: Sign.BEGAN,
    events.COMPLETED: Sign.TERMINAL,
    events.INCOMPLETE: Sign.TERMINAL,
    events.FAILED: Sign.TERMINAL,
    events.ERROR: Sign.ERROR,
    events.STEER_ACCEPTED: Sign.STEER_ACCEPTED,
    events.STEER_PENDING: Sign.STEER_PENDING,
}


class Exchange:
    """One `response.create` and the server's events about it."""

    def __init__(self, create: ResponseCreate) -> None:
        self.create = create
        self.lane = create.stream_id
        self.phase = Phase.WAITING
        self.response_id: str | None = None
        """The id of the current response; a successor has its own."""
        self.n_unanswered = 0
        """Steers of that response that the server has not answered."""
        self.is_doubtful = False
        """Whether an error arrived that either ended it or only answered a steer."""
        self._accepted: set[str | None] = set()

    @property
    def has_ended(self) -> bool:
        """Whether no more event can belong to it."""
        return self.phase is Phase.ENDED

    @property
    def is_in_output(self) -> bool:
        """Whether output changes nothing, so that deltas need not be entered."""
        return self.phase in _IN_OUTPUT and not self.is_doubtful

    def advance(self, sign: Sign) -> None:
        """Take one step.

        Raises:
            RemoteProtocolError: If the sign is not allowed in this phase.
        """
        try:
            self.phase = _NEXT[self.phase][sign]
        except KeyError:
            raise RemoteProtocolError(
                f"{sign.name} cannot follow {self.phase.name}."
            ) from None

    def enter(self, event: ServerEvent) -> None:
        """Take the step, if any, for an event of the server.

        Raises:
            RemoteProtocolError: If the event is not allowed in this phase.
        """
        sign = _SIGNS.get(event.type, Sign.OUTPUT)
        if self.is_doubtful and event.type in events.STEER_EVENTS:
            # The steer has its own answer, so the earlier error was the end.
            sign = Sign.ERROR
        self.is_doubtful = False
        if event.type == events.STEER_FAILED and sign is not Sign.ERROR:
            self._steer_failed(event)
            return
        if sign is Sign.STEER_ACCEPTED and not self.n_unanswered:
            raise RemoteProtocolError("The server accepted a steer that was not sent.")
        self.advance(sign)
        if sign is Sign.BEGAN:
            self._began(events.read_response(event).id)
        elif sign is Sign.STEER_ACCEPTED:
            self.n_unanswered -= 1
            self._accepted.add(_steer_id(event))

    def doubt(self) -> None:
        """Handle an error that either ends it or answers a steer.

        Raises:
            RemoteProtocolError: If neither is possible.
        """
        if self.is_doubtful or not self.n_unanswered:
            self.advance(Sign.ERROR)
        self.is_doubtful = not self.has_ended

    def can_steer(self) -> bool:
        """Whether a steer is allowed in this phase."""
        return Sign.STEER in _NEXT[self.phase]

    def steer(self) -> None:
        """Record a steer that a client sent.

        Raises:
            RemoteProtocolError: If it is not allowed in this phase.
        """
        self.advance(Sign.STEER)
        self.n_unanswered += 1

    def _began(self, response_id: str | None) -> None:
        if response_id != self.response_id:
            self.response_id = response_id
            self.n_unanswered = 0
            self._accepted.clear()

    def _steer_failed(self, event: ServerEvent) -> None:
        steer_id = _steer_id(event)
        if steer_id in self._accepted:
            self._accepted.remove(steer_id)
            if not self._accepted:
                self.advance(Sign.STEERS_LOST)
        elif self.n_unanswered:
            self.n_unanswered -= 1
        else:
            raise RemoteProtocolError("The server refused a steer that was not sent.")


class Connection:
    """The exchanges of one connection."""

    def __init__(self) -> None:
        self.has_lanes: bool | None = None
        """Whether the server supports lanes; None before its first answer."""
        self._knows_steers = False
        """Whether the server has shown that it supports steers."""
        self._lanes: dict[str | None, deque[Exchange]] = {}
        self._names: set[str] = set()

    @property
    def exchanges(self) -> list[Exchange]:
        """All exchanges that have not ended, oldest first within each lane."""
        return [exchange for lane in self._lanes.values() for exchange in lane]

    def refusal(self, create: ResponseCreate) -> Failure | None:
        """Return why a create breaks a connection's limits; None if it does not."""
        name = create.stream_id
        if name is None:
            return None
        if not _LANE_NAME.fullmatch(name):
            return Failure(
                message="'stream_id' takes 1 to 256 of A-Z a-z 0-9 _ . -",
                code="invalid_stream_id",
                status=400,
            )
        if name not in self._names and len(self._names) >= MAX_LANES:
            return Failure(
                message=f"A connection has at most {MAX_LANES} lanes; reuse one.",
                code="websocket_stream_limit_reached",
                status=400,
            )
        return None

    def create(self, create: ResponseCreate) -> Exchange:
        """Add a new exchange at the end of its lane.

        Raises:
            LocalProtocolError: If `refusal` returns a failure for it.
        """
        if (failure := self.refusal(create)) is not None:
            raise LocalProtocolError(failure.message)
        if create.stream_id is not None:
            self._names.add(create.stream_id)
        exchange = Exchange(create)
        self._lanes.setdefault(exchange.lane, deque()).append(exchange)
        return exchange

    def startable(self) -> Iterator[Exchange]:
        """Yield exchanges that may begin now: heads of lanes, within `MAX_ACTIVE`."""
        heads = [lane[0] for lane in self._lanes.values() if lane]
        free = MAX_ACTIVE - sum(head.phase is not Phase.WAITING for head in heads)
        waiting = (head for head in heads if head.phase is Phase.WAITING)
        for _, head in zip(range(free), waiting, strict=False):
            yield head

    def steer(self, previous_response_id: str) -> Exchange | None:
        """Record a steer; None if no running exchange has that response now."""
        for exchange in self.exchanges:
            if exchange.response_id == previous_response_id and exchange.can_steer():
                exchange.steer()
                return exchange
        return None

    def server_event(self, event: ServerEvent) -> Exchange | None:
        """Process an event of the server.

        Returns:
            The exchange it belongs to, already advanced (and removed here if it has
            ended), or None for an event of the whole connection or of an unknown
            exchange.

        Raises:
            RemoteProtocolError: If the event is not allowed in its exchange's phase.
        """
        exchange = self._find(event)
        is_delta = event.type in events.DELTAS and self.has_lanes is not None
        if is_delta and exchange is not None and exchange.is_in_output:
            return exchange  # Nearly every event of an answer.
        if exchange is not None and self._is_of_next(event, exchange):
            exchange.advance(Sign.ERROR)
            self._forget(exchange)
            exchange = self._find(event)
        if exchange is None:
            return None
        if event.type != events.ERROR and not event.type.startswith("response."):
            # Unknown types are ignored wherever they occur.
            return None
        if self.has_lanes is None:
            self._learn(event, exchange)
        self._enter(event, exchange)
        if exchange.has_ended:
            self._forget(exchange)
        return exchange

    def _enter(self, event: ServerEvent, exchange: Exchange) -> None:
        if event.type in events.STEER_EVENTS:
            self._knows_steers = True
        if event.type != events.ERROR or self._knows_steers:
            exchange.enter(event)
        elif event.stream_id == exchange.lane or not self.has_lanes:
            exchange.doubt()
        # Otherwise it names no lane and ends none: it can only be about a steer.

    def _find(self, event: ServerEvent) -> Exchange | None:
        if event.type in events.STEER_EVENTS:
            return self._find_steered(event)
        if event.stream_id is not None:
            return self._head(event.stream_id)
        if self.has_lanes:
            is_error = event.type == events.ERROR
            return self._head(None) or (self._unanswered() if is_error else None)
        # No echo (yet): a server without lanes answers in the order of the requests.
        return next(iter(self.exchanges), None)

    def _find_steered(self, event: ServerEvent) -> Exchange | None:
        steer = events.read_steer(event)
        for exchange in self.exchanges:
            if steer and exchange.response_id == steer.previous_response_id:
                return exchange
        return None

    def _is_of_next(self, event: ServerEvent, exchange: Exchange) -> bool:
        """Whether a response begins while the end of the last one is in doubt."""
        if event.type != events.CREATED or not exchange.is_doubtful:
            return False
        return events.read_response(event).id != exchange.response_id

    def _unanswered(self) -> Exchange | None:
        return next((one for one in self.exchanges if one.n_unanswered), None)

    def _head(self, name: str | None) -> Exchange | None:
        lane = self._lanes.get(name)
        return lane[0] if lane else None

    def _learn(self, event: ServerEvent, exchange: Exchange) -> None:
        if exchange.lane is not None:
            # An error may omit the lane even if the server supports lanes.
            if event.stream_id is not None:
                self.has_lanes = True
            elif event.type.startswith("response."):
                self.has_lanes = False

    def _forget(self, exchange: Exchange) -> None:
        lane = self._lanes[exchange.lane]
        lane.remove(exchange)
        if not lane:
            del self._lanes[exchange.lane]


def _steer_id(event: ServerEvent) -> str | None:
    steer = events.read_steer(event)
    return steer.id if steer else None
