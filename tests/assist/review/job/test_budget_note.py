"""Skipped work is listed in one sentence."""

from __future__ import annotations

import pytest

from redline.assist.review.job.review_job import SkippedWork, skipped_work


@pytest.mark.parametrize(
    ("n_undone", "words"),
    [
        ({}, ""),
        ({"refute": 0}, ""),
        (
            {"fix": 1},
            "The cost limit was reached, so no model wrote a fix for 1 finding.",
        ),
        (
            {"read": 3, "refute": 2, "fix": 1},
            "The cost limit was reached, so no scout read 3 related places, no model "
            "tried to refute 2 findings and no model wrote a fix for 1 finding.",
        ),
    ],
)
def test_what_was_not_done_is_said(
    n_undone: dict[SkippedWork, int], words: str
) -> None:
    assert skipped_work(n_undone) == words
