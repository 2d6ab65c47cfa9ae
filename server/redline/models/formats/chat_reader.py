"""Reads the chunks of a chat completion.

The reader knows the names of every server at once: of thinking (`reasoning`,
`reasoning_content`, `reasoning_details`, parts of the content), of token counts, of
reasons, and of errors inside a stream. A chunk with a `finish_reason` ends the text;
the counts may follow, and `[DONE]` or the end of the body ends the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Raw, Struct

from redline.errors import RemoteProtocolError
from redline.models.formats.sse_reader import SseReader
from redline.models.formats.wire_format import AnswerItem
from redline.models.interface import Delta, FinishReason, Usage
from redline.wire.events import MAX_DELTA_BYTES, NO_RAW
from redline.wire.failure import UNREADABLE, Failure, read_error, try_decode

_REASONS: dict[str, FinishReason] = {
    "stop": "completed",
    # Together, TGI.
    "eos": "completed",
    "eos_token": "completed",
    "stop_sequence": "completed",
    "content_filter": "filtered",
    # Z.ai.
    "sensitive": "filtered",
    # OpenRouter; Z.ai; DeepSeek.
    "error": "failed",
    "network_error": "failed",
    "insufficient_system_resource": "failed",
}
"""Any other reason, such as `length`, is that of a cut answer."""


class _Piece(Struct):
    """A part of a content (Mistral), or of `reasoning_details`."""

    type: str = ""
    text: str | None = None
    thinking: str | list[_Piece] | None = None

    @property
    def thought(self) -> str:
        if isinstance(self.thinking, list):
            return "".join(piece.text or "" for piece in self.thinking)
        return self.thinking or ""


class _Message(Struct):
    content: str | list[_Piece] | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    reasoning_details: list[_Piece] | None = None
    refusal: str | None = None

    @property
    def thought(self) -> str:
        """The thinking, under whichever name; some servers send two at once."""
        if found := self.reasoning_content or self.reasoning:
            return found
        if self.reasoning_details:
            return "".join(piece.text or "" for piece in self.reasoning_details)
        if isinstance(self.content, list):
            return "".join(piece.thought for piece in self.content)
        return ""

    @property
    def text(self) -> str:
        """The answer's text."""
        if isinstance(self.content, list):
            parts = (piece.text for piece in self.content if piece.type == "text")
            return "".join(part or "" for part in parts)
        return self.content or ""


class _Choice(Struct):
    delta: _Message | None = None
    message: _Message | None = None
    """In place of `delta` if the server does not stream."""
    finish_reason: str | None = None


class _Chunk(Struct):
    id: str | None = None
    choices: list[_Choice] | None = None
    usage: Raw = NO_RAW
    error: Raw = NO_RAW
    timings: Raw = NO_RAW
    """llama-server."""
    x_groq: Raw = NO_RAW
    base_resp: Raw = NO_RAW
    """MiniMax."""
    object: Raw = NO_RAW
    """`"error"` in SGLang's and Mistral's flat form of an error."""


Count = Annotated[int, Meta(ge=0, le=2**40)]


class _Details(Struct):
    cached_tokens: Count | None = None
    reasoning_tokens: Count | None = None


class _Usage(Struct):
    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    prompt_tokens_details: _Details | None = None
    completion_tokens_details: _Details | None = None
    prompt_cache_hit_tokens: Count | None = None
    """DeepSeek."""
    cached_tokens: Count | None = None
    """Together, Moonshot."""
    reasoning_tokens: Count | None = None
    """SGLang."""


class _Timings(Struct):
    cache_n: Count | None = None


class _Groq(Struct):
    usage: _Usage | None = None
    error: str | None = None


class _BaseResponse(Struct):
    status_code: int = 0


_chunk = msgspec.json.Decoder(_Chunk)
_usage = msgspec.json.Decoder(_Usage)
_groq = msgspec.json.Decoder(_Groq)
_timings = msgspec.json.Decoder(_Timings)
_base_response = msgspec.json.Decoder(_BaseResponse)

_NULL = bytes(NO_RAW)
_ERROR_OBJECT = b'"error"'


