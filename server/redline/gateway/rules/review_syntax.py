"""Finds syntax errors by a language's grammar."""

from __future__ import annotations

from collections.abc import Iterator

from redline.findings.ruff_rules import SYNTAX
from redline.gateway.rules.review_fault import CodeFault, short_title
from redline.syntax.language import Language
from redline.syntax.tree import parse

_UNSURE = frozenset({Language.C, Language.CPP, Language.BASH})
"""Macros can change the syntax of C; 4 of 150 working shell scripts are rejected."""

_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
"""TypeScript declarations, whose syntax the grammar often does not know."""

_MAX_CHARS = 1_000_000
"""Longer files are generated."""


def find_syntax_faults(text: str, path: str, language: Language) -> Iterator[CodeFault]:
    """Report the first place that cannot be parsed: it mostly causes the others.

    Args:
        text: A whole file.
        path: The path of the file.
        language: The language of the file.
    """
    is_unsure = language in _UNSURE or path.endswith(_DECLARATIONS)
    if is_unsure or len(text) > _MAX_CHARS:
        return
    for fault in parse(text, language).errors[:1]:
        what = fault.message.rstrip(".?")
        yield CodeFault(
            first=fault.line,
            end=fault.line + 1,
            rule=SYNTAX,
            category="correctness",
            severity="high",
            title=short_title(f"Syntax error: {what}"),
            explanation=f"{what}. From here on, the file cannot be parsed.",
            breaks_syntax=True,
        )
