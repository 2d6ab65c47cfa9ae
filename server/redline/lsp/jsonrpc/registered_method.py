"""One registered method: its handler and the decoder of its params."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from redline.lsp.jsonrpc import rpc
from redline.lsp.jsonrpc.rpc_errors import invalid_params


class RegisteredMethod(Struct, frozen=True):
    """A method, its params' type and its handler."""

    method: str
    decoder: msgspec.json.Decoder[Any] | None  # Any: the params type of this method.
    """None for a method without params."""
    handler: Callable[..., Any]  # Any: typed where it is registered.

    def params(self, raw: msgspec.Raw) -> object:
        """Decode params; absent ones and null are an object without members.

        Raises:
            RpcError: If they are invalid, naming the field.
        """
        if self.decoder is None:
            return None
        is_absent = not raw or bytes(raw) == b"null"
        try:
            return rpc.decode(self.decoder, b"{}" if is_absent else raw)
        except msgspec.DecodeError as error:
            raise invalid_params(self.method, error) from error


def registered_method(
    method: str,
    params_type: type[object],
    handler: Callable[..., Any],  # Any: as in `RegisteredMethod`.
) -> RegisteredMethod:
    """Return a method whose decoder is built once."""
    has_params = params_type is not type(None)
    decoder = msgspec.json.Decoder(params_type) if has_params else None
    return RegisteredMethod(method, decoder, handler)
