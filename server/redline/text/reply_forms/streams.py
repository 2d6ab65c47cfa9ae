"""Joins the pieces of an answer that came as the raw stream of a model's server.

Servers send an answer as server-sent events, or as one JSON object a line. Each has a
piece of the text at a place that depends on the server. A whole response, as an object
of its own, has the text at a similar place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_DATA = re.compile(r"(?:data: ?)?(?P<json>\{.*\})\s*$")
_PART = re.compile(r"0:(?P<json>\".*\")\s*$")
"""A piece in the protocol of Vercel's tools."""
_OTHER = re.compile(
    r"(?:event|id|retry):.*|:(?: .*)?|data: ?\[DONE\]\s*|[2-9a-z]:[\[{\"].*|\s*"
)
"""What else a stream has: names of events, comments, its end."""

_Path = tuple[str | int, ...]
_OF_SERVERS: tuple[_Path, ...] = (
    ("choices", 0, "delta", "content"),
    ("choices", 0, "delta", "tool_calls", 0, "function", "arguments"),
    ("choices", 0, "message", "tool_calls", 0, "function", "arguments"),
    ("choices", 0, "message", "content"),
    ("choices", 0, "text"),
    ("candidates", 0, "content", "parts"),
    ("message", "content"),
    ("delta", "message", "content", "text"),
    ("delta", "text"),
    ("delta", "partial_json"),
    ("token", "text"),
    ("output", "message", "content"),
)
"""Places that only the answers of servers have."""
_IN_STREAMS: tuple[_Path, ...] = (
    *_OF_SERVERS,
    ("delta",),
    ("response",),
    ("content",),
    ("text",),
    ("completion",),
    ("generation",),
)
_MAX_N_CHARS = 2_000_000


def text_of_stream(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Return the text of a stream; None if the lines are none, or the file has such."""
    pieces: list[str] = []
    n_events = 0
    for line in lines:
        event = _DATA.match(line) or _PART.match(line)
        if event is None:
            if not _OTHER.fullmatch(line):
                return None
            continue
        value = _value(event["json"])
        if value is None:
            return None
        n_events += 1
        pieces.append(_text_at(value, _IN_STREAMS))
    # Pieces without a line end are whole lines if one of them is the range's.
    own = {line.strip() for line in around.own_texts}
    is_by_line = "\n" not in "".join(pieces) and any(
        piece.strip() in own for piece in pieces if len(piece) > 1
    )
    text = ("\n" if is_by_line else "").join(pieces)
    is_stream = n_events > 1 or any(line.startswith("data:") for line in lines)
    return _certain(text, around) if is_stream else None


def text_of_response(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Return the text of a server's whole response, which is one JSON object."""
    text = "\n".join(lines).strip()
    value = _value(text) if text[:1] + text[-1:] in ("{}", '""') else None
    if isinstance(value, str):
        # JSON in JSON has another layer in it; a text alone may be one of the code.
        return value.split("\n") if isinstance(_value(value), dict | list) else None
    found = _text_at(value, _OF_SERVERS) if value is not None else ""
    if not found and isinstance(value, dict) and value.get("role") == "assistant":
        found = _text_of(value.get("content")) if '"input"' not in text else ""
    return _certain(found, around)


def _certain(text: str, around: Surroundings) -> list[str] | Doubt | None:
    if not text.strip():
        return None
    if around.has("data:") or any(map(_is_event, around.lines)):
        return None
    lines = text.split("\n")
    is_text = around.language in PROSE_LANGUAGES or around.may_be_in_text
    return "unsure" if is_text and not fits(lines, around) else lines


def _is_event(line: str) -> bool:
    event = _DATA.match(line) or _PART.match(line)
    return event is not None and line.startswith(("{", "0:"))


def _value(text: str) -> object | None:
    if len(text) > _MAX_N_CHARS:
        return None
    try:
        return json.loads(text, strict=False)  # type: ignore[no-any-return]
    except (ValueError, RecursionError):
        return None


def _text_at(value: object, paths: Sequence[_Path]) -> str:
    """Return the text at the first of some places that an object has."""
    if isinstance(value, str):
        return value
    for path in paths:
        inner = value
        for key in path:
            inner = _child(inner, key)
        if text := _text_of(inner):
            return text
    return ""


def _child(value: object, key: str | int) -> object:
    if isinstance(key, str):
        return value.get(key) if isinstance(value, dict) else None
    return value[key] if isinstance(value, list) and len(value) > key else None


def _text_of(value: object) -> str:
    """Return a text, or those of the parts of a message that are no reasoning."""
    if isinstance(value, list):
        return "".join(
            str(part.get("text") or "")
            for part in value
            if isinstance(part, dict) and not part.get("thought")
        )
    return value if isinstance(value, str) else ""
