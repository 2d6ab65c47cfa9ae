"""Shows messages, failures and documents in the client's window."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from msgspec import Struct

from redline.errors import EditorError, RemoteProtocolError
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.rpc import ErrorCode, RpcError
from redline.text.markdown import plain_message

_SHOW_LIMIT_S = 10.0
_QUESTION_LIMIT_S = 600.0


class MessageType(IntEnum):
    """The severity of a message (LSP 3.18)."""

    ERROR = 1
    WARNING = 2
    INFO = 3


class _ShowMessage(Struct, frozen=True):
    type: MessageType
    message: str


class _Choice(Struct, frozen=True):
    title: str


class _ShowQuestion(Struct, frozen=True):
    type: MessageType
    message: str
    actions: tuple[_Choice, ...]


class _ShowDocument(Struct, frozen=True, rename="camel"):
    uri: str
    take_focus: bool


class _ShowDocumentResult(Struct, frozen=True):
    success: bool = False


def show_message(endpoint: Endpoint, kind: MessageType, message: str) -> None:
    endpoint.notify("window/showMessage", _ShowMessage(kind, plain_message(message)))


async def ask_user(endpoint: Endpoint, question: str, choices: Sequence[str]) -> str:
    """Show a question; return the title that the user has chosen.

    Empty: the user has chosen none, or the client shows no questions.
    """
    actions = tuple(map(_Choice, choices))
    params = _ShowQuestion(MessageType.WARNING, plain_message(question), actions)
    try:
        answer = await endpoint.request(
            "window/showMessageRequest", params, object, timeout_s=_QUESTION_LIMIT_S
        )
    except (EditorError, RemoteProtocolError):
        return ""
    return str(answer.get("title", "")) if isinstance(answer, dict) else ""


async def show_document(endpoint: Endpoint, uri: str, *, takes_focus: bool) -> bool:
    """Show a document; return whether the client did.

    Raises:
        EditorError: If it refuses, or does not answer.
        RemoteProtocolError: If its answer cannot be read.
    """
    answer = await endpoint.request(
        "window/showDocument",
        _ShowDocument(uri, takes_focus),
        _ShowDocumentResult,
        timeout_s=_SHOW_LIMIT_S,
    )
    return answer.success


_ASKED_BY_THE_USER = frozenset({"workspace/executeCommand", "codeAction/resolve"})

_EXPECTED = frozenset({ErrorCode.REQUEST_CANCELLED, ErrorCode.SERVER_CANCELLED})
"""Errors that the user caused on purpose."""


def show_failures(endpoint: Endpoint) -> None:
    """Show the failures of the user's commands as messages from now on.

    For editors that do not show error answers; in others, these are the only report.
    """

    def on_failure(method: str, error: RpcError) -> None:
        if method in _ASKED_BY_THE_USER and error.code not in _EXPECTED:
            show_message(endpoint, MessageType.ERROR, f"Redline: {error.message}")

    endpoint.on_failure(on_failure)


def show_outcome(endpoint: Endpoint, text: str, *, is_failed: bool) -> None:
    """Show how a background job has ended."""
    kind = MessageType.ERROR if is_failed else MessageType.INFO
    show_message(endpoint, kind, f"Redline: {text}")
