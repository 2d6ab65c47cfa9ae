"""Where the ignore files of a file would be, and what decides about that."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from redline.assist.privacy.denied_names import is_denied
from redline.assist.privacy.git_config import (
    configured_paths,
    configured_values,
    is_true,
    users_files,
    users_folder,
)
from redline.assist.privacy.git_folders import (
    GitFolders,
    Stamps,
    kind_of,
    named_repositories,
    repositories_of,
)
from redline.assist.privacy.ignore_levels import OWN_FILE
from redline.assist.privacy.ignore_patterns import latin_1
from redline.files import Stamp, stamp_of
from redline.text.uri import uri_parts, uri_path

IGNORE_FILES = (".gitignore", OWN_FILE)
"""Later ones override earlier ones."""

_EXCLUDE = ".git/info/exclude"
_EXCLUDES_FILE = "core.excludesFile"
_DENIED: Stamp = (-1, -1)
"""The state of a file that may be there: the system does not let us look."""

CONFIG = ".git/config"
INDEX = ".git/index"

_DOT_GIT = f"{os.sep}.git"

PathStates: TypeAlias = tuple[tuple[str, Stamp | None], ...]
"""Paths, with what was there; None: nothing."""


class IgnoreSource(NamedTuple):
    """Where an ignore file would be."""

    name: str
    """One of `IGNORE_FILES`, `_EXCLUDE`, `_EXCLUDES_FILE`, `CONFIG` or `INDEX`."""
    file: str
    depth: int
    """How many folders its patterns apply below the place's start."""


class IgnorePlace(Struct, frozen=True, kw_only=True):
    """Whether a file's name denies it, and where its ignore files would be.

    Computing this takes longer than reading the stamps.
    """

    is_denied: bool
    folder: str = ""
    """The file's; empty: it is denied, or no file."""
    parts: tuple[str, ...] = ()
    """The file's path from the start of its rules, in the form for matching."""
    sources: tuple[IgnoreSource, ...] = ()
    """Later ones override earlier ones."""
    guards: PathStates = ()
    """The paths that decided about this, with their states: a `.git`, which may appear
    or go at any time, and git's configuration."""
    start: str = ""
    """The outermost folder whose ignore files count."""
    ignores_case: bool = False
    """Whether git matches letters in either case here."""


def are_unchanged(states: PathStates, seen: Stamps) -> bool:
    """Whether what is at some paths is what was there before."""
    for path, before in states:
        if before is None and path not in seen:
            # Most folders have no ignore file, so most paths are missing and stay so;
            # asking only that is twice as fast as a failed `os.stat`.
            try:
                is_there = os.access(path, os.F_OK)
            except ValueError:
                is_there = False
            if not is_there:
                seen[path] = None
                continue
        if state_of(path, seen) != before:
            return False
    return True


def state_of(path: str, seen: Stamps) -> Stamp | None:
    """Return the state of a path, read once for all files that are checked together."""
    if path not in seen:
        is_git = path.endswith(_DOT_GIT)
        seen[path] = kind_of(path) if is_git else stamp_of(path, denied=_DENIED)
    return seen[path]


def place_of(uri: str, roots: Sequence[str], seen: Stamps) -> IgnorePlace:
    path = Path(uri_path(uri))
    names = tuple(
        latin_1(os.fsencode(name)) for name in path.parts if name != path.anchor
    )
    if is_denied(names):
        return IgnorePlace(is_denied=True)
    if uri_parts(uri).scheme != "file":
        return IgnorePlace(is_denied=False)
    folder = str(path.parent)
    repositories, looked = _repositories(path, seen)
    starts = [Path(root) for root in map(uri_path, roots) if path.is_relative_to(root)]
    starts += [repository.top for repository in repositories]
    if not starts:
        return IgnorePlace(is_denied=False, folder=folder, guards=_guards(looked, seen))
    start = min(starts, key=lambda folder: len(folder.parts))
    inside = path.relative_to(start).parts
    folders = [os.path.join(start, *inside[:depth]) for depth in range(len(inside))]
    sources = [
        IgnoreSource(name, os.path.join(folder, name), depth)
        for name in IGNORE_FILES
        for depth, folder in enumerate(folders)
    ]
    excludes: list[IgnoreSource] = []
    ignores_case = False
    for repository in repositories:
        depth = len(repository.top.parts) - len(start.parts)
        named, read, is_caseless = _git_excludes(repository, depth, seen)
        excludes += named
        looked += (*repository.pointers, *read)
        ignores_case = ignores_case or is_caseless
    sources[:0] = excludes
    return IgnorePlace(
        is_denied=False,
        folder=folder,
        guards=_guards(looked, seen),
        parts=names[len(names) - len(inside) :],
        sources=tuple(sources),
        start=str(start),
        ignores_case=ignores_case,
    )


def _repositories(path: Path, seen: Stamps) -> tuple[list[GitFolders], list[str]]:
    """Return the repositories whose rules a file has, and what decided about them.

    One that the environment names counts besides the one above the file: git may be
    run with this environment and without.
    """
    nearest, looked = repositories_of(path, seen)
    named, read = named_repositories(path)
    return [*nearest, *named], [*looked, *read]


def _guards(paths: Sequence[str], seen: Stamps) -> PathStates:
    return tuple((path, state_of(path, seen)) for path in dict.fromkeys(paths))


def _git_excludes(
    repository: GitFolders, depth: int, seen: Stamps
) -> tuple[list[IgnoreSource], Sequence[str], bool]:
    """Return the sources outside the worktree, and the files that decided about them.

    Later sources override earlier ones, as in git. The last value is whether git
    matches letters in either case.
    """
    own, common = repository.own, repository.common
    files = (*users_files(os.environ), *([str(common / "config")] if common else []))
    uncertain = [str(own / "config.worktree")] if own else []

    def stamp(file: str) -> Stamp | None:
        return state_of(file, seen)

    config = configured_paths(
        files,
        "excludesfile",
        base=str(repository.top),
        uncertain=uncertain,
        stamp=stamp,
    )
    case = configured_values(files, "ignorecase", uncertain=uncertain, stamp=stamp)
    excludes = config.paths
    usual = f"{users_folder(os.environ)}/ignore"
    # Git needs no access to the home of its user, which may be another one's.
    if not config.is_set and stamp(usual) != _DENIED:
        excludes = (*excludes, usual)
    sources = [IgnoreSource(_EXCLUDES_FILE, file, depth) for file in excludes]
    if common is not None:
        sources.append(IgnoreSource(CONFIG, str(common / "config"), depth))
        sources.append(IgnoreSource(_EXCLUDE, str(common / "info" / "exclude"), depth))
    if own is not None:
        sources.append(IgnoreSource(INDEX, str(own / "index"), depth))
    ignores_case = any(map(is_true, (*case.possible, case.certain or "")))
    return sources, config.files, ignores_case
