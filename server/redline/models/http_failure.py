"""Read a refusal that came as an HTTP answer: an upgrade's or a request's."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from redline.wire.events import ErrorObject, Failure, retry_after_s

if TYPE_CHECKING:
    from redline.models.http_client import HttpAnswer

_MAX_BODY_BYTES = 65_536
"""Most of an error's body that is read."""


class _Body(Struct):
    error: ErrorObject | str | None = None
    detail: str | None = None  # Frameworks' own refusals, such as FastAPI's.


def read_http_failure(
    status: int, body: bytes, headers: Mapping[str, str], *, now: float | None = None
) -> Failure:
    """Read status, body and headers; a body that is no JSON has no message.

    Args:
        status: The HTTP status.
        body: At most `_MAX_BODY_BYTES` of it.
        headers: By any case of letters.
        now: The time of day, in seconds since the epoch; None: the system's.
    """
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
        param=error.param,
        status=status,
        retry_after_s=_retry_after_s(headers, now=now),
    )


async def read_refusal(answer: HttpAnswer) -> Failure:
    """Read an answer that refuses a request."""
    body = bytearray()
    async for chunk in answer.chunks:
        body += chunk
        if len(body) > _MAX_BODY_BYTES:
            break
    return read_http_failure(answer.status, bytes(body), answer.headers)


def _retry_after_s(headers: Mapping[str, str], *, now: float | None) -> float | None:
    """Read how long to wait; `Retry-After` may be a date (RFC 9110 section 10.2.3)."""
    values = {name.lower(): value for name, value in headers.items()}
    if (seconds := retry_after_s(values)) is not None:
        return seconds
    # Takes 4 ms to import, and hardly any server sends a date.
    from email.utils import parsedate_to_datetime

    try:
        until = parsedate_to_datetime(values["retry-after"]).timestamp()
    except (KeyError, ValueError, OverflowError):
        return None
    return max(0.0, until - (time.time() if now is None else now))
