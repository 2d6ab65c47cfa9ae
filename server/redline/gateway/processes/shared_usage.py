"""What users have used in one worker, reported so that limits hold for all workers.

A worker reports at most ten times a second, and the parent passes it on: for that long
a user who sends to several workers at once can be over a limit.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from msgspec import Struct

from redline.gateway.limits.accounts import Accounts
from redline.gateway.limits.turns import Turns

_PERIOD_S = 0.1


class UserUsage(Struct, frozen=True, array_like=True):
    """What one user has used; nothing, if not given."""

    n_requests: int = 0
    """Since the last report."""
    n_tokens: int = 0
    """Since the last report."""
    n_running: int = 0
    """Requests that run now."""


Usage = dict[str, UserUsage]
"""By the name of the user; users without a change are left out."""


class SharedUsage:
    """The usage of one worker, and what it knows of the others."""

    def __init__(self, accounts: Accounts, turns: Turns) -> None:
        self._accounts = accounts
        self._turns = turns
        self._reported: Usage = {}
        """The totals up to the last report."""

    async def report(self, send: Callable[[Usage], None]) -> None:
        """Send what has changed, until cancelled."""
        while True:
            await self._turns.changed.wait()
            self._turns.changed.clear()
            if usage := self.changes():
                send(usage)
            await asyncio.sleep(_PERIOD_S)

    def changes(self) -> Usage:
        """Return what has changed since the last call."""
        usage = {}
        names = {account.name for account in self._accounts}
        for name in self._reported.keys() - names:
            # The user was removed; what runs is being stopped.
            del self._reported[name]
            usage[name] = UserUsage()
        for account in self._accounts:
            name = account.name
            total = UserUsage(
                n_requests=account.total_requests,
                n_tokens=account.total_tokens,
                n_running=self._turns.n_running_here(name),
            )
            before = self._reported.get(name, UserUsage())
            if total != before:
                # An account with another key counts from 0.
                is_new = total.n_requests < before.n_requests
                since = UserUsage() if is_new else before
                usage[name] = UserUsage(
                    n_requests=total.n_requests - since.n_requests,
                    n_tokens=max(0, total.n_tokens - since.n_tokens),
                    n_running=total.n_running,
                )
                self._reported[name] = total
        return usage

    def apply(self, others: Usage) -> None:
        """Take into account what users have used in the other workers.

        Args:
            others: The changes of one worker, and what runs in all others together.
        """
        _spend(self._accounts, others)
        self._turns.run_elsewhere(
            {name: used.n_running for name, used in others.items()}
        )


class RelayedUsage:
    """The parent's side: what runs where, and what is reported to each worker."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        """What users have used in all workers, also in those that have ended."""
        self._running: dict[int, dict[str, int]] = {}
        """By the worker's process id and the user's name."""

    def take(self, pid: int, usage: Usage) -> None:
        """Take the report of a worker."""
        _spend(self._accounts, usage)
        running = self._running.setdefault(pid, {})
        running |= {name: used.n_running for name, used in usage.items()}

    def end(self, pid: int) -> Usage:
        """Forget a worker that has ended; return the report for the others."""
        return dict.fromkeys(self._running.pop(pid, {}), UserUsage())

    def for_worker(self, pid: int, usage: Usage) -> Usage:
        """Return a report as one worker receives it."""
        return {
            name: UserUsage(
                n_requests=used.n_requests,
                n_tokens=used.n_tokens,
                n_running=self._running_elsewhere(pid, name),
            )
            for name, used in usage.items()
        }

    def for_new_worker(self, pid: int) -> Usage:
        """Return the first report for a new worker: what is used up to now."""
        now = time.monotonic()
        used = {
            account.name: UserUsage(
                n_requests=account.n_requests(now) or 0,
                n_tokens=account.n_tokens(now) or 0,
            )
            for account in self._accounts
        }
        return self.for_worker(pid, used)

    def _running_elsewhere(self, pid: int, name: str) -> int:
        return sum(
            running.get(name, 0)
            for other, running in self._running.items()
            if other != pid
        )


def _spend(accounts: Accounts, usage: Usage) -> None:
    """Count what users have used in another process."""
    now = time.monotonic()
    for account in accounts:
        if (used := usage.get(account.name)) is not None:
            account.spend_elsewhere(
                now, n_requests=used.n_requests, n_tokens=used.n_tokens
            )
