"""What routing is told about a task. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "edit",
    "fix",
    "generate",
    "simplify",
    "extract",
    "convert",
    "types",
    "docstring",
    "tests",
    "explain",
    "review",
]
"""What is asked for: the code action it came from; a free instruction is an `edit`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One instruction on one range."""

    instruction: str
    path: str
    """Path of the file, best relative to the workspace: a home folder tells nothing."""
    language: str
    """LSP language id."""
    code: str
    """The range's text. Only its head and tail are read where it is very long."""
    surroundings: str = ""
    """The definition around the range, and not the whole file: what stands here speaks
    for the range itself."""
    files: tuple[str, ...] = ()
    """Paths of the other files that the task touches."""
    n_lines: int | None = None
    """Lines of the range; None: as many as `code` has."""
    kind: Kind = "edit"

    @property
    def size(self) -> int:
        """Lines that the task touches."""
        if self.n_lines is not None:
            return self.n_lines
        return self.code.count("\n") + (not self.code.endswith("\n"))
