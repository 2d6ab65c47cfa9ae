"""The files around one checked file: its manifests, and the sources of its workspace.

The rules read the disk only through this object and `Folders`; both are bounded.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from redline.checks.python.folders import NO_NAMES, Folders
from redline.syntax.word_set import word_set

_MAX_SEARCH_S = 0.3
"""Longest time from the first search through the sources to the end of the last one;
searches are made only after something suspicious was found."""

_MAX_FILES = 4_000
_MAX_SEARCHED = 60
"""Sources of a workspace that are all searched for a declaration."""
_SKIPPED = word_set(
    "node_modules target build dist out vendor __pycache__ site-packages bin obj"
)


class SearchTimeoutError(Exception):
    """The searches of one rule took too long: nothing is known."""


class ProjectFiles:
    """What is on the disk around one file of a workspace."""

    def __init__(
        self,
        folders: Folders,
        file: Path | None,
        *,
        workspace: Sequence[Path],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Look around a file.

        Args:
            folders: Access to the disk.
            file: The checked file; None: it is nowhere, and nothing is known.
            workspace: The open folders.
            clock: Returns the time, in seconds.
        """
        self.file = file
        self._folders = folders
        self._clock = clock
        self._search_end: float | None = None
        self._listed: dict[tuple[str, ...], list[Path]] = {}
        self._top = next(
            (top for top in workspace if file and file.is_relative_to(top)), None
        )

    @property
    def folders_above(self) -> Iterator[Path]:
        """The file's folder and those above it, up to the workspace's."""
        if self.file is None or self._top is None:
            return
        for folder in self.file.parents:
            yield folder
            if folder == self._top:
                return

    def manifests(self, names: str) -> list[str]:
        """Return the texts of the manifests that apply to the file, nearest first.

        Args:
            names: A regular expression that their whole names match.
        """
        return [text for _, text in self.placed_manifests(names)]

    def placed_manifests(self, names: str) -> list[tuple[Path, str]]:
        """Return the same with their folders."""
        return [
            (folder, text)
            for folder in self.folders_above
            for name in sorted(self._folders.names(folder) or NO_NAMES)
            if re.fullmatch(names, name)
            and (text := self._folders.text(folder / name)) is not None
        ]

    def names(self, folder: Path) -> frozenset[str]:
        """Return the names in a folder; none if it cannot be listed."""
        return self._folders.names(folder) or NO_NAMES

    def text(self, path: Path) -> str | None:
        """Return the text of a file; None if it cannot be read."""
        return self._folders.text(path)

    def is_found(self, pattern: str, suffixes: Sequence[str]) -> bool:
        """Whether other sources of the workspace have a match, or may have one.

        Args:
            pattern: A regular expression.
            suffixes: Suffixes of the files to search, such as `.go`.

        Raises:
            SearchTimeoutError: All searches together took too long.
        """
        if self._top is None:
            return False
        wanted = re.compile(pattern)
        if self._search_end is None:
            self._search_end = self._clock() + _MAX_SEARCH_S
        for n_files, path in enumerate(self._sources(self._top, tuple(suffixes))):
            if self._clock() > self._search_end:
                raise SearchTimeoutError
            if n_files >= _MAX_FILES:
                return True
            text = None if path == self.file else self._folders.text(path)
            if text is not None and wanted.search(text):
                return True
        return False

    def declaring(
        self, name: str, pattern: str, suffixes: Sequence[str], *, hints: str = ""
    ) -> list[Path]:
        """Return the sources of the workspace with a match, the file's own excepted.

        In a large workspace only those in the file's folder, and those that are named
        after the word or after one of the hints.

        Args:
            name: A word that every match has.
            pattern: A regular expression, in which `^` begins a line.
            suffixes: Suffixes of the files to search.
            hints: Further words.

        Raises:
            SearchTimeoutError: All searches together took too long.
        """
        if self._top is None or self.file is None:
            return []
        wanted = re.compile(pattern, re.MULTILINE)
        key = tuple(suffixes)
        if key not in self._listed:
            self._listed[key] = list(self._in_time(key))
        sources = self._listed[key]
        if len(sources) > _MAX_SEARCHED:
            words = {_plain(one) for one in (name, *re.findall(r"\w+", hints))}
            sources = [one for one in sources if self._is_near(one, words)]
        found = []
        for path in sources:
            text = None if path == self.file else self._folders.text(path)
            if text is not None and name in text and wanted.search(text):
                found.append(path)
        return found

    def _is_near(self, path: Path, words: set[str]) -> bool:
        if self.file is not None and path.parent == self.file.parent:
            return True
        is_module = path.stem in ("mod", "index", "lib", "main")
        return _plain(path.parent.name if is_module else path.stem) in words

    def _in_time(self, suffixes: tuple[str, ...]) -> Iterator[Path]:
        """Yield the sources of the workspace, as long as there is time to search."""
        if self._search_end is None:
            self._search_end = self._clock() + _MAX_SEARCH_S
        assert self._top is not None
        for n_files, path in enumerate(self._sources(self._top, suffixes)):
            if self._clock() > self._search_end or n_files >= _MAX_FILES:
                raise SearchTimeoutError
            yield path

    def _sources(self, top: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
        waiting = [str(top)]
        while waiting:
            folder = waiting.pop()
            listing = self._folders.listing(folder)
            if listing is None:
                continue
            for name in sorted(listing.names - listing.folders):
                if name.endswith(suffixes):
                    yield Path(folder, name)
            waiting.extend(
                os.path.join(folder, name)
                for name in listing.own_folders
                if name not in _SKIPPED and not name.startswith(".")
            )


def _plain(name: str) -> str:
    """Return a name without what writes its words apart."""
    return name.replace("_", "").replace("-", "").lower()
