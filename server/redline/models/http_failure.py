"""Read a refusal that came as an HTTP answer: an upgrade's or a request's."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from redline.wire.events import ErrorObject, Failure, retry_after_s

MAX_BODY_BYTES = 65_536
"""Most of an error's body that is read."""


class _Body(Struct):
    error: ErrorObject | str | None = None
    detail: str | None = None  # Frameworks' own refusals, such as FastAPI's.


def read_http_failure(status: int, body: bytes, headers: Mapping[str, str]) -> Failure:
    """Read status, body and headers; a body that is no JSON has no message."""
    try:
        said = msgspec.json.decode(body, type=_Body)
    except msgspec.DecodeError:
        said = _Body()
    error = said.error
    if not isinstance(error, ErrorObject):
        error = ErrorObject(message=error or said.detail or f"HTTP status {status}.")
    return Failure(
        message=error.message or f"HTTP status {status}.",
        code=error.code or error.type,
        status=status,
        retry_after_s=retry_after_s(dict(headers)),
    )
