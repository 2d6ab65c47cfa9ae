"""Changes of imports that do not fit a document any more when they are accepted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from redline.checks.import_changes.import_statement import read_statement
from redline.syntax.language import Language
from redline.text.import_lines import import_start, imported, statements
from redline.text.line_diff import LineHunk, apply_hunks

_WORD = re.compile(r"[\w$]+")


def is_stale(
    change: LineHunk,
    lines: Sequence[str],
    others: Sequence[LineHunk],
    language: Language,
    written: Iterable[str] = (),
) -> bool:
    """Whether a change adds only what is there, or removes names that are used by now.

    Args:
        change: A change of imports, in lines of the document.
        lines: The document's lines now.
        others: The changes that are offered with it.
        language: The document's language.
        written: Lines that other edits of the document are about to bring.
    """
    old = lines[change.start : change.end]
    has, gets = _names(old, language), _names(change.lines, language)
    lost = has - gets
    new = imported(change.lines) - imported(old)
    # Without a lost name, another text binds a name to another thing.
    if new and (gets - has or not lost):
        # What a function imports is not there for the others.
        is_block = language is Language.GO
        there = imported([line for line in lines if is_block or line[:1].strip()])
        if not new <= there:
            return False
    if not lost:
        return True
    for other in others:
        # An import of another thing takes the place of the name's.
        lost -= _bound(other.lines, language)
    start = import_start(language.value)
    changes = sorted([*others, change], key=lambda each: (each.start, each.end))
    return any(
        lost.intersection(_WORD.findall(line))
        for line in (*apply_hunks(lines, changes), *written)
        if start is None or not start.match(line)
    )


def _names(lines: Sequence[str], language: Language) -> set[str]:
    """Return the names that lines of imports bind; all words of lines within one."""
    return _bound(lines, language) or {
        word for line in lines for word in _WORD.findall(line)
    }


def _bound(lines: Sequence[str], language: Language) -> set[str]:
    """Return the names that the import statements among lines bind."""
    texts = [line.rstrip("\r\n") for line in lines]
    return {
        name
        for statement in statements(texts, language.value)
        for each in read_statement(statement, language)
        for name in each.names
    }
