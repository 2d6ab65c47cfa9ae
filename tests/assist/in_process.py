"""Runs the work of parser processes here, so that what follows at once has happened."""

from __future__ import annotations

import asyncio

from redline.parsing.work import Argument, Result, Work, load


class InThisProcess:
    """Calls the same functions, in the thread of the loop."""

    def __init__(self) -> None:
        self.may_work = asyncio.Event()
        """Cleared while the processes are busy."""
        self.may_work.set()

    async def run(self, work: Work[Argument, Result], argument: Argument) -> Result:
        """Call the function."""
        await self.may_work.wait()
        result: Result = load(work.function)(argument)
        return result

    def warm(self, work: Work[Argument, Result]) -> None:
        """Do nothing: there is no process."""
