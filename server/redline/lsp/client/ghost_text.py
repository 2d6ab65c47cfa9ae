"""Registers inline completion with clients that can register it, while it is on."""

from __future__ import annotations

import asyncio

from redline.lsp.client.optional_requests import ask
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint

_US: dict[str, object] = {
    "id": "redline-inline-completion",
    "method": "textDocument/inlineCompletion",
}
"""The registration."""

_ANSWER_LIMIT_S = 30.0


class GhostText:
    """The registration of `textDocument/inlineCompletion`."""

    def __init__(self, endpoint: Endpoint, client: Client) -> None:
        self._endpoint = endpoint
        self._can_register = client.registers_ghost_text
        self._is_registered = False
        self._lock = asyncio.Lock()

    async def update(self, *, is_on: bool) -> None:
        """Register or unregister it, if the client can and it is not so already."""
        async with self._lock:
            if not self._can_register or is_on == self._is_registered:
                return
            self._is_registered = is_on
            # The protocol's own spelling of one member (LSP 3.18,
            # "UnregistrationParams"); null: the client's own documents.
            method, params = "client/unregisterCapability", {"unregisterations": [_US]}
            if is_on:
                options = {"registerOptions": {"documentSelector": None}}
                method = "client/registerCapability"
                params = {"registrations": [{**_US, **options}]}
            await ask(self._endpoint, method, params, limit_s=_ANSWER_LIMIT_S)
