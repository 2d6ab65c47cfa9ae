"""Recognizes the header line of a definition by its words, in any language.

It is for hints that must not wait for a parser; decisions use `syntax/`.
"""

from __future__ import annotations

import re

_MODIFIERS = (
    r"(?:(?:export|default|declare|async|pub|public|private|protected|internal|static"
    r"|final|abstract|override|unsafe|inline|const|local)\b\s*+)*+"
)
_HEADER = re.compile(
    rf"\s*+{_MODIFIERS}(?:"
    r"(?:def|class|fn|func|function\*?|interface|struct|enum|impl|trait|module)\s++"
    r"(?:\([^()]*+\)\s*+)?+(?:self\.)?(?P<named>[^\W\d][\w$]*+)"
    # JavaScript: a function with the name of a constant.
    r"|(?P<arrow>[^\W\d][\w$]*+)\s*+=\s*+(?:async\b\s*+)?+"
    r"(?:function\b|\([^()]*+\)\s*+=>|[\w$]++\s*+=>)"
    r")"
)
_MAX_N_CHARS = 500


def defined_name(line: str) -> str | None:
    """Return the name that a line begins to define; None for any other line."""
    found = _HEADER.match(line[:_MAX_N_CHARS])
    return None if found is None else found["named"] or found["arrow"]
