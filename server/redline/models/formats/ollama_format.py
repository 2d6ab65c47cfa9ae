"""Ollama's own API, which says and sets what its OpenAI-style one hides.

Its window is small unless a request sets it, and a longer prompt is cut off silently
unless a request forbids it. Field names are those of Ollama of August 2026 (`api/`).
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence, Set

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from redline.errors import RemoteProtocolError
from redline.models.formats.effort import EFFORT_OFF
from redline.models.formats.http_request import NOTHING, HttpRequest, OptionalField
from redline.models.formats.model_list import OpenAiFormat
from redline.models.formats.sse_reader import read_counts, read_stray
from redline.models.formats.wire_format import (
    Abilities,
    AnswerEnd,
    AnswerItem,
    OfferedModel,
)
from redline.models.interface import Delta, FinishReason, GenerationRequest, Usage
from redline.prompts.message import ChatMessage, Prompt
from redline.settings.tree import ModelSettings
from redline.wire.events import NO_RAW
from redline.wire.failure import UNREADABLE, Failure, read_error, try_decode
from redline.wire.sse import MAX_EVENT_BYTES

KEEP_ALIVE = "30m"
"""How long a model stays loaded after a request: loading one takes seconds."""

LOADING_S = 300.0
"""Longest time to load a model, from a slow disk."""

_LEAST_WINDOW = 8_192
_LEAST_ANSWER_TOKENS = 2_048
_BYTES_PER_TOKEN = 3
"""Estimated low, so that the window is rather too large: the median of code is 4.3."""

_IMAGE_TOKENS = 2_048

_THINK: Mapping[str, bool | str] = {
    **dict.fromkeys(EFFORT_OFF, False),
    **dict.fromkeys(("minimal", "low"), "low"),
    "medium": "medium",
    "high": "high",
    **dict.fromkeys(("xhigh", "max"), "max"),
}

_REFUSED: Mapping[OptionalField, tuple[str, ...]] = {
    "effort": ("think",),
    "format": ("format", "schema", "grammar"),
}


class OllamaFormat(OpenAiFormat):
    """`/api/chat` of one model."""

    abilities = Abilities(images=True)

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__(settings)
        self._base = settings.url.rstrip("/")
        self._window = OllamaWindow(settings)

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
        settings = self._settings
        limit = settings.max_output_tokens
        if request.max_output_tokens is not None:
            limit = min(limit, request.max_output_tokens)
        body: dict[str, object] = {
            "model": settings.name,
            "messages": _messages(request.prompt),
            "stream": True,
            "options": {
                "num_ctx": self._window.fit(_size(request.prompt), n_out=limit),
                "num_predict": limit,
            },
            # An answer from half of the prompt would look like any other.
            "truncate": False,
            "shift": False,
            "keep_alive": KEEP_ALIVE,
        }
        if settings.effort is not None and "effort" not in leaving_out:
            body["think"] = _THINK.get(settings.effort, settings.effort)
        if request.text_format is not None and "format" not in leaving_out:
            body["format"] = request.text_format.schema
        return self._post("/api/chat", body)

    def refused_field(self, failure: Failure) -> OptionalField | None:
        """Return what a server refuses that the request can do without."""
        if failure.status != 400:
            return None
        for field, words in _REFUSED.items():
            if any(word in failure.message for word in words):
                return field
        return None

    def reader(self, request: GenerationRequest) -> OllamaReader:
        return OllamaReader()

    def inquiry(self) -> OllamaInquiry:
        """Ask what the model can do, and with which window it is loaded."""
        return OllamaInquiry(self._settings.name, base=self._base, window=self._window)

    def trial(self) -> None:
        """Return nothing: a request without messages loads the model."""

    def warm_up(self) -> HttpRequest:
        """Load the model, with the window that an edit needs."""
        body: dict[str, object] = {
            "model": self._settings.name,
            "messages": [],
            "options": {"num_ctx": self._window.fit(0, n_out=0)},
            "keep_alive": KEEP_ALIVE,
        }
        # The server gives up loading when the client leaves.
        return replace(self._post("/api/chat", body), silence_s=LOADING_S)

    def list_models(self) -> HttpRequest:
        return HttpRequest(method="GET", url=f"{self._base}/api/tags")

    def read_models(self, body: bytes) -> Sequence[OfferedModel]:
        """Read the names; `/api/show` says the rest of each."""
        tags = try_decode(_tags, body)
        models = tags.models if tags else ()
        return tuple(OfferedModel(name=model.name) for model in models)

    def show(self) -> HttpRequest:
        """Ask what the model can do."""
        return _show_request(self._base, self._settings.name)

    def _post(self, path: str, body: Mapping[str, object]) -> HttpRequest:
        return HttpRequest(url=self._base + path, body=msgspec.json.encode(body))


class OllamaInquiry:
    """Asks for a model's window and abilities: a request with another window than that
    of the loaded model loads it again, which takes seconds."""

    def __init__(self, name: str, *, base: str, window: OllamaWindow) -> None:
        """Begin.

        Args:
            name: The model's name at the server.
            base: The address of the server, without a path of its API.
            window: The window of the model's requests; learns the answers.
        """
        self._name = name
        self._window = window
        loaded = HttpRequest(method="GET", url=f"{base}/api/ps")
        self.requests: Sequence[HttpRequest] = (_show_request(base, name), loaded)

    def learn(self, answers: Sequence[bytes]) -> OfferedModel | None:
        """Read what the model can do, and set its window."""
        shown, loaded = answers
        offered = _read_show(shown, self._name)
        limit = offered.context_tokens if offered is not None else None
        self._window.learn(_loaded_window(loaded, self._name), limit=limit)
        return offered


class OllamaWindow:
    """The window of a model's requests: it only grows, as each change loads again."""

    def __init__(self, settings: ModelSettings) -> None:
        self._limit = settings.context_tokens
        self._n_tokens = min(_LEAST_WINDOW, self._limit)

    def learn(self, loaded: int | None, *, limit: int | None) -> None:
        """Use at least the window of the loaded model, at most the largest one."""
        if limit is not None:
            self._limit = min(self._limit, limit)
        self._n_tokens = min(max(self._n_tokens, loaded or 0), self._limit)

    def fit(self, n_bytes: int, *, n_out: int) -> int:
        """Return a window for a prompt and an answer that is about as long."""
        n_prompt = n_bytes // _BYTES_PER_TOKEN + 1
        needed = n_prompt + min(n_out, max(_LEAST_ANSWER_TOKENS, n_prompt))
        while self._n_tokens < min(needed, self._limit):
            self._n_tokens = min(2 * self._n_tokens, self._limit)
        return self._n_tokens


