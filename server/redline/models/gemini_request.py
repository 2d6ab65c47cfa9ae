"""What the requests of both APIs of Gemini share."""

from __future__ import annotations

from collections.abc import Mapping

from redline.models.gemini_thinking import thinking_room
from redline.models.interface import GenerationRequest
from redline.models.wire_format import OptionalField
from redline.settings.tree import ModelSettings
from redline.wire.failure import Failure

_REFUSED: Mapping[OptionalField, tuple[str, ...]] = {
    "format": (
        *("responseJsonSchema", "response_json_schema", "response_schema"),
        *("responseMimeType", "response_mime_type", "JSON mode", "response_format"),
    ),
    "effort": ("thinking", "Thinking"),
}
"""Names in a refusal of what a request can do without."""


def base_url(settings: ModelSettings) -> str:
    """Return the base of the API, without a slash at the end."""
    return settings.url.rstrip("/")


def output_limit(request: GenerationRequest, settings: ModelSettings) -> int:
    """Return the most tokens to write, thinking included."""
    if request.max_output_tokens is None:
        return settings.max_output_tokens
    wanted = request.max_output_tokens + thinking_room(settings)
    return min(settings.max_output_tokens, wanted)


def refused_gemini_field(failure: Failure) -> OptionalField | None:
    """Return what either API of Gemini refuses that a request can do without."""
    if failure.status != 400:
        return None
    for field, names in _REFUSED.items():
        if any(name in failure.message for name in names):
            return field
    return None


def gemini_key_headers(key: str) -> Mapping[str, str]:
    """Return the header with the key, of either API of Gemini."""
    return {"x-goog-api-key": key}
