"""The kinds of code actions, and which of them a client wants.

Kinds are hierarchical: `refactor` stands for `refactor.extract` and all below it (LSP
3.18, `CodeActionKind`). This module imports nothing heavy: `initialize` needs it.
"""

from __future__ import annotations

from collections.abc import Collection

QUICK_FIX = "quickfix"
REWRITE = "refactor.rewrite"
EXTRACT_FUNCTION = "refactor.extract.function"
EXTRACT_VARIABLE = "refactor.extract.variable"
FIX_FILE = "source.redline.fixFile"
"""Not below `source.fixAll`: editors run those at every save, and this calls a
model."""
DOCUMENT_FILE = "source.redline.document"
COMMENTS = "source.redline.comments"
TESTS = "redline.tests"
EXPLAIN = "redline.explain"
SESSION = "redline.session"
REVIEW = "redline.review"
DEBUG = "redline.debug"
NEXT_EDIT = "refactor.rewrite.redline.nextEdit"

OFFERED_KINDS = (
    QUICK_FIX,
    REWRITE,
    "refactor.extract",
    "source.redline",
    "redline",
)
"""The kinds that the server announces; user-defined actions may have others."""


def is_wanted(kind: str, only: Collection[str] | None) -> bool:
    """Whether a client asks for a kind.

    Args:
        kind: The kind of an action.
        only: The requested kinds; None or empty: every useful one.
    """
    if not only:
        return True
    return any(
        wanted == "" or kind == wanted or kind.startswith(f"{wanted}.")
        for wanted in only
    )


def asks_for(base: str, only: Collection[str] | None) -> bool:
    """Whether a client asks for a kind by name, or for kinds below it."""
    return any(wanted == base or wanted.startswith(f"{base}.") for wanted in only or ())
