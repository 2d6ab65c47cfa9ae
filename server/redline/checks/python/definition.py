"""The definitions of names in Python source, as far as the source shows them.

A name has a definition here only if it is bound once in its scope. A name that is bound
twice, or in a way that only running the code would show, is `Unclear`, and no problem
is reported for it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from msgspec import Struct
from msgspec.structs import replace


class CallSignature(Struct, frozen=True, kw_only=True):
    """The parameters of a function, by how they may be passed."""

    positional_only: tuple[str, ...] = ()
    positional: tuple[str, ...] = ()
    """Passed by position or by keyword."""

    keyword_only: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    """Those without a default."""

    takes_any_positional: bool = False
    takes_any_keyword: bool = False

    @property
    def n_positional(self) -> int:
        """Most positional arguments, if `takes_any_positional` is False."""
        return len(self.positional_only) + len(self.positional)

    @property
    def keywords(self) -> tuple[str, ...]:
        """Accepted keywords, if `takes_any_keyword` is False."""
        return self.positional + self.keyword_only

    def takes_keyword(self, name: str) -> bool:
        """Whether an argument of this name can be passed by keyword."""
        return self.takes_any_keyword or name in self.keywords

    def takes_positional(self, n_arguments: int) -> bool:
        """Whether this number of arguments can be passed by position."""
        return self.takes_any_positional or n_arguments <= self.n_positional

    def missing(
        self, n_positional: int, keywords: AbstractSet[str | None]
    ) -> list[str]:
        """Return the parameters that some arguments leave without a value."""
        by_place = (*self.positional_only, *self.positional)[:n_positional]
        given = {*by_place, *(keywords - set(self.positional_only))}
        return [name for name in self.required if name not in given]

    def bound(self) -> CallSignature | None:
        """Return the signature of a bound method; None if nothing can be bound."""
        first = (*self.positional_only, *self.positional)[:1]
        required = tuple(name for name in self.required if name not in first)
        if self.positional_only:
            rest = self.positional_only[1:]
            return replace(self, positional_only=rest, required=required)
        if self.positional:
            return replace(self, positional=self.positional[1:], required=required)
        return self if self.takes_any_positional else None


def signature_of(arguments: ast.arguments) -> CallSignature:
    plain = arguments.posonlyargs + arguments.args
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return CallSignature(
        required=(
            *(one.arg for one in plain[: len(plain) - len(arguments.defaults)]),
            *(one.arg for one, default in named if default is None),
        ),
        positional_only=tuple(a.arg for a in arguments.posonlyargs),
        positional=tuple(a.arg for a in arguments.args),
        keyword_only=tuple(a.arg for a in arguments.kwonlyargs),
        takes_any_positional=arguments.vararg is not None,
        takes_any_keyword=arguments.kwarg is not None,
    )


class Function(Struct, frozen=True, kw_only=True):
    """A `def`."""

    signature: CallSignature
    lines: range
    """Its lines, counted from 0, without decorators."""

    decorators: tuple[str | None, ...] = ()
    """As written (`functools.cache`), without a call; None: not a dotted name."""

    is_placeholder: bool = False
    """Whether the body does nothing, because it is meant to be overridden."""


class ClassField(Struct, frozen=True, kw_only=True):
    """An annotated name in a class body, as dataclasses and named tuples use it."""

    name: str
    is_initialized: bool = True
    """False with `field(init=False)`."""

    has_default: bool = False
    is_keyword_only: bool | None = None
    """None: as the decorator specifies."""


class Class(Struct, frozen=True, kw_only=True):
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


class Imported(Struct, frozen=True, kw_only=True):
    """A name that an import binds."""

    module: str
    """Without its leading dots; may be empty if `level` is not 0."""

    level: int = 0
    """Number of leading dots."""

    name: str | None = None
    """The name imported from the module; None: the module itself."""


class InstanceOf(Struct, frozen=True, kw_only=True):
    """A variable that is assigned a call or declared, and not bound again."""

    maker: str
    """The dotted name that is called or declared; it may not be a class."""


class Unclear(Struct, frozen=True):
    """Bound to something unknown."""


Definition = Function | Class | Imported | InstanceOf | Unclear

UNCLEAR = Unclear()


class Contents(Struct, frozen=True, kw_only=True):
    """The names that a module defines at its top level."""

    names: Mapping[str, Definition]
    stars: tuple[Imported, ...] = ()
    """Modules whose names are all imported."""

    is_open: bool = False
    """Whether it may have names that cannot be read from the source."""

    set_attributes: frozenset[str] = frozenset()
    """Attributes that are assigned anywhere: methods of that name may be replaced."""
