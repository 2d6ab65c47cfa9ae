"""What the Responses API is sent of a prompt."""

from __future__ import annotations

import msgspec
import pytest

from redline.models.formats.request import http_create
from redline.models.interface import GenerationRequest
from redline.prompts.message import ChatMessage, Prompt, PromptImage, with_images
from redline.settings.tree import ModelSettings
from redline.wire import events


@pytest.mark.parametrize(
    ("effort", "sent"),
    [(None, None), ("high", {"effort": "high"})]
    + [(word, {"effort": "none"}) for word in ("none", "off", "disabled")],
)
def test_an_effort_is_sent_in_the_words_of_the_api(
    effort: str | None, sent: object
) -> None:
    """It knows one word for no thinking."""
    prompt = Prompt(instructions="", chat_messages=())
    request = GenerationRequest(prompt=prompt)
    settings = ModelSettings(
        api="responses-http", url="http://h/", name="m", effort=effort
    )
    body = msgspec.json.decode(events.encode(http_create(request, settings)))
    assert body.get("reasoning") == sent


@pytest.mark.parametrize(
    ("provider", "kind", "sent"),
    [
        ("redline-gateway", "review", {"kind": "review"}),
        ("redline-gateway", None, None),
        ("openai", "review", None),
        (None, "edit", None),
    ],
)
def test_only_a_gateway_is_told_what_a_request_is_for(
    provider: str | None, kind: events.TaskKind | None, sent: object
) -> None:
    """Others may refuse a field that they do not know."""
    prompt = Prompt(instructions="", chat_messages=())
    request = GenerationRequest(prompt=prompt, kind=kind)
    settings = ModelSettings(
        api="responses-http", url="http://h/", name="m", provider=provider
    )
    create = http_create(request, settings)
    assert msgspec.json.decode(events.encode(create)).get("metadata") == sent


def test_images_come_before_the_text_of_the_task() -> None:
    """As data URIs; later messages keep their plain text."""
    turns = tuple(ChatMessage(role="user", text=text) for text in ("task", "repair"))
    prompt = Prompt(instructions="", chat_messages=turns)
    image = PromptImage(media_type="image/png", data=b"\x89PNG")
    request = GenerationRequest(prompt=with_images(prompt, (image,)))
    settings = ModelSettings(api="responses-http", url="http://h/", name="m")
    body = msgspec.json.decode(events.encode(http_create(request, settings)))
    assert [message["content"] for message in body["input"]] == [
        [
            {"type": "input_image", "image_url": "data:image/png;base64,iVBORw=="},
            {"type": "input_text", "text": "task"},
        ],
        "repair",
    ]
