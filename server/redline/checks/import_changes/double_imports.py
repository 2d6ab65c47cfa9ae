"""`compile-error`: an edit imports a name that the file imports from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.import_changes.import_statement import (
    SCRIPTS,
    ImportStatement,
    read_statement,
)
from redline.checks.import_changes.replaced_imports import source_of
from redline.checks.problem import Problem
from redline.syntax.language import Language
from redline.text.lines import strip_end

_LANGUAGES = SCRIPTS | {
    Language.GO,
    Language.JAVA,
    Language.PHP,
    Language.PYTHON,
    Language.RUST,
}
_OTHER_NAMES = ("use function ", "use const ")
"""Imports of PHP whose names may also be those of classes."""


def check_double_imports(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report an import of the new text, outside of functions, whose name an import of
    the rest of the file binds to another thing.
    """
    tree = candidate.tree_after
    if candidate.grammar not in _LANGUAGES or tree is None or tree.errors:
        return
    known: dict[str, ImportStatement] = {}
    own: list[ImportStatement] = []
    for each in _statements(candidate):
        if each.first in candidate.region_after:
            own.append(each)
        else:
            known.update(dict.fromkeys(each.names, each))
    old = {line.strip() for line in candidate.old_lines}
    for each in own:
        if each.lines[0].strip() in old:
            continue
        for name in each.names:
            other = known.get(name)
            if other is not None and source_of(other, name) != source_of(each, name):
                yield Problem(
                    rule="compile-error",
                    message=f"`{name}` is imported from elsewhere in line"
                    f" {other.first + 1}, and the rest of the file uses that.",
                    line=candidate.line_in_region(each.first),
                )


def _statements(candidate: CheckedEdit) -> Iterator[ImportStatement]:
    """Yield the imports at the margin, except those that depend on a condition."""
    tree, language = candidate.tree_after, candidate.grammar
    assert tree is not None
    assert language is not None
    for found in tree.imports:
        lines = candidate.after[found.first_line : found.last_line + 1]
        is_conditional = candidate.after[max(found.first_line - 1, 0)].startswith("#[")
        is_at_margin = lines and lines[0][:1].strip()
        if (
            is_at_margin
            and not is_conditional
            and not lines[0].startswith(_OTHER_NAMES)
        ):
            yield from read_statement(
                [strip_end(line) for line in lines], language, first=found.first_line
            )
