"""Markdown code fences (CommonMark 0.31, section 4.5), as models write them."""

from __future__ import annotations

import re

from msgspec import Struct

_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<run>`{3,}|~{3,})(?P<info>[^`]*)$")

_CODE_SPAN = re.compile(r"(?P<run>`{1,3})(?P<text>[^`]+)(?P=run)")


class Fence(Struct, frozen=True, kw_only=True):
    """A line that opens or closes a fenced block."""

    indent: str
    run: str
    info: str
    """The language after an opening fence; empty if it may open or close."""

    @property
    def is_bare(self) -> bool:
        """Whether it has no info string, like every closing fence."""
        return not self.info

    def may_end(self, opening: Fence) -> bool:
        """Whether its character and length can close an opening fence."""
        return self.run.startswith(opening.run)


def read_fence(line: str) -> Fence | None:
    """Read a line without its end; None if it is not a fence.

    Any indentation is allowed: models indent fences with the code.
    """
    if "```" not in line and "~~~" not in line:
        return None  # Nearly every line.
    found = _FENCE.match(line)
    if found is None:
        return None
    return Fence(indent=found["indent"], run=found["run"], info=found["info"].strip())


def is_code_span(text: str) -> bool:
    """Whether a text is one span of code of Markdown, in up to three backticks."""
    return _CODE_SPAN.fullmatch(text) is not None


def in_code_span(line: str) -> str:
    """Return the text of a line that is a code span, or the line itself."""
    found = _CODE_SPAN.fullmatch(line.strip())
    if found is None:
        return line
    inner = found["text"]
    is_padded = len(found["run"]) > 1 and inner[:1] == inner[-1:] == " "
    return inner[1:-1] if is_padded else inner
