"""What a reply is compared with: the range, and the lines of the file around it."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import cached_property
from typing import Literal

from msgspec import Struct

from redline.text.lines import strip_end

_LONG_STRINGS = ('"""', "'''")
"""What delimits strings of several lines."""

_WITHOUT_BACKTICKS = frozenset(
    {"c", "cpp", "csharp", "dart", "java", "lua", "python", "rust"}
)
"""LSP language ids in which a backtick delimits nothing."""

_WITHOUT_BLOCK_COMMENTS = frozenset(
    {
        "dockercompose",
        "dockerfile",
        "elixir",
        "makefile",
        "perl",
        "powershell",
        "python",
    }
    | {"r", "ruby", "shellscript", "toml", "yaml"}
)
"""LSP language ids in which `/*` is part of a path."""

Doubt = Literal["unsure"]
"""The answer about a form of which the range's plain text may be a case, too. Then the
text stays as it is, and the reply is held."""


class Surroundings(Struct, frozen=True, kw_only=True, dict=True):
    """A range and its file. Lines may have their ends.

    What the forms ask of all lines is computed once: a file may have thousands.
    """

    before: Sequence[str]
    target: Sequence[str]
    after: Sequence[str]
    language: str
    """The document's LSP language id; may be empty."""

    @cached_property
    def lines(self) -> Sequence[str]:
        """The lines of the file, the range's first, without ends."""
        parts = (self.target, self.before, self.after)
        return [line.rstrip("\r\n") for part in parts for line in part]

    @cached_property
    def texts(self) -> Set[str]:
        """What the lines with text have between their blanks."""
        return {line.strip() for line in self.lines} - {""}

    @cached_property
    def own_texts(self) -> Sequence[str]:
        """The range's lines with text, without the blanks behind it."""
        return [line.rstrip() for line in self.target if line.strip()]

    def is_target(self, lines: Sequence[str]) -> bool:
        """Whether lines are the unchanged range, but for blanks behind them."""
        return len(lines) == len(self.target) and all(
            line.rstrip() == own.rstrip()
            for line, own in zip(lines, self.target, strict=True)
        )

    @cached_property
    def text(self) -> str:
        """All lines, the range's first, with line feeds between them."""
        return "\n".join(self.lines)

    def has(self, text: str) -> bool:
        """Whether a line has a text, which is in one line."""
        return text in self.text

    @cached_property
    def may_be_in_text(self) -> bool:
        """Whether the range may begin in a string or comment of several lines."""
        return self._may_end_in_text("".join(self.before))

    @cached_property
    def may_end_in_text(self) -> bool:
        """Whether the range may end in a string or comment of several lines."""
        target = "\n".join(map(strip_end, self.target))
        return self._may_end_in_text("".join(self.before) + target)

    def _may_end_in_text(self, code: str) -> bool:
        has_comments = self.language not in _WITHOUT_BLOCK_COMMENTS
        is_comment = has_comments and code.rfind("/*") > code.rfind("*/")
        is_string = any(code.count(one) % 2 for one in _LONG_STRINGS)
        is_raw = code.count("`") % 2 == 1 and self.language not in _WITHOUT_BACKTICKS
        return is_comment or is_string or is_raw
