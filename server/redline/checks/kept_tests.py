"""`lost-test`: an edit that adds tests to a file changes or removes what was there.

Such an edit is applied without a preview, to a file that may not be open.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem

_IMPORT = re.compile(
    r"(?:import|from|use|using|require|require_relative|include|package)\b|#\s*include"
    r"|(?:const|let|var)\b.*=\s*(?:await\s+)?(?:require|import)\b|\}\s*from\b"
)
"""The start of an import, which new tests may extend: in the twelve languages whose
test files are known."""

_MAX_QUOTED = 80
_MAX_NAMED = 3


def check_kept_tests(candidate: CheckedEdit) -> Iterable[Problem]:
    """Report lines of a test file that are gone or changed; moved ones are not."""
    if candidate.kind != "tests":
        return
    lost = Counter(_words(candidate.old_lines)) - Counter(_words(candidate.new_lines))
    if not lost:
        return
    named = ", ".join(f"`{line[:_MAX_QUOTED]}`" for line in list(lost)[:_MAX_NAMED])
    more = "" if len(lost) <= _MAX_NAMED else f" and {len(lost) - _MAX_NAMED} more"
    yield Problem(
        rule="lost-test",
        message=f"Existing lines of the test file are gone or changed: {named}{more}.",
    )


def _words(lines: Sequence[str]) -> Iterable[str]:
    """Yield the lines that must stay, without what an added item changes in them."""
    for line in lines:
        text = line.strip().rstrip(",;").rstrip()
        if text and not _IMPORT.match(text):
            yield text
