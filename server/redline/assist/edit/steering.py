"""Decides whether to steer a running answer or to start another one."""

from __future__ import annotations

from redline.models.interface import Timing


def is_nearly_written(timing: Timing, *, n_chars: int, n_expected_chars: int) -> bool:
    """Whether the rest of an answer takes no longer than starting another one.

    A steer takes effect when the current output item ends, and an edit is one item.
    Another answer would begin about as soon as this one did.

    Args:
        timing: The times of the running answer.
        n_chars: Characters written so far.
        n_expected_chars: Rough length of the whole answer.
    """
    sent, first, last = timing.sent, timing.first_delta, timing.last_delta
    if sent is None or first is None or last is None or not n_chars:
        return False
    left_s = (last - sent) * max(n_expected_chars - n_chars, 0) / n_chars
    return left_s <= first - sent
