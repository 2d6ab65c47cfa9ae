"""The folders that the user trusts: what `trust.workspaces` names."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def trusted_folder(entry: str) -> Path | None:
    """Return the folder of an entry, resolved.

    Returns:
        None for a relative entry, which would depend on the server's working folder:
        it is not trusted.
    """
    # Unlike `Path.expanduser`, this does not raise for an unknown user.
    path = Path(os.path.expanduser(entry))
    return _resolved(path) if path.is_absolute() else None


def is_trusted(folder: Path, entries: Iterable[str]) -> bool:
    """Whether a folder is one that the entries name, or is in one."""
    resolved = _resolved(folder)
    return any(
        resolved.is_relative_to(root)
        for entry in entries
        if (root := trusted_folder(entry)) is not None
    )


def _resolved(path: Path) -> Path:
    # Unlike `Path.resolve`, this does not raise for a loop of links.
    return Path(os.path.realpath(path))
