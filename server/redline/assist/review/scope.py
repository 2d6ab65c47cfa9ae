"""Gathers what a review is about: the texts, and which of their lines are in question.

An open document's text wins over the file on disk, as the developer sees it. What is
held back is never read, and is listed with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from redline.findings.scope import ReviewScope, Target
from redline.text.document import Snapshot


def gather(
    target: Target, *, roots: Sequence[str], documents: Mapping[str, Snapshot]
) -> ReviewScope:
    """Read what was asked for; takes a while, so call it in a thread.

    Args:
        target: What was asked for.
        roots: URIs of the workspace folders; without one, a change's own folder.
        documents: The open documents by URI, see `Workspace.snapshots`.

    Raises:
        HeldBackError: If the one file that was asked for must not be sent.
        NotReviewableError: If git is missing, the folder is in no repository, the base
            is not known, or the one file that was asked for cannot be read as text.
    """
    raise NotImplementedError
