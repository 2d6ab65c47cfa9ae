"""The Messages API: what is written for a request, and what an answer means."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.models.answer_bodies import Json, read_body, read_cut, typed_sse

from redline.models.formats.anthropic_format import (
    API_VERSION,
    AnthropicFormat,
    AnthropicReader,
)
from redline.models.formats.wire_format import AnswerBegun, AnswerEnd, OfferedModel
from redline.models.interface import Delta, FinishReason, GenerationRequest, Usage
from redline.prompts.answer_schema import verdict_schema
from redline.prompts.message import ChatMessage, Prompt, PromptImage
from redline.settings.tree import ModelSettings
from redline.wire.failure import Failure

URL = "https://api.anthropic.com/v1/messages"
IMAGE = PromptImage(media_type="image/png", data=b"\x89PNG")

REQUEST = GenerationRequest(
    prompt=Prompt(
        instructions="Be brief.", chat_messages=(ChatMessage(role="user", text="hi"),)
    )
)


def settings(**given: Any) -> ModelSettings:
    """Return the settings of one model."""
    fields = {"name": "claude-opus-5-5", "url": URL, "api": "anthropic"}
    return ModelSettings(**{**fields, **given})


def written(
    request: GenerationRequest = REQUEST, *, leaving_out: Any = (), **given: Any
) -> Any:
    """Return the body of a request."""
    wire = AnthropicFormat(settings(**given))
    body = wire.write(request, leaving_out=frozenset(leaving_out)).body
    assert body is not None
    return msgspec.json.decode(body)


# Requests.


def test_a_request_has_what_the_api_demands() -> None:
    """No sampling parameter: version 2026-10-21 refuses each."""
    request = AnthropicFormat(settings()).write(REQUEST)
    assert (request.url, request.method) == (URL, "POST")
    assert request.headers == {"anthropic-version": API_VERSION}
    assert written() == {
        "model": "claude-opus-5-5",
        "max_tokens": 16_000,
        "system": [
            {
                "type": "text",
                "text": "Be brief.",
                "cache_control": {"type": "ephemeral"},
            }
        ],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        "stream": True,
    }


def test_a_conversation_that_goes_on_is_cached_to_its_end() -> None:
    """The next turn reads it; a server that refuses marks is sent none."""
    turns = (
        ChatMessage(role="user", text="a"),
        ChatMessage(role="assistant", text="b"),
        ChatMessage(role="user", text="c"),
    )
    prompt = Prompt(instructions="", chat_messages=turns)
    request = replace(REQUEST, prompt=prompt)
    body = written(request)
    assert "system" not in body
    marks = [each["content"][-1].get("cache_control") for each in body["messages"]]
    assert marks == [None, None, {"type": "ephemeral"}]
    assert "cache_control" not in str(written(request, leaving_out=["cache"]))


def test_images_come_before_the_text() -> None:
    """As Anthropic advises, and in base64."""
    chat_message = ChatMessage(role="user", text="like this", images=(IMAGE,))
    prompt = Prompt(instructions="", chat_messages=(chat_message,))
    image, text = written(replace(REQUEST, prompt=prompt))["messages"][0]["content"]
    assert image == {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="},
    }
    assert text == {"type": "text", "text": "like this"}


ADAPTIVE = {"type": "adaptive", "display": "summarized"}


@pytest.mark.parametrize(
    ("name", "effort", "thinking", "level"),
    [
        ("claude-opus-5-5", None, None, None),
        ("claude-opus-5-5", "high", ADAPTIVE, "high"),
        ("claude-opus-5-5", "none", ADAPTIVE, "low"),
        ("claude-opus-5-5", "minimal", ADAPTIVE, "low"),
        ("claude-opus-5-5", "max", ADAPTIVE, "max"),
        ("claude-fable-5-2", "none", ADAPTIVE, "low"),
        ("claude-opus-5", "none", {"type": "disabled"}, None),
        ("claude-sonnet-5-5", "none", {"type": "between_tools"}, None),
        ("claude-haiku-5-5", "none", {"type": "disabled"}, None),
        ("claude-haiku-5-5", "xhigh", ADAPTIVE, "xhigh"),
        ("claude-opus-4-5", "none", {"type": "disabled"}, None),
        ("claude-opus-4-5", "max", {"type": "enabled", "budget_tokens": 8_000}, None),
        ("MiniMax-M3", "low", {"type": "enabled", "budget_tokens": 1_024}, None),
        ("MiniMax-M3", "none", {"type": "disabled"}, None),
    ],
)
def test_each_model_is_sent_only_switches_that_it_takes(
    name: str, effort: str | None, thinking: Json | None, level: str | None
) -> None:
    """A switch that a model does not take is a 400."""
    body = written(name=name, effort=effort)
    assert body.get("thinking") == thinking
    assert body.get("output_config", {}).get("effort") == level
    bare = written(name=name, effort=effort, leaving_out=["effort"])
    assert not {"thinking", "output_config"} & set(bare)


def test_a_budget_stays_below_the_limit() -> None:
    """A budget of less than 1,024 is refused, so thinking is off."""
    body = written(name="claude-opus-4-5", effort="high", max_output_tokens=1_500)
    assert body["thinking"] == {"type": "disabled"}


def test_a_short_answer_leaves_room_to_think() -> None:
    """Thinking counts as output; the model's own limit stays the highest."""
    short = replace(REQUEST, max_output_tokens=100)
    assert written(short, effort="low")["max_tokens"] == 2_148
    assert written(short, name="claude-haiku-5-5", effort="none")["max_tokens"] == 100
    assert written(short, effort="max")["max_tokens"] == 16_000


