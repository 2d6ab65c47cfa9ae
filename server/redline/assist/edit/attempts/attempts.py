"""The next attempt of a session, and the current one.

A spec waits until the runner takes it and begins an attempt with it. A newer spec
replaces one that waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from msgspec.structs import replace

from redline.assist.edit.attempts.attempt import Attempt, AttemptSpec
from redline.assist.edit.attempts.candidate import Candidate


class Attempts:
    """The specs and attempts of one session."""

    def __init__(self, first: AttemptSpec) -> None:
        self.next: AttemptSpec | None = first
        """The spec that waits; None: the last one was taken."""
        self.taken: AttemptSpec | None = None
        """The spec that was taken last."""
        self.current: Attempt | None = None
        """The attempt that runs, or ran last; None after a redirect."""
        self.n_redirects = 0
        """Number of redirects that were requested; only the last one counts."""
        self._news = asyncio.Event()

    @property
    def last_turn(self) -> AttemptSpec | None:
        """The spec that waits, or else the one that was taken last."""
        if self.next is not None or self.current is None:
            return self.next
        return self.current.turn

    @property
    def candidates(self) -> list[Candidate]:
        return self.current.candidates if self.current is not None else []

    @property
    def finished(self) -> list[Candidate]:
        """Candidates of the current attempt that can be offered, best first."""
        return self.current.finished if self.current is not None else []

    def take(self, turn: AttemptSpec) -> bool:
        """Take a spec; returns False if another one, or none, waits now."""
        if self.next is not turn:
            return False
        self.next, self.taken = None, turn
        return True

    def begin(self, attempt: Attempt) -> None:
        self.current = attempt

    def number_redirect(self) -> int:
        """Count a requested redirect and return its number, from 1."""
        self.n_redirects += 1
        return self.n_redirects

    def redirect(self, turn: AttemptSpec) -> None:
        """Replace the current attempt by a new spec."""
        self.drop_next()
        self.current = None
        self.next = turn

    def retry(self, turn: AttemptSpec) -> None:
        """Plan another attempt about the current attempt's candidates."""
        self.next = turn

    def keep_only(self, candidate: Candidate) -> list[Candidate]:
        """Stop the other candidates of the current attempt, and return them.

        None are stopped if the candidate belongs to an earlier attempt: after a
        redirect, the new attempt continues without it.
        """
        if self.current is None:
            return []
        return self.current.keep_only(candidate)

    def begin_with(self, draft: str) -> None:
        """Start the waiting spec from the draft of another session."""
        if self.next is not None:
            self.next = replace(self.next, draft=draft)

    def carry_nothing(self) -> None:
        """Drop the hunks that the waiting spec carries: the text has changed."""
        if self.next is not None:
            self.next = replace(self.next, carried=())

    def carry_without(self, hunk_ids: Collection[int]) -> None:
        """Drop these hunks from those that the waiting spec carries."""
        if self.next is not None:
            rest = [hunk for hunk in self.next.carried if hunk.id not in hunk_ids]
            self.next = replace(self.next, carried=tuple(rest))

    def stop(self) -> None:
        if self.current is not None:
            self.current.stop()

    def drop_next(self) -> None:
        """Drop the spec that waits, and wake every task that waits for its attempt."""
        if self.next is not None:
            self.next.begun.set()
            self.next = None
        self._news.set()

    async def is_quiet(self, wait_s: float) -> bool:
        """Wait for `wait_s` seconds; returns False if a new spec arrives before."""
        try:
            async with asyncio.timeout(wait_s):
                await self.news()
        except TimeoutError:
            return True
        return False

    async def news(self) -> None:
        """Wait until the next spec replaces another, or the session is over."""
        self._news.clear()
        await self._news.wait()
