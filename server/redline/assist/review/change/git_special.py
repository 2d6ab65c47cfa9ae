"""Finds pipes and devices in place of the files that git reads.

Git opens its ignore and attribute files, and those of the repository itself, without
checking their type. On a pipe that no process writes to, it blocks forever.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from redline.assist.privacy.git_config import (
    configured_paths,
    users_files,
    users_folder,
)
from redline.assist.privacy.git_folders import GitFolders, git_folders
from redline.errors import NotReviewableError, UnreadableFileError
from redline.files import entries_of, read_file

_MAX_ENTRIES = 200_000
"""Files and folders that are checked, the nearest first; of a repository as many."""

_MAX_ALTERNATES = 10
_MAX_ALTERNATES_BYTES = 100_000

_READ_BY_GIT = frozenset({".gitattributes", ".gitignore"})

_CONFIGURED = ("excludesfile", "attributesfile", "worktree")


def refuse_special_files(folder: Path) -> None:
    """Check the files that git reads for a review of a folder.

    Raises:
        NotReviewableError: If git would block on one of them.
    """
    for path in _read_by_git(folder):
        if _is_special(path):
            raise NotReviewableError(
                f"{path} is a pipe or a device: git would wait for it.",
                remedy="Remove it, or name the files to review.",
            )


def _read_by_git(folder: Path) -> Iterator[str]:
    for outer in (folder, *folder.parents):
        for name in sorted(_READ_BY_GIT):
            yield os.path.join(outer, name)
        repository = os.path.join(outer, ".git")
        yield repository
        if os.path.isdir(repository) or os.path.isfile(repository):
            yield from _of_repository(git_folders(outer))
            break
    else:
        # To find out that there is no repository, git reads the user's settings, too.
        yield from _named_by_settings(str(folder), ())
    yield from _below(folder)


def _of_repository(folders: GitFolders) -> Iterator[str]:
    """Yield the odd entries of git's own folders, and what its settings name."""
    yield from folders.pointers
    roots = [str(one) for one in (folders.own, folders.common) if one is not None]
    # Before the walk, which may end early.
    yield from _named_by_settings(str(folders.top), roots)
    yield from _odd_entries([*roots, *_alternates(roots)])


def _named_by_settings(base: str, roots: Sequence[str]) -> Iterator[str]:
    """Yield the files of git's settings, and those that they name."""
    config = (*users_files(os.environ), *(os.path.join(one, "config") for one in roots))
    for name in _CONFIGURED:
        found = configured_paths(
            config,
            name,
            base=base,
            uncertain=[os.path.join(one, "config.worktree") for one in roots],
        )
        yield from (*found.files, *found.paths)
    for name in ("ignore", "attributes"):
        yield os.path.join(users_folder(os.environ), name)


def _alternates(roots: list[str]) -> list[str]:
    """Return the object folders that others share with a repository."""
    found = [os.path.join(root, "objects") for root in roots]
    # The loop appends the folders that it finds.
    for objects in found:
        try:
            content = read_file(
                os.path.join(objects, "info", "alternates"),
                max_bytes=_MAX_ALTERNATES_BYTES,
            )
        except UnreadableFileError:
            continue
        for line in os.fsdecode(content).splitlines():
            if line and not line.startswith("#") and len(found) < _MAX_ALTERNATES:
                found.append(os.path.normpath(os.path.join(objects, line)))
    return found


def _odd_entries(folders: list[str]) -> Iterator[str]:
    """Walk through git's folders; yield links, and what is no file and no folder."""
    seen = {os.path.realpath(folder) for folder in folders}
    n_entries = 0
    # The loop appends the folders that it finds.
    for folder in folders:
        for entry in _listed(folder):
            n_entries += 1
            if entry.is_file(follow_symlinks=False):
                continue
            if not _is_folder(entry):
                yield entry.path
            elif (real := os.path.realpath(entry.path)) not in seen:
                seen.add(real)
                folders.append(entry.path)
        if n_entries > _MAX_ENTRIES:
            return


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _below(folder: Path) -> Iterator[str]:
    """Walk through the folder, without the repository itself."""
    folders = [str(folder)]
    n_entries = 0
    # The loop appends the folders that it finds.
    for one in folders:
        for entry in _listed(one):
            n_entries += 1
            if entry.name in _READ_BY_GIT:
                yield entry.path
            elif entry.name != ".git" and entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
        if n_entries > _MAX_ENTRIES:
            return


def _listed(folder: str) -> list[os.DirEntry[str]]:
    try:
        return entries_of(folder, max_entries=_MAX_ENTRIES)
    except UnreadableFileError:
        return []


def _is_special(path: str) -> bool:
    """Whether opening or reading it may block; a socket cannot be opened at all.

    The null device is empty: `GIT_CONFIG_GLOBAL` often names it.
    """
    try:
        found = os.stat(path)
        mode = found.st_mode
        if not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)):
            return False
        return not os.path.samestat(found, os.stat(os.devnull))
    except (OSError, ValueError):
        return False
