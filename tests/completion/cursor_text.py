"""Places written as text: `│` is the cursor."""

from __future__ import annotations

from redline.completion.filters import Insertion
from redline.completion.place import Around, Place


def place_of(text: str, language: str = "python") -> Place:
    """Read a text with a cursor."""
    before, after = text.split("│")
    *above, left = before.split("\n")
    right, *below = after.split("\n")
    around = Around(language=language, above=tuple(above), below=tuple(below))
    return Place(left=left, right=right, around=around)


def line_of(text: str) -> int:
    """Return the cursor's line."""
    return text.split("│")[0].count("\n")


def accepted(text: str, insertion: Insertion) -> str:
    """Insert what is shown."""
    before, after = text.split("│")
    kept = before[: len(before) - insertion.n_left]
    return kept + insertion.text + after[insertion.n_right :]
