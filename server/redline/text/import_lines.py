"""Import statements by their lines, without a parser.

Models often put the imports that new code needs in front of it, although they were
asked for the range alone. `ImportLead` takes them off while the reply arrives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

IMPORT = re.compile(r"import\b(?!\s*+[(.])")
"""The beginning of an import of JavaScript and languages like it; no call."""

_STARTS = {
    "python": re.compile(r"import\s++[\w.]|from\s++[\w.]++\s++import\b"),
    "go": re.compile(r"import\b\s*+(?:\(|[\w.]{0,99}+\s*+[\"`])"),
    "rust": re.compile(r"use\s++[\w:{]"),
    "java": re.compile(r"import\s++[\w.]"),
    # Traits are used by a name alone, or from the root.
    "php": re.compile(r"use\s++(?:function\s++|const\s++)?+\w++\\[\w\\]++\s*+;"),
    "csharp": re.compile(r"using\s++[\w.]++\s*+;"),
    **dict.fromkeys(("c", "cpp"), re.compile(r"#\s*+include\s*+[<\"]")),
}
_COMMENT = re.compile(r"(?:#(?!include\b)|//).*")
_ATTRIBUTES = re.compile(r"\b(?:with|assert)\s*+\{[^{}]*+\}")
"""Import attributes (ECMAScript 2025), which follow the path."""

_PYTHON_NAMES = re.compile(r"from\s++([\w.]++)\s++import\b\s*+(.*)")

_MAX_LINES = 100
"""Most lines of one statement; what goes on for longer is code."""


def import_start(language: str) -> re.Pattern[str] | None:
    """Return what an import statement begins with; None: not known for the language.

    Args:
        language: An LSP language id.
    """
    if language.startswith(("javascript", "typescript")):
        return IMPORT
    return _STARTS.get(language)


def statements(lines: Sequence[str], language: str) -> list[list[str]]:
    """Cut lines that are only imports and blank lines into statements.

    Args:
        lines: Without their ends.
        language: An LSP language id.
    """
    found: list[list[str]] = []
    is_open = False
    for line in lines:
        if is_open:
            found[-1].append(line)
        elif line.strip():
            found.append([line])
        is_open = bool(found) and (
            len(found[-1]) < _MAX_LINES and _is_open(found[-1], language)
        )
    return found


def imported(lines: Sequence[str]) -> frozenset[str]:
    """Return what lines import, so that two ways to write it compare equal.

    In Python each name of `from x import (a, b)` counts by itself, also over several
    lines; a line of another language counts as it is, without its semicolon.
    """
    found: set[str] = set()
    module, is_in_brackets = "", False
    for line in lines:
        text = _COMMENT.sub("", line).strip().rstrip(";").rstrip()
        if start := _PYTHON_NAMES.match(text):
            module, text = start[1], start[2]
            is_in_brackets = text.startswith("(")
        elif not module:
            found.update([text] if text else [])
            continue
        names = (" ".join(name.split()) for name in text.strip(" ()\\").split(","))
        found.update(f"{module} {name}" for name in names if name)
        goes_on = ")" not in text if is_in_brackets else text.endswith("\\")
        if not goes_on:
            module = ""
    return frozenset(found)


class ImportLead:
    """Takes import statements off the beginning of a reply, line by line.

    Attributes:
        lines: What was taken off, without line ends.
    """

    def __init__(
        self, language: str, *, before: Sequence[str], target: Sequence[str]
    ) -> None:
        """Create a reader for one reply.

        Args:
            language: The document's LSP language id.
            before: The file's lines before the range; if they have no text, imports
                belong to the range.
            target: The range's lines; the same if they have imports.
        """
        self._language = language
        self._start = import_start(language)
        self.lines: list[str] = []
        self._open: list[str] = []
        self._blanks: list[str] = []
        self._is_over = (
            self._start is None
            or not any(map(str.strip, before))
            or any(map(self._start.match, target))
        )

    def feed(self, line: str) -> list[str]:
        """Read a line without its end; return the lines that are not imports."""
        if self._is_over:
            return [line]
        if not line.strip() and not self._open:
            self._blanks.append(line)
            return []
        assert self._start is not None
        if not self._open and not self._start.match(line):
            self._is_over = True
            blanks, self._blanks = self._blanks, []
            return [line] if self.lines else [*blanks, line]
        self._open.append(line)
        if not _is_open(self._open, self._language):
            self.lines += [*self._blanks, *self._open]
            self._open, self._blanks = [], []
        elif len(self._open) > _MAX_LINES:
            self._is_over = True
            return [*self._blanks, *self._open]
        return []

    def finish(self) -> list[str]:
        """Return the lines that are held back; all of them if only imports came."""
        if self._is_over:
            return []
        held = [*self.lines, *self._blanks, *self._open]
        self._is_over, self.lines = True, []
        return held


def _is_open(statement: Sequence[str], language: str) -> bool:
    """Whether a statement goes on in the next line."""
    code = " ".join(_COMMENT.sub("", line) for line in statement)
    depth = sum(map(code.count, "({")) - sum(map(code.count, ")}"))
    if depth > 0:
        return True
    if language == "rust":
        return ";" not in code
    if language == "python":
        return code.rstrip().endswith("\\")
    if language in ("go", "java", "php", "csharp", "c", "cpp"):
        return False
    # A comment sign may be part of the path.
    path = _ATTRIBUTES.sub("", " ".join(statement)).partition(" //")[0].rstrip("; \t")
    return not (path.endswith(("'", '"')) and path.count(path[-1]) > 1)
