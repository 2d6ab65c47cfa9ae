"""Imports of a file that bind a name which a reply imports from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from redline.checks.candidate import CheckedEdit
from redline.checks.import_changes.import_statement import ImportStatement, bound_name

_WORD = re.compile(r"[\w$]+")


def replaced_imports(
    edit: CheckedEdit,
    new: Iterable[ImportStatement],
    known: Sequence[ImportStatement],
) -> list[tuple[ImportStatement, str]] | None:
    """Return statements of the file, each with a name that a reply imports otherwise.

    Args:
        edit: The edit without changes of imports.
        new: The imports of the reply.
        known: Those of the file.

    Returns:
        None if such a name is also used outside of the range, or cannot be removed from
        its statement alone.
    """
    found = list(_rivals(new, known, "".join(edit.new_lines)))
    elsewhere = _words_elsewhere(edit, known) if found else set[str]()
    for old, name, is_same in found:
        if not is_same and name in elsewhere:
            return None
        if set(old.names) != {name} and (
            not old.is_plain or old.with_members(old.members) is None
        ):
            return None
    return [(old, name) for old, name, _ in found]


def _rivals(
    new: Iterable[ImportStatement], known: Sequence[ImportStatement], text: str
) -> Iterator[tuple[ImportStatement, str, bool]]:
    """Yield statements of the file, a name, and whether both import the same thing,
    of which the file has only the type, and the new text uses the value.
    """
    used = set(_WORD.findall(text))
    for statement in new:
        for name in used.intersection(statement.names):
            for old in known:
                if name not in old.names:
                    continue
                is_same = source_of(old, name) == source_of(statement, name)
                needs_value = (
                    _is_type(old, name)
                    and not _is_type(statement, name)
                    and _is_value(name, text)
                )
                if not is_same or needs_value:
                    yield old, name, is_same


def source_of(statement: ImportStatement, name: str) -> tuple[str, str]:
    """Return the module and the name in it that a statement binds to a name."""
    module = statement.module.removeprefix("node:")
    for path in statement.paths:
        if re.split(r"::| ", path)[-1] == name:
            return path, ""
    for member in statement.members:
        if bound_name(member) == name:
            return module, member.removeprefix("type ").split()[0]
    if re.match(r"import\s++[\w.]++(?!\s++as\b)", statement.text) and (
        module.partition(".")[0] == name
    ):
        return name, ""  # Submodules of Python bind their package.
    return module, ""


def _is_type(statement: ImportStatement, name: str) -> bool:
    """Whether a statement of TypeScript imports only the type of a name."""
    return "import type" in statement.text or any(
        member.startswith("type ") and bound_name(member) == name
        for member in statement.members
    )


def _is_value(name: str, text: str) -> bool:
    """Whether a text of TypeScript uses a name as more than a type."""
    word = re.escape(name)
    uses = rf"\b(?:new|extends|instanceof)\s++{word}\b|(?<![\w$.]){word}\s*+[.(]"
    return re.search(uses, text) is not None


def _words_elsewhere(edit: CheckedEdit, known: Sequence[ImportStatement]) -> set[str]:
    """Return the words of the file but those of the range and of its imports."""
    imports = {at for each in known for at in range(each.first, each.end)}
    region = edit.region_before
    return {
        word
        for at, line in enumerate(edit.before)
        if at not in imports and at not in region
        for word in _WORD.findall(line)
    }
