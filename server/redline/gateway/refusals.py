"""Refusals of requests, in each form of the protocol."""

from __future__ import annotations

import math

import msgspec
from msgspec import Struct
from starlette.types import Scope, Send

from redline.wire.events import ERROR

_UPGRADE_DENIAL = "websocket.http.response"
"""The ASGI extension that lets an application answer an upgrade by an HTTP error."""


_QUEUE_RETRY_S = 1.0
"""When to try again what waited in vain."""


class Refusal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a request is not answered. Also read from script files."""

    message: str = "Refused."
    code: str | None = None
    type: str = "invalid_request_error"
    param: str | None = None
    status: int | None = 400
    headers: dict[str, str] | None = None
    """Hints such as `retry-after`; real headers over HTTP."""
    is_flat: bool = False
    """Send the flat form of the event on a socket too, as over HTTP streaming."""
    has_outer_headers: bool = False
    """Put the headers next to `error`, as some servers do, not into it."""


class RefusedError(Exception):
    """Raised to refuse a request; carries the refusal to the outlet."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


def previous_response_not_found(response_id: str) -> Refusal:
    """Refuse to continue from a response that is unknown or was deleted."""
    return Refusal(
        code="previous_response_not_found",
        message=f"Previous response with id '{response_id[:128]}' not found.",
        param="previous_response_id",
    )


def rate_limited(wait_s: float, what: str = "Too many requests") -> Refusal:
    """Refuse for now, with the time to retry after."""
    return Refusal(
        code="rate_limit_exceeded",
        type="rate_limit_error",
        message=f"{what}; try again in {_duration(wait_s)}.",
        status=429,
        headers=retry_headers(wait_s),
    )


def error_type(status: int | None) -> str:
    """Return the `type` of an error with an HTTP status."""
    if status == 429:
        return "rate_limit_error"
    return "server_error" if status is None or status >= 500 else Refusal().type


def too_many_waiting(queued: int) -> Refusal:
    """Refuse a request of a user who has too many in the queue."""
    return rate_limited(
        _QUEUE_RETRY_S, f"{queued} of your requests wait already, which is your limit"
    )


def waited_too_long(queue_s: float) -> Refusal:
    """Refuse a request that got no turn."""
    return rate_limited(
        _QUEUE_RETRY_S, f"The model was busy for {queue_s:g} s with other requests"
    )


def _duration(wait_s: float) -> str:
    if wait_s < 120:
        return f"{wait_s:.1f} s"
    return f"{wait_s / 60:.0f} minutes" if wait_s < 7_200 else f"{wait_s / 3600:.0f} h"


def retry_headers(wait_s: float) -> dict[str, str]:
    """Return the headers that tell when to send a request again."""
    return {
        "retry-after": str(math.ceil(wait_s)),
        "retry-after-ms": str(math.ceil(wait_s * 1000)),
    }


def unsupported(param: str, why: str) -> Refusal:
    """Refuse a field that this gateway does not support."""
    return Refusal(code="unsupported_parameter", message=why, param=param)


def too_large(max_bytes: int) -> Refusal:
    """Refuse a message or body over the limit."""
    return Refusal(
        code="request_too_large",
        message=f"A request has at most {max_bytes} bytes.",
        status=413,
    )


def too_long(max_bytes: int) -> Refusal:
    """Refuse to continue an answer that is too long."""
    return Refusal(
        code="response_too_long",
        type="server_error",
        message=f"The events of a background response have at most {max_bytes} bytes.",
        status=500,
    )


def response_not_found(response_id: str) -> Refusal:
    """Report that a response is unknown or was deleted."""
    return Refusal(
        message=f"Response with id '{response_id[:128]}' not found.",
        status=404,
        param="response_id",
    )


def store_unavailable() -> Refusal:
    """Return the refusal of a request that needs the store while it is gone."""
    return Refusal(
        code="store_unavailable",
        type="server_error",
        message="The gateway's store of responses does not answer, and this request"
        " needs it. Requests without stored responses work; try again later.",
        status=503,
        headers=retry_headers(_QUEUE_RETRY_S),
    )


