"""What the requests of both APIs of Gemini share: limits, refusals and thinking.

The levels that models take are those of google-genai 3.4 and of the models' own pages,
autumn 2026: MINIMAL and XHIGH exist, and the models of today refuse them.
"""

from __future__ import annotations

from collections.abc import Mapping

from redline.models.formats.effort import EFFORT_OFF
from redline.models.formats.http_request import OptionalField
from redline.models.interface import GenerationRequest
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


_LEVELS = {
    "minimal": "LOW",
    "low": "LOW",
    "medium": "MEDIUM",
    "high": "HIGH",
    "xhigh": "HIGH",
    "max": "HIGH",
}

_BUDGETS = {"LOW": 1_024, "MEDIUM": 8_192, "HIGH": 24_576}
"""For the generation 2.5, which takes a budget instead of a level."""

_LEAST_PRO_BUDGET = 128
"""Models named `pro` always think."""

_ROOM = {"LOW": 4_096, "MEDIUM": 16_384}
_FULL_ROOM = 32_768


def gemini_level(effort: str | None) -> str | None:
    """Return the nearest level that the models take; None: the model's own."""
    if effort is None:
        return None
    return _LEVELS.get(effort, "LOW")


def thinking_config(settings: ModelSettings) -> dict[str, object] | None:
    """Write `thinkingConfig`; None: the model's own default."""
    name = settings.name.rpartition("/")[2]
    level = gemini_level(settings.effort)
    if level is None or not name.startswith("gemini-"):
        return None
    is_off = settings.effort in EFFORT_OFF
    if not name.startswith("gemini-2.5"):
        return {"thinkingLevel": level, "includeThoughts": not is_off}
    if is_off:
        budget = _LEAST_PRO_BUDGET if "pro" in name else 0
        return {"thinkingBudget": budget}
    return {"thinkingBudget": _BUDGETS[level], "includeThoughts": True}


def thinking_room(settings: ModelSettings) -> int:
    """Return the tokens to add to a limit that is meant for the answer alone."""
    return _ROOM.get(gemini_level(settings.effort) or "", _FULL_ROOM)


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
