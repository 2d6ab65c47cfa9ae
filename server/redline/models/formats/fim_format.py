"""Endpoints that fill in the middle: the code between a prefix and a suffix.

The endpoint is known by the end of its path: `/infill` of llama-server, `/api/generate`
of Ollama, `/fim/completions` of Mistral and Inception, else `/completions` with a
suffix (vLLM, SGLang, DeepSeek, Ollama). Where a server has no suffix for a model, the
prompt is written in the format of the model's family, if that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from urllib.parse import urlsplit

import msgspec
from msgspec import Raw, Struct

from redline.errors import ModelRejectedError
from redline.models.formats.fim_families import fim_family
from redline.models.formats.http_request import NOTHING, HttpRequest, OptionalField
from redline.models.formats.model_list import OpenAiFormat, models_url
from redline.models.formats.ollama_format import (
    KEEP_ALIVE,
    LOADING_S,
    OllamaInquiry,
    OllamaReader,
    OllamaWindow,
)
from redline.models.formats.sse_reader import SseReader, read_counts
from redline.models.formats.wire_format import Abilities, AnswerItem, AnswerReader
from redline.models.interface import Delta, FinishReason, GenerationRequest, Usage
from redline.prompts.message import CodeGap, RawPrompt
from redline.settings.tree import ModelSettings
from redline.wire.events import NO_RAW
from redline.wire.failure import Failure

_Body = dict[str, object]

_GAPS_ONLY = ("/infill", "/fim/completions")
"""Endpoints that write the model's form themselves."""

_NO_SUFFIX = ("suffix", "insert", "fim")
"""Words of servers that refuse a suffix for a model (vLLM, SGLang, Ollama)."""


class FimFormat(OpenAiFormat):
    """One endpoint that fills in the middle."""

    abilities = Abilities(schema=False, fill=True)

    def __init__(self, settings: ModelSettings, *, label: str) -> None:
        super().__init__(settings)
        self._label = label
        self._family = fim_family(settings.name)
        self._window = OllamaWindow(settings)
        self._write, self._new_reader = self._kind()

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
        """Write the request for the text of a gap, or for what follows a raw prompt.

        Raises:
            ModelRejectedError: If there is neither, or it cannot be sent: a gap in the
                format of the model's family, a raw prompt to an endpoint of gaps.
        """
        gap = request.prompt.gap
        if (given := request.prompt.raw) is not None:
            return self._continue(given, request)
        if gap is None:
            raise ModelRejectedError(
                f"Model {self._label} ({self._settings.name}) fills in the middle and "
                "cannot carry out instructions.",
                model=self._label,
                remedy="Configure a model with another `api` for this tier.",
            )
        raw = self._raw(gap) if "suffix" in leaving_out else None
        return self._request(gap, request, raw)

    def _continue(self, raw: RawPrompt, request: GenerationRequest) -> HttpRequest:
        if urlsplit(self._settings.url).path.rstrip("/").endswith(_GAPS_ONLY):
            raise ModelRejectedError(
                f"The address of model {self._label} takes no prompt of its own form.",
                model=self._label,
                remedy="Use the server's /v1/completions.",
            )
        gap = CodeGap(prefix=raw.text, suffix="", path="")
        return self._request(gap, request, raw)

    def _request(
        self, gap: CodeGap, request: GenerationRequest, raw: RawPrompt | None
    ) -> HttpRequest:
        limit = self._settings.max_output_tokens
        limit = min(limit, request.max_output_tokens or limit)
        body = self._write(gap, limit, raw)
        return HttpRequest(url=self._settings.url, body=msgspec.json.encode(body))

    def refused_field(self, failure: Failure) -> OptionalField | None:
        """Return `suffix` if the server has none for this model."""
        words = f"{failure.param} {failure.message}".lower()
        if failure.status not in (400, 422, 500, 501) or self._family is None:
            return None
        return "suffix" if any(word in words for word in _NO_SUFFIX) else None

    def reader(self, request: GenerationRequest) -> AnswerReader:
        return self._new_reader()

    def inquiry(self) -> OllamaInquiry | None:
        """Ask Ollama for the model's window; other servers set it themselves."""
        base, path, _ = self._settings.url.partition("/api/generate")
        if not path:
            return None
        return OllamaInquiry(self._settings.name, base=base, window=self._window)

    def trial(self) -> None:
        """Return nothing: servers complete an empty prompt."""

    def warm_up(self) -> HttpRequest | None:
        """Ask for the list of models, which opens a connection; Ollama loads the
        model."""
        if (listing := self.list_models()) is not None:
            return listing
        body: _Body = {
            "model": self._settings.name,
            "options": {"num_ctx": self._window.fit(0, n_out=0)},
            "keep_alive": KEEP_ALIVE,
        }
        return HttpRequest(
            url=self._settings.url,
            body=msgspec.json.encode(body),
            silence_s=LOADING_S,
        )

    def list_models(self) -> HttpRequest | None:
        """Write the request for the list of models beside the endpoint."""
        path = urlsplit(self._settings.url).path.rstrip("/")
        if path.endswith("/api/generate"):
            return None
        for end in ("/fim/completions", "/completions"):
            if path.endswith(end):
                return HttpRequest(
                    method="GET", url=models_url(self._settings.url, path=end)
                )
        url = models_url(self._settings.url, path="/infill")
        return HttpRequest(method="GET", url=url.removesuffix("models") + "v1/models")

    def _kind(
        self,
    ) -> tuple[
        Callable[[CodeGap, int, RawPrompt | None], _Body], Callable[[], AnswerReader]
    ]:
        path = urlsplit(self._settings.url).path.rstrip("/")
        if path.endswith("/infill"):
            return self._infill, InfillReader
        if path.endswith("/api/generate"):
            return self._ollama, OllamaReader
        return self._completion, CompletionReader

    def _raw(self, gap: CodeGap) -> RawPrompt:
        family = self._family
        if family is None or not family.is_raw_safe(gap):
            raise ModelRejectedError(
                "The code around the cursor contains a special token of model "
                f"{self._label}, so it is not sent.",
                model=self._label,
                remedy="Use a server that takes a suffix, such as llama-server.",
            )
        return RawPrompt(text=family.prompt(gap), stops=family.stops)

    def _infill(self, gap: CodeGap, limit: int, raw: RawPrompt | None) -> _Body:
        return {
            "model": self._settings.name,
            "input_prefix": gap.prefix,
            "input_suffix": gap.suffix,
            "input_extra": [
                {"filename": each.path, "text": each.text} for each in gap.nearby
            ],
            "prompt": "",
            "n_predict": limit,
            "temperature": 0,
            "cache_prompt": True,
            "stream": True,
        }

    def _ollama(self, gap: CodeGap, limit: int, raw: RawPrompt | None) -> _Body:
        n_bytes = len(gap.prefix.encode()) + len(gap.suffix.encode())
        options: _Body = {
            "num_ctx": self._window.fit(n_bytes, n_out=limit),
            "num_predict": limit,
            "temperature": 0,
        }
        body: _Body = {
            "model": self._settings.name,
            "prompt": gap.prefix,
            "suffix": gap.suffix,
            "stream": True,
            "options": options,
            "keep_alive": KEEP_ALIVE,
        }
        if raw is not None:
            options["stop"] = list(raw.stops)
            body |= {"prompt": raw.text, "raw": True}
            del body["suffix"]
        return body

    def _completion(self, gap: CodeGap, limit: int, raw: RawPrompt | None) -> _Body:
        body: _Body = {
            "model": self._settings.name,
            "prompt": gap.prefix,
            "suffix": gap.suffix,
            "max_tokens": limit,
            "temperature": 0,
            "stream": True,
        }
        if raw is not None:
            body |= {"prompt": raw.text, "stop": list(raw.stops)}
            del body["suffix"]
        return body


