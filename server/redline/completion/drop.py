"""What is not worth showing: nothing, a repetition, or a hint to write it yourself."""

from __future__ import annotations

from collections.abc import Sequence

from redline.completion.brackets import CLOSERS
from redline.completion.place import Place, depth_of
from redline.text.elision import find_elision

_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
_MIN_ABOVE = 10
"""Longer lines are not written twice in a row."""


def before_elision(lines: Sequence[str], language: str) -> Sequence[str]:
    """Cut lines before a mark that stands for code, or a conflict marker."""
    for at, line in enumerate(lines):
        if line.startswith(_CONFLICT) or find_elision(line, language) is not None:
            return lines[:at]
    return lines


def is_worthless(text: str, place: Place, *, was_shown: bool = False) -> bool:
    """Whether a text is blank, too short, or stands next to the cursor already.

    The rest of what was shown stays until its last character is typed.
    """
    shown = text.strip()
    if not shown:
        return True
    if len(shown) < 2 and not was_shown and not _finishes(shown, place):
        return True
    if "\n" in text.strip("\n"):
        return False
    whole = shown if text.startswith("\n") else (place.left + text).strip()
    # A comma at its end aside.
    whole = (whole + place.right.strip()).rstrip(",;")
    is_below = text.startswith("\n") and not place.is_blank
    above = (place.left if is_below else place.last_line).strip()
    if whole == place.next_line.strip().rstrip(",;"):
        # A bracket closes what is open at its own depth.
        is_code = any(map(str.isalnum, whole))
        return is_code or depth_of(place.left) == depth_of(place.next_line)
    return len(above) > _MIN_ABOVE and whole == above.rstrip(",;")


def _finishes(char: str, place: Place) -> bool:
    """Whether one character finishes a statement or closes what is open."""
    if char.isalnum() or char == "_":
        return not place.is_blank
    missing = place.openings.closers
    return char in CLOSERS and char in missing
