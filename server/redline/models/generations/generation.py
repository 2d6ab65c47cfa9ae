"""A running generation, between the carrier of its events and the reader.

A *carrier* (a lane of a socket, an HTTP stream) feeds it without awaiting: Responses
events, or the items that another wire format has read. The reader takes the merged
deltas. A generation whose carrier is cut before the reader has seen anything is
launched once more, which the reader does not notice.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Protocol

from msgspec.structs import replace

from redline.errors import AuthenticationError, ModelError
from redline.models.failures import (
    CONNECTION_LIMIT,
    PREVIOUS_NOT_FOUND,
    STEERING_NOT_SUPPORTED,
    busy_wait_s,
    cut_error,
    failure_error,
    flood_error,
    is_format_refusal,
    is_lane_refusal,
    unexpected_error,
)
from redline.models.formats.answer import (
    CORRECTIONS,
    DELTA_KINDS,
    AnswerText,
    finish_reason,
    read_usage,
)
from redline.models.formats.http_request import OptionalField
from redline.models.formats.request import limits_for
from redline.models.formats.wire_format import AnswerBegun, AnswerEnd, AnswerItem
from redline.models.generations.carrier import Carrier
from redline.models.generations.delivery import Delivery
from redline.models.generations.delta_buffer import DeltaBuffer
from redline.models.generations.generation_times import GenerationTimes
from redline.models.generations.pending_steer import PendingSteer
from redline.models.generations.steering import Steering
from redline.models.interface import (
    Delta,
    DeltaKind,
    Finish,
    GenerationRequest,
    Restart,
    ResumeRequest,
    Timing,
    Usage,
)
from redline.prompts.task_data import GivenTask
from redline.settings.tree import LimitSettings
from redline.wire import events
from redline.wire.connection import Exchange
from redline.wire.events import ServerEvent
from redline.wire.failure import Failure

_CUT, _SECOND_CUT, _AGE = "cut", "second cut", "age"
_LANES, _WAIT, _KEY = "lanes", "wait", "key"
"""Causes for which a generation is launched again, besides `PREVIOUS_NOT_FOUND` and the
fields that a server refuses."""

MAX_IDLE_EVENTS = 10_000
"""Most events in a row that add nothing to the answer; each costs a little time."""

MAX_ANSWER_CHARS = 16 * 1024 * 1024
"""Longest answer, with its reasoning; the longest real ones have about a tenth."""


class Launcher(Protocol):
    """What a model does for its generations."""

    @property
    def title(self) -> str:
        """The model, for messages."""

    @property
    def limits(self) -> LimitSettings:
        """The time limits."""

    @property
    def steering(self) -> Steering:
        """Whether its server accepts steers."""

    def launch(self, generation: LiveGeneration) -> None:
        """Start it without awaiting, and call its `carried_by`."""

    def count_waste(self, n_chars: int) -> None:
        """Count discarded text."""

    def note_failure(self, failure: Failure) -> None:
        """Learn from the server's words about a failed request."""

    def renew_key(self, generation: LiveGeneration, refusal: ModelError) -> bool:
        """Run a key command again after an event refused its key.

        Returns:
            Whether it does; then it calls `ask_with_new_key` or `fail` later.
        """


