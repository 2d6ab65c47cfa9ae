"""Endpoints that fill in the middle: bodies by endpoint, raw prompts by family."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.models.answer_bodies import Json, read_body, read_cut, sse

from redline.errors import ModelRejectedError
from redline.models.formats.fim_families import FIM_FAMILIES, MAX_STOPS, fim_family
from redline.models.formats.fim_format import CompletionReader, FimFormat, InfillReader
from redline.models.formats.wire_format import AnswerEnd
from redline.models.interface import Delta, FinishReason, GenerationRequest, Usage
from redline.prompts.message import CodeGap, NearbyText, Prompt, RawPrompt
from redline.settings.tree import ModelSettings
from redline.wire.failure import Failure

GAP = CodeGap(
    prefix="def f(",
    suffix="):\n",
    path="a.py",
    nearby=(NearbyText(path="b.py", text="B = 1"),),
    repository="shop",
)


def fim(url: str, name: str = "codestral-latest") -> FimFormat:
    """Return the format of one endpoint."""
    settings = ModelSettings(api="fim", url=url, name=name)
    return FimFormat(settings, label="fill")


def continued(url: str) -> Any:
    """Return the body of a request for what follows a raw prompt."""
    raw = RawPrompt(text="<|file_sep|>updated/a.py\n", stops=("<|file_sep|>",))
    prompt = Prompt(instructions="", chat_messages=(), raw=raw)
    request = GenerationRequest(prompt=prompt, max_output_tokens=400)
    body = fim(url, "sweep-next-edit").write(request).body
    assert body is not None
    return msgspec.json.decode(body)


def test_a_raw_prompt() -> None:
    """It is sent as it is, without a suffix, with its stops."""
    body = continued("http://127.0.0.1:8080/v1/completions")
    assert body["prompt"] == "<|file_sep|>updated/a.py\n"
    assert (body["stop"], body["max_tokens"]) == (["<|file_sep|>"], 400)
    assert "suffix" not in body
    body = continued("http://127.0.0.1:11434/api/generate")
    assert (body["raw"], body["options"]["stop"]) == (True, ["<|file_sep|>"])
    assert "suffix" not in body


@pytest.mark.parametrize("path", ["/infill", "/v1/fim/completions"])
def test_a_raw_prompt_for_an_endpoint_of_gaps(path: str) -> None:
    """It would be read as code: the message says what to configure."""
    with pytest.raises(ModelRejectedError) as refused:
        continued(f"http://127.0.0.1:8080{path}")
    assert "/v1/completions" in (refused.value.remedy or "")


def body_of(wire: FimFormat, *without: Any, gap: CodeGap | None = GAP) -> Any:
    """Return the body of a request for a gap."""
    prompt = Prompt(instructions="", chat_messages=(), gap=gap)
    request = GenerationRequest(prompt=prompt, max_output_tokens=160)
    body = wire.write(request, leaving_out=frozenset(without)).body
    assert body is not None
    return msgspec.json.decode(body)


@pytest.mark.parametrize(
    ("url", "body"),
    [
        (
            "http://127.0.0.1:8080/infill",
            {
                "input_prefix": "def f(",
                "input_suffix": "):\n",
                "input_extra": [{"filename": "b.py", "text": "B = 1"}],
                "prompt": "",
                "n_predict": 160,
                "temperature": 0,
                "cache_prompt": True,
            },
        ),
        (
            "http://127.0.0.1:11434/api/generate",
            {
                "prompt": "def f(",
                "suffix": "):\n",
                "options": {"num_ctx": 8_192, "num_predict": 160, "temperature": 0},
                "keep_alive": "30m",
            },
        ),
        *(
            (
                url,
                {
                    "prompt": "def f(",
                    "suffix": "):\n",
                    "max_tokens": 160,
                    "temperature": 0,
                },
            )
            for url in (
                "https://codestral.mistral.ai/v1/fim/completions",
                "https://api.inceptionlabs.ai/v1/fim/completions",
                "https://api.deepseek.com/beta/completions",
                "http://127.0.0.1:8000/v1/completions",
            )
        ),
    ],
)
def test_each_endpoint_has_its_body(url: str, body: Json) -> None:
    """Known by the end of its path."""
    expected = {"model": "codestral-latest", "stream": True, **body}
    assert body_of(fim(url)) == expected


@pytest.mark.parametrize(
    ("url", "models"),
    [
        ("http://127.0.0.1:8080/infill", "http://127.0.0.1:8080/v1/models"),
        (
            "https://codestral.mistral.ai/v1/fim/completions",
            "https://codestral.mistral.ai/v1/models",
        ),
        ("http://h.test/v1/completions", "http://h.test/v1/models"),
        ("http://127.0.0.1:11434/api/generate", None),
    ],
)
def test_models_are_listed_beside_the_endpoint(url: str, models: str | None) -> None:
    """Where there is a list."""
    request = fim(url).list_models()
    assert (request.url if request else None) == models


def test_an_instruction_is_refused() -> None:
    """Such a model has no chat; the sentence says what to do."""
    with pytest.raises(ModelRejectedError, match="cannot carry out instructions"):
        body_of(fim("http://127.0.0.1:8080/infill"), gap=None)


# Raw prompts.


@pytest.mark.parametrize(
    ("name", "prompt"),
    [
        (
            "Qwen/Qwen2.5-Coder-7B",
            "<|repo_name|>shop\n<|file_sep|>b.py\nB = 1\n"
            "<|fim_prefix|>def f(<|fim_suffix|>):\n<|fim_middle|>",
        ),
        ("codegemma:2b", "<|fim_prefix|>def f(<|fim_suffix|>):\n<|fim_middle|>"),
        ("granite4:tiny", "<|fim_prefix|>def f(<|fim_suffix|>):\n<|fim_middle|>"),
        ("starcoder2:3b", "<fim_prefix>def f(<fim_suffix>):\n<fim_middle>"),
        (
            "deepseek-coder-v2",
            "<\uff5cfim▁begin\uff5c>def f(<\uff5cfim▁hole\uff5c>):\n"
            "<\uff5cfim▁end\uff5c>",
        ),
        (
            "mistralai/Codestral-22B",
            "[SUFFIX]):\n[PREFIX]+++++ b.py\nB = 1\ndef f(",
        ),
        (
            "Seed-Coder-8B",
            "<[fim-suffix]>):\n<[fim-prefix]>def f(<[fim-middle]>",
        ),
        (
            "mellum-4b",
            "<filename>b.py\nB = 1\n<filename>a.py\n"
            "<fim_suffix>):\n<fim_prefix>def f(<fim_middle>",
        ),
        ("codellama:7b-code", "<PRE> def f( <SUF>):\n <MID>"),
        (
            "glm-4.5-air",
            "<|code_prefix|>def f(<|code_suffix|>):\n<|code_middle|>",
        ),
    ],
)
def test_each_family_has_its_prompt(name: str, prompt: str) -> None:
    """Used where the server refuses a suffix."""
    wire = fim("http://127.0.0.1:8000/v1/completions", name)
    body = body_of(wire, "suffix")
    assert body["prompt"] == prompt
    assert "suffix" not in body
    assert 1 <= len(body["stop"]) <= MAX_STOPS


def test_ollama_is_sent_a_raw_prompt_too() -> None:
    """Else it would put it into its template."""
    body = body_of(fim("http://127.0.0.1:11434/api/generate", "starcoder2"), "suffix")
    assert body["raw"] is True
    assert body["options"]["stop"][0] == "<|endoftext|>"


@pytest.mark.parametrize(
    ("name", "message", "field"),
    [
        ("qwen3-coder", "suffix is not currently supported", "suffix"),
        ("qwen3-coder", 'registry/"qwen3-coder" does not support insert', "suffix"),
        ("qwen3-coder", "prompt is too long", None),
        ("unknown-model", "suffix is not currently supported", None),
    ],
)
def test_a_refused_suffix_is_recognised(
    name: str, message: str, field: str | None
) -> None:
    """If the family's prompt is known."""
    wire = fim("http://127.0.0.1:8000/v1/completions", name)
    assert wire.refused_field(Failure(message=message, status=400)) == field


