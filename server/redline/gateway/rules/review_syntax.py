"""Places that a language's grammar cannot make sense of."""

from __future__ import annotations

from collections.abc import Iterator

from redline.findings.ruff_rules import SYNTAX
from redline.gateway.rules.review_fault import CodeFault, short_title
from redline.syntax.language import Language
from redline.syntax.tree import parse

_UNSURE = frozenset({Language.C, Language.CPP, Language.BASH})
"""Macros make of C whatever they like, and of 150 shell scripts that work, 4 are not
what the grammar thinks a script is."""

_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
"""TypeScript without code, which the grammar often does not know."""

_MAX_CHARS = 1_000_000
"""Longer files are generated."""


def find_syntax_faults(text: str, path: str, language: Language) -> Iterator[CodeFault]:
    """Tell of the first place that cannot be parsed: others mostly come of it.

    Args:
        text: A whole file.
        path: Where it is.
        language: Its own.
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
