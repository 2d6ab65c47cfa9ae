"""Runs the work of child processes here, so that what follows at once has happened."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import closing

from redline.assist.review.related.outlines import Outlines
from redline.assist.review.related.related_place import RelatedPlace
from redline.assist.review.related.related_search import find_related
from redline.findings.scope import ReviewScope
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


async def related_in_this_process(
    scope: ReviewScope, *, roots: Sequence[str]
) -> tuple[RelatedPlace, ...]:
    """Search as the process of `related_places` does; starting that takes longer."""

    def search() -> tuple[RelatedPlace, ...]:
        with closing(Outlines(is_late=lambda: False)) as outlines:
            return tuple(
                find_related(
                    scope,
                    roots=tuple(roots),
                    is_late=lambda: False,
                    outline_of=outlines,
                )
            )

    return await asyncio.to_thread(search)