class ChatReader(SseReader):
    """Reads one answer."""

    def __init__(self, sent: Sequence[str] = ()) -> None:
        super().__init__()
        self._text = ChatText(sent)
        self._reason: str | None = None
        """The `finish_reason`, once it has come."""
        self._n_cached = 0
        self._is_refused = False

    def _take(self, data: bytes, items: list[AnswerItem]) -> None:
        if not data.strip():
            return
        if len(data) > MAX_DELTA_BYTES:
            raise RemoteProtocolError("The server sent an increment that is too large.")
        try:
            chunk = _chunk.decode(data)
        except UNREADABLE as exc:
            failure = read_error(data)
            if not failure.message or not data.lstrip().startswith(b"{"):
                raise RemoteProtocolError(
                    "The server sent something unreadable."
                ) from exc
            self._fail(failure, items)
            return
        if (problem := _failure(chunk, data)) is not None:
            self._fail(problem, items)
            return
        self._begin(chunk.id, items)
        self._take_counts(chunk)
        if chunk.choices:
            self._take_choice(chunk.choices[0], items)

    def _take_choice(self, choice: _Choice, items: list[AnswerItem]) -> None:
        message = choice.delta or choice.message
        if message is not None:
            if thought := message.thought:
                items.append(Delta(thought, "reasoning"))
            if text := message.text:
                items += self._text.take(text)
            if message.refusal:
                self._is_refused = True
                items.append(Delta(message.refusal, "refusal"))
        if choice.finish_reason:
            self._reason = choice.finish_reason
            items += self._text.finish()

    def _take_counts(self, chunk: _Chunk) -> None:
        if bytes(chunk.timings) != _NULL and (
            timings := try_decode(_timings, chunk.timings)
        ):
            self._n_cached = timings.cache_n or 0
        usage = None
        if bytes(chunk.usage) != _NULL:
            usage = try_decode(_usage, chunk.usage)
        elif bytes(chunk.x_groq) != _NULL and (groq := try_decode(_groq, chunk.x_groq)):
            usage = groq.usage
        if usage is not None:
            self._usage = _counts(usage)

    def _take_body(self, body: bytes, items: list[AnswerItem]) -> None:
        """Take a body that is no stream: an error, a page, or the whole answer."""
        if not body.startswith(b"{"):
            super()._take_body(body, items)
            return
        self._take(body, items)
        if not self._has_ended:
            self._close(items)

    def _close(self, items: list[AnswerItem]) -> None:
        if self._reason is None:
            return
        reason = _REASONS.get(self._reason, "length")
        if reason == "failed":
            self._fail(Failure(message=f"it reports {self._reason}"), items)
            return
        if self._is_refused and reason == "completed":
            reason = "filtered"
        self._usage = self._all_counts()
        self._end(reason, items)

    def _all_counts(self) -> Usage | None:
        usage = self._usage
        if usage is None or usage.cached_n_tokens or not self._n_cached:
            return usage
        return usage + Usage(cached_n_tokens=self._n_cached)


def _failure(chunk: _Chunk, data: bytes) -> Failure | None:
    """Read the error in a chunk, in each server's form."""
    if bytes(chunk.error) != _NULL or bytes(chunk.object) == _ERROR_OBJECT:
        return read_error(data)
    if bytes(chunk.x_groq) != _NULL:
        groq = try_decode(_groq, chunk.x_groq)
        if groq is not None and groq.error:
            return Failure(message=groq.error)
    if bytes(chunk.base_resp) != _NULL:
        base = try_decode(_base_response, chunk.base_resp)
        if base is not None and base.status_code:
            return read_error(data)
    if chunk.choices is None and bytes(chunk.usage) == _NULL:
        # FastAPI's `detail`, or a message alone.
        failure = read_error(data)
        return failure if failure.message else None
    return None


def _counts(usage: _Usage) -> Usage:
    cached, thought = usage.prompt_tokens_details, usage.completion_tokens_details
    return Usage(
        input_n_tokens=usage.prompt_tokens,
        cached_n_tokens=(cached and cached.cached_tokens)
        or usage.prompt_cache_hit_tokens
        or usage.cached_tokens
        or 0,
        output_n_tokens=usage.completion_tokens,
        reasoning_n_tokens=(thought and thought.reasoning_tokens)
        or usage.reasoning_tokens
        or 0,
    )


_OPEN, _CLOSE = "<think>", "</think>"

_FIRST = ("<|begin_of_box|>",)
"""Special tokens that may begin a text (GLM)."""

_LAST = (
    "<|end_of_box|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|end|>",
    "<|return|>",
    "<end_of_turn>",
    "</s>",
)
"""Special tokens that may end a text, if a server does not cut them."""

