"""Chat completions: what is sent to each server, and what its answers mean."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace
from tests.models.answer_bodies import read_body
from tests.models.reader import request_for

from redline.errors import RemoteProtocolError
from redline.models.formats.chat_completions_format import (
    ANY_SERVER,
    CHAT_SERVERS,
    ChatCompletions,
    ChatServer,
)
from redline.models.formats.http_request import NOTHING, OptionalField
from redline.models.formats.wire_format import AnswerBegun, AnswerEnd, AnswerItem
from redline.models.interface import Delta, GenerationRequest, Usage
from redline.prompts.message import ChatMessage, JsonSchema, Prompt, PromptImage
from redline.settings.tree import ModelSettings
from redline.wire.events import MAX_DELTA_BYTES
from redline.wire.failure import Failure

SCHEMA = JsonSchema(name="findings", schema={"type": "object"})


def chat(server: ChatServer = ANY_SERVER, **more: Any) -> ChatCompletions:
    url = more.pop("url", "https://host/v1/chat/completions")
    settings = ModelSettings(api="chat-completions", url=url, name="m", **more)
    return ChatCompletions(settings, url=url, server=server)


def body_of(
    wire: ChatCompletions,
    request: GenerationRequest | None = None,
    *,
    leaving_out: frozenset[OptionalField] = frozenset(),
) -> dict[str, Any]:
    written = wire.write(request or request_for("hi"), leaving_out=leaving_out)
    assert written.body is not None
    body: dict[str, Any] = json.loads(written.body)
    return body


def with_format() -> GenerationRequest:
    return GenerationRequest(
        prompt=Prompt(
            instructions="Be brief.",
            chat_messages=(ChatMessage(role="user", text="hi"),),
        ),
        text_format=SCHEMA,
        cache_key="workspace",
    )


# What is sent.


def test_the_request_of_a_server_that_is_not_known_says_the_least() -> None:
    assert body_of(chat(), with_format()) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hi"},
        ],
        "stream": True,
        "max_tokens": 16_000,
        "stream_options": {"include_usage": True},
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "findings",
                "strict": True,
                "schema": {"type": "object"},
            },
        },
    }


@pytest.mark.parametrize("name", CHAT_SERVERS)
def test_the_sdk_knows_every_field_that_is_not_a_servers_own(name: str) -> None:
    """The official SDK's types are the judge of names."""
    # It takes a second to import, and each process collects this module.
    from openai.types.chat.completion_create_params import (
        CompletionCreateParamsStreaming,
    )

    own = {
        "minimax": {"reasoning_split"},
        "zai": {"thinking"},
        "deepseek": {"thinking"},
        "openrouter": {"reasoning"},
        "sglang": {"chat_template_kwargs"},
    }
    known = set(CompletionCreateParamsStreaming.__annotations__) | {
        field
        for base in CompletionCreateParamsStreaming.__orig_bases__  # type: ignore[attr-defined] # Of a typed dict.
        for field in getattr(base, "__annotations__", {})
    }
    known |= {"model", "messages", "max_tokens", "max_completion_tokens"}
    wire = chat(CHAT_SERVERS[name], effort="high", service_tier="flex")
    assert set(body_of(wire, with_format())) - known <= own.get(name, set())


@pytest.mark.parametrize(
    ("name", "effort", "fields"),
    [
        ("openai", "high", {"reasoning_effort": "high"}),
        ("cerebras", "none", {"reasoning_effort": "low"}),
        ("groq", "none", {"reasoning_effort": "low"}),
        ("minimax", "high", {"reasoning_split": True}),
        ("zai", "none", {"thinking": {"type": "disabled"}}),
        ("zai", "max", {"thinking": {"type": "enabled"}, "reasoning_effort": "max"}),
        ("deepseek", "none", {"thinking": {"type": "disabled"}}),
        ("mistral", "none", {"reasoning_effort": "none"}),
        ("openrouter", "none", {"reasoning": {"enabled": False}}),
        ("openrouter", "high", {"reasoning": {"effort": "high"}}),
        ("vllm", "none", {"reasoning_effort": "none"}),
        ("sglang", "none", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("llama-server", "none", {"reasoning_effort": "none"}),
        ("lm-studio", "high", {}),
    ],
)
def test_each_server_is_asked_to_think_in_its_own_words(
    name: str, effort: str, fields: dict[str, Any]
) -> None:
    body = body_of(chat(CHAT_SERVERS[name], effort=effort))
    plain = body_of(chat(CHAT_SERVERS[name])).keys() - {"reasoning_split"}
    assert {field: body[field] for field in body.keys() - plain} == fields


@pytest.mark.parametrize("off", ["none", "off"])
@pytest.mark.parametrize("name", ["glm-5.3", "z-ai/glm-5.3-flash"])
def test_a_model_that_always_thinks_thinks_little(name: str, off: str) -> None:
    """It refuses to have its thinking switched off."""
    settings = ModelSettings(
        api="chat-completions", url="https://h/v1/chat/completions", name=name
    )
    settings = replace(settings, effort=off)
    wire = ChatCompletions(settings, url=settings.url, server=CHAT_SERVERS["zai"])
    body = body_of(wire)
    assert body["thinking"] == {"type": "enabled"}
    assert body["reasoning_effort"] == "low"


def test_codestral_is_not_asked_for_counts() -> None:
    """It refuses fields that it does not know."""
    assert "stream_options" not in body_of(chat(CHAT_SERVERS["codestral"]))


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("openai", "max_completion_tokens"),
        ("cerebras", "max_completion_tokens"),
        ("groq", "max_completion_tokens"),
        ("minimax", "max_completion_tokens"),
        ("zai", "max_tokens"),
        ("deepseek", "max_tokens"),
        ("ollama", "max_tokens"),
    ],
)
def test_the_limit_has_the_name_that_the_server_knows(name: str, limit: str) -> None:
    body = body_of(chat(CHAT_SERVERS[name]))
    assert body[limit] == 16_000
    assert len(body.keys() & {"max_tokens", "max_completion_tokens"}) == 1


