"""Constructors that decorators and bases generate: dataclass, NamedTuple."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from redline.checks.python.definition import Class, ClassField
from redline.checks.python.resolve import Home, Resolver
from redline.checks.python.signature import CallSignature

_DATACLASS = "dataclasses.dataclass"
_NAMED_TUPLES = ("typing.NamedTuple", "typing_extensions.NamedTuple")


def is_dataclass(found: Class, home: Home, resolver: Resolver) -> bool:
    """Whether `dataclasses.dataclass` is the only decorator of a class."""
    match found.decorators:
        case [str(name)]:
            return resolver.full_name(name, home) == _DATACLASS
    return False


def own_fields(found: Class) -> list[ClassField] | None:
    """Return the fields that a dataclass declares itself; None if uncertain."""
    options = found.dataclass_options
    is_keyword_only = options.get("kw_only", False)
    # `init=False` leaves the constructor to the bases.
    if options.get("init", True) is not True or is_keyword_only is None:
        return None
    if "**" in options or found.fields is None:
        return None
    return [
        replace(field, is_keyword_only=is_keyword_only)
        if field.is_keyword_only is None
        else field
        for field in found.fields
    ]


def signature_of_fields(fields: Iterable[ClassField]) -> CallSignature:
    """Return the signature of a dataclass with these fields."""
    taken = [field for field in fields if field.is_initialized]
    return CallSignature(
        positional=tuple(f.name for f in taken if not f.is_keyword_only),
        keyword_only=tuple(f.name for f in taken if f.is_keyword_only),
    )


def named_tuple_signature(
    found: Class, home: Home, resolver: Resolver
) -> CallSignature | None:
    """Return the signature of a named tuple; None for other classes."""
    match found.bases:
        case [str(name)] if resolver.full_name(name, home) in _NAMED_TUPLES:
            fields = found.fields
            return None if fields is None else signature_of_fields(fields)
    return None
