"""The lines of an output, as the readers see them."""

from __future__ import annotations

import re

MAX_N_CHARS = 1_000_000
"""How much of an output is read: its end, where failures are."""

MAX_N_LINES = 50_000
"""As many lines of it as are read; of empty ones there could be a million."""

_MAX_LINE_N_CHARS = 2_000
"""Longer lines are cut, so that reading a line takes a bounded time."""

_MARKS = re.compile(
    r"\x1b(?:\[[0-?]{0,64}+[ -/]{0,8}+[@-~]"
    r"|\][^\x07\x1b]{0,1000}+(?:\x07|\x1b\\)"
    r"|[@-Z\\^_])"
)
"""Control sequences of terminals: colours, links, titles."""


def output_lines(text: str) -> list[str]:
    """Split an output into lines, without marks for terminals and line ends."""
    text = _MARKS.sub("", text[-MAX_N_CHARS:]).replace("\r\n", "\n")
    # A carriage return alone begins the line again.
    last = text.rsplit("\n", MAX_N_LINES)[-MAX_N_LINES:]
    lines = (line.rpartition("\r")[2] for line in last)
    return [line[:_MAX_LINE_N_CHARS] for line in lines]
