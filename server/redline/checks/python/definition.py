"""The definitions of names in Python source, as far as the source shows them.

A name has a definition here only if it is bound once in its scope. A name that is bound
twice, or in a way that only running the code would show, is `Unclear`, and no problem
is reported for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from redline.checks.python.signature import CallSignature


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A `def`."""

    signature: CallSignature
    lines: range
    """Its lines, counted from 0, without decorators."""

    decorators: tuple[str | None, ...] = ()
    """As written (`functools.cache`), without a call; None: not a dotted name."""

    is_placeholder: bool = False
    """Whether the body does nothing, because it is meant to be overridden."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassField:
    """An annotated name in a class body, as dataclasses and named tuples use it."""

    name: str
    is_initialized: bool = True
    """False with `field(init=False)`."""

    is_keyword_only: bool | None = None
    """None: as the decorator specifies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """A `class`."""

    name: str
    lines: range
    """Its lines, counted from 0, without decorators."""

    bases: tuple[str | None, ...] = ()
    """As written, without subscripts; None: not a dotted name."""

    metaclass: str | None = None
    """As written; empty if it is not a dotted name."""

    decorators: tuple[str | None, ...] = ()
    dataclass_options: Mapping[str, bool | None]
    """Keywords of the last decorator that is called; None: not a literal."""

    fields: tuple[ClassField, ...] | None = ()
    """None: one of them cannot be understood."""

    members: Mapping[str, Definition]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A name that an import binds."""

    module: str
    """Without its leading dots; may be empty if `level` is not 0."""

    level: int = 0
    """Number of leading dots."""

    name: str | None = None
    """The name imported from the module; None: the module itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceOf:
    """A variable that is assigned a call or declared, and not bound again."""

    maker: str
    """The dotted name that is called or declared; it may not be a class."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Bound to something unknown."""


Definition = Function | Class | Imported | InstanceOf | Unclear

UNCLEAR = Unclear()


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """The names that a module defines at its top level."""

    names: Mapping[str, Definition]
    stars: tuple[Imported, ...] = ()
    """Modules whose names are all imported."""

    is_open: bool = False
    """Whether it may have names that cannot be read from the source."""

    set_attributes: frozenset[str] = frozenset()
    """Attributes that are assigned anywhere: methods of that name may be replaced."""
