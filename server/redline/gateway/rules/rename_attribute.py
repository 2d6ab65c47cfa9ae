"""Renames an attribute or method of a class that the file defines.

The checks of the places to change serve all kinds of rename.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection, Iterable

import libcst as cst

from redline.gateway.rules.attribute_names import (
    AttributeMap,
    AttributeUse,
    map_attributes,
)
from redline.gateway.rules.function_facts import descendants, dotted_name
from redline.gateway.rules.name_scopes import NameMap, Occurrence, names_in_target
from redline.gateway.rules.python_source import Patch, PythonSource
from redline.gateway.rules.region import Declined
from redline.instructions.request import Rename

# These bases have no attributes that a class would override by accident.
_HARMLESS_BASES = frozenset(
    {
        "ABC", "Protocol", "Generic", "NamedTuple", "TypedDict", "Enum", "IntEnum",
        "StrEnum", "Flag", "IntFlag", "object",
    }
    | {n for n in dir(builtins) if n.endswith(("Error", "Exception", "Warning"))}
)  # fmt: skip
_COPIERS = frozenset({"replace", "_replace", "evolve"})

Patches = list[Patch] | Declined


Span = tuple[int, int]


def spans_outside(
    source: PythonSource, name: str, spans: Iterable[Span]
) -> Declined | None:
    """Decline if one of the places to rename is not in the range."""
    for start, end in sorted(spans):
        if not source.start <= start <= end <= source.end:
            line = source.line_number(start)
            return Declined(
                reason=f"`{name}` is also used in line {line}, outside the range;"
                " select all of its uses, or the whole file"
            )
    return None


def strings_in_lists(
    source: PythonSource, name: str, lists: Collection[str]
) -> list[Span]:
    """Find a name as a string in a list of names such as `__all__`."""
    spans = []
    for assigned in descendants(source.module):
        match assigned:
            case cst.Assign(targets=targets):
                bound = [target.target for target in targets]
            case cst.AnnAssign(target=target) | cst.AugAssign(target=target):
                bound = [target]
            case _:
                continue
        names = {n.value for target in bound for n in names_in_target(target)}
        if names.isdisjoint(lists):
            continue
        for node in descendants(assigned):
            if isinstance(node, cst.SimpleString) and node.raw_value == name:
                start, end = source.span(node)
                n_quotes = len(node.quote)
                spans.append((start + len(node.prefix) + n_quotes, end - n_quotes))
    return spans


def rename_attribute(source: PythonSource, request: Rename, names: NameMap) -> Patches:
    """Rename an attribute everywhere in the file, if all its uses are in the range."""
    old, new = request.old, request.new
    if not source.is_whole_file:
        return Declined(
            reason=f"`{old}` may be used in parts of the file that were not shown"
        )
    attributes = map_attributes(source, {old, new})
    # Find the classes that own the attribute.
    owners = _owners_in_range(source, old, names, attributes)
    if not owners:
        return Declined(reason=f"the range defines nothing that is called `{old}`")
    family = attributes.family(min(owners))
    if not owners <= family:
        listed = " and ".join(f"`{owner}`" for owner in sorted(owners))
        return Declined(reason=f"`{old}` is an attribute of {listed}")
    # Decline if the uses are not certain, or the new name is taken.
    declined = _doubt(source, request, attributes, family) or _conflict(
        request, names, attributes, family
    )
    if declined:
        return declined
    # Collect the places to rename.
    spans = [(u.start, u.end) for u in attributes.uses if _is_use(u, old, family)]
    bound = _bound_in_classes(names, old, family)
    spans += [(o.start, o.end) for o in bound]
    spans += strings_in_lists(source, old, {"__slots__", "__match_args__"})
    if family & attributes.fields and bound:
        spans += _field_keywords(names, old, family)
    if declined := spans_outside(source, old, spans):
        return declined
    return [Patch(start=s, end=e, text=new) for s, e in dict.fromkeys(spans)]


def _is_use(use: AttributeUse, name: str, family: set[str]) -> bool:
    return use.name == name and use.owner in family


def _owners_in_range(
    source: PythonSource, old: str, names: NameMap, attributes: AttributeMap
) -> set[str]:
    """Return the classes to which the range adds the attribute."""
    owners: set[str | None] = {
        use.owner
        for use in attributes.uses
        if use.name == old
        and use.owner in attributes.bases
        and source.start <= use.start
        and use.end <= source.end
    }
    for occurrence in names.occurrences:
        scope = occurrence.scope.resolve(old)
        is_inside = source.start <= occurrence.start <= source.end
        if occurrence.name == old and scope is not None and is_inside:
            owners.add(scope.class_name)
    return {owner for owner in owners if owner is not None}


def _bound_in_classes(names: NameMap, name: str, family: set[str]) -> list[Occurrence]:
    resolved = [(o, o.scope.resolve(name)) for o in names.occurrences if o.name == name]
    return [o for o, scope in resolved if scope and scope.class_name in family]


def _doubt(
    source: PythonSource, request: Rename, attributes: AttributeMap, family: set[str]
) -> Declined | None:
    """Decline if it is unknown whether some name is the attribute."""
    old = request.old
    for name in sorted(family):
        for base in attributes.bases.get(name, []):
            if base not in attributes.bases and base not in _HARMLESS_BASES:
                return Declined(
                    reason=f"`{old}` may come from a base of `{name}` that is not in"
                    " this file"
                )
    doubtful = [
        use.start
        for use in attributes.uses
        if use.name == old
        and not use.is_foreign
        and (use.owner is None or use.owner not in attributes.bases)
    ]
    places = [*doubtful, *attributes.by_string, *attributes.pattern_keys]
    if places:
        line = source.line_number(min(places))
        return Declined(
            reason=f"it cannot tell whether line {line} means the same `{old}`"
        )
    return None


def _conflict(
    request: Rename, names: NameMap, attributes: AttributeMap, family: set[str]
) -> Declined | None:
    """Decline if the class has the new name already."""
    new = request.new
    is_used = any(_is_use(use, new, family) for use in attributes.uses)
    # In a class body, the name would also hide its earlier meaning.
    is_bound = any(
        o.name == new and o.scope.class_name in family for o in names.occurrences
    )
    if is_used or is_bound:
        return Declined(reason=f"the class already uses the name `{new}`")
    return None


def _field_keywords(
    names: NameMap, old: str, family: set[str]
) -> list[tuple[int, int]]:
    """Find keyword arguments that set the field of a dataclass."""
    spans = []
    for keyword in names.keywords:
        callee = (dotted_name(keyword.call.func) or "").rpartition(".")[2]
        if isinstance(keyword.call.func, cst.Attribute):
            callee = keyword.call.func.attr.value
        if keyword.name == old and callee in family | _COPIERS | {"cls"}:
            spans.append((keyword.start, keyword.end))
    return spans
