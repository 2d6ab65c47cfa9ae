"""Finds the files of a module in folders, as Python would, or anywhere in a workspace.

Tests and scripts put folders on the search path that no rule can guess, so any module
of the workspace may be the target of a top-level import. Only the listings are cached,
so that new files are found.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path

from msgspec import Struct

from redline.checks.python.folders import Folders, Listing

_SOURCES = (".py", ".pyi")
_BUILT = (".so", ".pyd", ".pyx", ".pyc", ".dll", ".c", ".cpp", ".rs", ".f90", ".pyx.in")
"""A compiled module, or its source in another language: its names cannot be read."""

_GENERATED = ("_pb2", "_pb2_grpc", "_version", "_generated")
"""Suffixes of modules that a build generates: often absent from a checkout."""

MAX_WALK_S = 0.04
"""Part of the 50 ms that all checks may take. A walk that is cut off gets further next
time, because its listings are cached. About 5,000 folders can be walked."""

_SKIPPED = {"node_modules", "__pycache__", "site-packages"}


class Absence(Enum):
    """Why a module was not found."""

    MISSING = "missing"
    """It is in no place where Python would look."""

    UNKNOWN = "unknown"
    """Not every place where Python would look can be read."""


class Module(Struct, frozen=True, kw_only=True):
    own_sources: tuple[Path, ...] = ()
    """Sources in the workspace."""

    installed_sources: tuple[Path, ...] = ()
    """Sources in the environment and the standard library."""

    folders: tuple[tuple[Path, bool], ...] = ()
    """Folders of a package, and whether each is the workspace's own."""

    is_opaque: bool = False
    """Whether a part of it is compiled, generated or cannot be found."""

    @property
    def sources(self) -> tuple[Path, ...]:
        """All sources, the workspace's first."""
        return self.own_sources + self.installed_sources

    @property
    def source(self) -> Path | None:
        """The one source that is certainly used; None if there is none."""
        own = [path for path in self.own_sources if path.suffix == ".py"]
        if own:
            return own[0] if len(own) == 1 else None
        installed = [p for p in self.installed_sources if p.suffix == ".py"]
        return installed[0] if installed else None

    @property
    def is_namespace(self) -> bool:
        """Whether it is only folders, to which other places may add."""
        return not self.sources and not self.is_opaque


def find_in(
    folders: Folders, roots: Iterable[tuple[Path, bool]], name: str
) -> Module | None:
    """Find a module in all of some folders.

    Args:
        folders: Access to the disk.
        roots: The folders, each with whether it is the workspace's own.
        name: The module's name, without dots.
    """
    found = [m for root, own in roots for m in _parts(folders, root, name, is_own=own)]
    if not found:
        return None
    return Module(
        own_sources=_unique(p for m in found for p in m.own_sources),
        installed_sources=_unique(p for m in found for p in m.installed_sources),
        folders=tuple(dict.fromkeys(f for m in found for f in m.folders)),
        is_opaque=any(m.is_opaque for m in found),
    )


def is_generated(name: str) -> bool:
    """Whether a build is likely to generate a module of this name."""
    return name.endswith(_GENERATED)


def may_be_built(listing: Listing, name: str) -> bool:
    """Whether a folder has a compiled module of this name, or its source."""
    start = f"{name}."
    return any(n.startswith(start) and n.endswith(_BUILT) for n in listing.names)


def _unique(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(paths))


def _parts(
    folders: Folders, root: Path, name: str, *, is_own: bool
) -> Iterator[Module]:
    listing = folders.listing(root)
    if listing is None:
        return
    files = [root / (name + s) for s in _SOURCES if name + s in listing.names]
    if files:
        yield _module(files, is_own=is_own)
    if name in listing.folders:
        yield _package(folders, root / name, is_own=is_own)
    has_stubs = f"{name}-stubs" in listing.folders
    if has_stubs or (not files and may_be_built(listing, name)):
        yield Module(is_opaque=True)


def _package(folders: Folders, folder: Path, *, is_own: bool) -> Module:
    listing = folders.listing(folder)
    if listing is None:
        return Module(is_opaque=True)
    files = [folder / ("__init__" + s) for s in _SOURCES]
    files = [path for path in files if path.name in listing.names]
    is_opaque = not files and may_be_built(listing, "__init__")
    return _module(files, is_own=is_own, folder=folder, is_opaque=is_opaque)


def _module(
    files: list[Path],
    *,
    is_own: bool,
    folder: Path | None = None,
    is_opaque: bool = False,
) -> Module:
    sources = tuple(files)
    return Module(
        own_sources=sources if is_own else (),
        installed_sources=() if is_own else sources,
        folders=() if folder is None else ((folder, is_own),),
        is_opaque=is_opaque,
    )


def is_in_workspace(
    folders: Folders, roots: tuple[Path, ...], name: str
) -> bool | None:
    """Whether any folder holds a module of this name; None if it took too long."""
    end = time.monotonic() + MAX_WALK_S
    waiting = deque(str(root) for root in roots)  # Paths take twice the time.
    while waiting:
        if time.monotonic() > end:
            return None
        folder = waiting.popleft()
        listing = folders.listing(folder)
        if listing is None or "pyvenv.cfg" in listing.names:
            continue
        if _holds(folders, folder, listing, name):
            return True
        waiting += [
            f"{folder}{os.sep}{child}"
            for child in listing.own_folders
            if child[0] != "." and child not in _SKIPPED
        ]
    return False


def absence(folders: Folders, roots: tuple[Path, ...], name: str) -> Absence:
    """Return why a top-level module was not found on the search path."""
    is_there = is_in_workspace(folders, roots, name)
    return Absence.MISSING if is_there is False else Absence.UNKNOWN


def _holds(folders: Folders, folder: str, listing: Listing, name: str) -> bool:
    if f"{name}.py" in listing.names or may_be_built(listing, name):
        return True
    if name not in listing.folders:
        return False
    inside = folders.names(Path(folder) / name) or ()
    return any(entry.endswith(".py") for entry in inside)
