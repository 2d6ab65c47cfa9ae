"""Ollama's own API: the window is set, never assumed, and nothing is cut silently."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.models.answer_bodies import Json, json_lines, read_body, read_cut

from redline.errors import RemoteProtocolError
from redline.models.formats.ollama_format import OllamaFormat, OllamaReader
from redline.models.formats.wire_format import AnswerEnd, OfferedModel
from redline.models.interface import Delta, FinishReason, GenerationRequest, Usage
from redline.prompts.answer_schema import verdict_schema
from redline.prompts.message import ChatMessage, Prompt, PromptImage
from redline.settings.tree import ModelSettings
from redline.wire.failure import Failure

BASE = "http://127.0.0.1:11434"
IMAGE = PromptImage(media_type="image/png", data=b"\x89PNG")


def request_of(text: str, *, images: tuple[PromptImage, ...] = ()) -> GenerationRequest:
    """Return a request with one message."""
    chat_message = ChatMessage(role="user", text=text, images=images)
    prompt = Prompt(instructions="Be brief.", chat_messages=(chat_message,))
    return GenerationRequest(prompt=prompt)


def wire(**given: Any) -> OllamaFormat:
    """Return the format of one model."""
    fields = {"name": "qwen3-coder", "url": BASE, "api": "ollama"}
    return OllamaFormat(ModelSettings(**{**fields, **given}))


def body_of(ollama: OllamaFormat, request: GenerationRequest, *without: Any) -> Any:
    """Return the body of a request."""
    body = ollama.write(request, leaving_out=frozenset(without)).body
    assert body is not None
    return msgspec.json.decode(body)


def test_a_request_sets_what_the_other_api_hides() -> None:
    """The window, and that a prompt that does not fit is refused instead of cut."""
    ollama = wire(max_output_tokens=500)
    assert ollama.write(request_of("hi")).url == f"{BASE}/api/chat"
    assert body_of(ollama, request_of("hi", images=(IMAGE,))) == {
        "model": "qwen3-coder",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hi", "images": ["iVBORw=="]},
        ],
        "stream": True,
        "options": {"num_ctx": 8_192, "num_predict": 500},
        "truncate": False,
        "shift": False,
        "keep_alive": "30m",
    }


def window_of(ollama: OllamaFormat, n_chars: int) -> int:
    """Return the window that a prompt is sent with."""
    body = body_of(ollama, request_of("x" * n_chars))
    found: int = body["options"]["num_ctx"]
    return found


def learnt(
    ollama: OllamaFormat, *, shown: Json | None = None, loaded: Json | None = None
) -> OfferedModel | None:
    """Answer the questions about a model; None: by an error."""
    inquiry = ollama.inquiry()
    paths = [request.url.removeprefix(BASE) for request in inquiry.requests]
    assert paths == ["/api/show", "/api/ps"]
    return inquiry.learn(
        [b"" if body is None else msgspec.json.encode(body) for body in (shown, loaded)]
    )


def test_the_window_grows_with_the_prompt_and_never_shrinks() -> None:
    """Each other value loads the model again, which takes seconds."""
    ollama = wire()
    assert [window_of(ollama, n) for n in (1_000, 30_000, 1_000, 10**6)] == [
        *(8_192, 32_768, 32_768),
        128_000,
    ]


def test_the_window_is_at_most_what_the_settings_and_the_model_allow() -> None:
    """A prompt that does not fit is refused by the server, with a clear message."""
    assert window_of(wire(context_tokens=4_000), 10**6) == 4_000
    ollama = wire()
    shown = {"model_info": {"qwen3.context_length": 16_384}}
    assert learnt(ollama, shown=shown) == OfferedModel(
        name="qwen3-coder", context_tokens=16_384
    )
    assert window_of(ollama, 10**6) == 16_384


@pytest.mark.parametrize(
    ("loaded", "window"),
    [
        ([{"name": "qwen3-coder:latest", "context_length": 32_768}], 32_768),
        ([{"name": "qwen3-coder:latest", "context_length": 4_096}], 8_192),
        ([{"name": "another:latest", "context_length": 32_768}], 8_192),
        ([{"name": "qwen3-coder:latest"}], 8_192),
        ([], 8_192),
    ],
)
def test_a_loaded_model_is_not_loaded_again(loaded: list[Json], window: int) -> None:
    """Unless its window is too small."""
    ollama = wire()
    assert learnt(ollama, loaded={"models": loaded}) is None
    assert window_of(ollama, 10) == window


@pytest.mark.parametrize(
    ("effort", "think"),
    [("none", False), ("minimal", "low"), ("high", "high"), ("xhigh", "max")],
)
def test_an_effort_is_sent_in_its_words(effort: str, think: bool | str) -> None:
    """Others are a 400; without one, the model's own default applies."""
    ollama = wire(effort=effort)
    assert body_of(ollama, request_of("hi"))["think"] == think
    assert "think" not in body_of(ollama, request_of("hi"), "effort")
    assert "think" not in body_of(wire(), request_of("hi"))
    refusal = Failure(message='"m" does not support thinking', status=400)
    assert ollama.refused_field(refusal) == "effort"


