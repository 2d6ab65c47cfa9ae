"""The folders that the user trusts: what `trust.workspaces` names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from redline.settings.slow_disks import late_read

_found: dict[tuple[Path, tuple[str, ...]], bool] = {}
"""Whether the workspace folders are trusted, by the entries."""


def is_absolute(entry: str) -> bool:
    """Whether an entry names a folder by itself.

    A relative one would depend on the server's working folder: it is not trusted.
    """
    return _path(entry).is_absolute()


def is_trusted(folder: Path, entries: Sequence[str]) -> bool:
    """Whether a folder is one that the entries name, or is in one.

    For a workspace folder this was found when the settings were read, so that nobody
    waits for a disk now. Any other folder is looked up, which blocks.
    """
    found = _found.get((folder, tuple(entries)))
    return look_up_trust(folder, entries) if found is None else found


def remember_trust(folder: Path, entries: Sequence[str]) -> None:
    """Find whether a folder is trusted, for `is_trusted`; blocks."""
    _found[folder, tuple(entries)] = look_up_trust(folder, entries)


def look_up_trust(folder: Path, entries: Iterable[str]) -> bool:
    """Find whether a folder is one that the entries name, or is in one; blocks.

    An entry whose disk is waited for does not count.
    """
    resolved = _resolved(folder)
    return any(
        resolved.is_relative_to(_resolved(_path(entry)))
        for entry in entries
        if is_absolute(entry) and late_read(entry) is None
    )


def _path(entry: str) -> Path:
    # Unlike `Path.expanduser`, this does not raise for an unknown user.
    return Path(os.path.expanduser(entry))


def _resolved(path: Path) -> Path:
    # Unlike `Path.resolve`, this does not raise for a loop of links.
    return Path(os.path.realpath(path))
