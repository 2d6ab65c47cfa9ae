"""Whether a key may lead to a completion, by the text around the cursor alone."""

from __future__ import annotations

import re
from typing import Literal

from redline.completion.brackets import open_in
from redline.completion.place import Place, depth_of

Comments = Literal["line", "off", "on"]

MAX_LEFT = 1_000
"""Longest text before the cursor in its line."""

_INERT = re.compile(r"\s*+[)>}\]\"'`]*+\s*+[:{;,]?+\s*+")
"""What may follow the cursor: closing brackets and quotes, and one separator."""

_OVER = re.compile(r"(?:[;}]|\(\)|\[\]|\{\})\s*$")
_CALL = re.compile(r"^\s*(?:(?:await|return|yield)\s+|[\w.\[\]]+\s*=\s*)?[\w.]+\(.*\)$")
_NO_CALL = re.compile(
    r"\s*(?:if|elif|while|for|with|def|class|match|case|switch|function|fn|func|except|"
    r"catch|assert|print)\b"
)

Refusal = Literal[
    "long line", "text follows", "statement over", "blank end", "comment off"
]


def refusal(place: Place, *, comments: Comments) -> Refusal | None:
    """Return why nothing is completed here unasked; None: a completion may be shown."""
    if len(place.left) > MAX_LEFT:
        return "long line"
    if not _INERT.fullmatch(place.right):
        return "text follows"
    if _is_over(place):
        return "statement over"
    if _is_blank_end(place):
        return "blank end"
    if comments == "off" and in_comment(place):
        return "comment off"
    return None


def in_comment(place: Place) -> bool:
    """Whether the cursor is in a comment."""
    return place.openings.is_comment


def is_one_line(place: Place, *, comments: Comments) -> bool:
    """Whether a completion must end with the cursor's line."""
    if place.openings.is_comment:
        return comments == "line"
    return place.openings.quote in ("'", '"')


def is_boundary(inserted: str) -> bool:
    """Whether an inserted text begins a new token, so that a new reply may differ."""
    return inserted[-1:] in tuple(" \n([{.,=:")


def _is_over(place: Place) -> bool:
    left = place.left.rstrip()
    if not left:
        return False
    if _OVER.search(left):
        # `{` of `f(x) {}` may still be filled in between.
        return place.left == left
    if _NO_CALL.match(left) or not _CALL.match(left):
        return False
    return not open_in([left], place.language).closers


def _is_blank_end(place: Place) -> bool:
    if place.left.strip() or place.right.strip() or place.next_line or not place.above:
        return False
    is_open = depth_of(place.left) > 0 or place.around.openings.closers
    return not place.above[-1].strip() and not is_open
