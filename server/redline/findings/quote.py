"""Finds quoted lines in a file: the anchor of a finding is what it quotes.

Models count lines badly and copy them well, but not perfectly: they drop indentation,
take a number or a diff's sign along, or quote a part of a line. Nothing looser than
that is taken for a quote: lines that resemble the file's are not the file's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

Likeness = Literal["exact", "trailing-blanks", "indentation", "marked", "part"]
"""How a quote agrees with the file, from best to worst: `marked` once line numbers or
signs of a diff are taken off, `part` as a part of one line that is nowhere else."""


class Located(msgspec.Struct, frozen=True, kw_only=True):
    """Where a quote stands."""

    spans: tuple[range, ...]
    """Lines counted from 0, at least one place: the nearest to the hint first."""
    likeness: Likeness


def locate(
    quote: str, lines: Sequence[str], *, hint: int | None = None
) -> Located | None:
    """Find the lines that a quote is of.

    Args:
        quote: LF line ends; blank lines around it do not matter.
        lines: The file's, with or without their ends.
        hint: Index of a line that it may be near.

    Returns:
        All places of the best likeness there is; None if it is nowhere.
    """
    raise NotImplementedError
