"""A request of a wire format over HTTP, and what it can do without."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Literal

from msgspec import Struct, field

OptionalField = Literal[
    "format", "usage", "effort", "cache", "limit", "suffix", "background"
]
"""What a request can do without, if a server refuses it: the format of the answer, the
token counts of a stream, the effort, the key or marks of the prompt cache, the first
name of the token limit, the suffix of a gap, whose prompt is then in the format of the
model's family, and work in the background."""

NOTHING: Set[OptionalField] = frozenset()


class HttpRequest(Struct, frozen=True, kw_only=True):
    """One request, without the key."""

    method: Literal["GET", "POST", "DELETE"] = "POST"
    url: str
    """On the host of the model's own url: the key is sent to no other."""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    """JSON."""
    allowed_n_tokens: int | None = None
    """Most tokens of the answer if the body allows more than the request asks for, as
    for a model that thinks within its limit."""
    silence_s: float | None = None
    """Longest silence before the answer; None: as in the settings."""
