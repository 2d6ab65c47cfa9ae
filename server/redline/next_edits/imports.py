"""K5: a name of a standard module is used and not imported, or an import has lost its
last use.

Python only. The name must be bound nowhere in the file, by any form of statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from redline.next_edits.journal import UserChange
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.source import EditedSource
from redline.text.lines import line_end, strip_end
from redline.text.position import Position, Range
from redline.text.python_standard import HOMES, MODULES

_ATTRIBUTE = re.compile(r"(?<![\w.])([a-z]\w*)\.[a-zA-Z_]")
_BINDING = re.compile(r"\b(?:import|as|for|def|class|global|nonlocal|lambda|del)\b")
"""What may bind names after it in its line."""

_BOUND = re.compile(r"\s*+(?:=|:=|:|,|\)|\bin\b)")
"""What follows a name that is bound."""

_IMPORTS_ALL = re.compile(r"import\s*+\*")
_LONG_IMPORT = re.compile(r"import\s*+\(")

_MAX_TOP_LINES = 1_000
"""Lines in which imports are looked for."""

_IMPORTING = re.compile(r"\s*(?:from|import)\b")
_NAME = re.compile(r"(?<![\w.])([A-Za-z]\w*)(?=[(\[.:)\s,])")


def missing_imports(source: EditedSource, change: UserChange) -> list[NextEdit]:
    """Return the import line of a name that a change has begun to use."""
    if source.family != "python":
        return []
    old = "".join(change.old)
    new = "".join(line for line in change.new if not _IMPORTING.match(line))
    used = [
        (found[1], f"import {found[1]}")
        for found in _ATTRIBUTE.finditer(new)
        if found[1] in MODULES
    ] + [
        (found[1], f"from {HOMES[found[1]]} import {found[1]}")
        for found in _NAME.finditer(new)
        if found[1] in HOMES
    ]
    for name, statement in used:
        is_new = not re.search(rf"\b{name}\b", old)
        if is_new and not _is_bound(source, name) and _in_code(source, change, name):
            return [_insertion(source, name, statement)]
    return []


def unused_imports(source: EditedSource, change: UserChange) -> list[NextEdit]:
    """Return the removal of an import whose last use a change has removed."""
    if source.family != "python":
        return []
    old, new = "".join(change.old), "".join(change.new)
    gone = set(re.findall(r"(?<![\w.])[^\W\d]\w*", old)) - set(re.findall(r"\w+", new))
    once = {name for name in gone if len(list(islice(source.words(name), 2))) == 1}
    if not once:
        return []
    for number, line in _top_imports(source):
        words = line.partition("#")[0].split()
        if words[-2:-1] != ["import"] or words[1] == "__future__":
            continue
        name = words[-1]
        if name in once and not change.first <= number < change.end:
            return [
                NextEdit(
                    rule="imports",
                    range=Range(Position(number, 0), Position(number + 1, 0)),
                    old=line,
                    text="",
                    why=f"`{name}` is not used any more",
                )
            ]
    return []


def _in_code(source: EditedSource, change: UserChange, name: str) -> bool:
    start = source.line_start(change.first)
    end = start + sum(map(len, change.new))
    for found in re.finditer(rf"(?<![\w.]){name}\b", source.text[start:end]):
        token = source.token_at(start + found.start())
        if token is not None and token.kind == "name":
            return True
    return False


def _is_bound(source: EditedSource, name: str) -> bool:
    """Whether anything in the file might bind a name."""
    text = source.text
    if _IMPORTS_ALL.search(text):
        return True
    read_to = binds_from = -1
    for start in source.words(name):
        if start >= read_to:
            # Each line is searched once.
            line = source.position(start).line
            read_to = source.line_start(line) + len(source.lines[line])
            first = _BINDING.search(source.lines[line])
            binds_from = source.line_start(line) + first.end() if first else read_to
        if start >= binds_from:
            return True
        is_member = text[start - 1 : start] == "."
        if not is_member and _BOUND.match(text, start + len(name)):
            return True
    return _is_in_long_import(source, name)


def _is_in_long_import(source: EditedSource, name: str) -> bool:
    """Whether a name is in the parentheses of an import."""
    end = -1
    for found in _LONG_IMPORT.finditer(source.text):
        if found.start() < end:
            continue
        end = source.text.find(")", found.end())
        end = len(source.text) if end < 0 else end
        if next(source.words(name, found.end(), end), None) is not None:
            return True
    return False


def _top_imports(source: EditedSource) -> Iterator[tuple[int, str]]:
    """Yield the import lines in the first column, before any definition."""
    for number, line in enumerate(source.lines[:_MAX_TOP_LINES]):
        if line.startswith(("def ", "class ", "async ", "@")):
            return
        if line.startswith(("import ", "from ")):
            yield number, line


def _insertion(source: EditedSource, name: str, statement: str) -> NextEdit:
    """Insert an import beside the others, in the order of their names."""
    imports = [
        (number, line)
        for number, line in _top_imports(source)
        if not line.startswith("from __future__") and "(" not in line
    ]
    end = line_end(source.lines[0]) or "\n"
    line = _first_code_line(source)
    text = statement + end
    if imports:
        same = [one for one in imports if one[1].split()[0] == statement.split()[0]]
        before = [one for one in same if strip_end(one[1]) < statement]
        if before:
            line = before[-1][0] + 1
        elif same:
            line = same[0][0]
        elif statement.startswith("import "):
            line = imports[0][0]
        else:
            line = imports[-1][0] + 1
    elif line < len(source.lines) and source.lines[line].strip():
        text += end
    at = Position(line, 0)
    return NextEdit(
        rule="imports",
        range=Range(at, at),
        old="",
        text=text,
        why=f"`{name}` is not imported",
    )


def _first_code_line(source: EditedSource) -> int:
    """Return the line behind comments, the docstring and `__future__` at the top."""
    end = 0
    for token in source.tokens_between(*source.part_at(0)):
        if token.kind not in ("comment", "string", "end", "blank"):
            break
        if token.kind in ("comment", "string"):
            end = source.position(token.stop - 1).line + 1
    for number, line in enumerate(source.lines[:200]):
        if line.startswith("from __future__"):
            end = number + 1
    while 0 < end < len(source.lines) and not source.lines[end].strip():
        end += 1
    return end
