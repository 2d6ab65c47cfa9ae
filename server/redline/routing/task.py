"""The input of routing. Values only."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

ActionKind = Literal[
    "edit",
    "fix",
    "generate",
    "simplify",
    "extract",
    "convert",
    "types",
    "docstring",
]
"""The kinds of actions that change their own range."""

Kind = Literal[ActionKind, "tests", "explain", "review"]
"""The code action that a task comes from; a free instruction is an `edit`."""


class Task(Struct, frozen=True, kw_only=True):
    """One instruction on one range."""

    instruction: str
    path: str
    """Best relative to the workspace: a home folder contains no information."""
    language: str
    """LSP language id."""
    code: str
    """The range's text; of a very long one only head and tail are read."""
    surroundings: str = ""
    """The definition around the range, not the whole file: its text counts as evidence
    for the range."""
    files: tuple[str, ...] = ()
    """Paths of the other files that the task touches."""
    n_lines: int | None = None
    """Lines of the range; None: count those of `code`."""
    kind: Kind = "edit"

    @property
    def size(self) -> int:
        """Number of lines that the task touches."""
        if self.n_lines is not None:
            return self.n_lines
        return self.code.count("\n") + (not self.code.endswith("\n"))