def worker_ended() -> Refusal:
    """Return the error of a background response that nobody writes any more."""
    return Refusal(
        code="server_error",
        type="server_error",
        message="The process that wrote this response has ended; send it again.",
        status=503,
    )


def unreadable_compaction() -> Refusal:
    """Refuse a compaction item that this gateway did not write."""
    return Refusal(
        code="invalid_value",
        message="The 'encrypted_content' of a compaction item cannot be read.",
        param="input",
    )


def unreadable_image() -> Refusal:
    """Refuse an image that is not in the request itself, or that is damaged."""
    return Refusal(
        code="invalid_value",
        message="An image must be a data: url with a png, jpeg, webp or gif in base64;"
        " the gateway fetches nothing.",
        param="input",
    )


def key_revoked() -> Refusal:
    """Report that the key of an open connection has become invalid."""
    return Refusal(
        code="invalid_api_key",
        message="This key is no longer valid. Ask the gateway's operator for one.",
        status=401,
    )


def model_not_found(name: str) -> Refusal:
    """Report that there is no such model."""
    return Refusal(
        code="model_not_found",
        message=f"The model '{name[:128]}' does not exist.",
        param="model",
        status=404,
    )


def socket_age_reached(max_age_s: float) -> Refusal:
    """Report that the WebSocket has reached its age limit (section "Connection
    lifetime" of the WebSocket mode guide)."""
    return Refusal(
        code="websocket_connection_limit_reached",
        message=(
            "Responses websocket connection limit reached"
            f" ({max_age_s / 60:g} minutes)."
            " Create a new websocket connection to continue."
        ),
    )


def draining() -> Refusal:
    """Report that the server is about to end, as clients know it from the age limit."""
    return Refusal(
        code="websocket_connection_limit_reached",
        message="This server is about to end."
        " Create a new websocket connection to continue.",
    )


def error_object(refusal: Refusal) -> dict[str, object]:
    """Return the `error` object, the same over HTTP and on a socket."""
    return {
        "type": refusal.type,
        "code": refusal.code,
        "message": refusal.message,
        "param": refusal.param,
    }


def http_body(refusal: Refusal) -> bytes:
    """Return the body of an HTTP answer."""
    return msgspec.json.encode({"error": error_object(refusal)})


def socket_event(refusal: Refusal, *, lane: str | None = None) -> bytes:
    """Return the `error` event on a WebSocket."""
    event: dict[str, object] = {"type": ERROR}
    if refusal.status is not None:
        event["status"] = refusal.status
    if lane is not None:
        event["stream_id"] = lane
    if refusal.is_flat:
        event |= error_object(refusal) | {"type": ERROR}
    else:
        event["error"] = error_object(refusal)
    if refusal.headers and (refusal.is_flat or refusal.has_outer_headers):
        event["headers"] = refusal.headers
    elif refusal.headers:
        event["error"] = error_object(refusal) | {"headers": refusal.headers}
    return msgspec.json.encode(event)


def stream_event(refusal: Refusal, *, sequence_number: int) -> bytes:
    """Return the `error` event of an HTTP stream, which is always flat."""
    event = error_object(refusal) | {"type": ERROR, "sequence_number": sequence_number}
    return msgspec.json.encode(event)


async def deny(scope: Scope, send: Send, refusal: Refusal) -> None:
    """Answer an ASGI request or a WebSocket upgrade with an HTTP error."""
    prefix = "http.response"
    if scope["type"] == "websocket":
        if _UPGRADE_DENIAL not in scope.get("extensions", {}):
            # Without the extension, the server turns this into a plain 403.
            await send({"type": "websocket.close"})
            return
        prefix = _UPGRADE_DENIAL
    body = http_body(refusal)
    headers = {
        "content-type": "application/json",
        "content-length": str(len(body)),
        **(refusal.headers or {}),
    }
    await send(
        {
            "type": f"{prefix}.start",
            "status": refusal.status or 400,
            "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
        }
    )
    await send({"type": f"{prefix}.body", "body": body})
