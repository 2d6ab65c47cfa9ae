"""What a syntax tree says, as values; lines count from zero, as in `text`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntaxFault:
    """A place that the grammar cannot make sense of."""

    line: int
    column: int
    """Code points before the place."""
    message: str
    """What is wrong, as a sentence without a full stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """Something with a name and a body that a file defines."""

    kind: DefinitionKind
    name: str
    parent: str
    """The names of the definitions around it, joined by dots; empty for none. A method
    of Go or C++ that stands outside of its type has the type's name here too."""
    first_line: int
    """With decorators and `export`."""
    last_line: int
    signature: str
    """Its text up to the body, as written."""

    @property
    def qualified_name(self) -> str:
        """Its name with its parents'."""
        return f"{self.parent}.{self.name}" if self.parent else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """A statement that makes other code's names known."""

    first_line: int
    last_line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A place where something is called."""

    line: int
    name: str
    """The last one of the callee: of `a.b.c()` it is `c`."""
