"""Writes the events of one response as JSON, in the order of the protocol.

Deltas are by far the most common events. So everything that is constant within a part
is encoded once, and each delta joins five byte strings.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from redline.gateway.engines.engine import PieceKind
from redline.gateway.outlet import Sent
from redline.gateway.refusals import Refusal, error_object
from redline.gateway.responses import (
    Item,
    MessageItem,
    OutputRefusal,
    OutputText,
    Part,
    ReasoningItem,
    ReasoningText,
    Response,
    Status,
)
from redline.wire import events
from redline.wire.events import ErrorObject, IncompleteDetails

_encode = msgspec.json.Encoder().encode

_PARTS: dict[PieceKind, type[Part]] = {
    "text": OutputText,
    "refusal": OutputRefusal,
    "reasoning": ReasoningText,
}
_DELTA_KINDS: dict[type[Part], str] = {
    OutputText: events.TEXT_DELTA,
    OutputRefusal: events.REFUSAL_DELTA,
    ReasoningText: events.REASONING_DELTA,
}
_DONE_KINDS: dict[type[Part], tuple[str, str]] = {
    OutputText: (events.TEXT_DONE, "text"),
    OutputRefusal: (events.REFUSAL_DONE, "refusal"),
    ReasoningText: ("response.reasoning_text.done", "text"),
}


_STEP_BYTES = 16
"""Deltas are padded to a multiple of this, so that only rough lengths show."""


class Padding:
    """The `obfuscation` of one response's deltas: random padding.

    It hides their lengths. Real servers add it by default, so clients must be tested
    with it.
    """

    def __init__(self, noise: bytes) -> None:
        """Begin.

        Args:
            noise: Random ASCII letters, digits, `-` and `_`; many more than one step.
        """
        self._noise = noise
        self._at = 0
        self._before = b""

    def begin(self, fields: bytes) -> None:
        """Set the fields between a delta and its padding; may be empty."""
        self._before = fields + b',"obfuscation":"'

    def after(self, delta: bytes) -> bytes:
        """Return the bytes after a delta: further fields, padding and the end."""
        n_bytes = _STEP_BYTES - len(delta) % _STEP_BYTES
        self._at = (self._at + n_bytes) % (len(self._noise) - _STEP_BYTES)
        return b'%b%b"}' % (self._before, self._noise[self._at : self._at + n_bytes])


class Composer:
    """Composes the events of one response."""

    def __init__(
        self,
        response: Response,
        *,
        lane: str | None,
        padding: Padding | None,
        new_id: Callable[[str], str],
    ) -> None:
        """Begin.

        Args:
            response: The response, which the composer updates.
            lane: The `stream_id` to echo on every event.
            padding: Hides the lengths of deltas; None: no padding.
            new_id: Makes an id from its prefix.
        """
        self.response = response
        self._stream = {} if lane is None else {"stream_id": lane}
        self._padding = padding
        self._new_id = new_id
        self._sequence_number = 0
        self._part: Part | None = None
        self._place: dict[str, object] = {}
        self._chunks: list[str] = []
        self._kind = ""
        self._head = self._middle = self._tail = b""

    @property
    def n_events(self) -> int:
        """Number of events so far."""
        return self._sequence_number

    # The events of the response's life cycle and text.

    def queue(self) -> list[Sent]:
        """Start the response as queued."""
        self.response.status = "queued"
        return [
            self._event(events.CREATED, response=self.response),
            self._event(events.QUEUED, response=self.response),
        ]

    def begin(self) -> list[Sent]:
        """Start the response as in progress."""
        if self.response.status == "queued":
            self.response.status = "in_progress"
            return [self._event(events.IN_PROGRESS, response=self.response)]
        return [
            self._event(events.CREATED, response=self.response),
            self._event(events.IN_PROGRESS, response=self.response),
        ]

    def say(self, chunk: str, kind: PieceKind) -> list[Sent]:
        """Add a chunk of the answer, of reasoning or of a refusal."""
        part_type = _PARTS[kind]
        sent: list[Sent] = []
        if type(self._part) is not part_type:
            sent = self._open(part_type)
        self._chunks.append(chunk)
        delta = _encode(chunk)
        # Joined, which takes half the time of a format.
        data = b"".join(
            (
                self._head,
                b"%d" % self._sequence_number,
                self._middle,
                delta,
                self._tail if self._padding is None else self._padding.after(delta),
            )
        )
        self._sequence_number += 1
        sent.append(Sent(self._kind, data))
        return sent

    def correct(self, text: str) -> list[Sent]:
        """Replace the text of the answer so far.

        No event takes deltas back. The events at the end repeat the text, and clients
        read a difference as a correction.
        """
        for item in self.response.output:
            for part in item.content:
                if isinstance(part, OutputText):
                    part.text = ""
        sent: list[Sent] = []
        if not isinstance(self._part, OutputText):
            sent = self._open(OutputText)
        self._chunks[:] = [text]
        return sent

    def close_item(self, status: Status = "completed") -> list[Sent]:
        """End the current output item, if there is one."""
        if not self.response.output:
            return []
        item = self.response.output[-1]
        if item.status != "in_progress":
            return []
        sent = self._close_part()
        item.status = status
        index = len(self.response.output) - 1
        return [*sent, self._event(events.ITEM_DONE, output_index=index, item=item)]

    def complete(self, now: float) -> list[Sent]:
        """End the response as completed."""
        sent = self.close_item()
        self.response.status = "completed"
        self.response.completed_at = int(now)
        return [*sent, self._event(events.COMPLETED, response=self.response)]

    def cut_short(self, reason: str) -> list[Sent]:
        """End the response as incomplete."""
        # A steer takes effect at the end of an item, so that item is complete.
        sent = self.close_item("completed" if reason == "steered" else "incomplete")
        self.response.status = "incomplete"
        self.response.incomplete_details = IncompleteDetails(reason=reason)
        return [*sent, self._event(events.INCOMPLETE, response=self.response)]

    def fail(self, code: str, message: str) -> list[Sent]:
        """End the response as failed."""
        self.response.status = "failed"
        self.response.error = ErrorObject(code=code, message=message)
        return [self._event(events.FAILED, response=self.response)]

    # Answers to steers.

    def steer_accepted(self, steer_id: str) -> Sent:
        """Accept a steer, which is not applied yet."""
        steer = self._steer(steer_id)
        return self._event(events.STEER_ACCEPTED, steer=steer)

    def steer_pending(self, steer_id: str) -> Sent:
        """Report that an accepted steer waits for the client's next request."""
        return self._event(
            events.STEER_PENDING,
            steer=self._steer(steer_id),
            reason="waiting_for_required_input",
            required_input=[],
        )

    def steer_failed(self, refusal: Refusal, *, given: object) -> Sent:
        """Refuse a steer and return its input."""
        steer = {"previous_response_id": self.response.id, "input": given}
        return self._event(
            events.STEER_FAILED, steer=steer, error=error_object(refusal)
        )

    def steer_unknown(self) -> Sent:
        """Answer a steer as an unknown event: by an error that names nothing."""
        error = {"type": "error", "code": "invalid_event", "message": "Unknown event."}
        return Sent(events.ERROR, msgspec.json.encode(error))

    # Encoding.

    def _steer(self, steer_id: str) -> dict[str, str]:
        return {"id": steer_id, "previous_response_id": self.response.id}

    def _open(self, kind: type[Part]) -> list[Sent]:
        item_kind = ReasoningItem if kind is ReasoningText else MessageItem
        sent = self._close_part()
        if not isinstance(item := self._open_item, item_kind):
            sent += self.close_item()
            item = item_kind(id=self._new_id("rs" if kind is ReasoningText else "msg"))
            index = len(self.response.output)
            sent.append(
                self._event("response.output_item.added", output_index=index, item=item)
            )
            self.response.output.append(item)
        self._part = part = _empty(kind)
        self._place = {
            "item_id": item.id,
            "output_index": len(self.response.output) - 1,
            "content_index": len(item.content),
        }
        sent.append(
            self._event("response.content_part.added", **self._place, part=part)
        )
        item.content.append(part)
        self._write_frame(kind)
        return sent

    def _write_frame(self, kind: type[Part]) -> None:
        self._kind = _DELTA_KINDS[kind]
        self._head = b'{"type":%b,"sequence_number":' % _encode(self._kind)
        fields = (
            _encode(self._stream | self._place).removeprefix(b"{").removesuffix(b"}")
        )
        self._middle = b',%b,"delta":' % fields
        logprobs = b',"logprobs":[]' if kind is OutputText else b""
        self._tail = logprobs + b"}"
        if self._padding is not None:
            self._padding.begin(logprobs)

    def _close_part(self) -> list[Sent]:
        part = self._part
        if part is None:
            return []
        text = "".join(self._chunks)
        self._chunks.clear()
        self._part = None
        kind, name = _DONE_KINDS[type(part)]
        if isinstance(part, OutputRefusal):
            part.refusal = text
        else:
            part.text = text
        extra: dict[str, object] = (
            {"logprobs": []} if isinstance(part, OutputText) else {}
        )
        return [
            self._event(kind, **self._place, **{name: text}, **extra),
            self._event("response.content_part.done", **self._place, part=part),
        ]

    @property
    def _open_item(self) -> Item | None:
        output = self.response.output
        return output[-1] if output and output[-1].status == "in_progress" else None

    def _event(self, kind: str, **fields: object) -> Sent:
        head = {"type": kind, "sequence_number": self._sequence_number}
        self._sequence_number += 1
        return Sent(kind, _encode(head | self._stream | fields))


def _empty(kind: type[Part]) -> Part:
    if kind is OutputRefusal:
        return OutputRefusal(refusal="")
    return OutputText(text="") if kind is OutputText else ReasoningText(text="")