def test_only_vllm_separates_the_caches_of_users() -> None:
    """Others would refuse the field."""
    request = replace(request_for("hi"), cache_salt="salt")
    names = {
        name
        for name, server in (*CHAT_SERVERS.items(), ("any", ANY_SERVER))
        if body_of(chat(server), request).get("cache_salt") == "salt"
    }
    assert names == {"vllm"}


def test_images_stand_before_the_text() -> None:
    image = PromptImage(media_type="image/png", data=b"\x89PNG")
    message = ChatMessage(role="user", text="hi", images=(image,))
    prompt = Prompt(instructions="", chat_messages=(message,))
    assert body_of(chat(), GenerationRequest(prompt=prompt))["messages"] == [
        {
            "role": "user",
            "content": [
                {
                    "type": "image_url",
                    "image_url": {"url": "data:image/png;base64,iVBORw=="},
                },
                {"type": "text", "text": "hi"},
            ],
        }
    ]


@pytest.mark.parametrize(
    ("message", "refused", "gone"),
    [
        ("response_format json_schema is not supported", "format", "response_format"),
        ("Unknown field: stream_options", "usage", "stream_options"),
        ("`reasoning_effort` none is not supported", "effort", "reasoning_effort"),
        ("Unsupported parameter: 'prompt_cache_key'", "cache", "prompt_cache_key"),
        (
            "Unsupported parameter: 'max_completion_tokens'. Use 'max_tokens'",
            "limit",
            "max_completion_tokens",
        ),
        ("Your prompt has too many max_tokens", None, ""),
        ("You have no quota", None, ""),
    ],
)
def test_what_a_server_refuses_is_left_out(
    message: str, refused: OptionalField | None, gone: str
) -> None:
    wire = chat(CHAT_SERVERS["openai"], effort="none")
    failure = Failure(message=message, status=400)
    assert wire.refused_field(failure) == refused
    assert wire.refused_field(Failure(message=message, status=500)) is None
    if refused is not None:
        assert gone in body_of(wire, with_format())
        assert gone not in body_of(
            wire, with_format(), leaving_out=frozenset({refused})
        )


def test_a_refused_limit_gets_its_other_name() -> None:
    assert body_of(chat(), leaving_out=frozenset({"limit"}))["max_completion_tokens"]
    assert frozenset() == NOTHING


@pytest.mark.parametrize(
    ("name", "url", "warm", "models"),
    [
        (
            "cerebras",
            "https://api.cerebras.ai/v1/chat/completions",
            "https://api.cerebras.ai/v1/tcp_warming",
            "https://api.cerebras.ai/v1/models",
        ),
        (
            "deepseek",
            "https://api.deepseek.com/chat/completions",
            "https://api.deepseek.com/models",
            "https://api.deepseek.com/models",
        ),
        ("minimax", "https://api.minimax.io/v1/chat/completions", None, None),
    ],
)
def test_what_stands_next_to_the_endpoint(
    name: str, url: str, warm: str | None, models: str | None
) -> None:
    wire = chat(CHAT_SERVERS[name], url=url)
    warming, listing = wire.warm_up(), wire.list_models()
    assert (warming.url if warming else None) == warm
    assert (listing.url if listing else None) == models


# What answers mean.


def sse(*chunks: dict[str, Any] | str, done: bool = True) -> bytes:
    data = [c if isinstance(c, str) else json.dumps(c) for c in chunks]
    return "".join(f"data: {one}\n\n" for one in [*data, *(["[DONE]"] * done)]).encode()


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


