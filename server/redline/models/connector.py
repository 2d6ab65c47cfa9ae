"""Attempts to connect: how many run, when the next may, and how the last one went."""

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
from redline.models.dial import TIMED_OUT, Dialler
from redline.models.failures import unreadable_error
from redline.supervisor import Supervisor

if TYPE_CHECKING:
    from redline.models.socket import Socket

logger = logging.getLogger(__name__)

_NO_WEBSOCKET = frozenset({404, 405, 426})
"""Upgrade answers that mean: HTTP only, for the rest of the run. Clients agree on 426;
the other two are what servers say that know nothing of WebSocket."""

_PERMANENT = (
    AccessRefusedError,
    AuthenticationError,
    KeyMissingError,
    ModelRejectedError,
    QuotaExhaustedError,
)
"""Refusals that trying again by ourselves would not change."""


def is_no_websocket(error: ModelError) -> bool:
    """Say whether an error means that the server speaks HTTP only."""
    return error.status in _NO_WEBSOCKET


class ConnectorOwner(Protocol):
    """Who is told how attempts end: the pool."""

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
        """How long the last connecting took, the key's reading included."""
        self.error: ModelError | None = None
        """Why the last attempt failed; None since one has succeeded."""
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
        """Whether the next attempt waits for the end of a pause."""
        return self._pause is not None

    @property
    def is_proven(self) -> bool:
        """Whether the last attempt succeeded."""
        return self.error is None and self.handshake_s is not None

    @property
    def may_try(self) -> bool:
        """Whether an attempt that nobody asked for is in order."""
        is_open = not self.is_pausing and self.n_opening == 0
        return is_open and not isinstance(self.error, _PERMANENT)

    @property
    def is_hanging(self) -> bool:
        """Whether the last attempt was not even refused: the next may take as long."""
        return self.error is not None and self.error.code == TIMED_OUT

    def open(self) -> None:
        """Begin an attempt."""
        self.n_opening += 1
        self._supervisor.start(self._attempt(), name=f"connect {self._model}")

    def hurry(self) -> None:
        """End a pause: somebody waits."""
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None

    def end_pause(self) -> None:
        """Let the owner try again: the pause is over."""
        self.hurry()
        self._owner.retry()

    def note_failure(self, error: ModelError, *, is_active: bool) -> None:
        """Take note of a failure, and pause before the next attempt if one is due.

        Args:
            error: What failed: an attempt, or a socket that ended as soon as it opened.
            is_active: Whether a developer is there to try again for.
        """
        logger.warning("model %s: cannot connect: %s", self._model, error)
        self.error = error
        self._n_failures += 1
        self.has_no_websocket |= is_no_websocket(error)
        if isinstance(error, _PERMANENT) or self.is_pausing or not is_active:
            return
        pause_s = backoff_s(self._n_failures, random=self._random)
        pause_s = max(pause_s, error.retry_after_s or 0.0)
        self._pause = asyncio.get_running_loop().call_later(pause_s, self.end_pause)

    def note_answer(self) -> None:
        """Take note that a socket proved good: pauses begin small again."""
        self._n_failures = 0

    async def settled(self) -> None:
        """Wait until no attempt is under way."""
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
        except Exception:
            # A bug of ours; whoever waits for a socket must not wait for ever.
            logger.exception("model %s: an attempt to connect failed", self._model)
            self.n_opening -= 1
            self._owner.unopened(unreadable_error(model=self._model))
        except BaseException:
            self.n_opening -= 1
            raise
        else:
            self.n_opening -= 1
            self.error = None
            self.handshake_s = asyncio.get_running_loop().time() - began
            logger.info("model %s: open after %.3f s", self._model, self.handshake_s)
            self._owner.opened(socket)
