"""Tracebacks for the log: where an error was raised, without what it says.

The message of a `KeyError` is a name of a document, and that of a `SyntaxError` comes
with a line of it. So only messages that are written for users are shown: those of our
own errors, and the reasons of the operating system.
"""

from __future__ import annotations

from collections.abc import Iterator
from traceback import extract_tb

from redline.errors import RedlineError


def bare_traceback(error: BaseException) -> str:
    """Return the types, the frames and the causes of an error."""
    return "\n".join(_lines(error, {id(error)}))


def _lines(error: BaseException, seen: set[int]) -> Iterator[str]:
    before = error.__cause__
    if before is None and not error.__suppress_context__:
        before = error.__context__
    if before is not None and id(before) not in seen:
        seen.add(id(before))
        yield from _lines(before, seen)
        yield "which led to:"
    yield "Traceback (most recent call last):"
    for frame in extract_tb(error.__traceback__):
        yield f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}'
    yield f"{type(error).__name__}{_reason(error)}"
    if isinstance(error, BaseExceptionGroup):
        for number, one in enumerate(error.exceptions, 1):
            yield f"  {number} of {len(error.exceptions)}:"
            for line in _lines(one, seen):
                yield f"  {line}"


def _reason(error: BaseException) -> str:
    if isinstance(error, RedlineError):
        return f": {error}"
    if isinstance(error, OSError) and error.strerror:
        return f": {error.strerror}"
    return ""
