"""The `generateContent` API: what is written, and what an answer means."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.models.answer_bodies import Json, read_body, read_cut, sse
from tests.models.plain_server import Act, serving
from tests.models.reader import Reading, ask

from redline.errors import (
    ModelCutError,
    ModelError,
    ModelRejectedError,
    RateLimitedError,
)
from redline.models.build import build_model
from redline.models.formats.gemini_format import GeminiFormat, GeminiReader
from redline.models.formats.wire_format import AnswerBegun, AnswerEnd, OfferedModel
from redline.models.interface import Delta, FinishReason, GenerationRequest, Usage
from redline.prompts.answer_schema import verdict_schema
from redline.prompts.message import ChatMessage, Prompt, PromptImage
from redline.settings.tree import LimitSettings, ModelSettings
from redline.wire.failure import Failure

BASE = "https://generativelanguage.googleapis.com/v1beta"
IMAGE = PromptImage(media_type="image/webp", data=b"RIFF")

REQUEST = GenerationRequest(
    prompt=Prompt(
        instructions="Be brief.",
        chat_messages=(
            ChatMessage(role="user", text="a"),
            ChatMessage(role="assistant", text="b"),
            ChatMessage(role="user", text="c", images=(IMAGE,)),
        ),
    )
)


def wire(**given: Any) -> GeminiFormat:
    """Return the format of one model."""
    fields = {"name": "gemini-4-argon", "url": BASE + "/", "api": "gemini"}
    return GeminiFormat(ModelSettings(**{**fields, **given}))


def written(
    request: GenerationRequest = REQUEST, *, leaving_out: Any = (), **given: Any
) -> Any:
    """Return the body of a request."""
    body = wire(**given).write(request, leaving_out=frozenset(leaving_out)).body
    assert body is not None
    return msgspec.json.decode(body)


def test_a_request_has_roles_parts_and_instructions_of_its_own() -> None:
    """Images come before the text of their message."""
    assert wire().write(REQUEST).url == (
        f"{BASE}/models/gemini-4-argon:streamGenerateContent?alt=sse"
    )
    assert written() == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "a"}]},
            {"role": "model", "parts": [{"text": "b"}]},
            {
                "role": "user",
                "parts": [
                    {"inlineData": {"mimeType": "image/webp", "data": "UklGRg=="}},
                    {"text": "c"},
                ],
            },
        ],
        "generationConfig": {"maxOutputTokens": 16_000},
    }


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("tunedModels/mine", "tunedModels/mine"),
        ("models/gemini-4-argon", "models/gemini-4-argon"),
        ("a?b#c", "models/a%3Fb%23c"),
    ],
)
def test_a_name_cannot_change_the_path(name: str, path: str) -> None:
    """A tuned model names its own collection."""
    assert wire(name=name).warm_up().url == f"{BASE}/{path}"


@pytest.mark.parametrize(
    ("name", "effort", "config"),
    [
        ("gemini-4-argon", None, None),
        (
            "gemini-4-argon",
            "none",
            {"thinkingLevel": "LOW", "includeThoughts": False},
        ),
        (
            "gemini-4-argon",
            "medium",
            {"thinkingLevel": "MEDIUM", "includeThoughts": True},
        ),
        ("gemini-4-argon", "max", {"thinkingLevel": "HIGH", "includeThoughts": True}),
        ("gemini-2.5-flash", "none", {"thinkingBudget": 0}),
        ("gemini-2.5-pro", "none", {"thinkingBudget": 128}),
        (
            "gemini-2.5-pro",
            "high",
            {"thinkingBudget": 24_576, "includeThoughts": True},
        ),
        ("gemma-4-31b", "high", None),
    ],
)
def test_each_model_is_sent_a_level_that_it_takes(
    name: str, effort: str | None, config: Json | None
) -> None:
    """MINIMAL is a 400; a budget and a level together are one too."""
    body = written(name=name, effort=effort)
    assert body["generationConfig"].get("thinkingConfig") == config
    bare = written(name=name, effort=effort, leaving_out=["effort"])
    assert "thinkingConfig" not in bare["generationConfig"]


def test_a_structured_answer_is_asked_for() -> None:
    """And left out for a model that refuses it."""
    request = replace(REQUEST, text_format=verdict_schema(), max_output_tokens=50)
    config = written(request, effort="low")["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"] == verdict_schema().schema
    assert config["maxOutputTokens"] == 4_146, "thinking counts as output"
    bare = written(request, leaving_out=["format"])["generationConfig"]
    assert set(bare) == {"maxOutputTokens"}


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ("Thinking level MINIMAL is not supported for this model.", "effort"),
        ('Unknown name "responseJsonSchema" at generation_config', "format"),
        ("JSON mode is not enabled for models/gemma-4-31b", "format"),
        ("The input token count exceeds the maximum", None),
    ],
)
def test_a_refused_field_is_recognised(message: str, field: str | None) -> None:
    """So that the request is repeated without it."""
    assert wire().refused_field(Failure(message=message, status=400)) == field


def test_models_that_write_are_listed() -> None:
    """With their limits."""
    body = msgspec.json.encode(
        {
            "models": [
                {
                    "name": "models/gemini-4-argon",
                    "inputTokenLimit": 1_048_576,
                    "outputTokenLimit": 65_536,
                    "supportedGenerationMethods": ["generateContent"],
                },
                {
                    "name": "models/embedding-1",
                    "supportedGenerationMethods": ["embedContent"],
                },
            ]
        }
    )
    assert wire().read_models(body) == (
        OfferedModel(
            name="gemini-4-argon", context_tokens=1_048_576, max_output_tokens=65_536
        ),
    )


# Answers.


def chunk(
    *parts: Json,
    reason: str | None = None,
    said: str | None = None,
    token: str | None = None,
    **more: Any,
) -> Json:
    """Write one event."""
    candidate = {"index": 0, "content": {"role": "model", "parts": list(parts)}}
    if reason is not None:
        candidate |= {"finishReason": reason, "finishMessage": said}
        candidate |= {"continuationToken": token}
    return {"candidates": [candidate], "responseId": "r1", **more}


USAGE = {
    "promptTokenCount": 812,
    "cachedContentTokenCount": 768,
    "candidatesTokenCount": 41,
    "thoughtsTokenCount": 120,
    "totalTokenCount": 973,
}


def test_an_answer_with_thoughts_is_read_whole() -> None:
    """An event may have several parts; signatures are ignored."""
    body = sse(
        chunk({"text": "First ..", "thought": True}),
        chunk({"text": "def "}, {"text": "f() "}),
        {"responseId": "r1", "usageMetadata": {"promptTokenCount": 812}},
        chunk(
            {"text": "✓", "thoughtSignature": "Cg.."},
            reason="STOP",
            usageMetadata=USAGE,
        ),
    )
    assert read_body(GeminiReader, body) == [
        AnswerBegun(response_id="r1"),
        Delta("First ..", "reasoning"),
        Delta("def f() ✓"),
        AnswerEnd(
            reason="completed",
            response_id="r1",
            usage=Usage(
                input_n_tokens=812,
                cached_n_tokens=768,
                output_n_tokens=161,
                reasoning_n_tokens=120,
            ),
        ),
    ]


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("STOP", "completed"),
        ("MAX_TOKENS", "length"),
        ("CONTINUATION", "length"),
        ("SAFETY", "filtered"),
        ("RECITATION", "filtered"),
        ("SPII", "filtered"),
        ("MODEL_ARMOR", "filtered"),
        ("OTHER", "failed"),
        ("MALFORMED_RESPONSE", "failed"),
        ("A_NEW_REASON", "length"),
    ],
)
def test_only_stop_is_a_whole_answer(reason: str, finish: FinishReason) -> None:
    """The counts may come in an event of their own, or never."""
    for rest in ([], [{"usageMetadata": USAGE}]):
        body = sse(chunk({"text": "a"}), chunk(reason=reason), *rest)
        *_, end = read_body(GeminiReader, body)
        assert isinstance(end, AnswerEnd)
        assert end.reason == finish
        assert (end.failure is not None) == (finish == "failed")
        assert (end.usage is not None) == bool(rest)


def test_a_stopped_answer_says_why() -> None:
    """In the provider's words, else by its reason."""
    for said, expected in (
        ("Too close to a source.", "Too close to a source."),
        (None, "The provider's filter stopped the answer (RECITATION)."),
    ):
        items = read_body(GeminiReader, sse(chunk(reason="RECITATION", said=said)))
        assert Delta(expected, "refusal") in items


