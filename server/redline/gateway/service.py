"""The state that all requests of one gateway share."""

from __future__ import annotations

import secrets
import time

from redline.gateway.composer import Padding
from redline.gateway.config import GatewayConfig
from redline.gateway.drain import Drain
from redline.gateway.engines.engine import Engine
from redline.gateway.limits.accounts import UserAccount
from redline.gateway.limits.bucket import Bucket
from redline.gateway.limits.turns import Turns
from redline.gateway.metrics import Metrics
from redline.gateway.recording import Recorder
from redline.gateway.refusals import Refusal, rate_limited
from redline.gateway.stored.background import BackgroundResponses
from redline.gateway.stored.conversations import MemoryStore, ResponseStore
from redline.gateway.stored.shared_background import SharedBackground
from redline.gateway.stored.shared_responses import SharedResponses
from redline.gateway.stored.shared_store import SharedStore

_N_NOISE_BYTES = 192


class Service:
    """The engine, the store and the limits behind every request."""

    def __init__(
        self,
        engine: Engine,
        config: GatewayConfig,
        recorder: Recorder,
        turns: Turns,
        drain: Drain,
        metrics: Metrics,
        shared: SharedStore | None = None,
    ) -> None:
        self.engine = engine
        self.config = config
        self.recorder = recorder
        self.turns = turns
        self.drain = drain
        self.metrics = metrics
        memory = MemoryStore(
            max_responses=config.max_stored, max_chars=config.max_stored_chars
        )
        self.store: ResponseStore = memory
        self.background = BackgroundResponses(config, now=time.monotonic)
        self.shared_background: SharedBackground | None = None
        """The background responses of all workers; None: each has its own."""
        if shared is not None:
            self.store = SharedResponses(shared, memory)
            self.shared_background = SharedBackground(shared, self.background, drain)
        self._requests = Bucket(config.requests_per_minute)
        self._upgrade_refusals = iter(config.upgrade_refusals)

    def begin(self) -> None:
        """Begin the work that no request asks for, until `aclose`."""
        if self.shared_background is not None:
            self.shared_background.begin()

    async def aclose(self) -> None:
        """End all background responses."""
        await self.background.aclose()
        if self.shared_background is not None:
            await self.shared_background.aclose()

    def upgrade_refusal(self) -> Refusal | None:
        """Return the refusal of the next WebSocket upgrade, if there is one."""
        return next(self._upgrade_refusals, None)

    def count_request(self, account: UserAccount) -> Refusal | None:
        """Count a request; return why it is not admitted, or None."""
        now = time.monotonic()
        if (wait_s := self._requests.take(now)) > 0:
            return rate_limited(wait_s)
        refused = account.count_request(now)
        # It may end before it has a turn.
        self.turns.changed.set()
        return refused

    def count_refusal(self, account: UserAccount, n: int = 1) -> None:
        """Count requests that were refused because of the user."""
        account.count_refusal(time.monotonic(), n)

    def now(self) -> float:
        """Return the time of day, in seconds since the epoch."""
        return time.time()

    def new_id(self, kind: str) -> str:
        """Make an id that cannot be guessed."""
        return f"{kind}_{secrets.token_hex(16)}"

    def new_padding(self) -> Padding:
        """Make the padding of one response."""
        return Padding(secrets.token_urlsafe(_N_NOISE_BYTES).encode())