@pytest.mark.parametrize("family", FIM_FAMILIES, ids=lambda family: family.template)
def test_code_with_a_mark_of_the_family_is_not_sent(family: Any) -> None:
    """The server would read it as its own; every field counts."""
    for mark in family.marks:
        for gap in (
            CodeGap(prefix=mark, suffix="", path=""),
            CodeGap(prefix="", suffix=f"a{mark}b", path=""),
            CodeGap(
                prefix="", suffix="", path="", nearby=(NearbyText(path="", text=mark),)
            ),
        ):
            assert not family.is_raw_safe(gap)
    assert family.is_raw_safe(GAP)


def test_code_with_a_mark_is_refused_with_a_sentence() -> None:
    """Only the raw prompt is dangerous."""
    gap = CodeGap(prefix="x = '<fim_prefix>'", suffix="", path="a.py")
    wire = fim("http://127.0.0.1:8000/v1/completions", "starcoder2")
    assert body_of(wire, gap=gap)["prompt"] == gap.prefix
    with pytest.raises(ModelRejectedError, match="contains a special token"):
        body_of(wire, "suffix", gap=gap)


def test_fields_in_the_code_are_not_filled() -> None:
    """Code may hold braces, as the template does."""
    gap = CodeGap(prefix="{suffix}", suffix="{path}", path="p")
    family = fim_family("starcoder2")
    assert family is not None
    assert family.prompt(gap) == ("<fim_prefix>{suffix}<fim_suffix>{path}<fim_middle>")


