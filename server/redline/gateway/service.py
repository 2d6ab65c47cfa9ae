"""The state that all requests of one gateway share."""

from __future__ import annotations

import secrets
import time

from redline.gateway.background import BackgroundResponses
from redline.gateway.composer import Padding
from redline.gateway.config import GatewayConfig
from redline.gateway.conversations import ResponseStore
from redline.gateway.engine import Engine
from redline.gateway.recording import Recorder
from redline.gateway.refusals import Refusal

_N_NOISE_BYTES = 192


class RateLimit:
    """A bucket of a minute's requests. Time comes in as seconds of any clock."""

    def __init__(self, per_minute: int | None) -> None:
        """Begin with a full bucket.

        Args:
            per_minute: Requests a minute, all of which may come at once; None: no
                limit.
        """
        self._capacity = per_minute
        self._left = float(per_minute or 0)
        self._seen: float | None = None

    def take(self, now: float) -> float:
        """Admit a request and return 0, or return the seconds until one is admitted."""
        if self._capacity is None:
            return 0.0
        per_s = self._capacity / 60
        if self._seen is not None:
            self._left += max(0.0, now - self._seen) * per_s
            self._left = min(self._left, self._capacity)
        self._seen = now
        if self._left >= 1:
            self._left -= 1
            return 0.0
        return (1 - self._left) / per_s


class Service:
    """The engine, the store and the limits behind every request."""

    def __init__(
        self, engine: Engine, config: GatewayConfig, recorder: Recorder
    ) -> None:
        self.engine = engine
        self.config = config
        self.recorder = recorder
        self.store = ResponseStore(
            max_responses=config.max_stored, max_chars=config.max_stored_chars
        )
        self.background = BackgroundResponses(config, now=time.monotonic)
        self._rate_limit = RateLimit(config.requests_per_minute)
        self._upgrade_refusals = iter(config.upgrade_refusals)

    async def aclose(self) -> None:
        """End all background responses."""
        await self.background.aclose()

    def upgrade_refusal(self) -> Refusal | None:
        """Return the refusal of the next WebSocket upgrade, if there is one."""
        return next(self._upgrade_refusals, None)

    def seconds_to_wait(self) -> float:
        """Count a request; return 0, or how long the client must wait."""
        return self._rate_limit.take(time.monotonic())

    def now(self) -> float:
        """Return the time of day, in seconds since the epoch."""
        return time.time()

    def new_id(self, kind: str) -> str:
        """Make an id that cannot be guessed."""
        return f"{kind}_{secrets.token_hex(16)}"

    def new_padding(self) -> Padding:
        """Make the padding of one response."""
        return Padding(secrets.token_urlsafe(_N_NOISE_BYTES).encode())
