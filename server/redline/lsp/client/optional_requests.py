"""Requests to the client that Redline can do without: a failure is only logged."""

from __future__ import annotations

import logging
from typing import Any  # JSON of a client's answer.

from redline.errors import RedlineError
from redline.lsp.jsonrpc.endpoint import Endpoint

_LIMIT_S = 10.0

logger = logging.getLogger(__name__)


async def ask(
    endpoint: Endpoint, method: str, params: object, *, limit_s: float = _LIMIT_S
) -> Any:
    """Send a request and return its answer; None if there is none.

    Args:
        endpoint: The connection.
        method: An LSP method that goes from server to client.
        params: Encodable by msgspec; None for a method without params.
        limit_s: Seconds to wait.
    """
    try:
        return await endpoint.request(method, params, object, timeout_s=limit_s)
    except RedlineError as exc:
        logger.warning("the editor did not answer %s: %s", method, exc)
        return None