def test_a_structured_answer_is_asked_for_without_a_name() -> None:
    """And left out for a server that refuses it."""
    request = replace(REQUEST, text_format=verdict_schema())
    assert written(request)["output_config"] == {
        "format": {"type": "json_schema", "schema": verdict_schema().schema}
    }
    assert "output_config" not in written(request, leaving_out=["format"])


@pytest.mark.parametrize(
    ("status", "message", "field"),
    [
        (400, "output_config.format: Extra inputs are not permitted", "format"),
        (400, '"thinking.type.disabled" is not supported for this model', "effort"),
        (400, "system.0.cache_control: Extra inputs are not permitted", "cache"),
        (400, "prompt is too long: 208310 tokens > 200000 maximum", None),
        (529, "Overloaded while thinking", None),
    ],
)
def test_a_refused_field_is_recognised(
    status: int, message: str, field: str | None
) -> None:
    """Only a bad request can be repeated with less."""
    failure = Failure(message=message, status=status)
    assert AnthropicFormat(settings()).refused_field(failure) == field


def test_models_are_listed_beside_the_endpoint() -> None:
    """Retired ones are left out; what a server does not say is unknown."""
    wire = AnthropicFormat(settings())
    assert wire.list_models().url == "https://api.anthropic.com/v1/models?limit=1000"
    assert wire.warm_up().url == "https://api.anthropic.com/v1/models/claude-opus-5-5"
    body = msgspec.json.encode(
        {
            "data": [
                {
                    "id": "claude-opus-5-5",
                    "lifecycle": "active",
                    "max_input_tokens": 1_000_000,
                    "max_tokens": 128_000,
                    "capabilities": {"image_input": {"supported": True}},
                },
                {"id": "claude-2", "lifecycle": "retired"},
                {"id": "other"},
            ]
        }
    )
    assert wire.read_models(body) == (
        OfferedModel(
            name="claude-opus-5-5",
            context_tokens=1_000_000,
            max_output_tokens=128_000,
            sees=True,
        ),
        OfferedModel(name="other"),
    )
    assert wire.read_models(b"<html>") == ()


# Answers.


def start(**usage: int) -> Json:
    """Write the event that begins a message."""
    return {
        "type": "message_start",
        "message": {"id": "msg_1", "type": "message", "usage": usage},
    }


def delta(**given: str) -> Json:
    """Write a delta of a content block."""
    return {"type": "content_block_delta", "index": 0, "delta": given}


def stop(reason: str | None, details: Json | None = None, **usage: Any) -> Json:
    """Write the event with the reason."""
    given = {"stop_reason": reason, "stop_details": details}
    return {"type": "message_delta", "delta": given, "usage": usage}