_INFILL_REASONS: Mapping[str, FinishReason] = {"eos": "completed", "word": "completed"}
"""`stop_type`; all others are cut answers."""

_REASONS: Mapping[str, FinishReason] = {
    "stop": "completed",
    "eos": "completed",
    "content_filter": "filtered",
}


class InfillReader(SseReader):
    """Reads the events of llama-server's `/infill`."""

    def _take(self, data: bytes, items: list[AnswerItem]) -> None:
        event = self._decode(_infill, data, items)
        if event is None:
            return
        if event.content:
            items.append(Delta(event.content))
        if event.stop:
            self._usage = _infill_usage(read_counts(data))
            self._end(_INFILL_REASONS.get(event.stop_type or "", "length"), items)

    def _close(self, items: list[AnswerItem]) -> None:
        """Do nothing: the last event says that it is the last."""


class CompletionReader(SseReader):
    """Reads the events of `/completions`, and of `/fim/completions` in either form: the
    text of a choice, or the delta of a chat."""

    def __init__(self) -> None:
        super().__init__()
        self._reason: str | None = None

    def _take(self, data: bytes, items: list[AnswerItem]) -> None:
        event = self._decode(_completion, data, items)
        if event is None:
            return
        if event.usage != NO_RAW:
            self._usage = _usage(read_counts(event.usage)) or self._usage
        for choice in (event.choices or ())[:1]:
            text = choice.text or (choice.delta.content if choice.delta else None)
            if text:
                items.append(Delta(text))
            self._reason = choice.finish_reason or self._reason

    def _close(self, items: list[AnswerItem]) -> None:
        if self._reason is not None:
            self._end(_REASONS.get(self._reason, "length"), items)


class _Infill(Struct):
    content: str | None = None
    stop: bool = False
    stop_type: str | None = None
    error: Raw = NO_RAW


class _ChoiceDelta(Struct):
    content: str | None = None


class _Choice(Struct):
    text: str | None = None
    delta: _ChoiceDelta | None = None
    finish_reason: str | None = None


class _Completion(Struct):
    choices: list[_Choice] | None = None
    usage: Raw = NO_RAW
    error: Raw = NO_RAW


_infill = msgspec.json.Decoder(_Infill)
_completion = msgspec.json.Decoder(_Completion)


def _infill_usage(counts: Mapping[str, int]) -> Usage | None:
    if "tokens_predicted" not in counts:
        return None
    return Usage(
        input_n_tokens=counts.get("tokens_evaluated", 0),
        cached_n_tokens=counts.get("timings.cache_n", 0),
        output_n_tokens=counts["tokens_predicted"],
    )


def _usage(counts: Mapping[str, int]) -> Usage | None:
    if "completion_tokens" not in counts:
        return None
    return Usage(
        input_n_tokens=counts.get("prompt_tokens", 0),
        cached_n_tokens=counts.get("prompt_tokens_details.cached_tokens", 0),
        output_n_tokens=counts["completion_tokens"],
    )
