"""Limits of requests that nobody made: a minute, a day, and after failures."""

from __future__ import annotations

from collections import deque
from typing import Literal, Protocol

from msgspec import Struct

_MINUTE_S, _DAY_S = 60.0, 86_400.0
_TIGHT_SHARE = 0.8
"""Share of the limit from which only new tokens send requests."""

_FAILURES_S = 10.0
"""Two failures within this time cause a pause; a refusal by rate causes one at once."""

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 5.0, 60.0

Pause = Literal["", "minute", "day", "failures"]
"""What prevents requests: a limit, or failures; empty: nothing."""


class Budget(Protocol):
    """The settings of completions or of next edits."""

    @property
    def per_minute(self) -> int:
        """Most requests a minute."""

    @property
    def usd_per_day(self) -> float:
        """Most US dollars a day, as far as the price is known."""


class _Cost(Struct, frozen=True):
    at_s: float
    usd: float


class RequestLimits:
    """Counts requests, cost and failures. Times are of the caller's clock."""

    def __init__(self) -> None:
        self._sent: deque[float] = deque()
        self._costs: deque[_Cost] = deque()
        self._usd = 0.0
        """Their sum, which is asked for with every key."""
        self._failed_s: float | None = None
        self._pause_s = _FIRST_PAUSE_S
        self._paused_until = 0.0

    def may_send(self, settings: Budget, now_s: float, *, is_boundary: bool) -> bool:
        """Whether a request may be sent; close to a limit only for a new token."""
        limit = 1.0 if is_boundary else _TIGHT_SHARE
        return self._pause(settings, now_s, limit) == ""

    def pause(self, settings: Budget, now_s: float) -> Pause:
        """Return what prevents requests."""
        return self._pause(settings, now_s, 1.0)

    def _pause(self, settings: Budget, now_s: float, limit: float) -> Pause:
        """Return what prevents requests, if they may use a share of the limits."""
        if now_s < self._paused_until:
            return "failures"
        while self._sent and self._sent[0] <= now_s - _MINUTE_S:
            self._sent.popleft()
        if len(self._sent) >= limit * settings.per_minute:
            return "minute"
        usd = self.usd_today(now_s)
        by_day = usd / settings.usd_per_day if settings.usd_per_day else float(usd > 0)
        return "day" if by_day >= limit else ""

    def usd_today(self, now_s: float) -> float:
        """Return the known cost of the last 24 hours."""
        while self._costs and self._costs[0].at_s <= now_s - _DAY_S:
            self._usd -= self._costs.popleft().usd
        if not self._costs:
            # What rounding has left.
            self._usd = 0.0
        return self._usd

    def note_sent(self, now_s: float) -> None:
        self._sent.append(now_s)

    def note_cost(self, usd: float, now_s: float) -> None:
        """Count the cost of a reply."""
        self._costs.append(_Cost(now_s, usd))
        self._usd += usd

    def note_failure(self, now_s: float, *, is_rate_limit: bool) -> None:
        """Count a failure; pause after a refusal by rate, or the second in a row."""
        failed_s, self._failed_s = self._failed_s, now_s
        is_second = failed_s is not None and now_s - failed_s < _FAILURES_S
        if is_rate_limit or is_second:
            self._paused_until = now_s + self._pause_s
            self._pause_s = min(_LONGEST_PAUSE_S, 2 * self._pause_s)

    def note_success(self) -> None:
        """Forget earlier failures."""
        self._failed_s = None
        self._pause_s = _FIRST_PAUSE_S