STOP: Json = {"type": "message_stop"}
TEXT = delta(type="text_delta", text="def ")


def test_an_answer_with_thinking_is_read_whole() -> None:
    """Pings, signatures and unknown events are ignored; input counts include the cache,
    and the last output count wins."""
    body = typed_sse(
        start(
            input_tokens=12,
            cache_read_input_tokens=800,
            cache_creation_input_tokens=5,
            output_tokens=1,
        ),
        {"type": "ping"},
        {"type": "content_block_start", "content_block": {"type": "thinking"}},
        delta(type="thinking_delta", thinking="First .."),
        delta(type="signature_delta", signature="Eo.."),
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "content_block": {"type": "redacted_thinking"}},
        {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
        TEXT,
        delta(type="text_delta", text="f() ✓"),
        {"type": "a_new_event", "delta": None},
        stop(
            "end_turn", output_tokens=41, output_tokens_details={"thinking_tokens": 20}
        ),
        STOP,
    )
    assert read_body(AnthropicReader, body) == [
        AnswerBegun(response_id="msg_1"),
        Delta("First ..", "reasoning"),
        Delta("def f() ✓"),
        AnswerEnd(
            reason="completed",
            response_id="msg_1",
            usage=Usage(
                input_n_tokens=817,
                cached_n_tokens=800,
                output_n_tokens=41,
                reasoning_n_tokens=20,
            ),
        ),
    ]


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "completed"),
        ("stop_sequence", "completed"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "length"),
        ("tool_use", "length"),
        ("refusal", "filtered"),
        ("a_new_reason", "length"),
        (None, "length"),
    ],
)
def test_only_a_known_end_is_a_whole_answer(
    reason: str | None, finish: FinishReason
) -> None:
    """A pause, and what is not known, is a cut answer."""
    *_, end = read_body(AnthropicReader, typed_sse(start(), TEXT, stop(reason), STOP))
    assert isinstance(end, AnswerEnd)
    assert end.reason == finish


@pytest.mark.parametrize(
    ("details", "said"),
    [
        ({"category": "cyber", "explanation": "No exploits."}, "No exploits."),
        (
            {"category": "cyber", "explanation": None},
            "The provider's filter takes this for an attack on computers.",
        ),
        ({"category": None, "explanation": None}, None),
        (None, None),
    ],
)
def test_a_refusal_says_why(details: Json | None, said: str | None) -> None:
    """In the provider's words, else by its category."""
    items = read_body(
        AnthropicReader, typed_sse(start(), stop("refusal", details), STOP)
    )
    refusals = [item for item in items if isinstance(item, Delta)]
    assert refusals == ([Delta(said, "refusal")] if said else [])


def test_an_error_in_the_stream_ends_the_answer() -> None:
    """Also after text, and whatever follows."""
    error = {"type": "overloaded_error", "message": "Overloaded"}
    body = typed_sse(start(), TEXT, {"type": "error", "error": error}, STOP)
    assert read_body(AnthropicReader, body)[2:] == [
        AnswerEnd(
            reason="failed",
            response_id="msg_1",
            failure=Failure(message="Overloaded", code="overloaded_error"),
        )
    ]


def test_an_answer_that_stops_coming_has_no_end() -> None:
    """At every event before the last."""
    events = [start(), TEXT, stop("end_turn", output_tokens=1), STOP]
    for n_events in range(len(events)):
        items = read_cut(AnthropicReader, typed_sse(*events[:n_events]))
        assert not any(isinstance(item, AnswerEnd) for item in items)


def test_a_reason_without_the_last_event_is_an_end() -> None:
    """If the body ends regularly."""
    *_, end = read_body(AnthropicReader, typed_sse(start(), TEXT, stop("end_turn")))
    assert isinstance(end, AnswerEnd)
    assert end.reason == "completed"


def test_a_page_instead_of_a_stream_is_a_failure() -> None:
    """A proxy's login page, with status 200."""
    (end,) = read_body(AnthropicReader, b"<html><body>Log in</body></html>\n")
    assert isinstance(end, AnswerEnd)
    assert end.reason == "failed"
