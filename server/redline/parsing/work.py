"""Work for a parser process: one function of the package, named and not imported.

Naming it keeps parsers and their libraries out of the process that needs the result,
and lets this room lie below those whose functions it runs. Messages between a process
and its parser process are a length, then MessagePack.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, BinaryIO, Final, Generic, Protocol, TypeVar, get_type_hints

import msgspec
from msgspec import Struct

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_HEAD: Final = struct.Struct("<I")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work(Generic[Argument, Result]):
    """A function with one argument and a result, both of types that msgspec knows."""

    function: str
    """The module and the name: `redline.checks.edit_check:check_edit`."""
    result: type[Result]


class WorkRunner(Protocol):
    """Runs work; `ParserPool` is the one that the programs use."""

    async def run(self, work: Work[Argument, Result], argument: Argument) -> Result:
        """Return the result.

        Raises:
            ParserEndedError: If it takes too long or too much memory.
        """

    def warm(self, work: Work[Argument, Result]) -> None:
        """Prepare for work that is likely to come, without waiting."""


# A function whose types are known only when it is imported.
LoadedFunction = Callable[[Any], Any]


def load(function: str) -> LoadedFunction:
    """Import the function that a `Work` names."""
    module, _, name = function.partition(":")
    loaded: LoadedFunction = getattr(import_module(module), name)
    return loaded


def argument_type(function: LoadedFunction) -> Any:
    """Return the type of a function's argument, from its annotations."""
    hints = get_type_hints(function)
    hints.pop("return", None)
    (only,) = hints.values()
    return only


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