def test_a_blocked_prompt_has_no_candidate() -> None:
    """It is a refusal, not an empty answer."""
    body = sse({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})
    assert read_body(GeminiReader, body) == [
        Delta(
            "The provider's filter stopped the prompt (PROHIBITED_CONTENT).", "refusal"
        ),
        AnswerEnd(reason="filtered"),
    ]


ERROR = {"error": {"code": 503, "message": "Overloaded.", "status": "UNAVAILABLE"}}


@pytest.mark.parametrize(
    "tail",
    [sse(ERROR), msgspec.json.format(msgspec.json.encode(ERROR), indent=2) + b"\n"],
)
def test_an_error_in_the_stream_is_read_in_both_forms(tail: bytes) -> None:
    """As an event, and as plain JSON over several lines."""
    *_, end = read_body(GeminiReader, sse(chunk({"text": "a"})) + tail)
    assert isinstance(end, AnswerEnd)
    assert end.failure == Failure(message="Overloaded.", code="UNAVAILABLE", status=503)


def test_an_answer_without_a_finish_reason_has_no_end() -> None:
    """There is no other end mark."""
    items = read_cut(GeminiReader, sse(chunk({"text": "a"}), chunk({"text": "b"})))
    assert items[1:] == [Delta("ab")]
    assert GeminiReader().finish() == []


