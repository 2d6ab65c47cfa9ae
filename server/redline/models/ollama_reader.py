"""Reads a streamed answer of Ollama's own API: a JSON object on each line."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Raw, Struct

from redline.errors import RemoteProtocolError
from redline.models.event_stream import read_stray
from redline.models.interface import Delta, FinishReason, Usage
from redline.models.json_lines import JsonLines
from redline.models.token_counts import read_counts
from redline.models.wire_format import AnswerEnd, AnswerItem
from redline.wire.events import NO_RAW
from redline.wire.failure import UNREADABLE, Failure, read_error

_REASONS: Mapping[str, FinishReason] = {"stop": "completed", "length": "length"}


class OllamaReader:
    """Reads the lines of `/api/chat` and `/api/generate`."""

    def __init__(self) -> None:
        self._lines = JsonLines()
        self._has_ended = False

    def feed(self, chunk: bytes) -> list[AnswerItem]:
        """Take bytes; see `AnswerReader.feed`."""
        return self._take(self._lines.feed(chunk))

    def finish(self) -> list[AnswerItem]:
        """Take the end of the body, whose last line may have no line end."""
        return self._take(self._lines.finish())

    def _take(self, lines: list[bytes]) -> list[AnswerItem]:
        items: list[AnswerItem] = []
        for line in lines:
            if not self._has_ended:
                self._take_line(line, items)
        return items

    def _take_line(self, line: bytes, items: list[AnswerItem]) -> None:
        if line.startswith(b"<") and (page := read_stray(line)) is not None:
            items.append(self._failed(page))
            return
        try:
            event = _line.decode(line)
        except UNREADABLE as exc:
            raise RemoteProtocolError("The server sent an unreadable line.") from exc
        if event.error != NO_RAW:
            items.append(self._failed(read_error(line)))
            return
        message = event.message
        if message is not None and message.thinking:
            items.append(Delta(message.thinking, "reasoning"))
        if event.thinking:
            items.append(Delta(event.thinking, "reasoning"))
        text = message.content if message is not None else event.response
        if text:
            items.append(Delta(text))
        if event.done:
            self._has_ended = True
            items.append(
                AnswerEnd(
                    reason=_REASONS.get(event.done_reason or "", "length"),
                    usage=_usage(read_counts(line)),
                )
            )

    def _failed(self, failure: Failure) -> AnswerEnd:
        self._has_ended = True
        return AnswerEnd(reason="failed", failure=failure)


class _Message(Struct):
    content: str | None = None
    thinking: str | None = None


class _Line(Struct):
    message: _Message | None = None
    response: str | None = None
    thinking: str | None = None
    done: bool = False
    done_reason: str | None = None
    error: Raw = NO_RAW


_line = msgspec.json.Decoder(_Line)


def _usage(counts: Mapping[str, int]) -> Usage | None:
    if "eval_count" not in counts:
        return None
    return Usage(
        input_n_tokens=counts.get("prompt_eval_count", 0),
        output_n_tokens=counts["eval_count"],
    )
