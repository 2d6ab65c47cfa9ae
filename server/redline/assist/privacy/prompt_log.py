"""The last prompts that were sent to models, for the user to read.

In memory only, bounded, never logged: the text that left this machine, secrets hidden.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from redline.errors import UnknownSessionError
from redline.models.interface import ModelDescription
from redline.prompts.context import OmittedItem
from redline.prompts.message import ChatMessage, Prompt
from redline.prompts.window import WindowUse

_MAX_SESSIONS = 16
_MAX_CHARS = 4_000_000
"""Limit for all prompts together."""


class SentPrompt(Struct, frozen=True, kw_only=True):
    """One prompt and the model that received it."""

    session_id: str
    model: ModelDescription
    prompt: Prompt
    left_out: tuple[OmittedItem, ...] = ()
    """Context that was gathered and is not in it, or only in part."""

    @property
    def n_chars(self) -> int:
        """The length of all text that the model was sent."""
        messages = self.prompt.chat_messages
        return len(self.prompt.instructions) + sum(len(m.text) for m in messages)

    @property
    def text(self) -> str:
        """All text that the model was sent."""
        messages = self.prompt.chat_messages
        return "\n".join([self.prompt.instructions, *(m.text for m in messages)])


class PromptLog:
    """The last prompt of each of the last sessions."""

    def __init__(self, about: Callable[[str], int]) -> None:
        """Start with no prompt.

        Args:
            about: Returns an approximate number of tokens.
        """
        self._about = about
        self._prompts: dict[str, SentPrompt] = {}

    def note(self, sent: SentPrompt) -> None:
        """Store a sent prompt in place of the last one of its session."""
        self._prompts.pop(sent.session_id, None)
        self._prompts[sent.session_id] = sent
        n_chars = 0
        for n_kept, session_id in enumerate(reversed(list(self._prompts))):
            n_chars += self._prompts[session_id].n_chars
            if n_kept and (n_kept >= _MAX_SESSIONS or n_chars > _MAX_CHARS):
                del self._prompts[session_id]

    def note_steer(self, session_id: str, text: str) -> None:
        """Append the text that steered a running generation."""
        sent = self._prompts.get(session_id)
        if sent is not None:
            steer = ChatMessage(role="user", text=text)
            messages = (*sent.prompt.chat_messages, steer)
            self.note(
                replace(sent, prompt=replace(sent.prompt, chat_messages=messages))
            )

    def last(self, session_id: str | None = None) -> SentPrompt:
        """Return the last prompt of a session, or of any session.

        Raises:
            UnknownSessionError: If there is nothing.
        """
        if session_id is None and self._prompts:
            return next(reversed(self._prompts.values()))
        if session_id is None or session_id not in self._prompts:
            raise UnknownSessionError("Nothing was sent to a model for that lately.")
        return self._prompts[session_id]

    @property
    def use(self) -> WindowUse | None:
        """The share of the window that the last prompt takes; None: nothing sent."""
        return None if not self._prompts else self.use_of(self.last())

    def use_of(self, sent: SentPrompt) -> WindowUse:
        """Return the share of its model's window that a prompt takes."""
        return WindowUse(
            n_tokens=self._about(sent.text), context_tokens=sent.model.context_tokens
        )
