"""The users of the gateway, each known by the hash of a key."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated

from msgspec import Meta
from starlette.types import Scope

from redline.gateway.limits.bucket import Bucket
from redline.gateway.refusals import Refusal, rate_limited
from redline.settings.table_base import SettingsTable

KEY_PREFIX = "rlg_"
"""How keys begin, so that scanners for leaked keys can find them."""

OWNER = "owner"
"""The only user of a gateway that has one token."""

_N_KEY_BYTES = 32

_DAY_S = 24 * 3600.0

_FREE_REFUSALS = 20
"""This many refusals have no consequence."""

_REFUSALS_S = 10.0
"""The time in which they are forgotten."""

_STATE = "redline.account"
"""Where in an ASGI scope's `state` the guard puts the account."""


def make_key() -> str:
    """Make a key that cannot be guessed, and so needs no salt in its hash."""
    return KEY_PREFIX + secrets.token_urlsafe(_N_KEY_BYTES)


def key_sha256(key: str) -> str:
    """Return the hash of a key, as the configuration has it."""
    return hashlib.sha256(key.encode()).hexdigest()


class UserSettings(SettingsTable, frozen=True, kw_only=True):
    """What is configured of one user."""

    name: str
    key_sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    """The SHA-256 of the user's key, in hexadecimal; the key itself is nowhere."""
    running: Annotated[int, Meta(ge=1)] | None = None
    """Most requests that run at once. None: no limit, here and below."""
    queued: Annotated[int, Meta(ge=0)] | None = None
    """Most requests that wait for their turn."""
    requests_per_minute: Annotated[int, Meta(ge=1)] | None = None
    tokens_per_day: Annotated[int, Meta(ge=1)] | None = None
    """Of input and output; they come back evenly over the day."""

    def __repr__(self) -> str:
        """Name the user; the hash of the key stays out of messages."""
        return f"{type(self).__name__}({self.name})"


class UserAccount:
    """One user, while the key is valid."""

    def __init__(self, settings: UserSettings) -> None:
        self.settings = settings
        self._requests = Bucket(settings.requests_per_minute)
        self._tokens = Bucket(settings.tokens_per_day, period_s=_DAY_S)
        self.total_requests = 0
        """Admitted requests."""
        self.total_tokens = 0
        self._refusals = Bucket(_FREE_REFUSALS, period_s=_REFUSALS_S)
        self._sessions: set[Callable[[], None]] = set()

    @property
    def name(self) -> str:
        return self.settings.name

    @property
    def owner(self) -> str:
        """What the user's stored responses are known by; a name can be used again."""
        return self.settings.key_sha256

    @property
    def cache_salt(self) -> str:
        """What keeps the user's prompts apart in the cache of a model's server.

        The same in every process; nothing of the key can be read from it.
        """
        return hashlib.sha256(f"cache salt {self.owner}".encode()).hexdigest()

    def configure(self, settings: UserSettings) -> None:
        """Take other settings for the same key; a limit that changes begins again."""
        before, self.settings = self.settings, settings
        if settings.requests_per_minute != before.requests_per_minute:
            self._requests = Bucket(settings.requests_per_minute)
        if settings.tokens_per_day != before.tokens_per_day:
            self._tokens = Bucket(settings.tokens_per_day, period_s=_DAY_S)

    def count_request(self, now: float) -> Refusal | None:
        """Count a request; return why it is not admitted, or None.

        Args:
            now: Seconds of a clock that never jumps.
        """
        if (wait_s := self._tokens.wait_s(now)) > 0:
            limit = f"{self.settings.tokens_per_day:,}"
            return rate_limited(
                wait_s, f"Your limit of {limit} tokens per day is used up"
            )
        if (wait_s := self._requests.take(now)) > 0:
            limit = f"{self.settings.requests_per_minute:,}"
            return rate_limited(wait_s, f"You may send {limit} requests a minute")
        self.total_requests += 1
        return None

    def count_refusal(self, now: float, n: int = 1) -> None:
        """Count requests that were refused because of the user.

        A refusal costs the gateway as much as a small answer. A client that goes on
        after many of them is read more slowly, so that other users are not.
        """
        self._refusals.wait_s(now)
        self._refusals.spend(n)

    def pause_s(self, now: float) -> float:
        """Return the seconds until the next message of the user is to be read."""
        return self._refusals.wait_s(now)

    def n_requests(self, now: float) -> int | None:
        """Return how many requests per minute are used; None: there is no limit."""
        return self._requests.used(now)

    def n_tokens(self, now: float) -> int | None:
        """Return how many tokens per day are used; None: there is no limit."""
        return self._tokens.used(now)

    def count_tokens(self, n_tokens: int) -> None:
        """Count the tokens of a request that has ended, however it ended."""
        self.total_tokens += n_tokens
        self._tokens.spend(n_tokens)

    def spend_elsewhere(self, now: float, *, n_requests: int, n_tokens: int) -> None:
        """Count what the user has used in another worker."""
        for limit, n in ((self._requests, n_requests), (self._tokens, n_tokens)):
            limit.wait_s(now)
            limit.spend(n)

    @contextmanager
    def session(self, on_revoked: Callable[[], None]) -> Iterator[None]:
        """Call `on_revoked` if the key becomes invalid during the context."""
        self._sessions.add(on_revoked)
        try:
            yield
        finally:
            self._sessions.discard(on_revoked)

    def revoke(self) -> None:
        """End every session: the key is no longer valid."""
        for on_revoked in tuple(self._sessions):
            on_revoked()


class Accounts:
    """All users."""

    def __init__(self, users: Iterable[UserSettings]) -> None:
        self._accounts: dict[str, UserAccount] = {}
        self.replace(users)

    @classmethod
    def of_token(cls, token: str) -> Accounts:
        """Return the accounts of a gateway with one user, who has this token."""
        return cls([UserSettings(name=OWNER, key_sha256=key_sha256(token))])

    def replace(self, users: Iterable[UserSettings]) -> None:
        """Take other users; the keys that are no longer among them are revoked."""
        before, self._accounts = self._accounts, {}
        for user in users:
            account = before.get(user.key_sha256)
            if account is None or account.name != user.name:
                account = UserAccount(user)
            account.configure(user)
            self._accounts[user.key_sha256] = account
        for known, account in before.items():
            if self._accounts.get(known) is not account:
                account.revoke()

    def __iter__(self) -> Iterator[UserAccount]:
        """Go through all accounts."""
        return iter(self._accounts.values())

    def find(self, key: str) -> UserAccount | None:
        """Return the user of a key, in a time that does not depend on the key."""
        given = key_sha256(key)
        found = None
        for known, account in self._accounts.items():
            if hmac.compare_digest(given, known):
                found = account
        return found


def admit(scope: Scope, account: UserAccount) -> None:
    """Record whose request this is."""
    scope.setdefault("state", {})[_STATE] = account


async def slow_down(account: UserAccount, *, max_s: float) -> None:
    """Wait before the next message of a user with many refusals is read."""
    pause_s = min(max_s, account.pause_s(time.monotonic()))
    if pause_s > 0:
        await asyncio.sleep(pause_s)


def account_of(scope: Scope) -> UserAccount:
    """Return whose request this is."""
    account: UserAccount = scope["state"][_STATE]
    return account
