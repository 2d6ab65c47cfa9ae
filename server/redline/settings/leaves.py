"""The single settings of the tree, each with its type and default.

Derived from `tree.py`, so that merging and the reference page include every new
setting.
"""

from __future__ import annotations

from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Meta, Struct
from msgspec.structs import FieldInfo

from redline.settings.tree import ModelSettings, Settings

KeyPath = tuple[str, ...]
"""A setting's place: `("edit", "apply")`, or `("models", label, "url")`."""


class Leaf(Struct, frozen=True, kw_only=True):
    name: str
    type: Any  # A type expression, as msgspec and typing take it.
    default: object
    """`NODEFAULT` where the setting is required."""

    @property
    def is_required(self) -> bool:
        """Whether its table is invalid without it."""
        return self.default is NODEFAULT

    @property
    def may_be_empty(self) -> bool:
        """Whether it is a text that may be absent: an empty one means that it is."""
        return self.default is None and self.alternatives == (str,)

    @property
    def meta(self) -> Meta:
        """Its description and range."""
        return next(part for part in get_args(self.type) if isinstance(part, Meta))

    @property
    def choices(self) -> tuple[str, ...]:
        """Its possible words, if it is a choice of words."""
        words = [part for part in self.alternatives if get_origin(part) is Literal]
        return get_args(words[0]) if words else ()

    @property
    def alternatives(self) -> tuple[Any, ...]:
        """Its possible types, without None."""
        base = get_args(self.type)[0]
        union = get_args(base) if NoneType in get_args(base) else (base,)
        return tuple(part for part in union if part is not NoneType)


@cache
def section_types() -> dict[str, type[msgspec.Struct]]:
    """Return the struct of every section but `models`, by its name."""
    fields = msgspec.structs.fields(Settings)
    return {field.name: field.type for field in fields if field.name != "models"}


@cache
def sections() -> dict[str, dict[str, Leaf]]:
    """Return every setting but those of models, by section and name."""
    return {name: _leaves(struct) for name, struct in section_types().items()}


@cache
def model_leaves() -> dict[str, Leaf]:
    """Return the settings of one model, by name."""
    return _leaves(ModelSettings)


def dotted(path: KeyPath) -> str:
    """Write a path in dotted form: `edit.apply`."""
    return ".".join(path)


def _leaves(struct: type[msgspec.Struct]) -> dict[str, Leaf]:
    return {field.name: _leaf(field) for field in msgspec.structs.fields(struct)}


def _leaf(field: FieldInfo) -> Leaf:
    made = field.default_factory
    default = field.default if made is NODEFAULT else made()
    return Leaf(name=field.name, type=field.type, default=default)
