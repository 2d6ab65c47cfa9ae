"""The instruction of an edit that mends a finding: its range is the quoted lines."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FixTask:
    """A finding to mend. All text has LF line ends."""

    title: str
    explanation: str
    proposal: str | None = None
    """The reviewer's own new text of the lines, unchecked."""
    problems: tuple[str, ...] = ()
    """What the checks have said of an earlier try."""


def instruction_to_fix(task: FixTask) -> str:
    """Write the instruction of the edit on the quoted lines, for `edit_prompt`."""
    raise NotImplementedError
