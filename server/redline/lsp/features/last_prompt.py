"""Converts the last prompt to its form in the protocol."""

from __future__ import annotations

from redline.assist.privacy.prompt_log import SentPrompt
from redline.lsp import extensions
from redline.prompts.window import WindowUse


def last_prompt(sent: SentPrompt, use: WindowUse) -> extensions.LastPrompt:
    """Write the result of `redline.lastPrompt`."""
    return extensions.LastPrompt(
        session_id=sent.session_id,
        model=sent.model.name,
        instructions=sent.prompt.instructions,
        messages=tuple(
            extensions.PromptMessage(role=message.role, text=message.text)
            for message in sent.prompt.chat_messages
        ),
        tokens=use.n_tokens,
        context_band=use.band,
        left_out=tuple(
            extensions.LeftOut(
                kind=one.item.kind, source=one.item.source, reason=one.reason
            )
            for one in sent.left_out
        ),
    )
