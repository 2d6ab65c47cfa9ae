"""Work for a parser process: one function of the package, named and not imported.

Naming it keeps parsers and their libraries out of the process that needs the result,
and lets this room lie below those whose functions it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Generic, Protocol, TypeVar, get_type_hints

from msgspec import Struct

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class Work(Struct, Generic[Argument, Result], frozen=True, kw_only=True):
    """A function with one argument and a result, both of types that msgspec knows."""

    function: str
    """The module and the name: `redline.checks.check_process:check_edit`."""
    result: type[Result]


class WorkRunner(Protocol):
    """Runs work; `ParserPool` is the one that the programs use."""

    async def run(self, work: Work[Argument, Result], argument: Argument) -> Result:
        """Return the result.

        Raises:
            ParserEndedError: If it takes too long or too much memory, or fails.
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
