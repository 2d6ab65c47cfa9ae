"""The times of a generation, and its time limits.

One timer checks the time of the last event: a timeout around each wait would cost more
than the delta itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from redline.errors import ModelError, ModelStalledError, ModelUnavailableError
from redline.models.generations.delta_buffer import DeltaBuffer
from redline.models.interface import Timing
from redline.settings.tree import LimitSettings


class GenerationTimes:
    """Records when things happened, and reports when the next is overdue."""

    def __init__(
        self,
        limits: LimitSettings,
        *,
        title: str,
        buffer: DeltaBuffer,
        on_overdue: Callable[[ModelError], None],
    ) -> None:
        """Begin; the limits apply from the first carrier on.

        Args:
            limits: The time limits in force.
            title: The model, for messages.
            buffer: The deltas that the reader has not taken.
            on_overdue: Takes the error once a limit is exceeded, until `close`.
        """
        self._limits = limits
        self._title = title
        self._buffer = buffer
        self._on_overdue: Callable[[ModelError], None] | None = on_overdue
        """None once closed: its object holds this one, and together they would live
        until the next full garbage collection."""
        self._loop = asyncio.get_running_loop()
        self._started = self._carried = self._heard = self._loop.time()
        self._sent: float | None = None
        self._first_delta: float | None = None
        self._last_delta: float | None = None
        self.n_deltas = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def timing(self) -> Timing:
        """The times of what has happened so far."""
        return Timing(
            started=self._started,
            sent=self._sent,
            first_delta=self._first_delta,
            last_delta=self._last_delta,
            n_deltas=self.n_deltas,
        )

    @property
    def restart_s(self) -> float:
        """The longest wait for a successor: a new answer would begin by then."""
        began_s = 0.0
        if self._first_delta is not None and self._sent is not None:
            began_s = self._first_delta - self._sent
        return max(began_s, self._limits.steer_s)

    def carried(self) -> None:
        """Record that there is a carrier."""
        self._carried = self._loop.time()
        # No limit ends sooner once the request is sent, usually at once.
        self._arm(min(self._carried + self._limits.first_delta_s, self._last_moment))

    def sent(self) -> None:
        """Record that the request was written to the socket."""
        self._sent = self._loop.time()
        self._arm(self._deadline)

    def heard(self) -> None:
        """Record a sign that the server works on the answer."""
        self._heard = self._loop.time()

    def delta(self) -> None:
        """Record that what was heard last has text."""
        self.n_deltas += 1
        self._last_delta = self._heard
        if self._first_delta is None:
            self._first_delta = self._heard
            self._arm(self._deadline)

    def begin_again(self) -> None:
        """Record that the request will be sent once more."""
        self._sent = None

    def close(self) -> None:
        """End the limits."""
        self._on_overdue = None
        if self._timer is not None:
            self._timer.cancel()

    @property
    def _last_moment(self) -> float:
        return self._started + self._limits.generation_s

    @property
    def _deadline(self) -> float:
        return min(self._silence_ends, self._last_moment)

    @property
    def _silence_ends(self) -> float:
        limits = self._limits
        if not self._buffer.is_empty:
            # The silence is the reader's, not the provider's.
            return self._loop.time() + limits.stall_s
        if self.n_deltas:
            return self._heard + limits.stall_s
        if self._sent is not None:
            return self._sent + limits.first_delta_s
        return self._carried + limits.connect_s + limits.first_delta_s

    def _arm(self, at: float) -> None:
        """Check the limits at a time, or before: a timer that is set is kept."""
        if self._on_overdue is None:
            return
        if self._timer is not None:
            if self._timer.when() <= at:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(at, self._check)

    def _check(self) -> None:
        self._timer = None
        if self._loop.time() < self._deadline:
            self._arm(self._deadline)
        elif self._on_overdue is not None:
            self._on_overdue(self._overdue_error())

    def _overdue_error(self) -> ModelError:
        title, limits = self._title, self._limits
        if self._loop.time() >= self._last_moment:
            return ModelStalledError(
                f"Model {title} did not finish within {limits.generation_s:g} s.",
                model=title,
                remedy="Request less at a time, or raise `limits.generation_s`.",
            )
        if self.n_deltas:
            return ModelStalledError(
                f"Model {title} sent nothing for {limits.stall_s:g} s.", model=title
            )
        if self._sent is None:
            return ModelUnavailableError(
                f"No connection to model {title} became free in time.", model=title
            )
        return ModelStalledError(
            f"Model {title} did not begin to answer within {limits.first_delta_s:g} s.",
            model=title,
            remedy="Run the edit again, or raise `limits.first_delta_s`.",
        )
