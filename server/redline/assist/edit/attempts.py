"""What a session is to do next, and what it does now.

A turn waits to be taken; once taken, it is done by the candidates of an attempt. A
newer turn takes the place of one that waits.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from redline.assist.edit.attempt import Attempt, AttemptSpec
from redline.assist.edit.candidate import Candidate


class Attempts:
    """The turns and attempts of one session."""

    def __init__(self, first: AttemptSpec) -> None:
        self.next: AttemptSpec | None = first
        """The turn that waits; None: the last one was taken."""
        self.current: Attempt | None = None
        """The round that runs, or ran last; None after a redirect."""
        self.n_redirects = 0
        """How many redirects were asked for; only the last one counts."""
        self._news = asyncio.Event()

    @property
    def last_turn(self) -> AttemptSpec | None:
        """The turn that waits, or else the one that was taken last."""
        if self.next is not None or self.current is None:
            return self.next
        return self.current.turn

    @property
    def candidates(self) -> list[Candidate]:
        """All candidates of the current round."""
        return self.current.candidates if self.current is not None else []

    @property
    def finished(self) -> list[Candidate]:
        """What can be offered of the current round, the best first."""
        return self.current.finished if self.current is not None else []

    def take(self, turn: AttemptSpec) -> bool:
        """Take a turn; False if another one, or none, waits now."""
        if self.next is not turn:
            return False
        self.next = None
        return True

    def begin(self, attempt: Attempt) -> None:
        """Make an attempt the current one."""
        self.current = attempt

    def number_redirect(self) -> int:
        """Count a redirect that is asked for; returns its number."""
        self.n_redirects += 1
        return self.n_redirects

    def redirect(self, turn: AttemptSpec) -> None:
        """Do something else; the current round is over."""
        if self.next is not None:
            self.next.begun.set()
        self.current = None
        self.next = turn
        self._news.set()

    def retry(self, turn: AttemptSpec) -> None:
        """Do another turn about the current round's candidates."""
        self.next = turn

    def keep_only(self, candidate: Candidate) -> list[Candidate]:
        """Stop the other candidates of the current round, and return them.

        None are stopped if the candidate is of an earlier round: what is written now,
        after a redirect, goes on without it.
        """
        if self.current is None:
            return []
        return self.current.keep_only(candidate)

    def begin_with(self, draft: str) -> None:
        """Give the turn that waits what another session has written."""
        if self.next is not None:
            self.next = replace(self.next, draft=draft)

    def carry_nothing(self) -> None:
        """Forget which hunks the turn that waits carries: the text has changed."""
        if self.next is not None:
            self.next = replace(self.next, carried=())

    def stop(self) -> None:
        """Stop the candidates of the current round."""
        if self.current is not None:
            self.current.stop()

    def close(self) -> None:
        """Let go of everything that waits for a turn."""
        if self.next is not None:
            self.next.begun.set()
        self._news.set()

    async def is_quiet(self, wait_s: float) -> bool:
        """Wait for a while; False if there is something else to do before its end."""
        self._news.clear()
        try:
            async with asyncio.timeout(wait_s):
                await self._news.wait()
        except TimeoutError:
            return True
        return False
