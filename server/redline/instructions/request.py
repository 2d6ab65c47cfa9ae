"""What the rules engine can be asked for, as values.

A new rule is a new member or class here and a row in the two tables of words;
`instruction` reads words into it and `python_rules` or `line_rules` carries it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PythonRule = Literal[
    "docstrings", "type-hints", "f-strings", "sort-imports", "unused-imports", "lint"
]
LineRule = Literal["unique-lines", "comment", "uncomment"]
CaseStyle = Literal[
    "upper", "lower", "title", "snake", "camel", "pascal", "kebab", "constant"
]
RenameKind = Literal["any", "definition", "variable", "attribute"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonRequest:
    """A rule on Python code."""

    rule: PythonRule
    names: tuple[str, ...] = ()
    """Only the definitions with these names; empty means all in the range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintFix:
    """Mend what some of ruff's rules say of Python code."""

    codes: tuple[str, ...]
    line: int | None = None
    """Only what begins on this line of the file, counted from 1; None: all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRequest:
    """A rule on lines that needs nothing more."""

    rule: LineRule


@dataclass(frozen=True, slots=True, kw_only=True)
class SortLines:
    """Put lines in order."""

    is_reversed: bool = False
    ignores_case: bool = False

    @property
    def rule(self) -> str:
        """The rule's name."""
        return "sort-lines"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename:
    """Give a name another one, wherever the range uses it."""

    old: str
    new: str
    kind: RenameKind = "any"
    """What the instruction calls it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractConstant:
    """Give a literal a name."""

    literal: str | None = None
    """As it was written in the instruction; None: the one that stands out."""
    is_quoted: bool = False
    """Whether the instruction had it in quotes: then it is a string's content."""
    name: str | None = None
    """None: made from where the literal stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeCase:
    """Write names or lines in another case."""

    style: CaseStyle
    names: tuple[str, ...] = ()
    """Only these; empty means all that the range declares or holds."""


Request = (
    PythonRequest
    | LintFix
    | LineRequest
    | SortLines
    | Rename
    | ExtractConstant
    | ChangeCase
)

PythonOnly = PythonRequest | LintFix | ExtractConstant
"""Requests that cannot be carried out in another language."""


ANY_LANGUAGE = (
    "rename a name",
    "change the case of names or lines",
    "sort lines",
    "remove duplicate lines",
    "comment out and uncomment lines",
)
"""What can be done in every language, in words."""

PYTHON_ONLY = (
    "add docstrings",
    "add type hints",
    "use f-strings",
    "extract a constant",
    "sort imports",
    "remove unused imports",
    "fix lint with ruff",
)
"""What can be done in Python besides, in words."""