_MAX_LAST_CHARS = max(map(len, _LAST))


class ChatText:
    """The text of one answer, taken in pieces cut anywhere.

    It tells the answer from what some servers leave in its text. Thinking stands
    between `<think>` and `</think>` at the very start where a server leaves the
    splitting to its clients. Special tokens of the model may begin or end the text. The
    same characters anywhere else belong to the answer; and everywhere if the messages
    have them: then they are text of the user, such as a prompt in a file.
    """

    def __init__(self, sent: Sequence[str] = ()) -> None:
        self._first, self._last = (
            [mark for mark in marks if not any(mark in text for text in sent)]
            for marks in ((_OPEN, *_FIRST), _LAST)
        )
        self._has_strike = False
        """Whether an element of HTML began that `</s>` ends."""
        self._tail = ""
        """The last characters that were looked at for one."""
        self._held = ""
        """Text that may be the beginning of a mark."""
        self._thought: list[str] = []
        self._state = "start"
        """`start`, `thinking`, `thought` (after its end), or `answer`."""

    def take(self, text: str) -> list[Delta]:
        """Take a piece; return what is certain."""
        if self._state == "answer" and not self._held and "<" not in text:
            self._look_for_strike(text)
            return [Delta(text)]
        text, self._held = self._held + text, ""
        found: list[Delta] = []
        if self._state == "start":
            text = self._start(text)
        if self._state == "thinking":
            text = self._think(text, found)
        if self._state == "thought" and (text := text.lstrip()):
            self._state = "answer"
        if self._state == "answer" and text:
            text, self._held = self._split_tail(text)
            if text:
                found.append(Delta(text))
            self._look_for_strike(text)
        return found

    def finish(self) -> list[Delta]:
        """Take the end: what is held is the answer's unless it is a special token."""
        held, self._held = self._held, ""
        if self._state == "thinking":
            found = [Delta(held, "reasoning")] if held else []
            # A model that does not end its thinking may end it with its answer.
            answer = _last_block("".join(self._thought) + held)
            return [*found, Delta(answer)] if answer else found
        for mark in self._last:
            if mark != "</s>" or not self._has_strike:
                held = held.removesuffix(mark)
        return [Delta(held)] if held else []

    def _look_for_strike(self, text: str) -> None:
        text = self._tail + text
        self._has_strike |= "<s>" in text
        self._tail = text[-2:]

    def _split_tail(self, text: str) -> tuple[str, str]:
        """Split off the end of a text if it may be, or begin, a special token."""
        start = text.find("<", max(0, len(text) - _MAX_LAST_CHARS))
        while start >= 0:
            tail = text[start:]
            if any(mark.startswith(tail) for mark in self._last):
                return text[:start], tail
            start = text.find("<", start + 1)
        return text, ""

    def _start(self, text: str) -> str:
        """Look for what may open the text; return the text that follows it."""
        begun = text.lstrip()
        for mark in self._first:
            if begun.startswith(mark):
                self._state = "thinking" if mark == _OPEN else "answer"
                return begun.removeprefix(mark)
            if mark.startswith(begun):
                self._held = text
                return ""
        self._state = "answer"
        return text

    def _think(self, text: str, found: list[Delta]) -> str:
        """Take thinking; return the text after its end."""
        thought, mark, rest = text.partition(_CLOSE)
        if mark:
            self._state = "thought"
        else:
            n_held = _n_shared(text, _CLOSE)
            thought, self._held = text[: len(text) - n_held], text[len(text) - n_held :]
        if thought:
            self._thought.append(thought)
            found.append(Delta(thought, "reasoning"))
        return rest


def _last_block(text: str) -> str:
    """Return the fenced block that a text ends with, with its fences; may be empty."""
    lines = text.rstrip().split("\n")
    fences = [at for at, line in enumerate(lines) if line.lstrip().startswith("```")]
    is_block = len(fences) % 2 == 0 and fences and fences[-1] == len(lines) - 1
    return "\n".join(lines[fences[-2] :]) + "\n" if is_block else ""


def _n_shared(text: str, mark: str) -> int:
    """Return how many of the last characters begin a mark."""
    for n_chars in range(min(len(mark) - 1, len(text)), 0, -1):
        if text.endswith(mark[:n_chars]):
            return n_chars
    return 0
