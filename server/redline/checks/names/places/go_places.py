"""Declarations of names in Go: a package is a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from redline.checks.names.imported import imported_modules
from redline.checks.names.places.places import Place, WorkspacePlaces
from redline.checks.project_files import ProjectFiles
from redline.syntax.tree import Tree

_DECLARED = re.compile(
    r"^(?:type |func \((?:\w+ )?\*?|func |var |const |\t)(?P<name>\w+)", re.MULTILINE
)
"""Lines that may declare a name, or a method of a type."""


class GoPlaces(WorkspacePlaces):
    """Looks into the own package, and into imported ones of the workspace."""

    is_shared = True

    def __init__(
        self, tree: Tree, text: str, project: ProjectFiles, path: Path
    ) -> None:
        super().__init__(tree, text, project, path)
        self._indexes: dict[Path, Mapping[str, list[Path]]] = {}

    @property
    def is_open(self) -> bool:
        return "//go:generate" in self._text or 'import "C"' in self._text

    def of_type(self, name: str) -> Iterator[Place]:
        package, _, inner = name.rpartition(".")
        folder = self._packages.get(package) if package else self._path.parent
        if folder is None or not re.fullmatch(r"\w+", inner):
            return
        for place in self._index(folder).get(inner, ()):
            if place != self._path:
                yield place, inner

    def of_value(self, name: str) -> Iterator[Place]:
        yield from self.of_type(name)

    def namespace(self, name: str) -> list[Path] | None:
        folder = self._packages.get(name)
        return None if folder is None else self._files(folder)

    def _index(self, folder: Path) -> Mapping[str, list[Path]]:
        """Return the files of a package by the names that they declare."""
        if folder not in self._indexes:
            index: dict[str, list[Path]] = {}
            for place in self._files(folder):
                text = self._project.text(place) or ""
                for name in set(_DECLARED.findall(text)):
                    index.setdefault(name, []).append(place)
            self._indexes[folder] = index
        return self._indexes[folder]

    def _files(self, folder: Path) -> list[Path]:
        is_test = self._path.name.endswith("_test.go") and folder == self._path.parent
        return [
            folder / name
            for name in sorted(self._project.names(folder))
            if name.endswith(".go") and (is_test or not name.endswith("_test.go"))
        ]

    @cached_property
    def _packages(self) -> Mapping[str, Path]:
        """The folders of the packages of the workspace that the file imports."""
        modules = [
            (folder, name[1])
            for folder, text in self._project.placed_manifests(r"go\.mod")
            if (name := re.search(r"^module\s+\"?([^\s\"]+)", text, re.MULTILINE))
        ]
        return {
            one.whole: folder / one.module.removeprefix(name + "/")
            for _, one in imported_modules(self._tree, self._text)
            for folder, name in modules
            if one.module.startswith(name + "/")
        }
