"""Assembles the text of an answer and corrects it by the provider's final text.

Providers stream deltas and then repeat the text of the part, the item and the response.
The later text is authoritative (openai-python 3.52, lib/responses_websocket/README.md),
and over a socket any earlier event may be missing. This module compares them, without
I/O, so that a reader of the deltas ends with the provider's final text.
"""

from __future__ import annotations

from redline.models.interface import Delta, DeltaKind, FinishReason, Restart, Usage
from redline.wire import events
from redline.wire.events import ContentPart, OutputItem, ResponseObject, ServerEvent

DELTA_KINDS: dict[str, DeltaKind] = {
    events.TEXT_DELTA: "text",
    events.REFUSAL_DELTA: "refusal",
    events.REASONING_DELTA: "reasoning",
    events.REASONING_SUMMARY_DELTA: "reasoning",
}
"""The events that carry a delta."""

CORRECTIONS = frozenset(
    {events.TEXT_DONE, events.REFUSAL_DONE, events.ITEM_DONE, *events.TERMINAL}
)
"""The events that repeat text; see `AnswerText.correct`."""

_Key = tuple[int, int]  # Index of the item in the output, and of the part in the item.

_BEFORE: _Key = (-1, 0)
"""The key of text that came before this reader started."""


class AnswerText:
    """The text of one response, as the reader has received it."""

    def __init__(self, text: str = "", *, has_gap: bool = False) -> None:
        """Begin.

        Args:
            text: Text that the reader already has, from any part of the output.
            has_gap: Whether earlier text is missing from `text`.
        """
        self._has_gap = has_gap
        self._parts: dict[_Key, list[str]] = {_BEFORE: [text]} if text else {}
        self._refusal = ""
        self._commentary: set[int] = set()
        """Items in which the model talks about its work instead of answering."""
        self._is_indexed = not text
        """Whether the server names the part of each delta."""

    @property
    def text(self) -> str:
        """All answer text, parts in the order of the output."""
        return "".join("".join(self._parts[key]) for key in sorted(self._parts))

    @property
    def is_refusal(self) -> bool:
        return bool(self._refusal)

    def begin_item(self, event: ServerEvent) -> None:
        """Record whether an item is commentary, from `output_item.added`."""
        item = events.read_item(event)
        if item.phase == "commentary" and event.output_index is not None:
            self._commentary.add(event.output_index)

    def add(self, event: ServerEvent, kind: DeltaKind, text: str) -> DeltaKind:
        """Add a delta; return its kind for the reader."""
        if kind == "text":
            if event.output_index in self._commentary:
                return "reasoning"
            key = self._key(event)
            if key in self._parts:
                self._parts[key].append(text)
            else:
                self._parts[key] = [text]
        elif kind == "refusal":
            self._refusal += text
        return kind

    def correct(self, event: ServerEvent) -> list[Delta | Restart]:
        """Compare with an event that repeats text; return what the reader lacks."""
        if self._has_gap and event.type not in events.TERMINAL:
            return []
        if event.type == events.TEXT_DONE:
            return self._correct_part(event.output_index, event.content_index, event)
        if event.type == events.REFUSAL_DONE:
            return self._correct_refusal(event.refusal or "")
        if event.type == events.ITEM_DONE:
            return self._correct_item(event.output_index, events.read_item(event))
        return self._correct_all(events.read_response(event).output or [])

    def _key(self, event: ServerEvent) -> _Key:
        if event.output_index is None:
            self._is_indexed = False
        return (event.output_index or 0, event.content_index or 0)

    def _correct_part(
        self, output_index: int | None, content_index: int | None, event: ServerEvent
    ) -> list[Delta | Restart]:
        if output_index in self._commentary or event.text is None:
            return []
        if output_index is None or not self._is_indexed:
            return self._extend_all(event.text)
        return self._set_part((output_index, content_index or 0), event.text)

    def _correct_item(
        self, output_index: int | None, item: OutputItem
    ) -> list[Delta | Restart]:
        found: list[Delta | Restart] = []
        is_commentary = output_index in self._commentary or item.phase == "commentary"
        if is_commentary or item.type != "message":
            return found
        for content_index, part in enumerate(item.content or ()):
            found += self._correct_refusal(_refusal(part))
            if (text := _text(part)) is None:
                continue
            if output_index is None or not self._is_indexed:
                found += self._extend_all(text)
            else:
                found += self._set_part((output_index, content_index), text)
        return found

    def _correct_all(self, output: list[OutputItem]) -> list[Delta | Restart]:
        parts = [
            part
            for item in output
            if item.type == "message" and item.phase != "commentary"
            for part in item.content or ()
        ]
        found = self._correct_refusal("".join(map(_refusal, parts)))
        final = "".join(_text(part) or "" for part in parts)
        have = self.text
        # Some servers omit the output from the last event although it is not empty.
        if final and final != have:
            if final.startswith(have) and not self._has_gap:
                found.append(Delta(final[len(have) :]))
            else:
                found.append(Restart(final))
            self._parts = {(0, 0): [final]}
        return found

    def _extend_all(self, text: str) -> list[Delta | Restart]:
        """Take a part of unknown position; use it only if it extends the whole text."""
        have = self.text
        if not text.startswith(have) or len(text) == len(have):
            return []
        self._parts = {(0, 0): [text]}
        return [Delta(text[len(have) :])]

    def _set_part(self, key: _Key, text: str) -> list[Delta | Restart]:
        have = "".join(self._parts.get(key, ()))
        if text == have:
            return []
        self._parts[key] = [text]
        if text.startswith(have) and key == max(self._parts):
            return [Delta(text[len(have) :])]
        return [Restart(self.text)]

    def _correct_refusal(self, final: str) -> list[Delta | Restart]:
        have = self._refusal
        if not final.startswith(have) or len(final) == len(have):
            return []
        self._refusal = final
        return [Delta(final[len(have) :], "refusal")]


def finish_reason(
    response: ResponseObject, event_type: str, answer: AnswerText
) -> FinishReason:
    """Return why a response ended that did not fail.

    The status decides: some servers send `response.completed` around a response whose
    status is `incomplete`.
    """
    details = response.incomplete_details
    if answer.is_refusal or (details and details.reason == "content_filter"):
        return "filtered"
    is_complete = (
        event_type == events.COMPLETED
        and response.status in (None, "completed")
        and not (details and details.reason)
    )
    return "completed" if is_complete else "length"


def read_usage(response: ResponseObject) -> Usage | None:
    """Return the token counts of a response; None if it has none."""
    usage = events.read_usage(response)
    if usage is None:
        return None
    cached, reasoning = usage.input_tokens_details, usage.output_tokens_details
    return Usage(
        input_n_tokens=usage.input_tokens,
        cached_n_tokens=(cached.cached_tokens or 0) if cached else 0,
        output_n_tokens=usage.output_tokens,
        reasoning_n_tokens=(reasoning.reasoning_tokens or 0) if reasoning else 0,
    )


def _text(part: ContentPart) -> str | None:
    return part.text if part.type == "output_text" else None


def _refusal(part: ContentPart) -> str:
    return (part.refusal or "") if part.type == "refusal" else ""
