"""Shows failures as messages in editors that do not show error answers.

In other editors the error answer is the only report of a failure.
"""

from __future__ import annotations

from redline.lsp.client.window import MessageType, show_message
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.rpc import ErrorCode, RpcError

_ASKED_BY_THE_USER = frozenset({"workspace/executeCommand", "codeAction/resolve"})

_EXPECTED = frozenset({ErrorCode.REQUEST_CANCELLED, ErrorCode.SERVER_CANCELLED})
"""Errors that the user caused on purpose."""


def show_failures(endpoint: Endpoint) -> None:
    """Start showing the failures of the user's commands."""

    def on_failure(method: str, error: RpcError) -> None:
        if method in _ASKED_BY_THE_USER and error.code not in _EXPECTED:
            show_message(endpoint, MessageType.ERROR, f"Redline: {error.message}")

    endpoint.on_failure(on_failure)
