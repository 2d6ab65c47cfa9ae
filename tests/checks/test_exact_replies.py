"""Small edits of many files, answered with exactly the new text."""

from __future__ import annotations

import random
from collections import Counter

from benchmarks.exact_replies import exact_replies, judge, own_files


def test_nothing_of_a_right_reply_is_lost() -> None:
    """It becomes the range's text, or is held; nearly all are not held."""
    results: Counter[str] = Counter()
    lost = []
    for reply in exact_replies(own_files(), random.Random(1), 1_500):
        result, text = judge(reply)
        results[result] += 1
        if result == "lost":
            lost.append((reply.path, reply.reply, text))
    assert not lost
    assert results["exact"] > 0.9 * results.total()
    assert results["held"] < 0.02 * results.total()
