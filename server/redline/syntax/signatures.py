"""How many arguments a function takes, by its parameters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.syntax.language import Language
from redline.syntax.type_names import name_of
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node


class Arity(Struct, frozen=True):
    """The least and the most arguments; without a most there may be any number."""

    least: int
    most: int | None


ANY = Arity(0, None)

_MANY = word_set(
    "spread_parameter variadic_parameter_declaration variadic_parameter rest_pattern"
    " parameter_array variadic_declarator"
)
_OPTIONAL = word_set("optional_parameter optional_parameter_declaration")
_NONE = word_set("self_parameter receiver_parameter comment line_comment block_comment")
"""What stands among parameters and takes no argument."""
_RECEIVER = re.compile(r"this\??:|(?:mut )?self\s*+:")
"""A receiver with its type, as in TypeScript, and in Rust `self: Pin<&mut Self>`."""


def arity_of(function: Node, language: Language) -> Arity | None:
    """Return how many arguments a function takes; None: that is not written."""
    given = function.child_by_field_name("parameters")
    return None if given is None else arity_of_list(given, language)


def arity_of_list(given: Node, language: Language) -> Arity | None:
    """Return how many arguments a list of parameters takes."""
    if language is Language.JAVASCRIPT:
        return None  # Any number may be given.
    least = most = 0
    for one in given.named_children:
        if one.type == "attribute_item":
            return None  # A condition that decides whether the parameter is there.
        if one.type in _NONE or _RECEIVER.match(name_of(one)):
            continue
        if one.type in _MANY or _is_many(one):
            return Arity(least, None)
        n_names = len(one.children_by_field_name("name"))
        n_params = max(1, n_names) if language is Language.GO else 1
        most += n_params
        least += 0 if _is_optional(one, language) else n_params
    return ANY if name_of(given) == "" else Arity(least, most)


def _is_many(parameter: Node) -> bool:
    if any(one.type in _MANY for one in parameter.named_children):
        return True
    return any(one.type in ("...", "params") for one in parameter.children) or (
        name_of(parameter).startswith(("params ", "...", "this "))
    )


def _is_optional(parameter: Node, language: Language) -> bool:
    if parameter.type in _OPTIONAL:
        return True
    fields = ("value", "default_value")
    if any(parameter.child_by_field_name(field) for field in fields):
        return True
    return language is Language.CSHARP and any(
        one.type in ("=", "equals_value_clause") for one in parameter.children
    )
