"""Candidates from text: the region is what stands between two marker lines."""

from __future__ import annotations

from typing import Protocol

import pytest

from redline.checks.candidate import CheckedEdit
from redline.text.lines import split_lines

START, END = "»\n", "«\n"
"""The lines before and after the region; without them it is the whole file."""


class MakeCandidate(Protocol):
    """Put a new text in a region's place."""

    def __call__(
        self,
        before: str,
        after: str,
        *,
        language: str = "python",
        instruction: str = "",
        kind: str = "",
    ) -> CheckedEdit:
        """Make a candidate of a marked file and the region's new text."""


@pytest.fixture
def make_candidate() -> MakeCandidate:
    """Make candidates as an edit does: the lines outside of the region stay."""

    def make(
        before: str,
        after: str,
        *,
        language: str = "python",
        instruction: str = "",
        kind: str = "",
    ) -> CheckedEdit:
        head, found, rest = before.partition(START)
        if not found:
            head, rest = "", before
        region, _, tail = rest.partition(END)
        n_head = len(split_lines(head)) - 1
        old, new = _n_lines(region), _n_lines(after)
        return CheckedEdit(
            before=split_lines(head + region + tail),
            after=split_lines(head + after + tail),
            region_before=range(n_head, n_head + old),
            region_after=range(n_head, n_head + new),
            language=language,
            instruction=instruction,
            kind=kind,
        )

    return make


def _n_lines(text: str) -> int:
    """Count a text's lines, without the empty one after its last end."""
    lines = split_lines(text)
    return len(lines) - (lines[-1] == "")
