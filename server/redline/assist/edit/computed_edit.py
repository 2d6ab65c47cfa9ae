"""A finished edit for a caller that applies it: the editor, for a code action."""

from __future__ import annotations

from msgspec import Struct

from redline.assist.edit.edits import PendingOutcome
from redline.assist.edit.session.result import EditResult
from redline.errors import EditHeldError, NothingToChangeError, OutdatedError
from redline.text.document import Snapshot
from redline.text.region import TextEdit

_MAX_SHOWN = 3
"""Problems that a message names."""


class ComputedEdit(Struct, frozen=True, kw_only=True):
    snapshot: Snapshot
    """The document version that the edits are for."""
    edits: tuple[TextEdit, ...]
    """In order and disjoint; at least one."""


async def computed_edit(asked: PendingOutcome) -> ComputedEdit:
    """Wait for an edit that was requested with `apply="hand-over"`.

    Cancelling is safe, see `PendingOutcome.outcome`.

    Raises:
        EditHeldError: If it has problems.
        NothingToChangeError: If there is nothing to hand over.
        OutdatedError: If it was stopped, or the document has changed since.
        RedlineError: As `PendingOutcome.outcome`.
    """
    result = await asked.outcome()
    if result.outcome in ("stopped", "superseded"):
        raise OutdatedError(result.message or "The edit was stopped.", remedy="")
    if result.checks:
        raise EditHeldError(_held_message(result))
    if result.outcome == "unchanged" or not result.edits:
        message = result.message or "The model changed nothing."
        raise NothingToChangeError(_sentence(message))
    snapshot = asked.session.edit_target.document.snapshot()
    if snapshot.version != result.version:
        raise OutdatedError("The document has changed in the meantime.")
    return ComputedEdit(snapshot=snapshot, edits=result.edits)


def _held_message(result: EditResult) -> str:
    shown = [_sentence(problem.message) for problem in result.checks[:_MAX_SHOWN]]
    more = len(result.checks) - len(shown)
    rest = f" There are {more} more problems." if more else ""
    return f"The edit was held back: {' '.join(shown)}{rest}"


def _sentence(text: str) -> str:
    words = " ".join(text.split())
    return words if words.endswith((".", "!", "?")) else f"{words}."
