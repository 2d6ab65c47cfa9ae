"""Requests to the editor: our own ids, time limits and late replies."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import TypeVar

import msgspec

from redline import errors
from redline.lsp.jsonrpc import rpc

_PREFIX = "redline-"
"""The prefix of our ids; pygls uses UUIDs."""

_T = TypeVar("_T")


class EditorRequests:
    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._numbers = itertools.count(1)
        self._pending: dict[str, asyncio.Future[rpc.Envelope | None]] = {}
        self._is_closed = False

    async def request(
        self,
        method: str,
        params: object,
        result_type: type[_T],
        *,
        limit_s: float | None,
    ) -> _T:
        """Send a request and wait for the answer. Cancelling is safe.

        Args:
            method: An LSP method that goes from server to client.
            params: Encodable by msgspec; None for a method without params.
            result_type: The type to which msgspec converts the result.
            limit_s: Seconds to wait; None if the user has to answer.

        Raises:
            EditorRefusedError: If the answer is an error.
            EditorTimeoutError: If no answer came in time.
            EditorGoneError: If the connection has ended.
            RemoteProtocolError: If the result is of another type.
        """
        if self._is_closed:
            raise _gone(method)
        request_id = f"{_PREFIX}{next(self._numbers)}"
        answer = asyncio.get_running_loop().create_future()
        self._pending[request_id] = answer
        try:
            self._send(rpc.encode_request(request_id, method, params))
            async with asyncio.timeout(limit_s):
                response = await answer
        except TimeoutError:
            raise errors.EditorTimeoutError(
                f"The editor did not answer {method} within {limit_s:g} seconds."
            ) from None
        finally:
            # From here on a reply is late, and ignored.
            self._pending.pop(request_id, None)
        if response is None:
            raise _gone(method)
        return _result(method, response, result_type)

    def is_ours(self, request_id: object) -> bool:
        """Whether a response's id belongs to a request of ours, even an old one."""
        return isinstance(request_id, str) and request_id.startswith(_PREFIX)

    def settle(self, response: rpc.Envelope) -> None:
        """Handle a response; ignore it if its request timed out or was cancelled."""
        answer = self._pending.get(str(response.id))
        if answer is not None and not answer.done():
            answer.set_result(response)

    def close(self) -> None:
        """Fail all open requests with `EditorGoneError`; idempotent."""
        self._is_closed = True
        for answer in self._pending.values():
            if not answer.done():
                # Not `set_exception`: if the waiting task is cancelled at the same
                # time, the exception would never be retrieved.
                answer.set_result(None)


def _gone(method: str) -> errors.EditorGoneError:
    return errors.EditorGoneError(f"The editor went away before it answered {method}.")


def _result(method: str, response: rpc.Envelope, result_type: type[_T]) -> _T:
    if response.error:
        refusal = rpc.decode_error(bytes(response.error))
        raise errors.EditorRefusedError(
            f"The editor refused {method}: {refusal.message}", code=refusal.code
        )
    decoder = msgspec.json.Decoder(result_type)
    try:
        return rpc.decode(decoder, bytes(response.result) or b"null")
    except msgspec.DecodeError as error:
        raise errors.RemoteProtocolError(
            f"The editor's answer to {method} does not fit: {error}."
        ) from error
