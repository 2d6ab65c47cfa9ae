"""The state of a session, how it stops, its message, and the answer to its command.

The transitions are data, in `states.py`; what follows from a step is the session's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Literal  # Any: what a coroutine yields to the loop

from redline.assist.edit.session.result import EditResult
from redline.assist.edit.session.states import State, Step, after, can

StopReason = Literal["asked", "cancelled", "typed", "closed", "shutdown"]

_STOPPED: dict[StopReason, str] = {
    "asked": "Stopped.",
    "cancelled": "Cancelled.",
    "typed": "You typed inside the range, so the edit was dropped; your text is kept.",
    "closed": "The document was closed, so the edit was dropped.",
    "shutdown": "Redline is shutting down.",
}


class Lifecycle:
    """The state of one session."""

    def __init__(self, *, received: float, on_step: Callable[[State], None]) -> None:
        """Begin.

        Args:
            received: When the command was read, in the event loop's seconds.
            on_step: Called after each step with the previous state.
        """
        self.state = State.ROUTING
        self.message: str | None = None
        """What the user should know, as sentences."""
        self.stopped_by: StopReason | None = None
        self.received = received
        self.asked_at = received
        """When the newest command was read, in the event loop's seconds."""
        self.answered_at: float | None = None
        self._on_step = on_step
        self._on_end: Callable[[], object] = lambda: None
        self._answer: asyncio.Future[EditResult] | None = None
        self._changed = asyncio.Event()

    def can(self, step: Step) -> bool:
        return can(self.state, step)

    def advance(self, step: Step, message: str | None = None) -> None:
        """Change the state.

        Args:
            step: The step to take.
            message: What the user should know; None: keep the current message.

        Raises:
            LocalProtocolError: If the step is not possible now.
        """
        before = self.state
        self.state = after(before, step)
        if message is not None:
            self.message = message
        self._changed.set()
        if self.state.is_end:
            self._on_end()
        self._on_step(before)

    def stop(self, why: StopReason, *, has_changed: bool, takes_back: bool) -> None:
        """Stop, which must be possible now.

        Args:
            why: The reason.
            has_changed: Whether a part that the user accepted is in the document, or is
                on its way there.
            takes_back: Whether steps that are in the document are taken back next.
        """
        self.stopped_by = why
        message = _STOPPED[why]
        if has_changed:
            message += " What you accepted is kept."
        elif why in ("asked", "cancelled", "shutdown"):
            message += " Nothing was changed."
        self.advance(Step.WITHDRAW if takes_back else Step.STOP, message)

    def clear_message(self) -> None:
        """Remove the message, because the session has begun something else."""
        self.message = None

    def when_ended(self, callback: Callable[[], object]) -> None:
        """Set the one callback for the end; it is called now if the end is past."""
        self._on_end = callback
        if self.state.is_end:
            callback()

    async def until_ended(self, work: Coroutine[Any, Any, None]) -> None:
        """Wait for work, or until the session is over."""
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(work, name="work until a session ends")
            self.when_ended(waiting.cancel)

    async def is_written(self) -> None:
        """Wait until the session waits for the user or is over."""
        while self.state.is_at_work:
            self._changed.clear()
            await self._changed.wait()

    # The answer to the command.

    def ask(self, superseded: Callable[[], EditResult]) -> asyncio.Future[EditResult]:
        """Open a request for the outcome; an earlier one is answered as superseded."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(superseded())
        loop = asyncio.get_running_loop()
        self.asked_at = loop.time()
        self._answer = loop.create_future()
        return self._answer

    def drop(self, answer: asyncio.Future[EditResult]) -> bool:
        """Forget a cancelled request; returns False if a newer one replaced it."""
        if self._answer is not answer:
            return False
        self._answer = None
        return True

    def reply(self, result: Callable[[], EditResult]) -> None:
        """Answer the open request, if there is one."""
        self.answered_at = asyncio.get_running_loop().time()
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(result())

    def reply_error(self, error: BaseException) -> bool:
        """Answer the open request with an error; returns False if there is none."""
        if self._answer is None or self._answer.done():
            return False
        self._answer.set_exception(error)
        return True
