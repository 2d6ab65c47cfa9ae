"""The prompt of a scout: one part of a related file, read for a reviewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redline.prompts.message import Prompt

NOTHING = "NOTHING"
"""What a scout replies that has found nothing of use; the template spells it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoutTask:
    """What is read, and for what. All text has LF line ends, secrets hidden."""

    scope: str
    """What is reviewed, as the end of a sentence."""
    changed: str
    """The lines in question, as much as a fast prompt takes."""
    path: str
    """The related file."""
    first_line: int
    """Index of the first line of `text`, from 0; it is shown with line numbers."""
    text: str
    relation: str
    """How it is related, such as "caller"."""
    names: Sequence[str]
    """The names by which it was found."""


def scout_prompt(task: ScoutTask) -> Prompt:
    """Write the messages; the reply is prose with line numbers, or `NOTHING`."""
    raise NotImplementedError
