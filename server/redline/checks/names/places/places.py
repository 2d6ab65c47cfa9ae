"""Where the names that a file uses are declared: what each language's rules answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from redline.checks.project_files import ProjectFiles
from redline.syntax.tree import Tree

Place = tuple[Path, str]
"""A file, and the name that it has for what is looked up."""

PACKAGE = re.compile(r"^[ \t]*+(?:package|namespace)\s++([\w.\\]++)", re.MULTILINE)


class TypePlaces:
    """Finds no declarations; each language overrides what it has."""

    is_shared = False
    """Whether other files may declare parts of the types of a file."""

    @property
    def is_open(self) -> bool:
        """Whether a module may have names that are not written in it."""
        return False

    @property
    def exported_names(self) -> frozenset[str]:
        """Names that lists of exports have."""
        return frozenset()

    def of_type(self, name: str) -> Iterator[Place]:
        """Yield the files that declare a type, or parts of it."""
        yield from ()

    def of_value(self, name: str) -> Iterator[Place]:
        """Yield the files that declare a function or a variable."""
        yield from ()

    def namespace(self, name: str) -> list[Path] | None:
        """Return the files of a module that a name stands for; None: it is none."""
        return None

    def passed_on(self, name: str) -> Iterator[Place]:
        """Yield the files from which a module exports a name."""
        yield from ()


class WorkspacePlaces(TypePlaces):
    """Finds declarations in the files of a workspace, as one of its files sees them."""

    def __init__(
        self, tree: Tree, text: str, project: ProjectFiles, path: Path
    ) -> None:
        self._tree = tree
        self._text = text
        self._project = project
        self._path = path
