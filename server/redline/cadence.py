"""A rate that is kept on average, though timers are late."""

from __future__ import annotations


def next_due(due: float, now: float, gap_s: float) -> float:
    """Return when the next of some regular steps is due.

    Timers come a millisecond or two late. Counted from when a step was due, and not
    from when it came, that does not add up: 30 steps a second stay 30.

    Args:
        due: When the step that comes now was due, in seconds; one that comes early was
            due now.
        now: The same clock.
        gap_s: Between two steps. Steps that were missed are not made up for.
    """
    due = min(due, now)
    return due + gap_s if now < due + gap_s else now + gap_s
