"""Finds the repository of a file, and where git keeps its own files.

A `.git` that is a file, as in a linked worktree or a submodule, names the real folder;
that folder may name a common one in `commondir`. The environment may name another
repository, as that of a user's dotfiles; git then uses it for all files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.privacy.git_config import ConfiguredPaths, configured_paths
from redline.errors import UnreadableFileError
from redline.files import Stamp, read_file

MAX_DEPTH = 100
"""How many folders above a file may be the top of its repository."""

_MAX_POINTER_BYTES = 10_000
_POINTER = "gitdir:"

Stamps = dict[str, Stamp | None]
"""States of files read so far; None: the file does not exist."""


class GitFolders(Struct, frozen=True, kw_only=True):
    top: Path
    """The folder of the worktree, mostly with `.git` in it."""
    own: Path | None
    """Where the worktree's own files are; None: they cannot be found."""
    common: Path | None
    """Where the files of all worktrees are."""
    pointers: tuple[str, ...] = ()
    """The files that name these folders."""


def repositories_of(path: Path, kinds: Stamps) -> tuple[list[GitFolders], list[str]]:
    """Find the nearest repository above a file.

    Args:
        path: The file.
        kinds: What is at each path that was looked at a moment ago; it is used and
            added to, see `kind_of`.

    Returns:
        The repository, once for each folder that may be the top of its worktree, and
        the paths that decided about it.
    """
    looked: list[str] = []
    for folder in path.parents[:MAX_DEPTH]:
        place = os.path.join(folder, ".git")
        if place not in kinds:
            kinds[place] = kind_of(place)
        looked.append(place)
        kind = kinds[place]
        if kind is not None and stat.S_IFMT(kind[0]) in (stat.S_IFDIR, stat.S_IFREG):
            here = git_folders(folder)
            found, read = _at_worktrees(here, path, str(folder))
            # A file outside the configured worktree is still below this `.git`.
            return found or [here], [*looked, *read]
    return [], looked


def named_repositories(path: Path) -> tuple[Sequence[GitFolders], Sequence[str]]:
    """Find the repository that the environment names, if a file is in its worktree.

    Returns:
        As `repositories_of`.
    """
    named = os.environ.get("GIT_DIR")
    if not named:
        return (), ()
    found = _folders(Path(), Path(named).absolute())
    if common := os.environ.get("GIT_COMMON_DIR"):
        found = replace(found, common=Path(common).absolute())
    return _at_worktrees(found, path, os.getcwd())


def _at_worktrees(
    found: GitFolders, path: Path, default: str
) -> tuple[list[GitFolders], Sequence[str]]:
    """Return a repository at the top of each of its worktrees that has a file.

    Args:
        found: The repository.
        path: The file.
        default: The top, if neither the environment nor the configuration names one.
    """
    if found.own is None or found.common is None:
        return [], found.pointers
    tops = _worktrees(found.own, found.common, default)
    above = [
        Path(top)
        for top in (*tops.paths, *map(os.path.realpath, tops.paths))
        if path.is_relative_to(top)
    ]
    looked = (*found.pointers, *tops.files)
    return [replace(found, top=top) for top in dict.fromkeys(above)], looked


def _worktrees(own: Path, common: Path, default: str) -> ConfiguredPaths:
    """Return where the top of a repository's worktree may be."""
    if named := os.environ.get("GIT_WORK_TREE"):
        return ConfiguredPaths((os.path.abspath(named),), is_set=True, files=())
    found = configured_paths(
        [str(common / "config")],
        "worktree",
        base=str(own),
        uncertain=[str(own / "config.worktree")],
    )
    return found if found.is_set else found._replace(paths=(*found.paths, default))


def kind_of(path: str) -> Stamp | None:
    """Return a value that changes with what is at a path, but not with a folder's time.

    None: there is nothing.
    """
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    kind = stat.S_IFMT(found.st_mode)
    return (kind, 0) if kind != stat.S_IFREG else (kind, found.st_mtime_ns)


def git_folders(top: Path) -> GitFolders:
    """Return the folders of the repository whose `.git` is in a folder."""
    return _folders(top, top / ".git")


def _folders(top: Path, place: Path) -> GitFolders:
    """Return the folders of a repository, which is at a place or named by a file."""
    pointers: list[str] = []
    own: Path | None = place
    if not place.is_dir():
        pointers.append(str(place))
        named = _first_line(place)
        is_pointer = named is not None and named.startswith(_POINTER)
        own = (
            place.parent / named[len(_POINTER) :].strip()
            if named and is_pointer
            else None
        )
    if own is None:
        return GitFolders(top=top, own=None, common=None, pointers=tuple(pointers))
    pointers.append(str(own / "commondir"))
    shared = _first_line(own / "commondir")
    return GitFolders(
        top=top,
        own=own,
        common=own / shared if shared else own,
        pointers=tuple(pointers),
    )


def _first_line(file: Path) -> str | None:
    try:
        content = read_file(file, max_bytes=_MAX_POINTER_BYTES)
    except UnreadableFileError:
        return None
    return os.fsdecode(content).rstrip("\r\n") or None
