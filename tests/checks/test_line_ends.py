"""Line ends stay as they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.candidate import CheckedEdit
from redline.checks.line_ends import check_line_ends

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate


@pytest.mark.parametrize(
    ("before", "after", "line", "words"),
    [
        ("a\nb\n", "a\r\nc\n", 0, "ends with CRLF, those of the file with LF"),
        ("a\r\nb\r\n", "a\r\nc\n", 1, "ends with LF, those of the file with CRLF"),
        ("a\nb\n", "a\nc\r", 1, "ends with CR"),
        ("a\nb\n", "a\nc", None, "no longer ends with a line end"),
        ("a\n»\nb\n«\nc\n", "d", 0, "runs into"),
    ],
)
def test_changes(
    make_candidate: MakeCandidate,
    before: str,
    after: str,
    line: int | None,
    words: str,
) -> None:
    """One kind of end becomes two, or the last line loses its own."""
    candidate = make_candidate(before, after)
    if "»" in before:
        # As whoever joins lines by hand might.
        candidate = CheckedEdit(
            before=["a\n", "b\n", "c\n"],
            after=["a\n", "d", "c\n"],
            region_before=range(1, 2),
            region_after=range(1, 2),
        )
    [problem] = check_line_ends(candidate)
    assert (problem.rule, problem.line) == ("line-ends", line)
    assert words in problem.message


@pytest.mark.parametrize(
    ("before", "after", "instruction"),
    [
        ("a\nb\n", "a\nc\n", ""),
        ("a\r\nb\r\n", "c\r\n", ""),
        ("a\r\nb\n", "c\r\nd\n", ""),
        ("a\nb", "a\nc", ""),
        ("a\nb", "a\nc\n", ""),
        ("", "a\n", ""),
        ("a\n", "", ""),
        ("a\nb\n", "a\r\nb\r\n", "Use CRLF line endings."),
        ("a\nb\n", "a\nb", "Remove the newline at the end."),
    ],
)
def test_left_alone(
    make_candidate: MakeCandidate, before: str, after: str, instruction: str
) -> None:
    """What was mixed, had no end before, or was asked for."""
    candidate = make_candidate(before, after, instruction=instruction)
    assert not list(check_line_ends(candidate))
