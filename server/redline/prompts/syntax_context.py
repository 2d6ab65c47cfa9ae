"""Context from a file's own syntax: where a range is, and what it may use.

It leaves out the lines around the range that the prompt shows already.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from redline.prompts.context import ContextItem
from redline.syntax.facts import Definition
from redline.syntax.outline import Outline

_MAX_SIBLINGS = 40
"""Most methods listed of the type around a range."""


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
