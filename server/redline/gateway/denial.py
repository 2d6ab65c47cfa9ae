"""Answers an ASGI request or a WebSocket upgrade with an HTTP error."""

from __future__ import annotations

from starlette.types import Scope, Send

from redline.gateway.refusals import Refusal, http_body

_UPGRADE_DENIAL = "websocket.http.response"
"""The ASGI extension that lets an application answer an upgrade by an HTTP error."""


async def deny(scope: Scope, send: Send, refusal: Refusal) -> None:
    """Answer with a refusal's status, headers and body."""
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
