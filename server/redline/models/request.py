"""From a request to the Responses event that starts it."""

from __future__ import annotations

from redline.models.interface import GenerationRequest
from redline.prompts.message import ChatMessage
from redline.settings.tree import ModelSettings
from redline.wire.events import InputMessage, Reasoning, ResponseCreate, StreamOptions

_NO_OBFUSCATION = StreamOptions(include_obfuscation=False)
"""Padding hides sizes from eavesdroppers and costs as many bytes as the text."""


def socket_create(
    request: GenerationRequest, settings: ModelSettings, *, is_whole: bool
) -> ResponseCreate:
    """Write a `response.create`.

    Args:
        request: What to generate.
        settings: The model's own settings.
        is_whole: Send all chat messages; else only those after the previous response,
            which this connection still has.
    """
    create = _create(request, settings, is_whole=is_whole)
    create.type = "response.create"
    return create


def http_create(request: GenerationRequest, settings: ModelSettings) -> ResponseCreate:
    """Write the body of a streamed POST: always whole, since nothing is stored."""
    create = _create(request, settings, is_whole=True)
    create.stream = True
    return create


def _create(
    request: GenerationRequest, settings: ModelSettings, *, is_whole: bool
) -> ResponseCreate:
    chat_messages = request.prompt.chat_messages
    if not is_whole:
        chat_messages = chat_messages[request.n_previous_messages :]
    return ResponseCreate(
        model=settings.name,
        # Instructions are not inherited through `previous_response_id`.
        instructions=request.prompt.instructions,
        input=[_input_message(chat_message) for chat_message in chat_messages],
        previous_response_id=None if is_whole else request.previous,
        store=False,
        reasoning=Reasoning(effort=settings.effort) if settings.effort else None,
        max_output_tokens=min(
            request.max_output_tokens or settings.max_output_tokens,
            settings.max_output_tokens,
        ),
        service_tier=settings.service_tier,
        prompt_cache_key=request.cache_key,
        stream_options=_NO_OBFUSCATION,
    )


def _input_message(chat_message: ChatMessage) -> InputMessage:
    return InputMessage(role=chat_message.role, content=chat_message.text)
