"""The folders in which an import of one file is looked up."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from redline.checks.python.folders import Folders
from redline.checks.python.install import Install, find_prefix, read_install

_SOURCE_FOLDERS = ("src", "lib", "python")
"""Folders from which projects import by convention."""


class SearchPath(Struct, frozen=True, kw_only=True):
    roots: tuple[tuple[Path, bool], ...]
    """Folders, each with whether it is the workspace's own; those come first."""

    project_folders: tuple[Path, ...]
    """The file's folder and its parents, up to the workspace's."""

    workspace: tuple[Path, ...]
    """The workspace's folders; empty if the file is in none of them."""

    install: Install | None
    """The environment, if one was found."""

    @property
    def is_complete(self) -> bool:
        """Whether a module that is not found certainly does not exist."""
        return self.install is not None and not self.install.is_open


def absolute_path(workspace: Sequence[Path], path: str) -> Path | None:
    """Return the absolute path of a workspace file; None if it is unknown."""
    if not path:
        return None
    # Joining with an absolute path returns that path.
    places = [Path(os.path.normpath(folder / path)) for folder in workspace]
    # Unlike `Path.is_dir`, this does not raise for a name that is too long.
    return next((p for p in places if os.path.isdir(p.parent)), None)


def search_path(
    folders: Folders,
    file: Path | None,
    *,
    workspace: Sequence[Path],
    configured: Path | None,
    variables: Mapping[str, str],
) -> SearchPath:
    """Return the search path of a file.

    Args:
        folders: Access to the disk.
        file: The file that imports; None if it is not on the disk.
        workspace: The open folders.
        configured: The user's choice of an environment.
        variables: The process's environment variables.
    """
    around = tuple(_enclosing(file, workspace)) if file else tuple(workspace)
    is_inside = file is None or len(around) > 0
    if file is not None and not is_inside:
        around = (file.parent,)
    prefix = find_prefix(folders, around, configured=configured, variables=variables)
    if prefix is not None:
        folders.follow_links(prefix)
    install = None if prefix is None else read_install(folders, prefix)
    variable = variables.get("PYTHONPATH", "")
    extra = [Path(entry) for entry in variable.split(os.pathsep) if entry]
    own = [*_with_sources(folders, around), *extra]
    if install is None:
        # Most names of the standard library are the same in all versions.
        library = Path(sysconfig.get_path("stdlib"))
        folders.follow_links(library)
        installed = [library]
    else:
        installed = _installed(install)
    roots = [(folder, True) for folder in own] + [
        (folder, _is_own(folder, install, workspace)) for folder in installed
    ]
    return SearchPath(
        roots=tuple(dict(reversed(roots)).items())[::-1],
        project_folders=around,
        workspace=tuple(workspace) if is_inside else (),
        install=install,
    )


def _enclosing(file: Path, workspace: Sequence[Path]) -> Iterator[Path]:
    """Yield a file's folders, nearest first, up to the workspace's."""
    top = next((folder for folder in workspace if file.is_relative_to(folder)), None)
    if top is None:
        return
    for folder in file.parents:
        yield folder
        if folder == top:
            return


def _with_sources(folders: Folders, around: Iterable[Path]) -> Iterator[Path]:
    for folder in around:
        listing = folders.listing(folder)
        # A module in a package is imported by a longer name than its file's.
        if listing is None or "__init__.py" in listing.names:
            continue
        yield folder
        for name in _SOURCE_FOLDERS:
            if name in listing.folders:
                yield folder / name


def _installed(install: Install) -> list[Path]:
    return [*install.stdlib_folders, *install.site_folders]


def _is_own(folder: Path, install: Install | None, workspace: Sequence[Path]) -> bool:
    """Whether an editable install of the workspace put a folder on the path."""
    if install is not None and folder.is_relative_to(install.prefix):
        return False
    return any(folder.is_relative_to(top) for top in workspace)
