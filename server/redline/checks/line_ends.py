"""`line-ends`: a uniform line end stays uniform, and the last line keeps its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.requested_changes import wants_ends
from redline.text.lines import line_end

_NAMES = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}


def check_line_ends(candidate: CheckedEdit) -> Iterable[Problem]:
    """Report mixed ends, merged lines, and a last line that lost its end."""
    yield from _run_together(candidate)
    if wants_ends(candidate.instruction):
        return
    yield from _mixed(candidate)
    if _ends(candidate.text_before) and not _ends(candidate.text_after):
        yield Problem(
            rule="line-ends", message="The file no longer ends with a line end."
        )


def _mixed(candidate: CheckedEdit) -> Iterator[Problem]:
    ends = {line_end(last) for last in {line[-2:] for line in candidate.before}} - {""}
    if len(ends) != 1:
        return
    for number, line in enumerate(candidate.new_lines):
        end = line_end(line)
        if end and end not in ends:
            names = _NAMES[end], _NAMES[ends.pop()]
            yield Problem(
                rule="line-ends",
                message="The line ends with {}, those of the file with {}.".format(
                    *names
                ),
                line=number,
            )
            return


def _run_together(candidate: CheckedEdit) -> Iterator[Problem]:
    n_rest = len(candidate.after) - candidate.region_after.start
    for number, line in enumerate(candidate.new_lines):
        has_more = number + 1 < n_rest and any(
            candidate.after[candidate.region_after.start + number + 1 :]
        )
        if not line_end(line) and has_more:
            yield Problem(
                rule="line-ends",
                message="The line has no end and runs into the one after it.",
                line=number,
            )
            return


def _ends(text: str) -> bool:
    return not text or text[-1] in "\r\n"
