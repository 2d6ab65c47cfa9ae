"""The Interactions API of Gemini, for answers that need no connection.

An interaction with `background` continues at the provider; its events have ids, after
any of which its stream can be resumed. Field names are those of google-genai 3.4.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence, Set

import msgspec

from redline.models.gemini_request import base_url, output_limit, refused_gemini_field
from redline.models.gemini_thinking import gemini_level
from redline.models.interaction_events import InteractionEvents, read_interaction
from redline.models.interface import GenerationRequest
from redline.models.schema_subset import GEMINI_KEYWORDS, schema_subset
from redline.models.stored_answers import RetrievedResponse
from redline.models.wire_format import NOTHING, HttpRequest, OptionalField
from redline.prompts.message import ChatMessage
from redline.settings.tree import ModelSettings
from redline.wire.events import ServerEvent
from redline.wire.failure import Failure

API_REVISION = "2026-05-20"

_STEPS = {"user": "user_input", "assistant": "model_output"}


class StoredInteractions:
    """The interactions of one model, as one generation sees them."""

    outlives_process = False
    """Events are numbered here, by their order, so their numbers end with a process."""
    headers: Mapping[str, str] = {"Api-Revision": API_REVISION}

    def __init__(self, settings: ModelSettings) -> None:
        self.url = f"{base_url(settings)}/interactions"
        self._settings = settings
        self._events = InteractionEvents()

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
        """Write the request; see `StoredAnswers.write`."""
        settings, prompt = self._settings, request.prompt
        limit = output_limit(request, settings)
        config: dict[str, object] = {"max_output_tokens": limit}
        level = gemini_level(settings.effort)
        if level is not None and "effort" not in leaving_out:
            config |= {"thinking_level": level.lower(), "thinking_summaries": "auto"}
        body: dict[str, object] = {
            "model": settings.name,
            "input": [_step(each) for each in prompt.chat_messages],
            "generation_config": config,
            "stream": True,
            "background": True,
            # What is not stored cannot be fetched.
            "store": True,
        }
        if prompt.instructions:
            body["system_instruction"] = prompt.instructions
        if request.text_format is not None and "format" not in leaving_out:
            body["response_format"] = {
                "type": "text",
                "mime_type": "application/json",
                "schema": schema_subset(request.text_format.schema, GEMINI_KEYWORDS),
            }
        if settings.service_tier is not None:
            body["service_tier"] = settings.service_tier
        return HttpRequest(
            url=self.url,
            headers=self.headers,
            body=msgspec.json.encode(body),
            allowed_n_tokens=limit,
        )

    def refused_field(self, failure: Failure) -> OptionalField | None:
        """Return what a server refuses that the request can do without."""
        return refused_gemini_field(failure)

    def resumption_query(self, starting_after: int | None) -> Mapping[str, str]:
        """Return the query that resumes a stream after an event, by its id."""
        last_id = self._events.id_of(starting_after)
        return {"stream": "true"} | ({"last_event_id": last_id} if last_id else {})

    def read(self, body: bytes) -> RetrievedResponse:
        """Read an interaction that was fetched."""
        return read_interaction(body)

    def decode(self, data: bytes) -> Sequence[ServerEvent]:
        """Decode an event."""
        return self._events.decode(data)


def _step(chat_message: ChatMessage) -> dict[str, object]:
    content: list[dict[str, object]] = [
        {
            "type": "image",
            "mime_type": image.media_type,
            "data": b64encode(image.data).decode(),
        }
        for image in chat_message.images
    ]
    content.append({"type": "text", "text": chat_message.text})
    return {"type": _STEPS[chat_message.role], "content": content}
