"""Stands in for the store of usage."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from redline.store.task import LateTaskFacts, TaskUsage


@dataclass
class Ledger:
    """Keeps what it receives, as the store would."""

    tasks: list[TaskUsage] = field(default_factory=list)
    later: list[tuple[str, LateTaskFacts]] = field(default_factory=list)

    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def record(self, task: TaskUsage) -> None:
        self.tasks.append(task)
        self._news.set()

    async def recorded(self) -> TaskUsage:
        """Wait for the one task that is recorded, but not for ever."""
        async with asyncio.timeout(5):
            await self._news.wait()
        (task,) = self.tasks
        return task

    async def settled(self) -> None:
        """Everything is stored at once."""

    def update(self, task_id: str, later: LateTaskFacts) -> None:
        self.later.append((task_id, later))

    @property
    def outcomes(self) -> list[str]:
        """Of the tasks, as they were recorded."""
        return [task.outcome for task in self.tasks]

    @property
    def facts(self) -> list[str]:
        """The names of what became known later, in order."""
        return [
            name
            for _, later in self.later
            for name in (
                "outcome",
                "accepted_at",
                "rejected_at",
                "undone_at",
                "edited_at",
            )
            if getattr(later, name) is not None
        ]
