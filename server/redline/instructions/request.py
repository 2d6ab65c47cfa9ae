"""Requests to the rules engine, as values.

A new rule needs a new member or class here and a row in the two tables of words;
`instruction` reads words into it, and `python_rules` or `line_rules` carries it out.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

PythonRule = Literal[
    "docstrings", "type-hints", "f-strings", "sort-imports", "unused-imports", "lint"
]
LineRule = Literal["unique-lines", "comment", "uncomment"]
CaseStyle = Literal[
    "upper", "lower", "title", "snake", "camel", "pascal", "kebab", "constant"
]
RenameKind = Literal["any", "definition", "variable", "attribute"]


class PythonRequest(Struct, frozen=True, kw_only=True):
    """A rule on Python code."""

    rule: PythonRule
    names: tuple[str, ...] = ()
    """Only the definitions with these names; empty: all in the range."""


class LintFix(Struct, frozen=True, kw_only=True):
    """Fix the problems that some of ruff's rules find in Python code."""

    codes: tuple[str, ...]
    line: int | None = None
    """Only problems that begin on this line of the file, from 1; None: all."""


class LineRequest(Struct, frozen=True, kw_only=True):
    """A rule on lines without parameters."""

    rule: LineRule


class SortLines(Struct, frozen=True, kw_only=True):
    is_reversed: bool = False
    ignores_case: bool = False

    @property
    def rule(self) -> str:
        return "sort-lines"


class Rename(Struct, frozen=True, kw_only=True):
    """Rename a name everywhere in the range."""

    old: str
    new: str
    kind: RenameKind = "any"
    """The kind that the instruction names."""


class ExtractConstant(Struct, frozen=True, kw_only=True):
    """Give a literal a name."""

    literal: str | None = None
    """As written in the instruction; None: the most prominent one."""
    is_quoted: bool = False
    """Whether it was quoted in the instruction: then it is a string's content."""
    name: str | None = None
    """None: derived from the place of the literal."""


class ChangeCase(Struct, frozen=True, kw_only=True):
    """Change the case of names or lines."""

    style: CaseStyle
    names: tuple[str, ...] = ()
    """Only these; empty: all that the range declares or holds."""


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
"""Requests that only work on Python code."""


ANY_LANGUAGE = (
    "rename a name",
    "change the case of names or lines",
    "sort lines",
    "remove duplicate lines",
    "comment out and uncomment lines",
)
"""What the rules can do in every language, in words."""

PYTHON_ONLY = (
    "add docstrings",
    "add type hints",
    "use f-strings",
    "extract a constant",
    "sort imports",
    "remove unused imports",
    "fix lint with ruff",
)
"""What the rules can do in Python only, in words."""
