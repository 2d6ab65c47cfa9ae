"""K1: the definition of a name was renamed; its remaining uses follow.

Nothing is offered where another variable could be meant: the old name must be bound
nowhere else, and the new one nowhere in the same scope.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from msgspec import Struct

from redline.next_edits.block_names import uses_in_blocks
from redline.next_edits.journal import TokenReplacement, UserChange
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.python_names import (
    NameUse,
    PythonNames,
    PythonScope,
    read_names,
)
from redline.next_edits.source import EditedSource
from redline.next_edits.tokens import Token

MAX_USES = 200


class RenamedWord(Struct, frozen=True):
    """A word that a change replaced by another."""

    old: str
    new: str
    offset: int
    """Where the new one is."""


def renamed_word(source: EditedSource, change: UserChange) -> RenamedWord | None:
    """Return the name that a change replaced, if it did nothing else."""
    replacement = replaced_name(change)
    if replacement is None:
        return None
    offset = source.line_start(change.first) + replacement.start
    return RenamedWord(replacement.old, replacement.new, offset)


def replaced_name(change: UserChange) -> TokenReplacement | None:
    """Return what a change replaced, if that is a name and nothing else."""
    replacement = change.replacement
    if replacement is None or not replacement.is_word:
        return None
    if keyword.iskeyword(replacement.old) or keyword.iskeyword(replacement.new):
        return None
    return replacement


def rename(source: EditedSource, change: UserChange) -> list[NextEdit]:
    """Return the uses of a name whose definition a change renamed, in order."""
    word = renamed_word(source, change)
    if word is None:
        return []
    old, new, offset = word.old, word.new, word.offset
    if source.family == "python":
        starts = _python_uses(source, old, new, offset)
    elif source.family == "braces":
        starts = uses_in_blocks(source, old, new, offset)
    else:
        starts = []
    if len(starts) > MAX_USES:
        return []
    return renaming(source, starts, old, new)


def renaming(
    source: EditedSource, starts: Iterable[int], old: str, new: str
) -> list[NextEdit]:
    """Return the edits that rename a name at some offsets."""
    why = f"`{old}` is now `{new}`"
    return [
        source.edit("rename", start, start + len(old), new, why) for start in starts
    ]


def _python_uses(source: EditedSource, old: str, new: str, offset: int) -> list[int]:
    own = source.tokens_between(*source.part_at(offset))
    read, definition = read_both([own], old, new, offset)
    if definition is None:
        return []
    if definition.role == "attribute":
        return _attribute_uses(read, definition, old, new)
    if definition.role not in ("bind", "param"):
        return []
    home = definition.scope
    if home.kind == "class":
        return _method_uses(read, definition, old, new)
    if home is not read.module:
        if n_module_bindings(source, old):
            return []
    else:
        parts = source.parts_with(old, new)
        read, definition = read_both(parts, old, new, offset)
    return variable_uses(read, definition, old, new) or []


def variable_uses(
    read: PythonNames, definition: NameUse | None, old: str, new: str
) -> list[int] | None:
    """Return where a variable is used, besides its definition.

    None: another variable may be meant.
    """
    if definition is None:
        return None
    home = definition.scope
    olds = [one for one in read.uses if one.token.text == old and one is not definition]
    if _is_bound_elsewhere(read, olds, home) or read.binds(home, new):
        return None
    return [
        one.token.start
        for one in olds
        if one.role in ("use", "aug", "bind")
        and read.home(one) is home
        and not _hides(read, one, home, new)
    ]


def read_both(
    parts: Iterable[list[Token]], old: str, new: str, offset: int
) -> tuple[PythonNames, NameUse | None]:
    """Read both names, and the definition among them."""
    read = read_names((_as_old(part, offset, old) for part in parts), {old, new})
    return read, next((one for one in read.uses if one.token.start == offset), None)


def n_module_bindings(source: EditedSource, name: str) -> int:
    """Return how often a module seems to bind a name, by the first column alone."""
    binding = re.compile(
        rf"(?:(?:async )?def |class )?({name})\s*[=:(,]"
        rf"|(?:from|import)\b.*\b({name})\b"
    )
    n_bindings = 0
    for start in _line_starts(source.text, name):
        if (found := binding.match(source.text, start)) is not None:
            token = source.token_at(found.start(found.lastindex or 0))
            n_bindings += token is not None and token.kind == "name"
    return n_bindings


def _line_starts(text: str, name: str) -> list[int]:
    """Return where the lines start that may bind a name in the first column.

    To search for the line breaks and what follows them is ten times as fast as a
    pattern that begins with `^`.
    """
    heads = (name, f"def {name}", f"async def {name}", f"class {name}")
    starts: set[int] = set()
    for head in (*heads, "from", "import"):
        if text.startswith(head):
            starts.add(0)
        at = text.find(f"\n{head}")
        while at >= 0:
            starts.add(at + 1)
            at = text.find(f"\n{head}", at + 1)
    return sorted(starts)


def _as_old(part: list[Token], offset: int, old: str) -> list[Token]:
    """Give the renamed token its old name, so that it is found with its uses."""
    return [
        Token(one.kind, old, offset) if one.start == offset else one for one in part
    ]


def _is_bound_elsewhere(
    read: PythonNames, olds: Iterable[NameUse], home: PythonScope
) -> bool:
    """Whether the old name has another binding in the scope, or in one around it."""
    around = list(home.around())
    for one in olds:
        if one.role in ("global", "nonlocal"):
            return True
        if one.role not in ("bind", "param") or one.scope not in around:
            continue
        if one.scope is home and one.role == "bind" and one.reads_itself:
            continue  # `total = total + 1` continues the variable.
        if one.scope.kind != "class" or one.scope is home:
            return True
    return False


def _hides(read: PythonNames, use: NameUse, home: PythonScope, new: str) -> bool:
    """Whether the new name means something else where the old one is used."""
    for scope in use.scope.around():
        if scope is home:
            return False
        if read.binds(scope, new):
            return True
    return False


def _method_uses(
    read: PythonNames, definition: NameUse, old: str, new: str
) -> list[int]:
    """Return the uses of a method or class variable through `self` and the class."""
    owner = definition.scope
    if owner.has_bases or read.binds(owner, new):
        return []
    own = [one for one in read.uses if one.token.text == old and one is not definition]
    if any(one.scope is owner and one.role == "bind" for one in own):
        return []
    return [one.token.start for one in own if _is_through_self(one, owner)]


def _attribute_uses(
    read: PythonNames, definition: NameUse, old: str, new: str
) -> list[int]:
    """Return the uses of an attribute of `self` that is assigned once."""
    owner = definition.scope.enclosing_class()
    if owner is None or owner.has_bases or definition.receiver != "self":
        return []
    here = [one for one in read.uses if _is_through_self(one, owner)]
    if not _is_assigned(read, definition.token):
        return []
    if any(one.token.text == new for one in here) or read.binds(owner, new):
        return []
    olds = [one for one in here if one.token.text == old and one is not definition]
    if read.binds(owner, old) or any(_is_assigned(read, one.token) for one in olds):
        return []
    return [one.token.start for one in olds]


def _is_through_self(use: NameUse, owner: PythonScope) -> bool:
    return (
        use.role == "attribute"
        and use.receiver in ("self", "cls", owner.name)
        and use.scope.enclosing_class() is owner
    )


def _is_assigned(read: PythonNames, attribute: Token) -> bool:
    """Whether a statement begins with `self.attribute =`."""
    for _, statement in read.statements:
        if len(statement) > 3 and statement[2].start == attribute.start:
            return statement[3].text in ("=", ":")
    return False
