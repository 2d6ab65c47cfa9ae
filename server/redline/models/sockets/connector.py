"""Attempts to connect: how many run, the pauses between them, how the last ended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from redline.errors import (
    AccessRefusedError,
    AuthenticationError,
    KeyMissingError,
    ModelError,
    ModelRejectedError,
    QuotaExhaustedError,
)
from redline.models.backoff import backoff_s
from redline.models.failures import unexpected_error
from redline.models.sockets.dial import TIMED_OUT, Dialler
from redline.supervisor import Supervisor

if TYPE_CHECKING:
    from redline.models.sockets.socket import Socket

logger = logging.getLogger(__name__)

_NO_WEBSOCKET = frozenset({404, 405, 426})
"""Statuses of an upgrade request that mean: HTTP only, for the rest of the run. 426 is
the usual one; servers that do not know WebSocket answer with the other two."""

_PERMANENT = (
    AccessRefusedError,
    AuthenticationError,
    KeyMissingError,
    ModelRejectedError,
    QuotaExhaustedError,
)
"""Refusals that a retry would not change."""


def is_no_websocket(error: ModelError) -> bool:
    """Say whether an error means that the server speaks HTTP only."""
    return error.status in _NO_WEBSOCKET


class ConnectorOwner(Protocol):
    """Receives the outcome of attempts; the pool implements it."""

    def opened(self, socket: Socket) -> None:
        """A socket is open."""

    def unopened(self, error: ModelError) -> None:
        """An attempt has failed."""

    def retry(self) -> None:
        """A pause after failures is over."""


class Connector:
    """Makes the connections of one model."""

    def __init__(
        self,
        dialler: Dialler,
        owner: ConnectorOwner,
        *,
        model: str,
        random: Callable[[], float],
    ) -> None:
        self.n_opening = 0
        self.handshake_s: float | None = None
        """Duration of the last attempt, including reading the key."""
        self.error: ModelError | None = None
        """Why the last attempt failed; None if it succeeded."""
        self.has_no_websocket = False
        """Whether the server said that it speaks HTTP only."""
        self._dialler = dialler
        self._owner = owner
        self._model = model
        self._random = random
        self._supervisor = Supervisor()
        self._n_failures = 0
        self._pause: asyncio.TimerHandle | None = None

    @property
    def is_pausing(self) -> bool:
        """Whether the next attempt waits for a pause to end."""
        return self._pause is not None

    @property
    def is_proven(self) -> bool:
        """Whether the last attempt succeeded."""
        return self.error is None and self.handshake_s is not None

    @property
    def may_try(self) -> bool:
        """Whether an attempt without a waiting request is allowed."""
        is_open = not self.is_pausing and self.n_opening == 0
        return is_open and not isinstance(self.error, _PERMANENT)

    @property
    def is_hanging(self) -> bool:
        """Whether the last attempt timed out; the next may take as long."""
        return self.error is not None and self.error.code == TIMED_OUT

    def open(self) -> None:
        """Begin an attempt."""
        self.n_opening += 1
        self._supervisor.start(self._attempt(), name=f"connect {self._model}")

    def hurry(self) -> None:
        """End a pause, because a request waits."""
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None

    def end_pause(self) -> None:
        """End the pause and let the owner try again."""
        self.hurry()
        self._owner.retry()

    def note_failure(self, error: ModelError, *, is_active: bool) -> None:
        """Record a failure, and pause before the next attempt if one is due.

        Args:
            error: The failure of an attempt, or of a socket that ended as soon as it
                opened.
            is_active: Whether the developer is active, so that another attempt is due.
        """
        # Not its text: the server's words are in it.
        logger.warning(
            "model %s: cannot connect: %s, status %s",
            self._model,
            type(error).__name__,
            error.status,
        )
        self.error = error
        self._n_failures += 1
        self.has_no_websocket |= is_no_websocket(error)
        if isinstance(error, _PERMANENT) or self.is_pausing or not is_active:
            return
        pause_s = backoff_s(self._n_failures, random=self._random)
        pause_s = max(pause_s, error.retry_after_s or 0.0)
        self._pause = asyncio.get_running_loop().call_later(pause_s, self.end_pause)

    def note_answer(self) -> None:
        """Record that a socket works, so that pauses start small again."""
        self._n_failures = 0

    async def settled(self) -> None:
        """Wait until no attempt is running."""
        await self._supervisor.wait()

    async def aclose(self) -> None:
        """End all attempts; idempotent."""
        self.hurry()
        await self._supervisor.aclose()

    async def _attempt(self) -> None:
        began = asyncio.get_running_loop().time()
        try:
            socket = await self._dialler.dial()
        except ModelError as error:
            self.n_opening -= 1
            self._owner.unopened(error)
        except Exception as exc:
            # A bug of ours, or of this machine; requests that wait for a socket must
            # not wait for ever.
            logger.exception("model %s: an attempt to connect failed", self._model)
            self.n_opening -= 1
            self._owner.unopened(unexpected_error(exc, model=self._model))
        except BaseException:
            self.n_opening -= 1
            raise
        else:
            self.n_opening -= 1
            self.error = None
            self.handshake_s = asyncio.get_running_loop().time() - began
            logger.info("model %s: open after %.3f s", self._model, self.handshake_s)
            self._owner.opened(socket)
