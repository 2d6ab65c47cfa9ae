"""`stub`: a range that returned a value returns none any more."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import without_text
from redline.checks.problem import Problem
from redline.checks.requested_changes import wants_loss
from redline.text.elision import BRACE_LANGUAGES
from redline.text.lines import with_line_feeds

_LANGUAGES = BRACE_LANGUAGES - {"rust", "scala"} | {"lua", "python"}
"""LSP language ids of code in which a value is returned by a word."""

_VALUE = re.compile(r"\breturn\b[ \t]*(?![;}\s]|nil\b|None\b|null\b|undefined\b)\S")
_EXIT = re.compile(
    r"\b(?:return|raise|throw|yield|panic|fatalError|exit|abort|die|todo|TODO|error|goto"
    r"|reject|resolve|callback|done|next|cb|finish|assert)\b|=>|->|\bfun\b[^{\n]*="
)
_IMPLICIT = re.compile(
    r"\{\s*+(?!var\b|let\b|if\b|for\b|while\b|guard\b|switch\b|do\b)"
    r"[^{}\n=]*+(?:\{[^{}]*+\}[^{}\n=]*+)*+\s*+\}"
)
"""A body of Swift that is one expression, which is its value."""
_HEADER = re.compile(r"\b(?:def|func?|function)\b")
_WANTED = re.compile(
    r"\b(?:return|void|nothing|print|in.?place|mutat|write|emit|yield|callback|log\b"
    r"|generator|async|promise|raise|throw|property|setter|field|store|sav)",
    re.IGNORECASE,
)


def check_lost_return(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report a range whose values nobody gets any more."""
    language = candidate.language_id
    instruction = candidate.instruction
    if language not in _LANGUAGES or not instruction:
        return
    if _WANTED.search(instruction) or wants_loss(instruction):
        return
    old, new = (
        without_text(with_line_feeds(lines), language)
        for lines in (candidate.old_lines, candidate.new_lines)
    )
    if language == "swift" and _IMPLICIT.search(_with_borders(candidate)):
        return
    if len(_HEADER.findall(old)) != len(_HEADER.findall(new)):
        return
    if _VALUE.search(old) and new.strip() and not _EXIT.search(new):
        returned = re.search(r"\breturn\b[^\n]*", old)
        text = returned[0].strip() if returned else "return"
        yield Problem(
            rule="stub", message=f"Nothing is returned any more, where it was: {text}"
        )


def _with_borders(candidate: CheckedEdit) -> str:
    """Return the new lines with the nearest line with text above and below them."""
    start, stop = candidate.region_after.start, candidate.region_after.stop
    while start > 0 and not candidate.after[start - 1].strip():
        start -= 1
    lines = candidate.after[max(start - 1, 0) : stop]
    below = next((line for line in candidate.after[stop:] if line.strip()), "")
    return without_text(with_line_feeds([*lines, below]), candidate.language_id)
