"""The kinds of code actions, and which of them a client wants.

Kinds are hierarchical: `refactor` stands for `refactor.extract` and all below it (LSP
3.18, `CodeActionKind`). Light: `initialize` lists them, and waits for no import.
"""

from __future__ import annotations

from collections.abc import Collection

QUICK_FIX = "quickfix"
REWRITE = "refactor.rewrite"
EXTRACT_FUNCTION = "refactor.extract.function"
EXTRACT_VARIABLE = "refactor.extract.variable"
FIX_FILE = "source.redline.fixFile"
"""Not below `source.fixAll`: editors run those at every save, and this asks a model."""
DOCUMENT_FILE = "source.redline.document"
TESTS = "redline.tests"
EXPLAIN = "redline.explain"
SESSION = "redline.session"
REVIEW = "redline.review"

OFFERED_KINDS = (
    QUICK_FIX,
    REWRITE,
    "refactor.extract",
    "source.redline",
    "redline",
)
"""What the server says that it may offer; user-defined actions may have others."""


def is_wanted(kind: str, only: Collection[str] | None) -> bool:
    """Tell whether a kind is one that a client asks for.

    Args:
        kind: Of an action.
        only: The kinds asked for; None, or none at all: whatever is of use now.
    """
    if not only:
        return True
    return any(
        wanted == "" or kind == wanted or kind.startswith(f"{wanted}.")
        for wanted in only
    )


def asks_for(base: str, only: Collection[str] | None) -> bool:
    """Tell whether a client asks for a kind by name, or for kinds below it."""
    return any(wanted == base or wanted.startswith(f"{base}.") for wanted in only or ())
