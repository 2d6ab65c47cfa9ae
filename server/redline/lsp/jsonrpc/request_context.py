"""The context of a request, besides its params."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from msgspec import Struct

from redline.lsp.jsonrpc.rpc import Id

logger = logging.getLogger(__name__)


class RequestContext:
    """One open request.

    Attributes:
        id: The id as the editor sent it.
        method: The request's method.
    """

    def __init__(self, request_id: Id, method: str) -> None:
        self.id = request_id
        self.method = method
        self._is_cancelled = False
        self._on_cancel: list[Callable[[], object]] = []
        self._task: asyncio.Task[None] | None = None

    @property
    def is_cancelled(self) -> bool:
        """Whether the editor cancelled the request, or the server is shutting down."""
        return self._is_cancelled

    def on_cancel(self, callback: Callable[[], object]) -> None:
        """Call back as soon as a cancel is read, before the handler is cancelled.

        It runs inside the reader, before later messages are handled, or at once if the
        cancel was read already. It must be fast and must not raise.
        """
        if self._is_cancelled:
            callback()
        else:
            self._on_cancel.append(callback)

    def attach(self, task: asyncio.Task[None]) -> None:
        """Set the task that runs the handler."""
        self._task = task

    def cancel(self) -> None:
        """Run the callbacks, then cancel the handler; idempotent."""
        if self._is_cancelled:
            return
        self._is_cancelled = True
        for callback in self._on_cancel:
            try:
                callback()
            except Exception:
                # Part of the handler wrapper: one handler's bug must not keep the
                # rest from being cancelled.
                logger.exception("cancelling %s failed", self.method)
        self._on_cancel.clear()
        if self._task is not None:
            self._task.cancel()


class _NotServed:
    """The type of `NOT_SERVED`."""


NOT_SERVED = _NotServed()
"""Returned by a handler inside the reader if the fallback must serve the request."""


class AnswerByCallback(Struct, frozen=True):
    """Returned by a handler inside the reader if a callback brings the answer.

    It is written in the turn of the event loop in which it is known, as no task waits
    for it.
    """

    then: Callable[[Callable[[Callable[[], object]], None]], None]
    """Takes a callback, which in turn takes a function that returns the result."""
    on_cancel: Callable[[], object]
    """As `RequestContext.on_cancel`; the request is answered then."""


class DeferredAnswer(Struct, frozen=True):
    """Returned by a handler inside the reader if a task must produce the answer."""

    work: Callable[[RequestContext], Awaitable[object]]
    """The remaining work, whose result is the answer. Not called if the request is
    cancelled before its task starts."""
    on_cancel: Callable[[], object] | None = None
    """As `RequestContext.on_cancel`, from the moment that the request was read."""
