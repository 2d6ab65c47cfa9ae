"""Reads a refusal from an HTTP answer to an upgrade or a request."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from redline.errors import ModelError
from redline.wire.failure import Failure, bounded_wait, read_error

if TYPE_CHECKING:
    from redline.models.http.http_client import HttpAnswer

_MAX_BODY_BYTES = 65_536
"""Limit of the body of an error."""

_BODY_S = 1.0
"""Longest wait for it: the status alone is enough to act on."""


def read_http_failure(
    status: int, body: bytes, headers: Mapping[str, str], *, now: float | None = None
) -> Failure:
    """Read status, body and headers; never fails, for any content.

    Args:
        status: The HTTP status.
        body: The beginning of the body.
        headers: The headers; names may be in any case.
        now: Seconds since the epoch; None: the system's clock.
    """
    failure = read_error(body[:_MAX_BODY_BYTES], status=status, headers=headers)
    if failure.retry_after_s is None:
        wait_s = _seconds_until(headers, now=now)
        failure = msgspec.structs.replace(failure, retry_after_s=wait_s)
    return failure


async def read_refusal(answer: HttpAnswer) -> Failure:
    """Read a refusing answer, as far as it arrives within the limits."""
    body = bytearray()
    with suppress(TimeoutError, ModelError):
        async with asyncio.timeout(_BODY_S):
            async for chunk in answer.chunks:
                body += chunk
                if len(body) > _MAX_BODY_BYTES:
                    break
    return read_http_failure(answer.status, bytes(body), answer.headers)


def _seconds_until(headers: Mapping[str, str], *, now: float | None) -> float | None:
    """Read a `Retry-After` that is a date (RFC 9110 section 10.2.3)."""
    values = {name.lower(): value for name, value in headers.items()}
    if "retry-after" not in values:
        return None
    # Imported late: it takes 4 ms, and hardly any server sends a date.
    from email.utils import parsedate_to_datetime

    try:
        until = parsedate_to_datetime(values["retry-after"]).timestamp()
    except (ValueError, OverflowError):
        return None
    return bounded_wait(until - (time.time() if now is None else now))
