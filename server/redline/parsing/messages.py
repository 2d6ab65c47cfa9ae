"""Messages between a process and its parser process: a length, then MessagePack."""

from __future__ import annotations

import struct
from typing import BinaryIO, Final

import msgspec
from msgspec import Struct

_HEAD: Final = struct.Struct("<I")


class Order(Struct, frozen=True):
    """To the parser process: call a function. Answered by `Done` or `Raised`."""

    function: str
    limit_s: float
    argument: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    """Missing: only import the function."""


class Done(Struct, frozen=True, tag=True):
    """From the parser process: the function returned."""

    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class Raised(Struct, frozen=True, tag=True):
    """From the parser process: the function raised an exception."""

    traceback: str


def write_message(pipe: BinaryIO, message: Order | Done | Raised) -> None:
    """Write one message.

    Raises:
        OSError: If the other end has gone.
    """
    body = msgspec.msgpack.encode(message)
    pipe.write(_HEAD.pack(len(body)) + body)
    pipe.flush()


def read_message(pipe: BinaryIO) -> bytes | None:
    """Read the body of one message; None at the end of the input."""
    head = pipe.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    (n_bytes,) = _HEAD.unpack(head)
    body = pipe.read(n_bytes)
    return body if len(body) == n_bytes else None
