"""The values a prompt is made of, the same for every provider."""

from __future__ import annotations

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