# Answers.


def infill(content: str, **more: Any) -> Json:
    """Write an event of `/infill`."""
    return {"content": content, "stop": bool(more), **more}


@pytest.mark.parametrize(
    ("stop_type", "finish"),
    [
        ("eos", "completed"),
        ("word", "completed"),
        ("limit", "length"),
        ("none", "length"),
    ],
)
def test_infill_is_read_whole(stop_type: str, finish: FinishReason) -> None:
    """The last event has the reason and the counts."""
    last = infill(
        "",
        stop_type=stop_type,
        tokens_predicted=4,
        tokens_evaluated=90,
        timings={"cache_n": 80, "predicted_per_second": 99.5},
    )
    body = sse(infill("a, "), infill("b"), last)
    assert read_body(InfillReader, body) == [
        Delta("a, b"),
        AnswerEnd(
            reason=finish,
            usage=Usage(input_n_tokens=90, cached_n_tokens=80, output_n_tokens=4),
        ),
    ]


def text(said: str, reason: str | None = None) -> Json:
    """Write an event of `/completions`."""
    return {"choices": [{"text": said, "index": 0, "finish_reason": reason}]}


def chat(said: str, reason: str | None = None) -> Json:
    """Write an event of Mistral's `/fim/completions`."""
    return {"choices": [{"delta": {"content": said}, "finish_reason": reason}]}


USAGE = {"prompt_tokens": 90, "completion_tokens": 4, "total_tokens": 94}


@pytest.mark.parametrize("event", [text, chat])
@pytest.mark.parametrize("end", ["data: [DONE]\n\n", ""])
def test_a_completion_is_read_in_both_forms(event: Any, end: str) -> None:
    """With and without an end mark; the counts may come in an event of their own."""
    events = [event("a, "), event("b", "stop"), {"choices": [], "usage": USAGE}]
    assert read_body(CompletionReader, sse(*events, end=end)) == [
        Delta("a, b"),
        AnswerEnd(
            reason="completed", usage=Usage(input_n_tokens=90, output_n_tokens=4)
        ),
    ]


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("eos", "completed"),
        ("length", "length"),
        ("content_filter", "filtered"),
        ("new", "length"),
    ],
)
def test_only_a_known_end_is_a_whole_completion(
    reason: str, finish: FinishReason
) -> None:
    """An unknown reason is a cut answer."""
    *_, end = read_body(CompletionReader, sse(text("a", reason)))
    assert end == AnswerEnd(reason=finish)


@pytest.mark.parametrize("reader", [InfillReader, CompletionReader])
def test_an_error_in_the_stream_ends_the_answer(reader: Any) -> None:
    """Servers send it as an event and, some, an end mark after it."""
    error = {"error": {"code": 500, "message": "out of memory", "type": "server_error"}}
    body = sse(error, end="data: [DONE]\n\n")
    assert read_body(reader, body) == [
        AnswerEnd(
            reason="failed",
            failure=Failure(message="out of memory", code="server_error", status=500),
        )
    ]


@pytest.mark.parametrize(
    ("reader", "event"), [(InfillReader, infill("a")), (CompletionReader, text("a"))]
)
def test_an_answer_that_stops_coming_has_no_end(reader: Any, event: Json) -> None:
    """The carrier reports that it was cut."""
    assert read_cut(reader, sse(event)) == [Delta("a")]
    assert read_body(reader, sse(event, end="data: [DONE]\n\n")) == [Delta("a")]
