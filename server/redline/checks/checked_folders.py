"""What the checks resolve an edit's imports with: folders, environment, open texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from redline.checks.edit_question import CheckedFolders
from redline.settings.tree import Settings
from redline.syntax.language import Language
from redline.text.document import Snapshot

_MAX_OPEN_LINES = 10_000
"""Longer modules are not read by the checks."""


def checked_folders(
    roots: Sequence[str],
    *,
    settings: Settings,
    documents: Mapping[str, Snapshot],
    language: Language | None,
) -> CheckedFolders:
    """Return what an edit in a language is checked with.

    Args:
        roots: URIs of the workspace folders.
        settings: They may name the Python environment.
        documents: The open documents by URI; only checks of a language use them.
        language: The language of the edited file; None: it has no grammar.
    """
    return CheckedFolders(
        roots=tuple(roots),
        python=settings.python.environment,
        open_texts={
            uri: snapshot.lines
            for uri, snapshot in documents.items()
            if language is not None and len(snapshot.lines) <= _MAX_OPEN_LINES
        },
    )
