"""The values a prompt is made of, the same for every provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Role = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One turn of the conversation that is sent to a model."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a model is told for one generation."""

    instructions: str
    """The system text: stable from task to task, so that providers can cache it."""

    chat_messages: tuple[ChatMessage, ...]
    """Oldest first; the last one is the user's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchema:
    """The form that an answer must have, where a provider can hold a model to one.

    A wish: the answer of a model that cannot, or does not, is any text.
    """

    name: str
    """1 to 64 of `A-Z a-z 0-9 _ -`; some providers cache the compiled form by it."""

    schema: Mapping[str, object]
    """A JSON Schema. Strict providers ask that every object lists all its properties as
    required and has `additionalProperties: false`."""