def _show_request(base: str, name: str) -> HttpRequest:
    body = msgspec.json.encode({"model": name})
    return HttpRequest(url=f"{base}/api/show", body=body)


def _read_show(body: bytes, name: str) -> OfferedModel | None:
    shown = try_decode(_show, body)
    if shown is None:
        return None
    windows = [
        value
        for key, value in shown.model_info.items()
        if key.endswith(".context_length") and type(value) is int
    ]
    return OfferedModel(
        name=name,
        context_tokens=windows[0] if windows else None,
        sees="vision" in shown.capabilities if shown.capabilities else None,
        fills="insert" in shown.capabilities if shown.capabilities else None,
    )


def _loaded_window(body: bytes, name: str) -> int | None:
    """Read the window that a model is loaded with; None: it is not loaded."""
    loaded = try_decode(_loaded, body)
    models = loaded.models if loaded else ()
    wanted = {name, f"{name}:latest"}
    return next((each.context_length for each in models if each.name in wanted), None)


class _Named(Struct):
    name: str


class _Tags(Struct):
    models: list[_Named]


class _LoadedModel(Struct):
    name: str = ""
    context_length: int | None = None


class _Loaded(Struct):
    models: list[_LoadedModel]


class _Show(Struct):
    capabilities: list[str] = []
    model_info: dict[str, object] = {}


_tags = msgspec.json.Decoder(_Tags)
_loaded = msgspec.json.Decoder(_Loaded)
_show = msgspec.json.Decoder(_Show)


def _messages(prompt: Prompt) -> list[dict[str, object]]:
    written = [_message(each) for each in prompt.chat_messages]
    if prompt.instructions:
        written.insert(0, {"role": "system", "content": prompt.instructions})
    return written


def _message(chat_message: ChatMessage) -> dict[str, object]:
    message: dict[str, object] = {
        "role": chat_message.role,
        "content": chat_message.text,
    }
    if chat_message.images:
        message["images"] = [
            b64encode(image.data).decode() for image in chat_message.images
        ]
    return message


def _size(prompt: Prompt) -> int:
    """Return the size of a prompt in bytes of text, with what stands for images."""
    texts = [prompt.instructions, *(each.text for each in prompt.chat_messages)]
    n_images = sum(len(each.images) for each in prompt.chat_messages)
    n_image_bytes = n_images * _IMAGE_TOKENS * _BYTES_PER_TOKEN
    return sum(len(text.encode()) for text in texts) + n_image_bytes


_REASONS: Mapping[str, FinishReason] = {"stop": "completed", "length": "length"}


class JsonLines:
    def __init__(self) -> None:
        self._rest = bytearray()
        """Bytes after the last line end."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Add bytes, cut anywhere; return the lines they complete, without empty ones.

        Raises:
            RemoteProtocolError: If a line is larger than the limit.
        """
        if b"\n" not in chunk:
            self._add(chunk)
            return []
        *lines, rest = (bytes(self._rest) + chunk).split(b"\n")
        self._rest.clear()
        self._add(rest)
        return [line for line in map(bytes.strip, lines) if line]

    def finish(self) -> list[bytes]:
        """Take the end of the body; return the last line if it has no line end."""
        line = bytes(self._rest).strip()
        self._rest.clear()
        return [line] if line else []

    def _add(self, data: bytes) -> None:
        self._rest += data
        if len(self._rest) > MAX_EVENT_BYTES:
            raise RemoteProtocolError("The server sent a line that is too long.")


class OllamaReader:
    """Reads an answer of `/api/chat` or `/api/generate`: a JSON object on each line."""

    def __init__(self) -> None:
        self._lines = JsonLines()
        self._has_ended = False

    def feed(self, chunk: bytes) -> list[AnswerItem]:
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