STOP = delta("stop")
USAGE = {
    "choices": [],
    "usage": {
        "prompt_tokens": 812,
        "completion_tokens": 41,
        "prompt_tokens_details": {"cached_tokens": 768},
        "completion_tokens_details": {"reasoning_tokens": 7},
    },
}
COUNTED = Usage(
    input_n_tokens=812,
    cached_n_tokens=768,
    output_n_tokens=41,
    reasoning_n_tokens=7,
)


def read(body: bytes) -> list[AnswerItem]:
    return read_body(lambda: chat().reader(request_for("hi")), body)


@pytest.mark.parametrize(
    "text",
    [
        "<think>\nfoo\n</think>\n\nbaz\n",
        "<think>foo",
        "a<|im_end|>",
        "<|begin_of_box|>a",
        "a <s>b</s>",
    ],
)
def test_signs_of_the_user_stay_in_the_answer(text: str) -> None:
    """The user edits a text about models: what the messages have is theirs."""
    request = request_for(f"Change: {text}")
    items = read_body(lambda: chat().reader(request), sse(delta(content=text), STOP))
    assert meaning(items) == (text, "", "completed")


def test_a_struck_text_may_end_an_answer() -> None:
    items = read(sse(delta(content="a <"), delta(content="s>b</s>"), STOP))
    assert meaning(items) == ("a <s>b</s>", "", "completed")


def meaning(items: list[AnswerItem]) -> tuple[str, str, str | None]:
    """The text, the thinking, and the reason of an answer."""
    texts = {"text": "", "reasoning": "", "refusal": ""}
    reason = None
    for item in items:
        match item:
            case Delta():
                texts[item.kind] += item.text
            case AnswerEnd():
                reason = item.reason
    return texts["text"] + texts["refusal"], texts["reasoning"], reason


