"""JSON-RPC 2.0 as LSP speaks it: the envelope of a message, error codes, encoding.

One flat struct decodes requests, notifications and responses alike; params, result and
error stay raw until their type is known. Ids are kept exactly as received: `1` and
`"1"` are different requests (LSP 3.18, "Base Protocol").
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

Id = int | str

_T = TypeVar("_T")


class ErrorCode(IntEnum):
    """Error codes of JSON-RPC 2.0 (section 5.1) and of LSP 3.18 (`LSPErrorCodes`)."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    SERVER_NOT_INITIALIZED = -32002
    REQUEST_FAILED = -32803
    SERVER_CANCELLED = -32802
    CONTENT_MODIFIED = -32801
    REQUEST_CANCELLED = -32800


class Envelope(Struct, frozen=True, gc=False):
    """A message of any kind. Absent members are `UNSET` or an empty `Raw`."""

    id: Id | UnsetType | None = UNSET
    method: str | UnsetType = UNSET
    params: Raw = Raw()
    result: Raw = Raw()
    error: Raw = Raw()


class RpcErrorObject(Struct, frozen=True, omit_defaults=True):
    """The `error` member of a response."""

    code: int
    message: str
    data: Any = None  # Any: JSON of whatever shape its code defines.


class RpcError(Exception):
    """An error answer with its code; never leaves `lsp`.

    Attributes:
        code: One of `ErrorCode`, or a server's own.
        message: What the editor shows: one or two sentences.
        data: JSON-able details for programs, or None.
    """

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = int(code)
        self.message = message
        self.data = data


class NestedTooDeeplyError(msgspec.DecodeError):
    """JSON of more levels than can be decoded; never leaves `lsp`."""


class CancelParams(Struct, frozen=True):
    """The params of `$/cancelRequest`."""

    id: Id


class _Outgoing(Struct, frozen=True, tag_field="jsonrpc", tag="2.0"):
    """The first member of all outgoing messages."""


class _Result(_Outgoing, frozen=True, tag="2.0"):
    id: Id
    result: Any  # Any: whatever msgspec can encode.


class _Failure(_Outgoing, frozen=True, tag="2.0"):
    id: Id | None
    error: RpcErrorObject


class _Request(_Outgoing, frozen=True, tag="2.0", omit_defaults=True):
    id: Id
    method: str
    params: Any = UNSET  # Any: whatever msgspec can encode.


class _Notification(_Outgoing, frozen=True, tag="2.0", omit_defaults=True):
    method: str
    params: Any = UNSET  # Any: whatever msgspec can encode.


_STRING_OR_BRACKET = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)

_encode = msgspec.json.Encoder().encode
_decode_envelope = msgspec.json.Decoder(Envelope)
_decode_error = msgspec.json.Decoder(RpcErrorObject)


def decode_envelope(body: bytes) -> Envelope:
    """Read a message's envelope.

    Raises:
        msgspec.ValidationError: If it is JSON, but not a JSON-RPC message.
        NestedTooDeeplyError: If it is nested too deeply.
        msgspec.DecodeError: If it is not JSON.
    """
    return decode(_decode_envelope, body)


def id_of_deep_request(body: bytes) -> Id | None:
    """Return the id of a request that is nested too deeply; None if it has none."""
    # Members of members are replaced by null: what is left has one level.
    kept, depth, end = [], 0, 0
    for token in _STRING_OR_BRACKET.finditer(body):
        if token[0] in b"[{":
            depth += 1
            if depth == 2:
                kept.append(body[end : token.start()])
        elif token[0] in b"]}":
            depth -= 1
            if depth == 1:
                end = token.end()
    try:
        envelope = decode_envelope(b"null".join((*kept, body[end:])))
    except msgspec.DecodeError:
        return None
    if envelope.method is UNSET or envelope.id is UNSET:
        return None
    return envelope.id


def decode_error(raw: bytes) -> RpcErrorObject:
    """Read the `error` member of a response; replace it if it is invalid."""
    try:
        return decode(_decode_error, raw)
    except msgspec.DecodeError:
        return RpcErrorObject(code=ErrorCode.INTERNAL_ERROR, message="unreadable error")


def decode(decoder: msgspec.json.Decoder[_T], raw: bytes | Raw) -> _T:
    """Decode JSON that an editor wrote.

    Editors with UTF-16 strings may send an escaped lone surrogate if an edit splits a
    character. Refusing it would make our text differ from theirs, so it becomes U+FFFD,
    which has the same length in UTF-16 code units.

    Raises:
        msgspec.ValidationError: If it is JSON of another shape.
        NestedTooDeeplyError: If it is nested too deeply.
        msgspec.DecodeError: If it is not JSON.
    """
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError:
        raise
    except RecursionError as error:
        raise NestedTooDeeplyError("JSON is nested too deeply") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        repaired = _replace_surrogates(bytes(raw))
        if repaired is None:
            raise msgspec.DecodeError(str(error)) from error
    return decode(decoder, repaired)


def encode_result(request_id: Id, result: object) -> bytes:
    """Return the body of a successful response."""
    return _encode(_Result(id=request_id, result=result))


def encode_error(request_id: Id | None, error: RpcError) -> bytes:
    """Return the body of a failed response; the id is None if it could not be read."""
    obj = RpcErrorObject(code=error.code, message=error.message, data=error.data)
    return _encode(_Failure(id=request_id, error=obj))


def encode_request(request_id: Id, method: str, params: object) -> bytes:
    """Return the body of a request; None for a method without params."""
    return _encode(_Request(request_id, method, UNSET if params is None else params))


def encode_notification(method: str, params: object) -> bytes:
    """Return the body of a notification; None for a method without params."""
    return _encode(_Notification(method, UNSET if params is None else params))


# One escape of a JSON string: a whole pair, half a pair, or anything else. Escapes are
# matched one after the other, so an escaped backslash never starts one.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def _replace_surrogates(raw: bytes) -> bytes | None:
    """Replace lone surrogates; None if the JSON has none."""
    replaced = _ESCAPE.sub(lambda m: rb"\ufffd" if m[1] else m[0], raw)
    return replaced if replaced != raw else None
