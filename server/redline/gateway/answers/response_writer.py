"""Writes one response: sends the engine's pieces as events."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from msgspec import UNSET, DecodeError

from redline.gateway.answers.steering import Steers
from redline.gateway.answers.task_kind import JSON_FORMATS, task_kind
from redline.gateway.composer import Composer
from redline.gateway.engines.engine import (
    CHARS_PER_TOKEN,
    Correction,
    End,
    EngineAnswer,
    EngineRequest,
    EngineUsage,
    NextItem,
    Piece,
    TextPiece,
)
from redline.gateway.injected_faults import FaultyOutlet
from redline.gateway.outlet import DirectOutlet, Outlet, Sent
from redline.gateway.refusals import (
    Refusal,
    RefusedError,
    error_type,
    retry_headers,
    unsupported,
)
from redline.gateway.responses import estimated_usage, full_usage
from redline.gateway.service import Service
from redline.gateway.stored.conversations import Conversation
from redline.prompts.message import JsonSchema, Prompt
from redline.prompts.task_data import GivenTask, decode_task
from redline.wire.events import ResponseCreate, TextFormat

_ANY_OBJECT = JsonSchema(name="object", schema={"type": "object"})
"""What `json_object` asks for."""

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")

_ENGINE_FAILED = End(error_code="server_error", error_message="The engine failed.")

logger = logging.getLogger(__name__)

FORGIVEN_S = 0.25
"""After a longer pause (the reader stopped reading) the pace restarts."""

N_BETWEEN_TURNS = 16
"""Most deltas sent before yielding to the event loop."""


class AnswerPacer:
    """The pace of one answer, even and independent of the clock's resolution.

    Each delta has its own due time, counted from the first. A sender that wakes up late
    sends all deltas that are due. So the pace is exact at thousands a second, where a
    sleep for each delta would drift and a timer of a millisecond would be too slow.
    Time comes in as seconds of any clock.
    """

    def __init__(self, per_s: float | None) -> None:
        """Begin.

        Args:
            per_s: Deltas a second; None: unlimited.
        """
        self._step_s = 1 / per_s if per_s else 0.0
        self._due: float | None = None
        self._n_until_turn = N_BETWEEN_TURNS

    def pause_s(self, now: float) -> float | None:
        """Return how long to sleep before sending the next delta.

        Returns:
            Seconds; 0 to only yield to the event loop; None to continue at once.
        """
        due = now if self._due is None else max(self._due, now - FORGIVEN_S)
        self._due = due + self._step_s
        self._n_until_turn -= 1
        if due <= now and self._n_until_turn > 0:
            return None
        self._n_until_turn = N_BETWEEN_TURNS
        return max(0.0, due - now)


class ResponseWriter:
    """Writes the events of one response to an outlet; a `PieceTaker`."""

    def __init__(
        self,
        service: Service,
        composer: Composer,
        outlet: Outlet,
        steers: Steers,
        *,
        before_end: Callable[[], Awaitable[None]],
    ) -> None:
        """Begin.

        Args:
            service: What all requests share.
            composer: Writes the events.
            outlet: Where they go.
            steers: What comes while the response is written.
            before_end: Called when the response is complete, before the client knows.
        """
        self.composer = composer
        self._service = service
        self._outlet = outlet
        self._send: Callable[[list[Sent]], Awaitable[None]] = outlet.send
        self._steers = steers
        self._before_end = before_end
        self._direct: DirectOutlet | None = None
        """Set when the text has begun, if nothing holds its pieces back."""
        self._n_chars_left: float = float("inf")
        self.first_delta_at: float | None = None
        """When the first delta was sent, by the clock of the event loop."""
        self._usage: EngineUsage | None = None
        self._n_said_chars = 0
        self._n_thought_chars = 0
        """How many of those characters were reasoning."""

    async def warm_up(self) -> None:
        """Send a response without output, whose id a request can continue from."""
        events = self.composer.begin()
        self._count(End(), n_input_chars=0)
        events += self.composer.complete(self._service.now())
        await self._before_end()
        await self._send(events)

    async def tell(
        self, create: ResponseCreate, conversation: Conversation, *, cache_salt: str
    ) -> None:
        """Send a response to its end.

        Args:
            create: The request.
            conversation: All turns up to the answer.
            cache_salt: The same for one user, and known to no other.

        Raises:
            PeerGoneError: If the client has disconnected.
            RefusedError: If the engine fails before any output, or the script demands
                an error event now.
        """
        # Start the engine.
        prompt = Prompt(
            instructions=create.instructions or "",
            chat_messages=conversation.chat_messages,
        )
        text_format = create.text.format if create.text else None
        answer = self._service.engine.answer(
            EngineRequest(
                response_id=self.composer.response.id,
                model=create.model,
                prompt=prompt,
                task=_task(create),
                max_output_tokens=create.max_output_tokens,
                text_format=_schema(text_format),
                cache_key=create.prompt_cache_key,
                cache_salt=cache_salt,
                trace=_trace(create),
                kind=task_kind(create),
                taker=self,
            )
        )
        # Apply the limits and faults of the answer.
        if create.max_output_tokens is not None and not answer.counts_tokens:
            self._n_chars_left = create.max_output_tokens * CHARS_PER_TOKEN
        self._steers.manner = answer.faults.on_steer
        faulty = FaultyOutlet(
            self._outlet, answer.faults, n_before=self.composer.n_events
        )
        if not answer.faults.spare_the_wire:
            self._send = faulty.send
        # Send the pieces, then usage and the last events.
        async with aclosing(answer.pieces) as pieces:
            await self._send(self.composer.begin())
            end = await self._take_all(pieces, answer)
        if end.error_status is not None and not self.composer.response.output:
            raise RefusedError(_refusal(end))
        self._count(end, n_input_chars=conversation.n_chars + len(prompt.instructions))
        events = self._last_events(end)
        await self._before_end()
        await self._send(events)
        await faulty.finish()

    @property
    def is_ready(self) -> bool:
        """Whether pieces can be sent at once; see `PieceTaker`."""
        return self._direct is not None and self._direct.is_ready

    def take(self, piece: TextPiece | Correction) -> None:
        """Send a piece at once; see `PieceTaker`."""
        assert self._direct is not None
        self._direct.send_now(self._events(piece))

    def usage(self, conversation: Conversation) -> EngineUsage:
        """Return the tokens so far: an estimate, unless the engine has counted."""
        return self._usage or self._estimated(n_input_chars=conversation.n_chars)

    def _pace(self, answer: EngineAnswer) -> AnswerPacer | None:
        per_s = answer.tokens_per_s or self._service.config.tokens_per_s
        return None if answer.has_own_pace and not per_s else AnswerPacer(per_s)

    def _direct_outlet(self, answer: EngineAnswer) -> DirectOutlet | None:
        """Return the way for pieces that get no pause, no fault and no cut."""
        is_free = answer.counts_tokens and answer.faults.spare_the_wire
        return self._outlet.direct if is_free else None

    async def _take_all(
        self, pieces: AsyncGenerator[Piece, None], answer: EngineAnswer
    ) -> End:
        pace = self._pace(answer)
        direct = self._direct_outlet(answer) if pace is None else None
        clock = asyncio.get_running_loop().time
        while True:
            try:
                piece = await anext(pieces)
            except StopAsyncIteration:
                return End()
            except Exception:
                # The boundary to the engine: any failure of it must reach the client.
                logger.exception("the engine failed")
                return _ENGINE_FAILED
            if isinstance(piece, TextPiece):
                if pace and (pause_s := pace.pause_s(clock())) is not None:
                    await asyncio.sleep(pause_s)
                await self._send(self._events(piece))
                self._direct = direct
            elif (end := await self._take_other(piece)) is not None:
                return end
            if self._n_chars_left <= 0:
                return End(incomplete_reason="max_output_tokens")

    async def _take_other(self, piece: Correction | NextItem | End) -> End | None:
        match piece:
            case Correction():
                await self._send(self._events(piece))
            case NextItem():
                await self._send(self.composer.close_item())
                if self._steers.are_waiting:
                    return End(incomplete_reason="steered")
            case End():
                return piece
        return None

    def _events(self, piece: TextPiece | Correction) -> list[Sent]:
        if isinstance(piece, Correction):
            return self.composer.correct(piece.text)
        text = piece.text
        if len(text) > self._n_chars_left:
            text = text[: int(self._n_chars_left)]
        self._n_chars_left -= len(piece.text)
        self._n_said_chars += len(text)
        if piece.kind == "reasoning":
            self._n_thought_chars += len(text)
        if self.first_delta_at is None:
            self.first_delta_at = asyncio.get_running_loop().time()
        return self.composer.say(text, piece.kind)

    def _count(self, end: End, *, n_input_chars: int) -> None:
        usage = end.usage or self._estimated(n_input_chars=n_input_chars)
        self._usage = usage
        self.composer.response.usage = full_usage(usage)

    def _estimated(self, *, n_input_chars: int) -> EngineUsage:
        return estimated_usage(
            n_input_chars=n_input_chars,
            n_said_chars=self._n_said_chars,
            n_thought_chars=self._n_thought_chars,
        )

    def _last_events(self, end: End) -> list[Sent]:
        if end.error_code is not None:
            return self.composer.fail(end.error_code, end.error_message)
        if end.incomplete_reason is not None:
            return self.composer.cut_short(end.incomplete_reason)
        return self.composer.complete(self._service.now())


def _schema(text_format: TextFormat | None) -> JsonSchema | None:
    if text_format is None or text_format.type not in JSON_FORMATS:
        return None
    if text_format.type == "json_object" or text_format.schema is None:
        return _ANY_OBJECT
    return JsonSchema(name=text_format.name or "answer", schema=text_format.schema)


def _trace(create: ResponseCreate) -> str | None:
    given = (create.metadata or {}).get("traceparent", "")
    return given if _TRACEPARENT.fullmatch(given) else None


def _refusal(end: End) -> Refusal:
    wait_s = end.retry_after_s
    return Refusal(
        code=end.error_code,
        type=error_type(end.error_status),
        message=end.error_message,
        status=end.error_status,
        headers=None if wait_s is None else retry_headers(wait_s),
    )


def _task(create: ResponseCreate) -> GivenTask | None:
    """Read the task that Redline sends with the prompt.

    Raises:
        RefusedError: If it is not a task.
    """
    if create.redline_task is UNSET:
        return None
    try:
        return decode_task(create.redline_task)
    except DecodeError as exc:
        raise RefusedError(unsupported("redline_task", f"Not a task: {exc}")) from exc
