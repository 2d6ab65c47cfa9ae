"""The values that make up a prompt, the same for every provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

Role = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptImage:
    """A picture that is sent with a chat message."""

    media_type: str
    """One of `image/png`, `image/jpeg`, `image/webp` and `image/gif`."""

    data: bytes = field(repr=False)
    """The whole file, without metadata."""


class ChatMessage(Struct, frozen=True, kw_only=True):
    role: Role
    text: str

    images: tuple[PromptImage, ...] = ()
    """Only for a model that reads images; providers want them before the text."""


class NearbyText(Struct, frozen=True, kw_only=True):
    """Text of another file, for a model that fills in the middle."""

    path: str
    text: str


class CodeGap(Struct, frozen=True, kw_only=True):
    """A place in a file between two texts, for a model that fills in the middle."""

    prefix: str
    """The text before the cursor, LF line ends; its start may be cut off."""

    suffix: str
    """The text after the cursor, may be empty; its end may be cut off."""

    path: str
    """The file's path in its workspace folder, with slashes."""

    nearby: tuple[NearbyText, ...] = ()
    """From other files, the most relevant last: next to the file itself."""

    repository: str = ""
    """The name of the workspace folder."""


class RawPrompt(Struct, frozen=True, kw_only=True):
    """A text that a model continues, with the marks of the model's family."""

    text: str
    stops: tuple[str, ...]
    """What ends the answer."""


class Prompt(Struct, frozen=True, kw_only=True):
    """The input of one generation."""

    instructions: str
    """The system text: stable from task to task, so that providers can cache it."""

    chat_messages: tuple[ChatMessage, ...]
    """Oldest first; the last one is the user's."""

    gap: CodeGap | None = None
    """The same task for a model that fills in the middle, which is sent nothing else.
    None: only a model that chats can carry it out."""

    raw: RawPrompt | None = None
    """The same task for a model that continues a text of its own form, which is sent
    nothing else."""


def one_question(instructions: str, text: str) -> Prompt:
    """Return the prompt of a new conversation: one message of the user."""
    question = ChatMessage(role="user", text=text)
    return Prompt(instructions=instructions, chat_messages=(question,))


def with_images(prompt: Prompt, images: tuple[PromptImage, ...]) -> Prompt:
    """Return the prompt with images in its first message, which has the task."""
    if not images:
        return prompt
    first, *others = prompt.chat_messages
    return replace(prompt, chat_messages=(replace(first, images=images), *others))


class JsonSchema(Struct, frozen=True, kw_only=True):
    """The form of an answer, for providers that can enforce one.

    It is a wish: a model that cannot follow it, or does not, answers with any text.
    """

    name: str
    """1 to 64 of `A-Z a-z 0-9 _ -`; some providers cache the compiled form by it."""

    schema: Mapping[str, object]
    """A JSON Schema. Strict providers demand that every object lists all its properties
    as required and has `additionalProperties: false`."""
