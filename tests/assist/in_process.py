"""Runs the work of parser processes here, so that what follows at once has happened."""

from __future__ import annotations

from redline.parsing.work import Argument, Result, Work, load


class InThisProcess:
    """Calls the same functions, in the thread of the loop."""

    async def run(self, work: Work[Argument, Result], argument: Argument) -> Result:
        """Call the function."""
        result: Result = load(work.function)(argument)
        return result

    def warm(self, work: Work[Argument, Result]) -> None:
        """Do nothing: there is no process."""
