"""What a name in Python source stands for, as far as the source alone tells.

A name has a definition here only if it is bound once in its scope. Whatever is bound
twice, or in a way that needs running to know, is `Unclear`, and nobody is accused over
it.
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
    """Its lines, counted from 0, decorators not among them."""

    decorators: tuple[str | None, ...] = ()
    """As written (`functools.cache`), without a call; None: no dotted name."""

    is_placeholder: bool = False
    """Whether the body does nothing: it is there to be overridden."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassField:
    """An annotated name in a class body, as dataclasses and named tuples read it."""

    name: str
    is_initialized: bool = True
    """False with `field(init=False)`."""

    is_keyword_only: bool | None = None
    """None: as the decorator says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """A `class`."""

    name: str
    lines: range
    """Its lines, counted from 0, decorators not among them."""

    bases: tuple[str | None, ...] = ()
    """As written, without subscripts; None: no dotted name."""

    metaclass: str | None = None
    """As written; empty if it is no dotted name."""

    decorators: tuple[str | None, ...] = ()
    dataclass_options: Mapping[str, bool | None]
    """Keywords of the last decorator that is called; None: not a literal."""

    fields: tuple[ClassField, ...] | None = ()
    """None: there is one that cannot be understood."""

    members: Mapping[str, Definition]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A name that an import binds."""

    module: str
    """Without its leading dots; may be empty if there are any."""

    level: int = 0
    """Number of leading dots."""

    name: str | None = None
    """What is taken from the module; None: the module itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceOf:
    """A variable that is made by a call, or declared, and not bound again."""

    maker: str
    """The dotted name that is called or declared; it may turn out to be no class."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Bound, but to what is not known."""


Definition = Function | Class | Imported | InstanceOf | Unclear

UNCLEAR = Unclear()


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a module defines at its top level."""

    names: Mapping[str, Definition]
    stars: tuple[Imported, ...] = ()
    """Modules of which all names are taken over."""

    is_open: bool = False
    """Whether names may appear that cannot be read from the source."""

    set_attributes: frozenset[str] = frozenset()
    """Attributes that are assigned somewhere: methods of that name may be replaced."""

    rebound: frozenset[str] = frozenset()
    """Names that some inner scope binds in an outer one."""
