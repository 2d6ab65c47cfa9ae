"""Translates a generation request to the Responses event that starts it."""

from __future__ import annotations

from base64 import b64encode

import msgspec

from redline.models.formats.effort import EFFORT_OFF
from redline.models.interface import GenerationRequest
from redline.prompts.message import ChatMessage, JsonSchema, PromptImage
from redline.prompts.task_data import GivenTask, encode_task
from redline.settings.providers import TEAM_GATEWAY
from redline.settings.tree import LimitSettings, ModelSettings
from redline.wire.events import (
    TASK_KIND,
    InputContent,
    InputMessage,
    Reasoning,
    ResponseCreate,
    StreamOptions,
    TextFormat,
    TextOptions,
)

_NO_OBFUSCATION = StreamOptions(include_obfuscation=False)
"""Padding hides sizes from eavesdroppers and costs as many bytes as the text."""


def socket_create(
    request: GenerationRequest,
    settings: ModelSettings,
    *,
    is_whole: bool,
    has_format: bool = True,
) -> ResponseCreate:
    """Write a `response.create`.

    Args:
        request: What to generate.
        settings: The model's own settings.
        is_whole: Send all chat messages; else only those after the previous response,
            which this connection still has.
        has_format: Ask for the format of the answer, if the request has one.
    """
    create = _create(request, settings, is_whole=is_whole, has_format=has_format)
    create.type = "response.create"
    return create


def task_data(
    task: GivenTask | None, settings: ModelSettings
) -> msgspec.Raw | msgspec.UnsetType:
    """Write a task as data, for the only kind of server that may receive it."""
    if task is None or not settings.task_data:
        return msgspec.UNSET
    return msgspec.Raw(encode_task(task))


def http_create(
    request: GenerationRequest, settings: ModelSettings, *, has_format: bool = True
) -> ResponseCreate:
    """Write the body of a streamed POST: always whole, since nothing is stored."""
    create = _create(request, settings, is_whole=True, has_format=has_format)
    create.stream = True
    return create


def background_create(
    request: GenerationRequest, settings: ModelSettings, *, has_format: bool
) -> ResponseCreate:
    """Write the body of a POST whose answer is stored and can be streamed again."""
    create = http_create(request, settings, has_format=has_format)
    create.background = True
    # What is not stored cannot be fetched (background guide).
    create.store = True
    return create


def allowed_n_tokens(request: GenerationRequest, settings: ModelSettings) -> int:
    """Return how many tokens the answer may have."""
    asked = request.max_output_tokens or settings.max_output_tokens
    return min(asked, settings.max_output_tokens)


def limits_for(request: GenerationRequest, limits: LimitSettings) -> LimitSettings:
    """Return the time limits, with those of the request applied."""
    wanted = {
        "first_delta_s": request.first_delta_s,
        "stall_s": request.stall_s,
        "generation_s": request.generation_s,
    }
    given = {name: value for name, value in wanted.items() if value is not None}
    return msgspec.structs.replace(limits, **given) if given else limits


def _create(
    request: GenerationRequest,
    settings: ModelSettings,
    *,
    is_whole: bool,
    has_format: bool,
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
        reasoning=_reasoning(settings.effort),
        max_output_tokens=allowed_n_tokens(request, settings),
        service_tier=settings.service_tier,
        prompt_cache_key=request.cache_key,
        stream_options=_NO_OBFUSCATION,
        text=_text_options(request.text_format) if has_format else None,
        metadata=_metadata(request, settings),
        redline_task=task_data(request.task, settings),
    )


def _metadata(
    request: GenerationRequest, settings: ModelSettings
) -> dict[str, str] | None:
    """Say what the request is for, to the only kind of server that reads it."""
    if request.kind is None or settings.provider != TEAM_GATEWAY:
        return None
    return {TASK_KIND: request.kind}


def _reasoning(effort: str | None) -> Reasoning | None:
    if effort is None:
        return None
    return Reasoning(effort="none" if effort in EFFORT_OFF else effort)


def _text_options(text_format: JsonSchema | None) -> TextOptions | None:
    if text_format is None:
        return None
    return TextOptions(
        format=TextFormat(
            type="json_schema",
            name=text_format.name,
            schema=text_format.schema,
            strict=True,
        )
    )


def _input_message(chat_message: ChatMessage) -> InputMessage:
    if not chat_message.images:
        return InputMessage(role=chat_message.role, content=chat_message.text)
    content = [_input_image(image) for image in chat_message.images]
    content.append(InputContent(type="input_text", text=chat_message.text))
    return InputMessage(role=chat_message.role, content=content)


def _input_image(image: PromptImage) -> InputContent:
    data = b64encode(image.data).decode()
    return InputContent(
        type="input_image", image_url=f"data:{image.media_type};base64,{data}"
    )
