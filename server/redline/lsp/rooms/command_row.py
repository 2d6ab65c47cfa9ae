"""A row of the table of commands: the type of its arguments, and what runs it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from redline.lsp.jsonrpc.request_context import DeferredAnswer
from redline.lsp.protocol.messages import ExecuteCommand

_A = TypeVar("_A")

Handler = Callable[[Any, ExecuteCommand], object]
"""Takes the decoded arguments (Any: of its row's type) and the request, inside the
reader; returns the result, or a `DeferredAnswer` that produces one."""


class CommandRow(Struct, frozen=True):
    decoder: msgspec.json.Decoder[Any]  # Any: the arguments' type differs by row.
    handler: Handler


def command(arguments_type: type[Any], handler: Handler) -> CommandRow:
    """Make a row. (Any: see `CommandRow`.)"""
    return CommandRow(msgspec.json.Decoder(arguments_type), handler)


def deferred(
    arguments_type: type[_A], do: Callable[[_A], Awaitable[object]]
) -> CommandRow:
    """Make a row of a command that may wait."""

    def handler(arguments: _A, params: ExecuteCommand) -> DeferredAnswer:
        return DeferredAnswer(lambda context: do(arguments))

    return command(arguments_type, handler)
