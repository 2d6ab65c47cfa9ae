"""The facts of a syntax tree, as values; lines count from zero, as in `text`."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

DefinitionKind = Literal[
    "class",
    "enum",
    "function",
    "impl",  # Rust: the methods of a type
    "interface",
    "macro",
    "method",  # a function of a type
    "namespace",  # also a module inside a file
    "property",  # C#
    "struct",
    "trait",
    "type",  # another name for a type
]


class SyntaxFault(Struct, frozen=True, kw_only=True):
    """A place that the grammar cannot parse."""

    line: int
    column: int
    """Code points before the place."""
    message: str
    """The fault, as a sentence without a full stop."""


class Definition(Struct, frozen=True, kw_only=True):
    """A named definition with a body."""

    kind: DefinitionKind
    name: str
    parent: str
    """The names of the enclosing definitions, joined by dots; empty for none. A method
    of Go or C++ outside of its type has the type's name here too."""
    first_line: int
    """Includes decorators and `export`."""
    name_line: int
    last_line: int
    signature: str
    """The source up to the body, as written."""

    @property
    def qualified_name(self) -> str:
        """The name with those of its parents."""
        return f"{self.parent}.{self.name}" if self.parent else self.name


class Import(Struct, frozen=True, kw_only=True):
    """A statement that imports names of other code."""

    first_line: int
    last_line: int
    text: str


class Call(Struct, frozen=True, kw_only=True):
    line: int
    name: str
    """The last name of the callee: `c` in `a.b.c()`."""
