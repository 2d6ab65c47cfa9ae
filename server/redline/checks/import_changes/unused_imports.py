"""The imports that an edit has made unused: their names were used in its range only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from redline.checks.candidate import CheckedEdit
from redline.checks.import_changes.import_statement import SCRIPTS, ImportStatement
from redline.syntax.language import Language
from redline.text.line_diff import LineHunk
from redline.text.lines import line_end

_KEPT = re.compile(r"noqa|eslint-disable|ts-ignore|ts-expect-error|nolint")
_USED_UNSEEN = frozenset({"React", "h", "Fragment", "jsx"})
"""Names that the compiler uses for JSX."""


def removals(edit: CheckedEdit, known: Sequence[ImportStatement]) -> Iterator[LineHunk]:
    """Yield the removals of imports, in lines of the file before.

    Rust's are left alone: a trait is used without its name.
    """
    is_package = edit.path.endswith("__init__.py")
    if edit.grammar is Language.RUST or is_package:
        return
    old = set(re.findall(r"[\w$]+", "".join(edit.old_lines)))
    for each in known:
        if _KEPT.search(each.text) or not old & set(each.names):
            continue
        rest = [*edit.after[: each.first], *edit.after[each.end :]]
        left = set(re.findall(r"[\w$]+", "".join(rest)))
        unused = {name for name in each.names if name in old and name not in left}
        if edit.grammar in SCRIPTS:
            unused -= _USED_UNSEEN
        if unused == set(each.names):
            yield _without(edit.before, each)
        elif unused and (hunk := _without_members(edit.before, each, unused)):
            yield hunk


def _without(lines: Sequence[str], statement: ImportStatement) -> LineHunk:
    """Remove a statement; if it was a block, one of the blank lines around it, too."""
    first, end = statement.first, statement.end
    is_alone = not first or not lines[first - 1].strip()
    if is_alone and end < len(lines) and not lines[end].strip():
        end += 1
    return LineHunk(start=first, end=end, lines=())


def _without_members(
    lines: Sequence[str], statement: ImportStatement, unused: set[str]
) -> LineHunk | None:
    gone = [each for each in statement.members if each.split()[-1] in unused]
    left = [each for each in statement.members if each not in gone]
    if not left or len(gone) != len(unused):
        return None
    old = [lines[at] for at in range(statement.first, statement.end)]
    if len(old) == 1:
        before = ", ".join(statement.members)
        if before not in old[0]:
            return None
        new = (old[0].replace(before, ", ".join(left)),)
        return LineHunk(start=statement.first, end=statement.end, lines=new)
    at = [number for number, line in enumerate(old) if line.strip(" \t\r\n,") in gone]
    if len(at) != len(gone) or at != list(range(at[0], at[-1] + 1)):
        return None
    if not line_end(old[-1]):
        return None
    start = statement.first + at[0]
    return LineHunk(start=start, end=start + len(at), lines=())
