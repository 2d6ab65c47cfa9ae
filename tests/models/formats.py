"""Answers of every wire format over HTTP, for one table of tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from redline.settings.tree import Api

Event = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Format:
    """One wire format: where it is asked, and the events of its answers."""

    api: Api
    path: str
    """The path of the url in the settings."""
    answer: tuple[bytes, ...]
    """`Hel`, `lo` and the end; each a whole event."""
    n_before_end: int
    """How many of them do not say how it ended."""
    error: bytes
    """An event that fails with `Out of luck.`"""
    garbage: bytes
    """An event that is not of this format."""
    empty: tuple[bytes, ...]
    length: tuple[bytes, ...]
    """`Hel`, and the end of an answer at its token limit."""
    refusal: tuple[bytes, ...] | None = None
    """None: the format has none."""
    thinking: tuple[bytes, ...] | None = None
    """Only thinking: `Hm`. None: the format has none."""
    key_header: tuple[str, str] = ("authorization", "Bearer secret-key-1234")


def sse(event: Event | str) -> bytes:
    """Write one server-sent event."""
    data = event if isinstance(event, str) else json.dumps(event)
    return f"data: {data}\n\n".encode()


def named_sse(event: Event) -> bytes:
    """Write one server-sent event whose type is also its name."""
    return f"event: {event['type']}\n".encode() + sse(event)


def line(event: Event) -> bytes:
    """Write one line of JSON."""
    return json.dumps(event).encode() + b"\n"


def _responses() -> Format:
    def delta(text: str, kind: str = "output_text") -> bytes:
        return sse({"type": f"response.{kind}.delta", "delta": text})

    def end(status: str, **more: Any) -> bytes:
        response = {"id": "r1", "status": status, **more}
        return sse({"type": f"response.{status}", "response": response})

    begin = sse({"type": "response.created", "response": {"id": "r1"}})
    completed = end("completed")
    return Format(
        api="responses-http",
        path="/v1/responses",
        answer=(begin, delta("Hel"), delta("lo"), completed),
        n_before_end=3,
        error=sse({"type": "error", "error": {"message": "Out of luck."}}),
        garbage=sse("{"),
        empty=(begin, completed),
        length=(
            begin,
            delta("Hel"),
            # As vLLM 0.32 sends it.
            sse(
                {
                    "type": "response.completed",
                    "response": {
                        "id": "r1",
                        "status": "incomplete",
                        "incomplete_details": {"reason": "max_output_tokens"},
                    },
                }
            ),
        ),
        refusal=(begin, delta("No.", "refusal"), completed),
        thinking=(begin, delta("Hm", "reasoning_text"), completed),
    )


def _chat() -> Format:
    def delta(finish: str | None = None, **fields: Any) -> bytes:
        choice = {"index": 0, "delta": fields, "finish_reason": finish}
        chunk = {"object": "chat.completion.chunk", "created": 1, "model": "m"}
        return sse({"id": "c1", **chunk, "choices": [choice]})

    stop, done = delta("stop"), sse("[DONE]")
    return Format(
        api="chat-completions",
        path="/v1/chat/completions",
        answer=(delta(content="Hel"), delta(content="lo"), stop, done),
        n_before_end=2,
        error=sse({"error": {"message": "Out of luck.", "code": 500}}),
        garbage=sse("{"),
        empty=(stop, done),
        length=(delta(content="Hel"), delta("length"), done),
        refusal=(delta(refusal="No."), stop, done),
        thinking=(delta(reasoning_content="Hm"), stop, done),
    )


def _anthropic() -> Format:
    def delta(kind: str, **fields: Any) -> bytes:
        return named_sse(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": kind, **fields},
            }
        )

    def block(kind: str) -> bytes:
        return named_sse(
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": kind, kind: ""},
            }
        )

    def end(reason: str) -> tuple[bytes, bytes]:
        stopped = {"type": "message_delta", "delta": {"stop_reason": reason}}
        return (
            named_sse({**stopped, "usage": {"output_tokens": 3}}),
            named_sse({"type": "message_stop"}),
        )

    message: Event = {
        "id": "r1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 2, "output_tokens": 1},
    }
    begin = named_sse({"type": "message_start", "message": message})
    text = (delta("text_delta", text="Hel"), delta("text_delta", text="lo"))
    return Format(
        api="anthropic",
        path="/v1/messages",
        answer=(begin, block("text"), *text, *end("end_turn")),
        n_before_end=4,
        error=sse({"type": "error", "error": {"message": "Out of luck."}}),
        garbage=sse("{"),
        empty=(begin, *end("end_turn")),
        length=(begin, block("text"), text[0], *end("max_tokens")),
        refusal=(begin, *end("refusal")),
        thinking=(
            begin,
            block("thinking"),
            delta("thinking_delta", thinking="Hm"),
            *end("end_turn"),
        ),
    )


def _gemini() -> Format:
    def part(text: str, **more: Any) -> bytes:
        content = {"role": "model", "parts": [{"text": text, **more}]}
        return sse({"candidates": [{"content": content}]})

    def end(reason: str) -> bytes:
        return sse({"candidates": [{"finishReason": reason}]})

    return Format(
        api="gemini",
        path="/v1beta",
        answer=(part("Hel"), part("lo"), end("STOP")),
        n_before_end=2,
        error=sse({"error": {"message": "Out of luck.", "code": 500}}),
        garbage=sse("{"),
        empty=(end("STOP"),),
        length=(part("Hel"), end("MAX_TOKENS")),
        refusal=(end("SAFETY"),),
        thinking=(part("Hm", thought=True), end("STOP")),
        key_header=("x-goog-api-key", "secret-key-1234"),
    )


def _ollama() -> Format:
    def part(**message: str) -> bytes:
        return line({"message": {"role": "assistant", **message}, "done": False})

    def end(reason: str) -> bytes:
        return line({"message": {}, "done": True, "done_reason": reason})

    return Format(
        api="ollama",
        path="",
        answer=(part(content="Hel"), part(content="lo"), end("stop")),
        n_before_end=2,
        error=line({"error": "Out of luck."}),
        garbage=b"{\n",
        empty=(end("stop"),),
        length=(part(content="Hel"), end("length")),
        thinking=(part(thinking="Hm"), end("stop")),
    )


def _infill() -> Format:
    def part(text: str) -> bytes:
        return sse({"content": text, "stop": False})

    def end(kind: str) -> bytes:
        return sse({"content": "", "stop": True, "stop_type": kind})

    return Format(
        api="fim",
        path="/infill",
        answer=(part("Hel"), part("lo"), end("eos")),
        n_before_end=2,
        error=sse({"error": {"message": "Out of luck.", "code": 500}}),
        garbage=sse("{"),
        empty=(end("eos"),),
        length=(part("Hel"), end("limit")),
    )


def _completions() -> Format:
    def part(text: str, reason: str | None = None) -> bytes:
        choice = {"index": 0, "text": text, "finish_reason": reason}
        return sse({"choices": [choice]})

    done = sse("[DONE]")
    return Format(
        api="fim",
        path="/v1/completions",
        answer=(part("Hel"), part("lo"), part("", "stop"), done),
        n_before_end=2,
        error=sse({"error": {"message": "Out of luck.", "code": 500}}),
        garbage=sse("{"),
        empty=(part("", "stop"), done),
        length=(part("Hel"), part("", "length"), done),
        refusal=(part("", "content_filter"), done),
    )


FORMATS: dict[str, Format] = {
    each.api: each
    for each in (_responses(), _chat(), _anthropic(), _gemini(), _ollama())
}

FORMATS_AND_FIM = {**FORMATS, "infill": _infill(), "completions": _completions()}
"""Those that carry out instructions, and those that fill in the middle."""
