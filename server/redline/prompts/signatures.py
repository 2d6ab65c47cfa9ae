"""Signatures of what a range calls, chosen from an index of the workspace.

Whoever reads files builds the index with `signatures`, a file at a time; choosing from
it is pure. A name says little about which of several definitions is meant, so they are
ranked by how near they are: the same file, a file that the imports name, a neighbour.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from redline.prompts.context import ContextItem
from redline.syntax.tree import Tree

_MAX_LINES = 12
"""Of one signature; longer ones are cut."""

_MAX_BY_NAME = 2
"""Definitions shown for one name; with more the name says nothing."""

_MAX_STRANGERS = 3
"""As many definitions far away may share a name before none of them is shown."""

_SAME_FILE, _IMPORTED, _NEIGHBOUR, _STRANGER = 3.0, 2.0, 1.0, 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """One definition, as far as a caller needs to know it."""

    name: str
    qualified_name: str
    path: str
    """Relative to the workspace."""
    first_line: int
    last_line: int
    text: str
    """Up to the body, at most a dozen lines."""


def signatures(tree: Tree, path: str) -> tuple[Signature, ...]:
    """Extract what a file defines, for an index by `name`."""
    return tuple(
        Signature(
            name=definition.name,
            qualified_name=definition.qualified_name,
            path=path,
            first_line=definition.first_line,
            last_line=definition.last_line,
            text=_cut(definition.signature),
        )
        for definition in tree.definitions
    )


def called_signatures(
    names: Sequence[str],
    find: Callable[[str], Iterable[Signature]],
    *,
    path: str,
    imports: Sequence[str] = (),
    shown: range = range(0),
) -> list[ContextItem]:
    """Choose the signatures of what a range calls.

    Args:
        names: What is called, from `Tree.calls`.
        find: Looks up the definitions of a name in the workspace.
        path: The range's file.
        imports: The texts of the file's imports.
        shown: Lines of the file that the prompt shows anyway.
    """
    imported = set(re.findall(r"\w+", " ".join(imports)))
    items: list[ContextItem] = []
    for name in dict.fromkeys(names):
        ranked = sorted(
            ((_nearness(one, path, imported), one) for one in find(name)),
            key=lambda pair: (-pair[0], pair[1].path, pair[1].first_line),
        )
        if len(ranked) > _MAX_STRANGERS:
            ranked = [pair for pair in ranked if pair[0] > _STRANGER]
        items += (
            _item(one, nearness)
            for nearness, one in ranked[:_MAX_BY_NAME]
            if not (one.path == path and one.first_line in shown)
        )
    return items


def _nearness(one: Signature, path: str, imported: set[str]) -> float:
    if one.path == path:
        return _SAME_FILE
    here, there = PurePosixPath(path), PurePosixPath(one.path)
    outermost = one.qualified_name.split(".")[0]
    if there.stem in imported or there.parent.name in imported or outermost in imported:
        return _IMPORTED
    return _NEIGHBOUR if here.parent == there.parent else _STRANGER


def _item(one: Signature, nearness: float) -> ContextItem:
    outer = one.qualified_name.removesuffix(one.name).rstrip(".")
    owner = f" in {outer}" if outer else ""
    return ContextItem(
        kind="signature",
        source=f"{one.path}:{one.first_line + 1}{owner}",
        text=one.text,
        relevance=nearness,
    )


def _cut(text: str) -> str:
    lines = text.split("\n")
    if len(lines) <= _MAX_LINES:
        return text
    return "\n".join([*lines[:_MAX_LINES], "…"])