def test_a_structured_answer_is_asked_for() -> None:
    """By the schema itself."""
    request = replace(request_of("hi"), text_format=verdict_schema())
    assert body_of(wire(), request)["format"] == verdict_schema().schema
    assert "format" not in body_of(wire(), request, "format")


def test_what_a_model_can_do_is_read() -> None:
    """The window is named after the architecture."""
    shown = {
        "capabilities": ["completion", "vision"],
        "model_info": {
            "general.architecture": "qwen3moe",
            "qwen3moe.context_length": 262_144,
        },
    }
    assert learnt(wire(), shown=shown) == OfferedModel(
        name="qwen3-coder", context_tokens=262_144, sees=True, fills=False
    )
    assert learnt(wire()) is None
    listed = msgspec.json.encode({"models": [{"name": "a:latest"}, {"name": "b:7b"}]})
    assert wire().read_models(listed) == (
        OfferedModel(name="a:latest"),
        OfferedModel(name="b:7b"),
    )


# Answers.


def said(content: str = "", **more: str) -> Json:
    """Write a line of a chat."""
    return {"message": {"role": "assistant", "content": content, **more}, "done": False}


def done(reason: str | None, **more: Any) -> Json:
    """Write the last line."""
    return {"message": {"content": ""}, "done": True, "done_reason": reason, **more}


def test_an_answer_with_thinking_is_read_whole() -> None:
    """The counts are on the last line."""
    body = json_lines(
        said(thinking="First .."),
        said("def "),
        said("f() ✓"),
        done("stop", prompt_eval_count=812, eval_count=41),
    )
    expected = [
        Delta("First ..", "reasoning"),
        Delta("def f() ✓"),
        AnswerEnd(
            reason="completed", usage=Usage(input_n_tokens=812, output_n_tokens=41)
        ),
    ]
    assert read_body(OllamaReader, body) == expected
    assert read_body(OllamaReader, body.rstrip()) == expected


def test_generate_has_its_text_elsewhere() -> None:
    """`/api/generate` fills in the middle."""
    body = json_lines(
        {"response": "a", "done": False},
        {"response": "", "done": True, "done_reason": "stop"},
    )
    assert read_body(OllamaReader, body) == [Delta("a"), AnswerEnd(reason="completed")]


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("stop", "completed"), ("length", "length"), ("load", "length"), (None, "length")],
)
def test_only_stop_is_a_whole_answer(reason: str | None, finish: FinishReason) -> None:
    """An unknown reason is a cut answer."""
    *_, end = read_body(OllamaReader, json_lines(said("a"), done(reason)))
    assert isinstance(end, AnswerEnd)
    assert end.reason == finish


def test_an_error_line_ends_the_answer() -> None:
    """Ollama's errors are a text."""
    body = json_lines(said("a"), {"error": "the runner has stopped"}, said("b"))
    assert read_body(OllamaReader, body) == [
        Delta("a"),
        AnswerEnd(reason="failed", failure=Failure(message="the runner has stopped")),
    ]


def test_an_answer_that_stops_coming_has_no_end() -> None:
    """Nor does half a line make one."""
    whole = json_lines(said("a"), done("stop"))
    assert read_cut(OllamaReader, whole[:-3]) == [Delta("a")]


def test_what_is_not_json_is_refused() -> None:
    """And a page of a proxy is reported as one."""
    with pytest.raises(RemoteProtocolError):
        OllamaReader().feed(b"hello\n")
    (end,) = OllamaReader().feed(b"<html>Log in</html>\n")
    assert isinstance(end, AnswerEnd)
    assert end.reason == "failed"
