"""The types of what Python code takes from series and mappings: by loops and calls."""

from __future__ import annotations

import ast
from collections.abc import Callable

from redline.checks.python.value_types import (
    ClassItself,
    FunctionItself,
    Instance,
    Kind,
    SeriesOf,
    TypeWorld,
)
from redline.syntax.word_set import word_set

TypeOf = Callable[[ast.expr], Kind | None]
"""Returns the type of an expression."""

_SAME_ELEMENTS = word_set("list tuple set frozenset sorted reversed iter")
_ONE_ELEMENT = word_set("next min max")
_TAKEN = word_set("pop popleft")
_LOOKED_UP = word_set("get pop setdefault")


def loop_type(
    world: TypeWorld, series: ast.expr, place: int | None, of: TypeOf
) -> Kind | None:
    """Return the type of the name that a loop sets.

    Args:
        world: What other names mean.
        series: The expression of the loop.
        place: The place of the name in a tuple; None: the loop sets nothing else.
        of: Returns the types of expressions outside of the loop.
    """
    match series:
        case ast.Call(func=ast.Name() as maker, args=[inner, *_]) if place == 1:
            is_counted = _builtin(of(maker)) == "enumerate"
            return loop_type(world, inner, None, of) if is_counted else None
        case ast.Call(func=ast.Attribute(value=owner, attr="items")) if (
            place is not None
        ):
            key, value = _pair(of(owner))
            return (key, value)[place] if place < 2 else None
    kind = of(series) if place is None else None
    return None if kind is None else world.element(kind)


def taken_type(world: TypeWorld, node: ast.expr, of: TypeOf) -> Kind | None:
    """Return the type of what an expression takes from a series or a mapping."""
    match node:
        case ast.Subscript(value=value, slice=index):
            return _indexed(of(value), index)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=given):
            return _called(of(value), name, len(given))
        case ast.Call(func=ast.Name() as maker, args=[inner], keywords=keywords):
            made = of(maker)
            name = _builtin(made)
            if name in _ONE_ELEMENT and not any(k.arg == "default" for k in keywords):
                return loop_type(world, inner, None, of)
            element = name in _SAME_ELEMENTS and loop_type(world, inner, None, of)
            if isinstance(made, FunctionItself) and name == "sorted":
                found = world.annotated("list", made.at)
                if isinstance(found, Instance):
                    return Instance(found.of, found.at, element or None)
            return SeriesOf(element) if element else None
    return None


def _indexed(owner: Kind | None, index: ast.expr) -> Kind | None:
    if not isinstance(owner, Instance | SeriesOf):
        return None
    if isinstance(index, ast.Slice):
        return owner
    return owner.element if owner.value is None else owner.value


def _called(owner: Kind | None, name: str, n_given: int) -> Kind | None:
    key, value = _pair(owner)
    if key is not None or value is not None:
        if name in _LOOKED_UP and n_given == 1:
            return value
        series = {"keys": key, "values": value}.get(name)
        return None if series is None else SeriesOf(series)
    if isinstance(owner, Instance) and owner.element is not None:
        if name == "copy":
            return owner
        return owner.element if name in _TAKEN else None
    return None


def _pair(owner: Kind | None) -> tuple[Kind | None, Kind | None]:
    """Return the types of a mapping's keys and values, if it is one."""
    if isinstance(owner, Instance | SeriesOf) and owner.value is not None:
        return owner.element, owner.value
    return None, None


def _builtin(kind: Kind | None) -> str:
    """Return the name of a built-in function or class; empty: it is another one."""
    if isinstance(kind, ClassItself | FunctionItself) and kind.at.name == "builtins":
        return kind.of.name
    return ""
