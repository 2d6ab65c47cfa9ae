"""Renames a variable, function, class, parameter or attribute of Python code.

All uses must be in the range. Otherwise nothing is renamed, since an edit must not
leave its range and a partial rename breaks the code.
"""

from __future__ import annotations

import keyword

import libcst as cst

from redline.gateway.rules.function_facts import dotted_name
from redline.gateway.rules.name_scopes import (
    FunctionScope,
    Keyword,
    NameMap,
    NameScope,
    Occurrence,
    map_names,
)
from redline.gateway.rules.python_source import Patch, PythonSource
from redline.gateway.rules.region import Declined
from redline.gateway.rules.rename_attribute import (
    rename_attribute,
    spans_outside,
    strings_in_lists,
)
from redline.instructions.request import Rename

Patches = list[Patch] | Declined


def rename(source: PythonSource, request: Rename) -> Patches:
    """Rename what the request names, or decline with a reason."""
    if declined := _check_names(request):
        return declined
    if request.old == request.new:
        return []
    names = map_names(source, {request.old, request.new})
    scopes = _scopes_in_range(names, source, request)
    if request.kind != "attribute":
        chosen = _chosen(scopes, request)
        if chosen:
            return _rename_variables(source, request, names, chosen)
    return rename_attribute(source, request, names)


def _check_names(request: Rename) -> Declined | None:
    for name in (request.old, request.new):
        if not name.isidentifier() or keyword.iskeyword(name):
            return Declined(reason=f"`{name}` is not a name in Python")
        if name.startswith("__"):
            return Declined(
                reason=f"`{name}` begins with two underscores, which Python gives a"
                " meaning of their own"
            )
    return None


def _scopes_in_range(
    names: NameMap, source: PythonSource, request: Rename
) -> dict[NameScope, list[Occurrence]]:
    """Collect the variables of that name that are bound in the range."""
    scopes: dict[NameScope, list[Occurrence]] = {}
    for occurrence in names.occurrences:
        scope = occurrence.scope.resolve(request.old)
        is_inside = source.start <= occurrence.start and occurrence.end <= source.end
        if occurrence.name == request.old and scope is not None and is_inside:
            scopes.setdefault(scope, []).append(occurrence)
    return scopes


def _chosen(
    scopes: dict[NameScope, list[Occurrence]], request: Rename
) -> list[NameScope]:
    """Choose the variables that are meant; those of classes are attributes."""
    plain = {s: found for s, found in scopes.items() if s.kind != "class"}
    if request.kind == "variable":
        return list(plain)
    defined = {
        scope
        for scope, found in scopes.items()
        if any(isinstance(o.owner, cst.FunctionDef | cst.ClassDef) for o in found)
    }
    # A plain name means a function or class rather than a variable of that name.
    if defined:
        return [scope for scope in plain if scope in defined]
    return [] if request.kind == "definition" else list(plain)


def _rename_variables(
    source: PythonSource, request: Rename, names: NameMap, scopes: list[NameScope]
) -> Patches:
    patches: list[Patch] = []
    for scope in scopes:
        found = names.of(request.old, scope)
        if not source.is_whole_file and scope.kind == "module":
            return Declined(
                reason=f"`{request.old}` may be used in parts of the file that were not"
                " shown"
            )
        if declined := _conflict(source, request, names, scope, found):
            return declined
        keywords = _keywords_of(names, request.old, found)
        if isinstance(keywords, Declined):
            return keywords
        places: list[Occurrence | Keyword] = [*found, *keywords]
        spans = [(place.start, place.end) for place in places]
        if scope.kind == "module":
            spans += strings_in_lists(source, request.old, {"__all__"})
        if declined := spans_outside(source, request.old, spans):
            return declined
        patches += _patches(spans, found, request)
    return patches


def _patches(
    spans: list[tuple[int, int]], found: list[Occurrence], request: Rename
) -> list[Patch]:
    imported = [o.start for o in found if o.form == "import"]
    texts = dict.fromkeys(imported, f"{request.old} as {request.new}")
    return [
        Patch(start=start, end=end, text=texts.get(start, request.new))
        for start, end in dict.fromkeys(spans)
    ]


def _conflict(
    source: PythonSource,
    request: Rename,
    names: NameMap,
    scope: NameScope,
    found: list[Occurrence],
) -> Declined | None:
    """Decline if the new name would mean something else somewhere."""
    old, new = request.old, request.new
    for occurrence in found:
        if occurrence.form == "dotted-import":
            return Declined(reason=f"`{old}` is a package that is imported in parts")
        inner = occurrence.scope.resolve(new)
        if inner is not None and inner is not scope and inner.is_within(scope):
            line = source.line_number(occurrence.start)
            return Declined(reason=f"in line {line}, `{new}` is already another name")
    for occurrence in names.occurrences:
        if occurrence.name != new or not occurrence.scope.is_within(scope):
            continue
        bound = occurrence.scope.resolve(new)
        if bound is None or bound is scope or not bound.is_within(scope):
            line = source.line_number(occurrence.start)
            return Declined(reason=f"`{new}` is already used in line {line}")
    return None


def _keywords_of(
    names: NameMap, old: str, found: list[Occurrence]
) -> list[Keyword] | Declined:
    """Find the keyword arguments that name a renamed parameter."""
    params = {o.owner for o in found if isinstance(o.owner, cst.Param)}
    if not params:
        return []
    owners: set[str] = set()
    others: set[str] = set()
    for function in names.functions:
        bound = names.of(old, function.scope)
        bound = [o for o in bound if isinstance(o.owner, cst.Param)]
        if any(o.owner in params for o in bound):
            owners |= _callees(function)
        elif bound:
            others |= _callees(function)
    if owners & others:
        name = min(owners & others)
        return Declined(reason=f"several functions `{name}` have a parameter `{old}`")
    return [k for k in names.keywords if k.name == old and _callee(k.call) in owners]


def _callees(function: FunctionScope) -> set[str]:
    name = function.node.name.value
    if function.owner is None or name not in ("__init__", "__new__"):
        return {name}
    return {function.owner.name.value, "cls"}


def _callee(call: cst.Call) -> str:
    """Return the last name of the callee; for `partial`, of the function it wraps."""
    name = (dotted_name(call.func) or "").rpartition(".")[2]
    if isinstance(call.func, cst.Attribute):
        name = call.func.attr.value
    if name in ("partial", "partialmethod") and call.args:
        return (dotted_name(call.args[0].value) or "").rpartition(".")[2]
    return name
