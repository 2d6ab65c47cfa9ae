"""Context from syntax: where a range is, and signatures of what it calls.

The caller builds the index with `signatures`, a file at a time; choosing from it is
pure. A name does not say which of several definitions is meant, so they are ranked by
distance: the same file, a file that the imports name, a neighbour.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from redline.prompts.context import ContextItem
from redline.syntax.facts import Definition
from redline.syntax.outline import Outline

_MAX_LINES = 12
"""Most lines of one signature; longer ones are cut."""

_MAX_BY_NAME = 2
"""Most definitions shown for one name; more do not help."""

_MAX_STRANGERS = 3
"""If more distant definitions than this share a name, none of them is shown."""

_SAME_FILE, _IMPORTED, _NEIGHBOUR, _STRANGER = 3.0, 2.0, 1.0, 0.0

_MAX_SIBLINGS = 40
"""Most methods listed of the type around a range."""


class Signature(Struct, frozen=True, kw_only=True):
    """One definition, as much of it as a caller needs."""

    name: str
    qualified_name: str
    path: str
    """Relative to the workspace."""
    first_line: int
    last_line: int
    text: str
    """The source up to the body, at most a dozen lines."""


def signatures(outline: Outline, path: str) -> tuple[Signature, ...]:
    """Return the definitions of a file, for an index by `name`."""
    return tuple(
        Signature(
            name=definition.name,
            qualified_name=definition.qualified_name,
            path=path,
            first_line=definition.first_line,
            last_line=definition.last_line,
            text=_cut(definition.signature),
        )
        for definition in outline.definitions
    )


class SignatureCandidate(Struct, frozen=True, kw_only=True):
    """A definition that a name may refer to, and how near it is."""

    signature: Signature
    nearness: float


def nearest_signatures(
    names: Iterable[str],
    find: Callable[[str], Iterable[Signature]],
    *,
    path: str,
    imports: Sequence[str] = (),
) -> dict[str, tuple[SignatureCandidate, ...]]:
    """Return candidates for the names that a file calls, nearest first.

    Args:
        names: The called names.
        find: Looks up the definitions of a name in the workspace.
        path: The calling file.
        imports: The texts of its imports.

    Returns:
        The names that have any candidate.
    """
    imported = set(re.findall(r"\w+", " ".join(imports)))
    chosen = {name: _nearest(find(name), path, imported) for name in names}
    return {name: found for name, found in chosen.items() if found}


def signature_items(
    names: Iterable[str],
    candidates: Mapping[str, Sequence[SignatureCandidate]],
    *,
    path: str,
    shown: range = range(0),
) -> list[ContextItem]:
    """Return the signatures that a range calls, as context.

    Args:
        names: The names that the range calls, each once.
        candidates: Candidates for them.
        path: The range's file.
        shown: Lines of the file that the prompt shows already.
    """
    return [
        _item(found)
        for name in names
        for found in candidates.get(name, ())
        if not (found.signature.path == path and found.signature.first_line in shown)
    ]


def syntax_context(
    outline: Outline, path: str, *, target: range, shown: range
) -> list[ContextItem]:
    """Return imports and the outline around a range, as context.

    Args:
        outline: The file's outline.
        path: The file, relative to the workspace.
        target: The range's lines; an empty one is the place before its start.
        shown: The lines that the prompt shows, including the range.
    """
    items: list[ContextItem] = []
    imports = [x.text for x in outline.imports if x.first_line not in shown]
    if imports:
        items.append(ContextItem(kind="import", source=path, text="\n".join(imports)))
    around = _around(outline, target, shown)
    if around:
        text = "\n".join(around)
        items.append(ContextItem(kind="enclosing", source=path, text=text))
    return items


def _nearest(
    definitions: Iterable[Signature], path: str, imported: set[str]
) -> tuple[SignatureCandidate, ...]:
    ranked = sorted(
        (
            SignatureCandidate(signature=one, nearness=_nearness(one, path, imported))
            for one in definitions
        ),
        key=lambda x: (-x.nearness, x.signature.path, x.signature.first_line),
    )
    if len(ranked) > _MAX_STRANGERS:
        ranked = [x for x in ranked if x.nearness > _STRANGER]
    return tuple(ranked[:_MAX_BY_NAME])


def _nearness(one: Signature, path: str, imported: set[str]) -> float:
    if one.path == path:
        return _SAME_FILE
    here, there = PurePosixPath(path), PurePosixPath(one.path)
    outermost = one.qualified_name.split(".")[0]
    if there.stem in imported or there.parent.name in imported or outermost in imported:
        return _IMPORTED
    return _NEIGHBOUR if here.parent == there.parent else _STRANGER


def _item(found: SignatureCandidate) -> ContextItem:
    one = found.signature
    outer = one.qualified_name.removesuffix(one.name).rstrip(".")
    owner = f" in {outer}" if outer else ""
    return ContextItem(
        kind="signature",
        source=f"{one.path}:{one.first_line + 1}{owner}",
        text=one.text,
        path=one.path,
        relevance=found.nearness,
    )


def _cut(text: str) -> str:
    lines = text.split("\n")
    if len(lines) <= _MAX_LINES:
        return text
    return "\n".join([*lines[:_MAX_LINES], "…"])


def _around(outline: Outline, target: range, shown: range) -> list[str]:
    """Return the signatures of the definitions around a range and their members."""
    around = _holding(outline.definitions, target)
    if not around:
        return []
    names = {one.qualified_name for one in around}
    siblings = [
        one for one in outline.definitions if one.parent in names and one not in around
    ][:_MAX_SIBLINGS]
    listed = sorted([*around, *siblings], key=_first_line)
    depths = {one.qualified_name: n for n, one in enumerate(around)}
    return [
        _indented(one, depths.get(one.qualified_name, depths.get(one.parent, 0) + 1))
        for one in listed
        if one.first_line not in shown
    ]


def _holding(definitions: Sequence[Definition], target: range) -> list[Definition]:
    """Return the definitions around a range, outermost first.

    Searched backwards from the range, up to the first top-level definition: any earlier
    one ends before it.
    """
    last = max(target.stop - 1, target.start)
    end = bisect_right(definitions, target.start, key=_first_line)
    around: list[Definition] = []
    for one in reversed(definitions[:end]):
        if last <= one.last_line:
            around.append(one)
        if not one.parent:
            break
    return around[::-1]


def _first_line(definition: Definition) -> int:
    return definition.first_line


def _indented(definition: Definition, depth: int) -> str:
    head = definition.signature.split("\n")
    return "\n".join("    " * depth + line.strip() for line in head)
