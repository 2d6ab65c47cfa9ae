"""The question which lines of a completion may be shown, as a parser process gets it.

Importing this module loads no parser.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from redline.checks.edit_question import CheckedFolders
from redline.parsing.work import Work

IMPORTS_RULE = "phantom-import"
"""The rule that imports are checked by."""


class CompletionCheck(Struct, frozen=True, kw_only=True):
    """A text at a cursor, and the code around it. Lines have no ends."""

    lines: Sequence[str]
    """The code around the cursor: the whole file, or a part of it."""
    at: int
    """The index of the cursor's line."""
    left: str
    """What stays of the cursor's line before the text."""
    new: Sequence[str]
    """The lines of the text; the first continues `left`."""
    right: str
    """What follows the text in its last line."""
    path: str
    """Relative to the workspace, or absolute."""
    language: str
    imports: Sequence[str] = ()
    """Imports of the file's own level, the first line of each."""
    environment: CheckedFolders | None = None
    """What imports are resolved with; None: they are not checked."""


COUNT_GOOD_LINES: Work[CompletionCheck, int] = Work(
    function="redline.checks.completion_lines:n_good_lines", result=int
)
"""Count the lines of a completion before the first that must not be shown."""


def is_import(line: str) -> bool:
    return line.lstrip().startswith(("import ", "from "))