# Answers in parts, over a socket.


CONTINUED = sse(
    chunk({"text": "Hel"}, reason="CONTINUATION", token="more", usageMetadata=USAGE)
)
REST = sse(chunk({"text": "lo"}, reason="STOP", usageMetadata=USAGE))


async def asked(*acts: Act) -> tuple[Reading, list[Json]]:
    """Ask a server once; return what was read, and the bodies that it got."""
    async with serving(*acts) as server:
        settings = ModelSettings(api="gemini", url=server.base, name="m")
        model = build_model("m", settings, LimitSettings(), environ={})
        reading = await ask(model)
        await model.aclose()
        return reading, [msgspec.json.decode(each.body) for each in server.asked]


async def test_an_answer_in_parts_is_read_whole() -> None:
    """The same request gets the next part; each of them is paid."""
    reading, (first, second) = await asked(Act(pieces=[CONTINUED]), Act(pieces=[REST]))
    assert (reading.text, reading.reason) == ("Hello", "completed")
    assert second == {**first, "continuationToken": "more"}
    assert reading.finish is not None
    assert reading.finish.usage is not None
    assert reading.finish.usage.input_n_tokens == 2 * 812
    assert reading.finish.usage.output_n_tokens == 2 * 161


async def test_an_answer_in_endless_parts_is_cut() -> None:
    reading, bodies = await asked(Act(pieces=[CONTINUED]))
    assert (reading.text, reading.reason) == ("Hel" * 16, "length")
    assert len(bodies) == 16


@pytest.mark.parametrize(
    ("act", "kind"),
    [
        (Act(pieces=[sse(chunk({"text": "l"}))]), ModelCutError),
        (Act(status=429, headers=(("Retry-After", "0"),)), RateLimitedError),
        (Act(status=400, pieces=[b'{"error":"JSON mode"}']), ModelRejectedError),
    ],
)
async def test_a_part_that_does_not_come(act: Act, kind: type[ModelError]) -> None:
    """What came before is kept, and the whole is not begun again."""
    reading, bodies = await asked(Act(pieces=[CONTINUED]), act, Act(pieces=[REST]))
    assert type(reading.error) is kind
    assert reading.text.startswith("Hel")
    assert len(bodies) == 2
    # Its tokens are paid, and are counted.
    assert reading.finish is not None
    assert reading.finish.usage is not None
    assert reading.finish.usage.input_n_tokens == 812
    assert reading.finish.usage.output_n_tokens == 161
