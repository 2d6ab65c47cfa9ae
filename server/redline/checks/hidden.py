"""`hidden-character`: characters that are not shown, or that reorder what is shown."""

from __future__ import annotations

from collections.abc import Iterable

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.text.hidden_characters import character_name, hidden_characters


def check_hidden(candidate: CheckedEdit) -> Iterable[Problem]:
    """Report those that neither the file nor the instruction has, one for a line."""
    region = candidate.region_after
    known = {*hidden_characters(candidate.text_before + candidate.instruction)}
    for number in sorted({*region, *candidate.import_lines}):
        found = hidden_characters(candidate.after[number])
        if new := next((one for one in found if one not in known), None):
            yield Problem(
                rule="hidden-character",
                message=(
                    f"A character that is not shown is new: {character_name(new)}."
                    " Write an escape sequence if it is needed."
                ),
                line=candidate.line_in_region(number),
            )
