"""The text that a rule works on: a range and the known text around it."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace


class EditedLines(Struct, frozen=True, kw_only=True):
    """Whole lines with LF ends; the three parts joined are the text."""

    path: str
    language: str
    before: str
    target: str
    """The only part that a rule may change."""
    after: str
    is_whole_file: bool
    """Whether the three parts are the whole file."""

    @property
    def is_python(self) -> bool:
        """Whether the Python rules apply."""
        return self.language == "python"

    @property
    def text(self) -> str:
        """The known text of the file."""
        return self.before + self.target + self.after

    def with_target(self, target: str) -> EditedLines:
        """Return the region with a changed range."""
        return replace(self, target=target)


class Declined(Struct, frozen=True, kw_only=True):
    """A rule cannot carry out the request; the file is not changed."""

    reason: str
    """A clause for the user, without a full stop."""


Outcome = str | Declined
"""The range's new text (the old one if there was nothing to do), or why not."""
