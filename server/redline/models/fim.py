"""Endpoints that fill in the middle: the code between a prefix and a suffix.

The endpoint is known by the end of its path: `/infill` of llama-server, `/api/generate`
of Ollama, `/fim/completions` of Mistral and Inception, else `/completions` with a
suffix (vLLM, SGLang, DeepSeek, Ollama). Where a server has no suffix for a model, the
prompt is written in the format of the model's family, if that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from urllib.parse import urlsplit

import msgspec

from redline.errors import ModelRejectedError
from redline.models.fim_families import FimFamily, fim_family
from redline.models.fim_reader import CompletionReader, InfillReader
from redline.models.interface import GenerationRequest
from redline.models.model_list import model_url, models_url, read_model_list
from redline.models.ollama import (
    KEEP_ALIVE,
    LOADING_S,
    OllamaInquiry,
    OllamaWindow,
)
from redline.models.ollama_reader import OllamaReader
from redline.models.wire_format import (
    NOTHING,
    Abilities,
    AnswerReader,
    HttpRequest,
    OfferedModel,
    OptionalField,
)
from redline.prompts.message import CodeGap
from redline.settings.tree import ModelSettings
from redline.wire.failure import Failure

_Body = dict[str, object]

_NO_SUFFIX = ("suffix", "insert", "fim")
"""Words of servers that refuse a suffix for a model (vLLM, SGLang, Ollama)."""


class FimFormat:
    """One endpoint that fills in the middle."""

    abilities = Abilities(schema=False, fill=True)

    def __init__(self, settings: ModelSettings, *, label: str) -> None:
        """Begin.

        Args:
            settings: The model's own settings.
            label: The model's name in the settings.
        """
        self._settings = settings
        self._label = label
        self._family = fim_family(settings.name)
        self._window = OllamaWindow(settings)
        self._write, self._new_reader = self._kind()

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
        """Write the request for the text of a gap.

        Raises:
            ModelRejectedError: If there is no gap, or it cannot be sent in the format
                of the model's family.
        """
        gap = request.prompt.gap
        if gap is None:
            raise ModelRejectedError(
                f"Model {self._label} ({self._settings.name}) fills in the middle and "
                "cannot carry out instructions.",
                model=self._label,
                remedy="Configure a model with another `api` for this tier.",
            )
        limit = self._settings.max_output_tokens
        limit = min(limit, request.max_output_tokens or limit)
        raw = self._raw(gap) if "suffix" in leaving_out else None
        body = self._write(gap, limit, raw)
        return HttpRequest(url=self._settings.url, body=msgspec.json.encode(body))

    def refused_field(self, failure: Failure) -> OptionalField | None:
        """Return `suffix` if the server has none for this model."""
        words = f"{failure.param} {failure.message}".lower()
        if failure.status not in (400, 422, 500, 501) or self._family is None:
            return None
        return "suffix" if any(word in words for word in _NO_SUFFIX) else None

    def reader(self) -> AnswerReader:
        """Return a reader for one answer."""
        return self._new_reader()

    def stored_answers(self) -> None:
        """Return nothing: no answer is stored."""

    def inquiry(self) -> OllamaInquiry | None:
        """Ask Ollama for the model's window; other servers set it themselves."""
        base, path, _ = self._settings.url.partition("/api/generate")
        if not path:
            return None
        return OllamaInquiry(self._settings.name, base=base, window=self._window)

    def key_headers(self, key: str) -> Mapping[str, str]:
        """Return the bearer token."""
        return {"Authorization": f"Bearer {key}"}

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

    def show(self) -> HttpRequest | None:
        """Ask for the entry of the model in the list."""
        listing = self.list_models()
        if listing is None:
            return None
        url = model_url(listing.url, self._settings.name)
        return HttpRequest(method="GET", url=url)

    def read_models(self, body: bytes) -> Sequence[OfferedModel]:
        """Read the list of models."""
        return read_model_list(body)

    def _kind(
        self,
    ) -> tuple[
        Callable[[CodeGap, int, _Raw | None], _Body], Callable[[], AnswerReader]
    ]:
        path = urlsplit(self._settings.url).path.rstrip("/")
        if path.endswith("/infill"):
            return self._infill, InfillReader
        if path.endswith("/api/generate"):
            return self._ollama, OllamaReader
        return self._completion, CompletionReader

    def _raw(self, gap: CodeGap) -> _Raw:
        family = self._family
        if family is None or not family.is_raw_safe(gap):
            raise ModelRejectedError(
                "The code around the cursor contains a special token of model "
                f"{self._label}, so it is not sent.",
                model=self._label,
                remedy="Use a server that takes a suffix, such as llama-server.",
            )
        return _Raw(family, gap)

    def _infill(self, gap: CodeGap, limit: int, raw: _Raw | None) -> _Body:
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

    def _ollama(self, gap: CodeGap, limit: int, raw: _Raw | None) -> _Body:
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
            options["stop"] = raw.stops
            body |= {"prompt": raw.prompt, "raw": True}
            del body["suffix"]
        return body

    def _completion(self, gap: CodeGap, limit: int, raw: _Raw | None) -> _Body:
        body: _Body = {
            "model": self._settings.name,
            "prompt": gap.prefix,
            "suffix": gap.suffix,
            "max_tokens": limit,
            "temperature": 0,
            "stream": True,
        }
        if raw is not None:
            body |= {"prompt": raw.prompt, "stop": raw.stops}
            del body["suffix"]
        return body


class _Raw:
    """A prompt in the format of a family."""

    def __init__(self, family: FimFamily, gap: CodeGap) -> None:
        self.prompt = family.prompt(gap)
        self.stops = list(family.stops)
