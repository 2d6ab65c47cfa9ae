"""Removes the marks of sources that assistants with a search write into a reply."""

from __future__ import annotations

import re

from redline.text.reply_forms.special_tokens import is_quoted
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_CITATION = re.compile(
    r"(?:(?:#|//|--|<!--) ?)?(?:"
    r"\u3010\d{1,4}(?::\d{1,4})?\u2020[^\u3010\u3011\n]{1,200}\u3011"
    r"|\ue200cite[^\ue200\ue201\n]{1,200}\ue201"
    r"|\[cite_start\]|\[cite: ?\d{1,4}(?:, ?\d{1,4}){0,40}\]"
    r"|:contentReference\[oaicite:\d{1,4}\]\{index=\d{1,4}\}"
    r")(?: ?-->)?"
)
"""One mark, perhaps in a comment of its own."""


def has_citation(line: str) -> bool:
    """Whether a line has the mark of a source."""
    may_have_one = "cite" in line or "\u3010" in line  # Nearly no line.
    return may_have_one and _CITATION.search(line) is not None


def without_citations(text: str, around: Surroundings) -> str | Doubt | None:
    """Remove the marks, if the file has none; in a string, one may be meant."""
    if not has_citation(text) or any(map(has_citation, around.lines)):
        return None
    lines = []
    for line in text.split("\n"):
        marks = list(_CITATION.finditer(line))
        if any(is_quoted(line, mark) for mark in marks):
            return "unsure"
        new = _CITATION.sub("", line).rstrip() if marks else line
        if new.strip() or not marks:
            lines.append(new)
    return "\n".join(lines)
