"""Lists folders and reads sources, cached and bounded.

The Python rules access the disk only through this module. A listing is kept until the
folder's modification time changes, a source until its own does.
"""

from __future__ import annotations

import ast
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from redline.checks.python.definition import Contents
from redline.checks.python.module_types import ModuleTypes, read_module_types
from redline.checks.python.scope import read_contents
from redline.checks.python.source import parse_once
from redline.errors import UnreadableFileError
from redline.files import entries_of, read_file, stamp_of

MAX_FOLDERS = 8_192
"""Listings kept: more than one walk through a workspace reads in its time."""

MAX_ENTRIES = 50_000
"""Most entries of one folder; a larger one counts as unreadable."""

MAX_SOURCES = 256
"""Most modules whose contents are kept."""

MAX_SOURCE_BYTES = 200_000
"""Longer modules are not read; parsing and reading takes about 0.3 µs a byte."""

_STILL_CHANGING_NS = 2_000_000_000
"""A folder changed so recently may change again within one tick of its clock, so its
listing is not kept (2 s is the tick of FAT, the coarsest)."""

NO_NAMES: frozenset[str] = frozenset()

_Read = TypeVar("_Read")
_Sources = OrderedDict[str, tuple[object, _Read | None]]
"""What was read of sources, each with the stamp of its file, or its unsaved text."""


class Listing(Struct, frozen=True, kw_only=True):
    names: frozenset[str]
    folders: frozenset[str]
    """The names of folders, including links to folders."""

    own_folders: tuple[str, ...]
    """The same without links, so that a walk through them ends."""


class OpenFiles:
    """The files that are open in the editor, of which some may not be on disk."""

    def __init__(self, texts: Mapping[Path, Sequence[str]] | None = None) -> None:
        """Hold the lines of files, with their ends."""
        self._texts = texts or {}

    def text(self, path: Path) -> str | None:
        """Return the text of a file; None if it is not open."""
        lines = self._texts.get(path)
        return None if lines is None else "".join(lines)

    def listing(self, folder: str) -> Listing | None:
        """Return the open files below a folder; None if there is none."""
        return self._listings.get(folder)

    @cached_property
    def _listings(self) -> dict[str, Listing]:
        names: dict[str, set[str]] = {}
        folders: dict[str, set[str]] = {}
        for path in self._texts:
            names.setdefault(str(path.parent), set()).add(path.name)
            for folder in path.parents:
                inside = names.setdefault(str(folder.parent), set())
                if folder.name in inside:
                    break
                inside.add(folder.name)
                folders.setdefault(str(folder.parent), set()).add(folder.name)
        return {
            folder: Listing(
                names=frozenset(inside),
                folders=frozenset(folders.get(folder, ())),
                own_folders=tuple(sorted(folders.get(folder, ()))),
            )
            for folder, inside in names.items()
        }


class Folders:
    """A cache of folders and sources; for one thread at a time."""

    def __init__(
        self,
        *,
        open_files: Callable[[], OpenFiles] = OpenFiles,
        workspace: Sequence[Path] = (),
    ) -> None:
        """Start with an empty cache.

        Args:
            open_files: Returns the files that are open now.
            workspace: The folders that links must not lead out of.
        """
        self._open_files = open_files
        self._workspace = tuple(workspace)
        self._environments: set[Path] = set()
        self._listings: OrderedDict[str, tuple[int, Listing]] = OrderedDict()
        self._contents: _Sources[Contents] = OrderedDict()
        self._types: _Sources[ModuleTypes] = OrderedDict()
        self._bytes_left = 0

    def allow(self, n_bytes: int) -> None:
        """Set how many bytes of new sources may be read from now on."""
        self._bytes_left = n_bytes

    def follow_links(self, environment: Path) -> None:
        """Allow links in an environment, since installers create them."""
        self._environments.add(environment)

    def names(self, folder: Path) -> frozenset[str] | None:
        """Return the names in a folder; None if it cannot be listed."""
        listing = self.listing(folder)
        return None if listing is None else listing.names

    def listing(self, folder: Path | str) -> Listing | None:
        """Return the contents of a folder, with files that are not saved yet; None if
        it cannot be listed."""
        saved = self._saved(str(folder))
        opened = self._open_files().listing(str(folder))
        if saved is None or opened is None or opened.names <= saved.names:
            return saved or opened
        new = (name for name in opened.own_folders if name not in saved.folders)
        return Listing(
            names=saved.names | opened.names,
            folders=saved.folders | opened.folders,
            own_folders=(*saved.own_folders, *new),
        )

    def _saved(self, key: str) -> Listing | None:
        stamp = stamp_of(key)
        if stamp is None:
            self._listings.pop(key, None)
            return None
        changed, _ = stamp
        known = self._listings.get(key)
        if known is not None and known[0] == changed:
            self._listings.move_to_end(key)
            return known[1]
        listed = _listed(key)
        if listed is not None and time.time_ns() - changed > _STILL_CHANGING_NS:
            self._listings[key] = (changed, listed)
            if len(self._listings) > MAX_FOLDERS:
                self._listings.popitem(last=False)
        return listed

    def text(self, path: Path) -> str | None:
        """Return the text of a file, unsaved changes in the editor included.

        Returns:
            None if there is no such file, or it is too long or not UTF-8.
        """
        opened = self._open_files().text(path)
        if opened is not None:
            return opened
        is_installed = any(path.is_relative_to(one) for one in self._environments)
        roots = () if is_installed else self._workspace
        try:
            content = read_file(path, max_bytes=MAX_SOURCE_BYTES, roots=roots)
            return content.decode("utf-8-sig")
        except (UnreadableFileError, UnicodeDecodeError):
            return None

    def contents(self, path: Path) -> Contents | None:
        """Return a module's definitions; None if it cannot or may not be read now."""
        return self._source(path, read_contents, self._contents)

    def types(self, path: Path) -> ModuleTypes | None:
        """Return the types of a module's names; None as above."""
        return self._source(path, read_module_types, self._types)

    def _source(
        self,
        path: Path,
        read: Callable[[str, ast.Module], _Read],
        known_sources: _Sources[_Read],
    ) -> _Read | None:
        opened = self._open_files().text(path)
        stamp = stamp_of(path) if opened is None else opened
        if stamp is None:
            return None
        key = str(path)
        known = known_sources.get(key)
        if known is not None and known[0] == stamp:
            known_sources.move_to_end(key)
            return known[1]
        text = self.text(path) if opened is None else opened
        if text is None or len(text) > self._bytes_left:
            return None
        self._bytes_left -= len(text)
        tree = parse_once(text)
        found = None if tree is None else read(text, tree)
        known_sources[key] = (stamp, found)
        if len(known_sources) > MAX_SOURCES:
            known_sources.popitem(last=False)
        return found


def _listed(folder: str) -> Listing | None:
    names: set[str] = set()
    folders: set[str] = set()
    own: list[str] = []
    try:
        for entry in entries_of(folder, max_entries=MAX_ENTRIES):
            names.add(entry.name)
            if entry.is_dir():
                folders.add(entry.name)
                if not entry.is_symlink():
                    own.append(entry.name)
    except (UnreadableFileError, OSError):
        return None
    return Listing(
        names=frozenset(names), folders=frozenset(folders), own_folders=tuple(own)
    )
