"""The values that make up a prompt, the same for every provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Role = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message of the conversation with a model."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The input of one generation."""

    instructions: str
    """The system text: stable from task to task, so that providers can cache it."""

    chat_messages: tuple[ChatMessage, ...]
    """Oldest first; the last one is the user's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchema:
    """The form of an answer, for providers that can enforce one.

    It is a wish: a model that cannot follow it, or does not, answers with any text.
    """

    name: str
    """1 to 64 of `A-Z a-z 0-9 _ -`; some providers cache the compiled form by it."""

    schema: Mapping[str, object]
    """A JSON Schema. Strict providers demand that every object lists all its properties
    as required and has `additionalProperties: false`."""
