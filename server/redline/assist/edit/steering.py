"""Whether to steer a running answer or to start again."""

from __future__ import annotations

from redline.models.interface import Timing


def is_nearly_written(timing: Timing, *, n_chars: int, n_expected_chars: int) -> bool:
    """Say whether the rest of an answer takes no longer than starting another one.

    A steer takes effect when the output item that is being written has ended, and an
    edit is one item. Another answer begins about as soon as this one did.

    Args:
        timing: Of the running answer.
        n_chars: What it has written.
        n_expected_chars: The length of the whole answer, roughly.
    """
    sent, first, last = timing.sent, timing.first_delta, timing.last_delta
    if sent is None or first is None or last is None or not n_chars:
        return False
    left_s = (last - sent) * max(n_expected_chars - n_chars, 0) / n_chars
    return left_s <= first - sent