class LiveGeneration:
    """A `Generation` of any wire format."""

    def __init__(
        self,
        request: GenerationRequest,
        launcher: Launcher,
        *,
        resumption: ResumeRequest | None = None,
        leaving_out: frozenset[OptionalField] = frozenset(),
    ) -> None:
        self.request = request
        self.resumption = resumption
        self.limits = limits_for(request, launcher.limits)
        """The time limits in force."""
        self.leaving_out = leaving_out
        """What the server refused, and the request does without."""
        self.trouble: ModelError | None = None
        """The problem that its carrier is recovering from, reported on a timeout."""
        self.cut_by: ModelError | None = None
        """The error of its last carrier, if that ended before the answer."""
        self.sends_whole = request.previous is None
        """Whether to send the whole input, as the server lost `previous`."""
        self._launcher = launcher
        self._loop = asyncio.get_running_loop()
        self._buffer = DeltaBuffer()
        self._delivery = Delivery(
            self._buffer,
            request,
            on_taken=self._resume,
            on_error=lambda exc: self.fail(unexpected_error(exc, model=launcher.title)),
        )
        self._answer = _answer_so_far(resumption)
        self._carrier: Carrier | None = None
        self._is_paused = False
        self._resent: set[str] = set()
        """Causes of relaunches so far; each may occur once."""
        self._finish: Finish | None = None
        self._is_finish_taken = False
        self._paid: Usage | None = None
        """The counts of requests that have ended without ending the answer."""
        self._response_id = resumption.response_id if resumption else None
        if resumption is not None:
            self._buffer.taken_number = resumption.starting_after
            if resumption.text and resumption.starting_after is None:
                # The answer starts again, so the reader's text is void.
                self._buffer.restart(Restart())
        self._steer = PendingSteer()
        self._held: Finish | None = None
        """The finish of a steered response, until its successor begins."""
        self._times = GenerationTimes(
            self.limits,
            title=launcher.title,
            buffer=self._buffer,
            on_overdue=lambda error: self.fail(self.trouble or error),
        )
        self._n_chars = 0
        self._n_idle_events = 0
        """Events since the last one with text."""

    # For the reader.

    @property
    def response_id(self) -> str | None:
        """The provider's id of the response that runs now, once it is known."""
        return self._response_id

    @property
    def sequence_number(self) -> int | None:
        """Sequence number of the last event that the reader has fully taken."""
        return self._buffer.taken_number

    @property
    def timing(self) -> Timing:
        """The times of what has happened so far."""
        return self._times.timing

    def __aiter__(self) -> LiveGeneration:
        """Return itself: there is one stream."""
        return self

    async def __anext__(self) -> Delta | Restart | Finish:
        """Return the merged deltas, waiting if there are none. Cancelling is safe."""
        while True:
            if (taken := self._delivery.take()) is not None:
                return taken
            if self._is_finish_taken:
                raise StopAsyncIteration
            if self._finish is not None:
                self._is_finish_taken = True
                return self._finish
            await self._delivery.wait()

    def stop(self) -> None:
        if self._finish is not None:
            return
        self._launcher.count_waste(self._n_chars)
        self.leave()

    def leave(self) -> None:
        """Stop reading; a background response continues at the provider."""
        if self._finish is None:
            self._buffer.clear()
            self._end(Finish(reason="stopped", response_id=self._response_id))

    async def steer(self, text: str, *, task: GivenTask | None = None) -> bool:
        """Hand over a new instruction; see `Generation.steer`.

        One at a time: a second steer is refused until the first has been settled.
        """
        if (
            self._finish is not None
            or self._steer.is_open
            or self._response_id is None
            or self._carrier is None
            or not self._carrier.steer(self._response_id, text, task)
        ):
            return False
        # The acknowledgement may be lost: the outcome is unknown (reference 1.6.8).
        return await self._steer.begin(self.limits.steer_s, self._refute_steering)

    # For the carrier.

    def launch(self) -> None:
        """Launch it, for the first time or again."""
        self._launcher.launch(self)

    def carried_by(self, carrier: Carrier) -> None:
        if self._finish is not None:
            carrier.drop()
        else:
            self._carrier = carrier
            self._times.carried()

    def mark_sent(self) -> None:
        """Record that the request was written to the socket."""
        self._times.sent()

    def feed(self, event: ServerEvent, exchange: Exchange) -> None:
        """Take an event, which its exchange has already processed."""
        if self._finish is not None:
            return
        kind = DELTA_KINDS.get(event.type)
        if event.delta or not (kind or event.type == events.IN_PROGRESS):
            # Others may only hide that the server is stuck.
            self._times.heard()
        self._n_idle_events += 1
        self._buffer.number = event.sequence_number
        self._take_event(event, kind, exchange)
        self._end_flood()
        if not self._buffer.is_empty:
            self._delivery.deliver_soon()

    def take(self, item: AnswerItem) -> None:
        """Take an item of an answer, as its wire format has read it.

        After the last one of a read, call `deliver`.
        """
        if self._finish is not None:
            return
        if isinstance(item, Delta | Restart) and item.text:
            self._times.heard()
        self._n_idle_events += 1
        match item:
            case Delta() if item.text:
                self._put(item.text, item.kind)
            case Restart():
                self._buffer.restart(item)
                self._note_delta(len(item.text))
            case AnswerBegun():
                self._note_id(item.response_id)
            case AnswerEnd():
                self._end(
                    Finish(
                        reason=item.reason,
                        usage=item.usage,
                        response_id=item.response_id or self._response_id,
                    )
                )
        self._end_flood()

    def deliver(self) -> None:
        """Deliver what `take` has taken."""
        self._delivery.deliver()

    def count_paid(self, usage: Usage | None) -> None:
        """Add the counts of a request to those of the finish, however that comes."""
        if usage is not None:
            self._paid = usage + (self._paid or Usage())

    @property
    def has_finished(self) -> bool:
        """Whether the finish has been decided."""
        return self._finish is not None

    @property
    def is_stopped(self) -> bool:
        """Whether it ended by `stop`."""
        return self._finish is not None and self._finish.reason == "stopped"

    @property
    def carrier(self) -> Carrier | None:
        return self._carrier

    @property
    def was_cut_twice(self) -> bool:
        """Whether the next carrier should use a new connection."""
        return _SECOND_CUT in self._resent

    def cut(self, error: ModelError) -> None:
        """Handle a lost carrier: launch again if nothing was delivered, else fail.

        It is launched again twice at most: a server that restarts also cuts the spare
        socket, so only the failure of a new connection is conclusive.
        """
        self.cut_by = error
        if not (self._launch_again(_CUT) or self._launch_again(_SECOND_CUT)):
            self.fail(error)

    def refuse(self, error: ModelError, refused: OptionalField | None) -> None:
        """Handle a refused request: launch again if it can ask for less, or soon.

        Args:
            error: The error to fail with otherwise.
            refused: What the server refused, if the request can do without it.
        """
        if not (self._asks_without(refused) or self._asks_soon(error)):
            self.fail(error)

    def ask_with_new_key(self, refusal: ModelError) -> None:
        """Handle a key that was refused and is replaced: launch once more.

        A background response that the provider has begun is not begun twice.
        """
        self.trouble = None
        has_begun = self._response_id is not None and self.resumption is None
        if has_begun or not self._launch_again(_KEY):
            self.fail(refusal)

    @property
    def sends_format(self) -> bool:
        """Whether the request asks for a format of the answer."""
        return "format" not in self.leaving_out

    def move(self) -> None:
        """Handle a too old connection: launch again if nothing was delivered."""
        self._launch_again(_AGE)

    def fail(self, error: ModelError) -> None:
        """End with an error, unless it has finished; delivered text stays valid."""
        if self._finish is None:
            self._end(
                Finish(reason="failed", response_id=self._response_id, error=error)
            )

    # Events.

    def _end_flood(self) -> None:
        """Fail if the server sends more than any answer has; a real one has ended."""
        if self._n_idle_events > MAX_IDLE_EVENTS or self._n_chars > MAX_ANSWER_CHARS:
            self.fail(flood_error(model=self._launcher.title))

    def _take_event(
        self, event: ServerEvent, kind: DeltaKind | None, exchange: Exchange
    ) -> None:
        if kind is not None:
            if event.delta:
                self._put(event.delta, self._answer.add(event, kind, event.delta))
        elif event.type in CORRECTIONS:
            self._correct(event)
            if event.type in events.TERMINAL:
                self._feed_terminal(event, exchange)
        elif event.type == events.ITEM_ADDED:
            self._answer.begin_item(event)
        elif event.type == events.CREATED:
            self._begin(exchange)
        elif event.type == events.ERROR:
            self._feed_error(event, exchange)
        elif event.type in events.STEER_EVENTS:
            self._feed_steer(event, exchange)

    def _begin(self, exchange: Exchange) -> None:
        self._note_id(exchange.response_id)
        if self._held is not None:
            # The steer is committed: its successor has begun (reference 1.6.5).
            self._held = None
            self._answer = AnswerText()
            self._buffer.restart(Restart())
            self._steer.settle(True)
            self._delivery.wake()

    def _note_id(self, response_id: str | None) -> None:
        self._response_id = response_id
        if self.request.on_begun is not None and response_id is not None:
            self.request.on_begun(response_id)

    def _correct(self, event: ServerEvent) -> None:
        for found in self._answer.correct(event):
            if isinstance(found, Delta):
                self._put(found.text, found.kind)
            else:
                self._buffer.restart(found)
                self._note_delta(len(found.text))

    def _put(self, text: str, kind: DeltaKind) -> None:
        # Not at a restart: a server could restart without end.
        self._n_idle_events = 0
        self._buffer.put(text, kind)
        self._note_delta(len(text))
        if self._buffer.is_full and self._carrier is not None:
            # Each time: another generation may have resumed the shared connection.
            self._is_paused = True
            self._carrier.pause()

    def _note_delta(self, n_chars: int) -> None:
        self._n_chars += n_chars
        self._times.delta()

    def _feed_terminal(self, event: ServerEvent, exchange: Exchange) -> None:
        response = events.read_response(event)
        self._response_id = response.id or self._response_id
        if event.type == events.FAILED:
            failure = events.read_failure(event)
            self._launcher.note_failure(failure)
            error = failure_error(failure, model=self._launcher.title)
            if not self._asks_with_new_key(error):
                self.fail(error)
            return
        finish = Finish(
            reason=finish_reason(response, event.type, self._answer),
            usage=read_usage(response),
            response_id=self._response_id,
            sequence_number=event.sequence_number,
        )
        if exchange.has_ended:
            self._end(finish)
        else:
            self._held = finish
            self._steer.expect(self._times.restart_s, self._end_held)

    def _feed_error(self, event: ServerEvent, exchange: Exchange) -> None:
        failure = events.read_failure(event)
        if not exchange.has_ended:
            # The error answers the steer; the current answer continues.
            self._refute_steering()
            return
        self._launcher.note_failure(failure)
        error = failure_error(failure, model=self._launcher.title)
        if failure.code == CONNECTION_LIMIT:
            if not self._launch_again(_AGE):
                self.fail(cut_error("its age limit", model=self._launcher.title))
        elif failure.code == PREVIOUS_NOT_FOUND and not self.sends_whole:
            self.sends_whole = True
            if not self._launch_again(PREVIOUS_NOT_FOUND):
                self.fail(error)
        elif self._asks_with_new_key(error):
            pass
        elif not (is_lane_refusal(failure) and self._launch_again(_LANES)):
            self.refuse(error, "format" if is_format_refusal(failure) else None)

    def _asks_without(self, refused: OptionalField | None) -> bool:
        has_it = refused != "format" or self.request.text_format is not None
        if refused is None or not has_it or refused in self.leaving_out:
            return False
        self.leaving_out |= {refused}
        return self._launch_again(refused)

    def _asks_with_new_key(self, error: ModelError) -> bool:
        is_refusal = isinstance(error, AuthenticationError)
        is_late = self._finish is not None or self._times.n_deltas > 0
        if not is_refusal or is_late or _KEY in self._resent:
            return False
        if not self._launcher.renew_key(self, error):
            return False
        self._let_go()
        self.trouble = error
        return True

    def _asks_soon(self, error: ModelError) -> bool:
        """Wait as long as a busy server asks for, if that is short, and ask again."""
        wait_s = busy_wait_s(error)
        is_late = self._finish is not None or self._times.n_deltas > 0
        if wait_s is None or is_late or _WAIT in self._resent:
            return False
        self._let_go()
        self.trouble = error
        self._loop.call_later(wait_s, self._launch_after_wait)
        return True

    def _launch_after_wait(self) -> None:
        self.trouble = None
        self._launch_again(_WAIT)

    def _feed_steer(self, event: ServerEvent, exchange: Exchange) -> None:
        if event.type == events.STEER_ACCEPTED:
            # Queued, not yet applied: it takes effect when the current item ends.
            self._steer.expect(
                self._times.restart_s, partial(self._steer.settle, False)
            )
        elif exchange.has_ended:
            self._end_held()
            # Without a held finish, an earlier error ended it and did not answer a
            # steer.
            self.fail(cut_error("ended", model=self._launcher.title))
        elif events.read_failure(event).code == STEERING_NOT_SUPPORTED:
            self._refute_steering()
        else:
            self._steer.settle(False)

    # Its end.

    def _launch_again(self, cause: str) -> bool:
        if self._finish is not None or self._times.n_deltas or cause in self._resent:
            return False
        self._resent.add(cause)
        self._steer.settle(False)
        self._response_id = self._held = None
        self._times.begin_again()
        self._let_go()
        self.launch()
        return True

    def _let_go(self) -> None:
        if self._carrier is not None:
            carrier, self._carrier = self._carrier, None
            carrier.drop()

    def _end_held(self) -> None:
        """End with the finish of the steered response: no successor will come."""
        if self._held is not None and self._finish is None:
            self._end(self._held)

    def _end(self, finish: Finish) -> None:
        if self._paid is not None:
            usage = self._paid + (finish.usage or Usage())
            finish = replace(finish, usage=usage)
        self._finish = finish
        self._times.close()
        self._steer.settle(False)
        self._resume()
        self._let_go()
        self._delivery.close()

    def _resume(self) -> None:
        if self._is_paused and self._carrier is not None:
            self._is_paused = False
            self._times.heard()
            self._carrier.resume()

    def _refute_steering(self) -> None:
        self._launcher.steering.refute()
        self._steer.settle(False)


def _answer_so_far(resumption: ResumeRequest | None) -> AnswerText:
    """Return the answer that the reader has already."""
    if resumption is None or resumption.starting_after is None:
        return AnswerText()
    return AnswerText(resumption.text or "", has_gap=resumption.text is None)
