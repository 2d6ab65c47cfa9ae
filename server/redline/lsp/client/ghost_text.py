"""Registers inline completion with clients that can register it, while it is on."""

from __future__ import annotations

import asyncio
import logging

from msgspec import Struct

from redline.errors import RedlineError
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint

_METHOD = "textDocument/inlineCompletion"
_ID = "redline-inline-completion"
_ANSWER_LIMIT_S = 30.0

logger = logging.getLogger(__name__)


class _Options(Struct, frozen=True, rename="camel"):
    document_selector: None = None
    """The client's own documents."""


class _GhostText(Struct, frozen=True, rename="camel"):
    register_options: _Options
    id: str = _ID
    method: str = _METHOD


class _Registrations(Struct, frozen=True):
    registrations: tuple[_GhostText, ...]


class _Unregistration(Struct, frozen=True):
    id: str = _ID
    method: str = _METHOD


class _Unregistrations(Struct, frozen=True):
    # The protocol's own spelling (LSP 3.18, "UnregistrationParams").
    unregisterations: tuple[_Unregistration, ...] = (_Unregistration(),)


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
            if is_on:
                registration = _GhostText(register_options=_Options())
                await self._send(
                    "client/registerCapability", _Registrations((registration,))
                )
            else:
                await self._send("client/unregisterCapability", _Unregistrations())

    async def _send(self, method: str, params: object) -> None:
        try:
            await self._endpoint.request(
                method, params, object, timeout_s=_ANSWER_LIMIT_S
            )
        except RedlineError as exc:
            logger.warning("the editor did not answer %s: %s", method, exc)
