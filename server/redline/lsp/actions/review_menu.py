"""The menu's entries for deep reviews."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from msgspec import Struct

from redline.assist.actions.kinds import REVIEW, is_wanted
from redline.lsp import names
from redline.lsp.messages import LspRange
from redline.lsp.review import review_messages


class ReviewAction(Struct, frozen=True, kw_only=True):
    """One entry of the menu, executed by a command."""

    title: str
    kind: str
    command: str
    arguments: Struct
    finding_id: str | None = None
    """The id of its finding."""
    failure: str | None = None
    """The id of the failure of a test run that it is about."""
    is_preferred: bool = False


ReviewMenu: TypeAlias = Callable[
    [str, LspRange, Collection[str] | None], Sequence[ReviewAction]
]
"""Takes an open document, a place in the client's units and the requested kinds (None:
not specified); it must be fast."""


def review_actions(
    uri: str, place: LspRange, only: Collection[str] | None
) -> list[ReviewAction]:
    """Offer a review of the selected lines, or of the file."""
    if not is_wanted(REVIEW, only):
        return []
    is_cursor = place.start == place.end
    return [
        ReviewAction(
            title="Review this file" if is_cursor else "Review these lines",
            kind=REVIEW,
            command=names.DEEP_REVIEW,
            arguments=review_messages.DeepReviewArguments(
                uri=uri, range=None if is_cursor else place
            ),
        )
    ]