ANSWERS: dict[str, tuple[bytes, tuple[str, str, str | None]]] = {
    "plain": (
        sse(delta(content="Hel"), delta(content="lo"), STOP),
        ("Hello", "", "completed"),
    ),
    "reasoning": (
        sse(delta(reasoning="Hm"), delta(content="a"), STOP),
        ("a", "Hm", "completed"),
    ),
    "reasoning_content": (
        sse(delta(reasoning_content="Hm"), delta(content="a"), STOP),
        ("a", "Hm", "completed"),
    ),
    "both names at once": (
        sse(delta(reasoning="Hm", reasoning_content="Hm"), delta(content="a"), STOP),
        ("a", "Hm", "completed"),
    ),
    "reasoning_details": (
        sse(
            delta(reasoning_details=[{"type": "reasoning.text", "text": "Hm"}]),
            delta(content="a"),
            STOP,
        ),
        ("a", "Hm", "completed"),
    ),
    "parts": (
        sse(
            delta(
                content=[
                    {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}
                ]
            ),
            delta(content=[{"type": "text", "text": "a"}]),
            delta("stop", content="b"),
        ),
        ("ab", "Hm", "completed"),
    ),
    "think": (
        sse(
            delta(content="\n<th"),
            delta(content="ink>Hm</thi"),
            delta(content="nk>\n\na"),
            STOP,
        ),
        ("a", "Hm", "completed"),
    ),
    "think in the middle": (
        sse(delta(content="a <think>b</think>"), STOP),
        ("a <think>b</think>", "", "completed"),
    ),
    "only thinking": (sse(delta(content="<think>Hm"), STOP), ("", "Hm", "completed")),
    "thinking that ends with the answer": (
        sse(delta(content="<think>Hm\n```\na\n"), delta(content="```\n"), STOP),
        ("```\na\n```\n", "Hm\n```\na\n```\n", "completed"),
    ),
    "box": (
        sse(delta(content="<|begin_of_box|>a<|end_"), delta(content="of_box|>"), STOP),
        ("a", "", "completed"),
    ),
    "special token at the end": (
        sse(delta(content="a</s"), delta(content=">"), STOP),
        ("a", "", "completed"),
    ),
    "special token in the middle": (
        sse(delta(content="a</s>b<|im_end|>\n"), STOP),
        ("a</s>b<|im_end|>\n", "", "completed"),
    ),
    "less than": (
        sse(delta(content="a <"), delta(content=" b <"), STOP),
        ("a < b <", "", "completed"),
    ),
    "empty": (sse(STOP), ("", "", "completed")),
    "length": (sse(delta(content="a"), delta("length")), ("a", "", "length")),
    "window": (
        sse(delta(content="a"), delta("model_context_window_exceeded")),
        ("a", "", "length"),
    ),
    "unknown reason": (sse(delta(content="a"), delta("tired")), ("a", "", "length")),
    "filter": (sse(delta(content="a"), delta("content_filter")), ("a", "", "filtered")),
    "sensitive": (sse(delta("sensitive")), ("", "", "filtered")),
    "refusal": (sse(delta(refusal="No."), STOP), ("No.", "", "filtered")),
    "network_error": (
        sse(delta(content="a"), delta("network_error")),
        ("a", "", "failed"),
    ),
    "no end mark": (sse(delta(content="a"), STOP, done=False), ("a", "", "completed")),
    "nothing said": (sse(delta(content="a"), done=False), ("a", "", None)),
    "only the end mark": (sse(delta(content="a")), ("a", "", None)),
    "comments and blanks": (
        b": keep-alive\n\n: OPENROUTER PROCESSING\r\n\r\n"
        + sse(delta(content="a"), STOP),
        ("a", "", "completed"),
    ),
    "whole body": (
        json.dumps(
            {"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}
        ).encode(),
        ("a", "", "completed"),
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_means_the_same_at_any_cut(name: str) -> None:
    body, expected = ANSWERS[name]
    assert meaning(read(body)) == expected


ERRORS: dict[str, tuple[bytes, str]] = {
    "chunk": (
        sse(delta(content="a"), {"error": {"message": "Broken.", "code": 500}}),
        "Broken.",
    ),
    "openrouter": (
        sse(
            {
                "error": {"code": 502, "message": "Upstream."},
                "choices": [{"delta": {}, "finish_reason": "error"}],
            }
        ),
        "Upstream.",
    ),
    "groq": (
        sse({"choices": [], "x_groq": {"error": "Over capacity."}}),
        "Over capacity.",
    ),
    "sglang": (
        sse(
            {
                "object": "error",
                "message": "Flat.",
                "type": "BadRequestError",
                "code": 400,
            }
        ),
        "Flat.",
    ),
    "fastapi": (sse({"detail": "Not here."}), "Not here."),
    "minimax": (
        json.dumps(
            {"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}
        ).encode(),
        "insufficient balance",
    ),
    "plain JSON in the middle": (
        sse(delta(content="a"), done=False) + b'{"error": {"message": "Plain."}}',
        "Plain.",
    ),
    "page": (
        b"<html><body>Sign in: now</body></html>",
        "it answered with a web page, as proxies and login pages do",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_inside_an_answer_is_the_servers_own_words(name: str) -> None:
    body, message = ERRORS[name]
    end = read(body)[-1]
    assert isinstance(end, AnswerEnd)
    assert (end.reason, end.failure and end.failure.message) == ("failed", message)


@pytest.mark.parametrize("body", [b"data: [1]\n\n", b"data: {\n\n", b"data: no\n\n"])
def test_what_is_no_chunk_is_unreadable(body: bytes) -> None:
    with pytest.raises(RemoteProtocolError):
        read(body)


def test_a_chunk_has_a_limit() -> None:
    with pytest.raises(RemoteProtocolError):
        read(sse(delta(content="x" * MAX_DELTA_BYTES)))


@pytest.mark.parametrize(
    ("last", "counted"),
    [
        (USAGE, COUNTED),
        ({**STOP, **USAGE, "choices": STOP["choices"]}, COUNTED),
        ({"choices": [], "x_groq": {"usage": USAGE["usage"]}}, COUNTED),
        (
            {
                "usage": {
                    "prompt_tokens": 5,
                    "completion_tokens": 2,
                    "prompt_cache_hit_tokens": 4,
                }
            },
            Usage(input_n_tokens=5, cached_n_tokens=4, output_n_tokens=2),
        ),
        (
            {
                "usage": {"prompt_tokens": 5, "completion_tokens": 2},
                "timings": {"cache_n": 3},
            },
            Usage(input_n_tokens=5, cached_n_tokens=3, output_n_tokens=2),
        ),
        (
            {
                "usage": {
                    "prompt_tokens": 5,
                    "completion_tokens": 2,
                    "reasoning_tokens": 1,
                }
            },
            Usage(input_n_tokens=5, output_n_tokens=2, reasoning_n_tokens=1),
        ),
        ({"usage": {"prompt_tokens": "many"}}, None),
    ],
)
def test_tokens_are_counted_under_any_name(
    last: dict[str, Any], counted: Usage | None
) -> None:
    end = read(sse(delta(content="a"), STOP, last))[-1]
    assert isinstance(end, AnswerEnd)
    assert end.usage == counted


def test_the_id_comes_first() -> None:
    items = read(sse({"id": "c1", **delta(content="a")}, {"id": "c1", **STOP}))
    assert items[0] == AnswerBegun(response_id="c1")
    assert items[-1] == AnswerEnd(reason="completed", response_id="c1")
