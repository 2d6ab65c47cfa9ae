"""Changes of imports that do not fit a document any more when they are accepted."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
) -> bool:
    """Whether a change adds what is there, or removes names that are used by now.

    Args:
        change: A change of imports, in lines of the document.
        lines: The document's lines now.
        others: The changes that are offered with it.
        language: The document's language.
    """
    old = lines[change.start : change.end]
    has, gets = _names(old, language), _names(change.lines, language)
    if gets - has or not old:
        # What a function imports is not there for the others.
        is_block = language is Language.GO
        there = imported([line for line in lines if is_block or line[:1].strip()])
        if not imported(change.lines) <= there:
            return False
    start = import_start(language.value)
    changes = sorted([*others, change], key=lambda each: (each.start, each.end))
    after = (
        line
        for line in apply_hunks(lines, changes)
        if start is None or not start.match(line)
    )
    lost = has - gets
    return not lost or any(lost.intersection(_WORD.findall(line)) for line in after)


def _names(lines: Sequence[str], language: Language) -> set[str]:
    """Return the names that lines of imports bind; all words of lines within one."""
    names: set[str] = set()
    texts = [line.rstrip("\r\n") for line in lines]
    for statement in statements(texts, language.value):
        read = list(read_statement(statement, language))
        names.update(name for each in read for name in each.names)
        if not read:
            names.update(word for line in statement for word in _WORD.findall(line))
    return names
