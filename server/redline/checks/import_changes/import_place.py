"""Where a new import belongs: in its block, in order, or in a block of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from msgspec import Struct

from redline.checks.import_changes.import_statement import SCRIPTS, ImportStatement
from redline.syntax.language import Language

_COMMENTS = ("#", "//", "/*", "*")
_DIRECTIVE = re.compile(r"(?:'[^']*+'|\"[^\"]*+\")\s*+;?+\s*+(?://.*+)?+")


class ImportPlace(Struct, frozen=True, kw_only=True):
    """A place for new imports between lines."""

    line: int
    has_blank_before: bool = False
    """Whether a blank line separates them from what is above."""
    n_blank_after: int = 0


def place_among(known: Sequence[ImportStatement], new: ImportStatement) -> ImportPlace:
    """Return where a statement belongs.

    Args:
        known: The imports at the top of the file, in order; at least one.
        new: The new statement.
    """
    same = [each for each in known if each.group == new.group]
    if same:
        block = _last_block(same)
        before = [each for each in block if each.key <= new.key]
        return ImportPlace(line=before[-1].end if before else block[0].first)
    earlier = [each for each in known if each.group < new.group]
    if earlier:
        return ImportPlace(line=earlier[-1].end, has_blank_before=True)
    return ImportPlace(line=known[0].first, n_blank_after=1)


def place_at_top(lines: Sequence[str], language: Language) -> ImportPlace | None:
    """Return where the first import of a file belongs; None: not known."""
    head = _head(lines, language)
    if head is None:
        return None
    if not head:
        is_python = language is Language.PYTHON
        is_definition = lines[0].startswith(("def ", "class ", "async ", "@"))
        return ImportPlace(line=0, n_blank_after=1 + (is_python and is_definition))
    is_apart = head >= len(lines) or not lines[head].strip()
    return ImportPlace(line=head, has_blank_before=True, n_blank_after=not is_apart)


def _last_block(statements: Sequence[ImportStatement]) -> list[ImportStatement]:
    block = [statements[-1]]
    for each in reversed(statements[:-1]):
        if each.end != block[0].first:
            break
        block.insert(0, each)
    return block


def _head(lines: Sequence[str], language: Language) -> int | None:
    """Count the lines that stay above the first import."""
    if language is Language.PYTHON:
        return _python_head(lines)
    end = 0
    is_in_comment = False
    for at, line in enumerate(lines):
        text = line.strip()
        if is_in_comment or text.startswith("/*"):
            is_in_comment = "*/" not in text
            continue
        if language in (Language.GO, Language.JAVA, Language.PHP):
            if text.startswith(("package ", "namespace ")):
                return at + 1
            if language is Language.PHP and text.startswith(("<?php", "declare")):
                continue
        elif _stays_first(text, at, language):
            end = at + 1
            continue
        if text and not text.startswith(_COMMENTS):
            break
        if not text and at and lines[at - 1].strip():
            # A comment that a blank line ends is the file's.
            end = at
    return None if language in (Language.GO, Language.PHP) else end


def _stays_first(text: str, at: int, language: Language) -> bool:
    if language is Language.RUST:
        return text.startswith(("#![", "//!"))
    is_shebang = at == 0 and text.startswith("#!")
    return language in SCRIPTS and bool(is_shebang or _DIRECTIVE.fullmatch(text))


def _python_head(lines: Sequence[str]) -> int | None:
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if ast.get_docstring(tree, clean=False) is not None:
        return tree.body[0].end_lineno
    end = 0
    for at, line in enumerate(lines):
        if line.startswith("#!") or (at < 2 and "coding" in line):
            end = at + 1
        elif line.strip() and not line.startswith("#"):
            break
        elif not line.strip() and at and lines[at - 1].strip():
            end = at
    return end
