"""The state machine, cell by cell, and two of them wired back to back."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from redline.errors import LocalProtocolError, RemoteProtocolError
from redline.wire import events
from redline.wire.connection import (
    MAX_ACTIVE,
    MAX_LANES,
    Connection,
    Exchange,
    Phase,
    Sign,
)
from redline.wire.events import ResponseCreate, ServerEvent

CELLS = {
    (Phase.WAITING, Sign.BEGAN): Phase.RUNNING,
    (Phase.WAITING, Sign.OUTPUT): Phase.RUNNING,
    (Phase.WAITING, Sign.TERMINAL): Phase.ENDED,
    (Phase.WAITING, Sign.ERROR): Phase.ENDED,
    (Phase.RUNNING, Sign.BEGAN): Phase.RUNNING,
    (Phase.RUNNING, Sign.OUTPUT): Phase.RUNNING,
    (Phase.RUNNING, Sign.TERMINAL): Phase.ENDED,
    (Phase.RUNNING, Sign.ERROR): Phase.ENDED,
    (Phase.RUNNING, Sign.STEER): Phase.RUNNING,
    (Phase.RUNNING, Sign.STEER_ACCEPTED): Phase.STEERED,
    (Phase.STEERED, Sign.OUTPUT): Phase.STEERED,
    (Phase.STEERED, Sign.TERMINAL): Phase.SUCCEEDING,
    (Phase.STEERED, Sign.ERROR): Phase.ENDED,
    (Phase.STEERED, Sign.STEER): Phase.STEERED,
    (Phase.STEERED, Sign.STEER_ACCEPTED): Phase.STEERED,
    (Phase.STEERED, Sign.STEERS_LOST): Phase.RUNNING,
    (Phase.SUCCEEDING, Sign.BEGAN): Phase.RUNNING,
    (Phase.SUCCEEDING, Sign.OUTPUT): Phase.SUCCEEDING,
    (Phase.SUCCEEDING, Sign.ERROR): Phase.ENDED,
    (Phase.SUCCEEDING, Sign.STEER_ACCEPTED): Phase.SUCCEEDING,
    (Phase.SUCCEEDING, Sign.STEER_PENDING): Phase.ENDED,
    (Phase.SUCCEEDING, Sign.STEERS_LOST): Phase.ENDED,
}


@pytest.mark.parametrize("sign", Sign)
@pytest.mark.parametrize("phase", Phase)
def test_each_cell_of_the_table(phase: Phase, sign: Sign) -> None:
    """Each sign leads to its phase; where the table has no cell, it is an error."""
    exchange = Exchange(ResponseCreate())
    exchange.phase = phase
    expected = CELLS.get((phase, sign))
    if expected is None:
        with pytest.raises(RemoteProtocolError, match=f"{sign.name} cannot follow"):
            exchange.advance(sign)
        assert exchange.phase is phase
    else:
        exchange.advance(sign)
        assert exchange.phase is expected


@pytest.mark.parametrize("phase", Phase)
def test_output_need_not_be_entered_where_it_changes_nothing(phase: Phase) -> None:
    exchange = Exchange(ResponseCreate())
    exchange.phase = phase
    assert exchange.is_in_output is (CELLS.get((phase, Sign.OUTPUT)) is phase)


def create(lane: str | None = None) -> ResponseCreate:
    return ResponseCreate(stream_id=lane)


def event(
    kind: str, *, lane: str | None = None, response_id: str | None = None
) -> ServerEvent:
    return ServerEvent(
        type=kind,
        stream_id=lane,
        response=msgspec.Raw(msgspec.json.encode({"id": response_id})),
    )


def steer_event(
    kind: str, response_id: str, *, steer_id: str | None = None, lane: str | None = None
) -> ServerEvent:
    steer = {"previous_response_id": response_id, "id": steer_id}
    return ServerEvent(
        type=kind, stream_id=lane, steer=msgspec.Raw(msgspec.json.encode(steer))
    )


def running(response_id: str = "r1") -> tuple[Connection, Exchange]:
    connection = Connection()
    exchange = connection.create(create())
    connection.server_event(event(events.CREATED, response_id=response_id))
    return connection, exchange


def test_an_exchange_is_forgotten_at_its_terminal_event() -> None:
    connection, exchange = running()
    assert connection.server_event(event(events.COMPLETED)) is exchange
    assert exchange.has_ended
    assert connection.exchanges == []
    assert connection.server_event(event(events.COMPLETED)) is None


def test_a_response_may_be_created_twice() -> None:
    """Some gateways repeat the event; a steer in between is not forgotten."""
    connection, exchange = running("r1")
    connection.steer("r1")
    connection.server_event(event(events.CREATED, response_id="r1"))
    assert exchange.n_unanswered == 1


def test_one_lane_is_strictly_first_in_first_out() -> None:
    connection = Connection()
    first, second = connection.create(create("a")), connection.create(create("a"))
    assert list(connection.startable()) == [first]
    connection.server_event(event(events.CREATED, lane="a", response_id="r1"))
    assert list(connection.startable()) == []
    connection.server_event(event(events.FAILED, lane="a"))
    assert list(connection.startable()) == [second]


def test_lanes_run_side_by_side_up_to_the_limit() -> None:
    connection = Connection()
    entered = [connection.create(create(f"lane{i}")) for i in range(MAX_ACTIVE + 3)]
    assert list(connection.startable()) == entered[:MAX_ACTIVE]
    for i in range(MAX_ACTIVE):
        connection.server_event(event(events.CREATED, lane=f"lane{i}"))
    assert list(connection.startable()) == []
    connection.server_event(event(events.COMPLETED, lane="lane3"))
    assert list(connection.startable()) == [entered[MAX_ACTIVE]]


def test_events_of_another_lane_do_not_touch_this_one() -> None:
    connection = Connection()
    one, two = connection.create(create("a")), connection.create(create("b"))
    assert connection.server_event(event(events.CREATED, lane="b")) is two
    assert connection.server_event(event(events.TEXT_DELTA, lane="a")) is one
    assert connection.server_event(event(events.COMPLETED, lane="c")) is None


def test_a_server_that_echoes_has_lanes() -> None:
    connection = Connection()
    connection.create(create("a"))
    assert connection.has_lanes is None
    connection.server_event(event(events.CREATED, lane="a"))
    assert connection.has_lanes is True
    assert connection.server_event(event(events.COMPLETED)) is None


def test_a_server_that_does_not_echo_answers_in_the_order_of_the_requests() -> None:
    connection = Connection()
    first, second = connection.create(create("a")), connection.create(create("b"))
    assert connection.server_event(event(events.CREATED)) is first
    assert connection.has_lanes is False
    assert connection.server_event(event(events.COMPLETED)) is first
    assert connection.server_event(event(events.CREATED)) is second


def test_an_error_without_a_lane_does_not_mean_that_there_are_none() -> None:
    connection = Connection()
    exchange = connection.create(create("a"))
    assert connection.server_event(event(events.ERROR)) is exchange
    assert connection.has_lanes is None


def test_the_default_lane_says_nothing_about_lanes() -> None:
    connection, _ = running()
    assert connection.has_lanes is None


def test_events_of_unknown_types_are_ignored() -> None:
    connection, exchange = running()
    for kind in ("ping", "codex.rate_limits", "responsesapi.websocket_timing"):
        assert connection.server_event(event(kind)) is None
    assert exchange.phase is Phase.RUNNING


def test_new_events_of_a_response_are_output() -> None:
    connection, exchange = running()
    assert connection.server_event(event("response.something.new")) is exchange
    assert exchange.phase is Phase.RUNNING


def test_an_event_out_of_place_is_the_servers_fault() -> None:
    connection, _ = running()
    assert connection.steer("r1")
    connection.server_event(steer_event(events.STEER_ACCEPTED, "r1", steer_id="s1"))
    with pytest.raises(RemoteProtocolError):
        connection.server_event(event(events.CREATED, response_id="r2"))


@pytest.mark.parametrize(
    ("name", "is_valid"),
    [
        ("a", True),
        ("A-z_0.9", True),
        ("x" * 256, True),
        ("", False),
        ("x" * 257, False),
        ("with space", False),
        ("ümlaut", False),
        ("line\n", False),
    ],
)
def test_lane_names(name: str, is_valid: bool) -> None:
    failure = Connection().refusal(create(name))
    assert (failure is None) is is_valid
    if failure:
        assert (failure.code, failure.status) == ("invalid_stream_id", 400)
        with pytest.raises(LocalProtocolError, match="stream_id"):
            Connection().create(create(name))


def test_a_connection_has_a_limited_number_of_lane_names_in_its_life() -> None:
    connection = Connection()
    for i in range(MAX_LANES):
        connection.create(create(f"lane{i}"))
        connection.server_event(event(events.COMPLETED, lane=f"lane{i}"))
    assert connection.refusal(create("lane0")) is None
    assert connection.refusal(create()) is None
    failure = connection.refusal(create("one-more"))
    assert failure is not None
    assert failure.code == "websocket_stream_limit_reached"
    with pytest.raises(LocalProtocolError, match=re.escape(str(MAX_LANES))):
        connection.create(create("one-more"))


def test_a_steered_exchange_ends_with_its_successor() -> None:
    connection, exchange = running("r1")
    assert connection.steer("r1") is exchange
    connection.server_event(steer_event(events.STEER_ACCEPTED, "r1", steer_id="s1"))
    connection.server_event(event(events.TEXT_DELTA))
    connection.server_event(event(events.INCOMPLETE))
    assert exchange.phase is Phase.SUCCEEDING
    connection.server_event(event("response.queued"))
    connection.server_event(event(events.CREATED, response_id="r2"))
    assert exchange.response_id == "r2"
    assert connection.steer("r1") is None
    connection.server_event(event(events.COMPLETED))
    assert exchange.has_ended


def test_nobody_can_steer_what_is_not_running() -> None:
    connection = Connection()
    connection.create(create())
    assert connection.steer("r1") is None
    connection, exchange = running("r1")
    assert connection.steer("r2") is None
    connection.server_event(event(events.COMPLETED))
    assert connection.steer("r1") is None
    assert exchange.n_unanswered == 0


def test_a_refused_steer_leaves_an_accepted_one_alone() -> None:
    connection, exchange = running("r1")
    connection.steer("r1")
    connection.steer("r1")
    connection.server_event(steer_event(events.STEER_ACCEPTED, "r1", steer_id="s1"))
    connection.server_event(steer_event(events.STEER_FAILED, "r1"))
    assert exchange.phase is Phase.STEERED
    assert exchange.n_unanswered == 0


def test_a_refusal_that_comes_after_the_terminal_event_keeps_the_successor() -> None:
    connection, exchange = running("r1")
    connection.steer("r1")
    connection.server_event(steer_event(events.STEER_ACCEPTED, "r1", steer_id="s1"))
    connection.steer("r1")
    connection.server_event(event(events.COMPLETED))
    connection.server_event(steer_event(events.STEER_FAILED, "r1"))
    assert exchange.phase is Phase.SUCCEEDING


def test_an_accepted_steer_can_still_fail() -> None:
    connection, exchange = running("r1")
    connection.steer("r1")
    connection.server_event(steer_event(events.STEER_ACCEPTED, "r1", steer_id="s1"))
    connection.server_event(steer_event(events.STEER_FAILED, "r1", steer_id="s1"))
    assert exchange.phase is Phase.RUNNING
    connection.steer("r1")
    connection.server_event(steer_event(events.STEER_ACCEPTED, "r1", steer_id="s2"))
    connection.server_event(event(events.COMPLETED))
    connection.server_event(steer_event(events.STEER_FAILED, "r1", steer_id="s2"))
    assert exchange.has_ended


def test_one_of_two_accepted_steers_can_fail() -> None:
    connection, exchange = running("r1")
    for steer_id in ("s1", "s2"):
        connection.steer("r1")
        accepted = steer_event(events.STEER_ACCEPTED, "r1", steer_id=steer_id)
        connection.server_event(accepted)
    connection.server_event(steer_event(events.STEER_FAILED, "r1", steer_id="s1"))
    phases = [exchange.phase]
    connection.server_event(event(events.COMPLETED))
    phases.append(exchange.phase)
    assert phases == [Phase.STEERED, Phase.SUCCEEDING]


def test_a_steer_that_waits_for_input_ends_the_exchange() -> None:
    connection, exchange = running("r1")
    connection.steer("r1")
    connection.server_event(steer_event(events.STEER_ACCEPTED, "r1", steer_id="s1"))
    connection.server_event(event(events.COMPLETED))
    connection.server_event(steer_event(events.STEER_PENDING, "r1", steer_id="s1"))
    assert exchange.has_ended


def test_an_error_may_answer_a_steer() -> None:
    """Servers that do not know steers send it; what is written goes on."""
    connection, exchange = running("r1")
    connection.steer("r1")
    assert connection.server_event(event(events.ERROR)) is exchange
    assert not exchange.has_ended
    # The next output settles the doubt, so it must be entered.
    assert not exchange.is_in_output
    connection.server_event(event(events.TEXT_DELTA))
    assert exchange.is_in_output
    assert exchange.phase is Phase.RUNNING
    connection.server_event(event(events.COMPLETED))
    assert exchange.has_ended


@pytest.mark.parametrize("kind", [events.STEER_FAILED, events.STEER_ACCEPTED])
def test_an_error_that_crosses_a_steer_is_the_end(kind: str) -> None:
    """The steer is answered after it, by a server that knows steers."""
    connection, exchange = running("r1")
    connection.steer("r1")
    connection.server_event(event(events.ERROR))
    connection.server_event(steer_event(kind, "r1", steer_id="s1"))
    assert exchange.has_ended


def test_an_error_without_a_lane_ends_none() -> None:
    """A server with lanes says whom it ends; this one answers the steer."""
    connection = Connection()
    exchange = connection.create(create("a"))
    connection.server_event(event(events.CREATED, lane="a", response_id="r1"))
    other = connection.create(create("b"))
    connection.server_event(event(events.CREATED, lane="b", response_id="r2"))
    assert connection.server_event(event(events.ERROR)) is None
    connection.steer("r2")
    assert connection.server_event(event(events.ERROR)) is other
    assert not exchange.has_ended
    assert not other.has_ended


@pytest.mark.parametrize("kind", [events.STEER_ACCEPTED, events.STEER_FAILED])
def test_answers_to_a_steer_that_nobody_sent_are_errors(kind: str) -> None:
    connection, exchange = running("r1")
    with pytest.raises(RemoteProtocolError, match="was not sent"):
        connection.server_event(steer_event(kind, "r1", steer_id="s1"))
    assert exchange.phase is Phase.RUNNING


@pytest.mark.parametrize("kind", sorted(events.STEER_EVENTS))
def test_answers_about_an_unknown_response_are_ignored(kind: str) -> None:
    connection, exchange = running("r1")
    assert connection.server_event(steer_event(kind, "r9")) is None
    assert connection.server_event(ServerEvent(type=kind)) is None
    assert exchange.phase is Phase.RUNNING


class BackToBack(RuleBasedStateMachine):
    """A client and a server, one machine each, joined by two ordered pipes."""

    def __init__(self) -> None:
        super().__init__()
        self.client, self.server = Connection(), Connection()
        self.to_server: list[ResponseCreate | str] = []
        self.to_client: list[ServerEvent] = []
        self.n_ids = 0
        self.created: list[Exchange] = []

    @rule(lane=st.sampled_from([None, "a", "b", "c"]))
    def client_creates(self, lane: str | None) -> None:
        self.created.append(self.client.create(create(lane)))
        self.to_server.append(create(lane))

    @rule(pick=st.integers(min_value=0))
    def client_steers(self, pick: int) -> None:
        known = [e.response_id for e in self.client.exchanges if e.response_id]
        if known and self.client.steer(steered := known[pick % len(known)]):
            self.to_server.append(steered)

    @precondition(lambda self: self.to_server)
    @rule(accepts=st.booleans())
    def server_receives(self, accepts: bool) -> None:
        match self.to_server.pop(0):
            case ResponseCreate() as received:
                self.server.create(received)
            case str() as response_id:
                self._server_steered(response_id, accepts=accepts)

    def _server_steered(self, response_id: str, *, accepts: bool) -> None:
        exchange = self.server.steer(response_id)
        if exchange is None:
            # No exchange of the server knows of it: it is refused beside them.
            refusal = steer_event(events.STEER_FAILED, response_id)
            self.to_client.append(events.decode_server_event(events.encode(refusal)))
            return
        if not accepts:
            self._emit(steer_event(events.STEER_FAILED, response_id))
            return
        kind = events.STEER_ACCEPTED
        self._emit(steer_event(kind, response_id, steer_id=self._id("steer")))

    @rule()
    def server_begins(self) -> None:
        for exchange in self.server.startable():
            self._emit(
                event(events.CREATED, lane=exchange.lane, response_id=self._id("resp"))
            )
            return

    @rule(
        pick=st.integers(min_value=0),
        kind=st.sampled_from(
            [events.TEXT_DELTA, events.COMPLETED, events.INCOMPLETE, events.ERROR]
        ),
    )
    def server_goes_on(self, pick: int, kind: str) -> None:
        begun = [e for e in self.server.exchanges if e.phase is not Phase.WAITING]
        if not begun:
            return
        exchange = begun[pick % len(begun)]
        if exchange.phase is Phase.SUCCEEDING and kind != events.ERROR:
            successor = self._id("resp")
            self._emit(event(events.CREATED, lane=exchange.lane, response_id=successor))
            return
        self._emit(event(kind, lane=exchange.lane))

    @precondition(lambda self: self.to_client)
    @rule()
    def client_receives(self) -> None:
        received = self.to_client.pop(0)
        exchange = self.client.server_event(received)
        if received.type not in events.STEER_EVENTS:
            assert exchange is not None

    @invariant()
    def no_exchange_is_lost_or_ended_twice(self) -> None:
        living = [exchange for exchange in self.created if not exchange.has_ended]
        assert len(living) == len(self.client.exchanges)
        assert set(living) == set(self.client.exchanges)

    def teardown(self) -> None:
        while self.to_client:
            self.client_receives()
        if not self.to_server:
            ours = [(e.lane, e.phase, e.response_id) for e in self.client.exchanges]
            theirs = [(e.lane, e.phase, e.response_id) for e in self.server.exchanges]
            assert sorted(ours, key=str) == sorted(theirs, key=str)

    def _emit(self, sent: ServerEvent) -> None:
        self.server.server_event(sent)
        self.to_client.append(events.decode_server_event(events.encode(sent)))

    def _id(self, kind: str) -> str:
        self.n_ids += 1
        return f"{kind}_{self.n_ids}"


TestBackToBack = BackToBack.TestCase


@given(st.lists(st.sampled_from(["a", "b", None]), max_size=12))
def test_nothing_is_startable_twice(lanes: list[str | None]) -> None:
    connection = Connection()
    for lane in lanes:
        connection.create(create(lane))
    started: list[Exchange] = []
    while heads := list(connection.startable()):
        started += heads
        for head in heads:
            connection.server_event(event(events.COMPLETED, lane=head.lane))
    assert len(started) == len(lanes)
    assert len(set(map(id, started))) == len(lanes)
