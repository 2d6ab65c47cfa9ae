"""The prompt that has a finding refuted: a clean context, one claim, its code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redline.findings.parts import Excerpt
from redline.prompts.blocks import Block
from redline.prompts.message import Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuteTask:
    """A finding and what its code is. All text has LF line ends."""

    path: str
    quote: str
    """The lines as they are in the file."""
    title: str
    explanation: str
    excerpts: Sequence[Excerpt]
    """The code around the quote, and of other files what it depends on."""
    notes: Sequence[Block] = ()
    """What is known besides, as the reviewer was told."""


def refute_prompt(task: RefuteTask) -> Prompt:
    """Write the messages; `parse_refutation` reads the answer."""
    raise NotImplementedError
