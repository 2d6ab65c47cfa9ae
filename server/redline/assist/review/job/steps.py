"""The steps of one review: stored before they begin, with their outcome when done.

A review that resumes after a restart takes the same steps in the same order. A step
that is done is not run again; one that had begun continues from its stored progress.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol, TypeVar

import msgspec

from redline.assist.review.job.cost import NOTHING
from redline.assist.review.job.job_tools import RunInThread
from redline.assist.tiers.cost import Cost
from redline.store.review_change import ReviewChange, StoredStep, stored_step

_T = TypeVar("_T")

logger = logging.getLogger(__name__)


class _Took(msgspec.Struct, frozen=True):
    """The field that all outcomes have in common."""

    spent: Cost = NOTHING


class Save(Protocol):
    """Stores changes, all or none."""

    async def __call__(self, *changes: ReviewChange) -> None: ...


class Steps:
    """The steps that one review has begun, done ones included."""

    def __init__(
        self,
        review_id: str,
        *,
        save: Save,
        in_thread: RunInThread,
        stored: Iterable[StoredStep] = (),
    ) -> None:
        self._review_id = review_id
        self._save = save
        self._in_thread = in_thread
        self._stored = {step.name: step for step in stored}

    def spent(self) -> dict[str, Cost]:
        """Return the cost of each step that is done; slow."""
        names = [step.name for step in self._stored.values() if step.is_done]
        took = {name: self.noted(name, _Took) for name in names}
        return {name: one.spent for name, one in took.items() if one is not None}

    def is_done(self, name: str) -> bool:
        step = self._stored.get(name)
        return step is not None and step.is_done

    def done(self, name: str, type: type[_T]) -> _T | None:
        """Return the outcome of a step; None: it is not done."""
        return self.noted(name, type) if self.is_done(name) else None

    def noted(self, name: str, type: type[_T]) -> _T | None:
        """Return the progress or the outcome of a step; None: it has not begun."""
        step = self._stored.get(name)
        try:
            return step.outcome(type) if step is not None else None
        except msgspec.DecodeError as error:
            # Later steps build on it, so all of them are taken again.
            logger.warning("the step %s cannot be read: %s", name, error)
            self._stored.clear()
            return None

    async def once(
        self, name: str, type: type[_T], work: Callable[[], Awaitable[_T]]
    ) -> _T:
        """Run a step, unless it is done; return its outcome."""
        outcome = await self._in_thread(self.done, name, type)
        if outcome is None:
            await self.note(name, None)
            outcome = await work()
            await self.end(name, outcome)
        return outcome

    async def note(self, name: str, outcome: object, *changes: ReviewChange) -> None:
        """Store the start or the progress of a step, with other changes."""
        await self._put(name, outcome, changes, is_done=False)

    async def note_at_once(
        self, name: str, outcome: object, *changes: ReviewChange
    ) -> None:
        """Store the progress of a step, ahead of the work that waits in `in_thread`.

        For small, valuable progress: the id of an answer that is paid for.
        """
        row = await asyncio.to_thread(
            stored_step, self._review_id, name, outcome, is_done=False
        )
        await self._save(row, *changes)

    async def end(self, name: str, outcome: object, *changes: ReviewChange) -> None:
        """Store the outcome of a step, with other changes."""
        self._stored[name] = await self._put(name, outcome, changes, is_done=True)

    async def _put(
        self,
        name: str,
        outcome: object,
        changes: Iterable[ReviewChange],
        *,
        is_done: bool,
    ) -> StoredStep:
        # In a thread: this compresses all texts of a change.
        row = await self._in_thread(
            stored_step, self._review_id, name, outcome, is_done=is_done
        )
        await self._save(row, *changes)
        return row
