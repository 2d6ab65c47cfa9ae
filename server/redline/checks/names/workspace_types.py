"""The types that a file uses of other files of its workspace.

In JavaScript and TypeScript those of relative imports, in Java those of the same
package. A file is read only when one of its types is looked up.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from redline.checks.candidate import CheckedEdit
from redline.checks.names.imported import imported_modules
from redline.checks.project_files import ProjectFiles
from redline.syntax.declared_types import DeclaredType, declared_types
from redline.syntax.language import Language, language_of
from redline.syntax.tree import Tree, parse
from redline.syntax.type_names import SCRIPTS

_ENDINGS = (".ts", ".tsx", ".d.ts", ".mts", ".js", ".jsx")
_MAX_CHARS = 50_000
_MAX_FILES = 8


class WorkspaceTypes(Mapping[str, DeclaredType]):
    """Types by name: those of the file, then those of other files."""

    def __init__(
        self, candidate: CheckedEdit, tree: Tree, project: ProjectFiles | None
    ) -> None:
        self._own = declared_types(tree)
        self._project = project
        self._found: dict[str, DeclaredType | None] = {}
        self._read: dict[Path, Mapping[str, DeclaredType]] = {}
        self._modules: dict[str, str] = {}
        self._language = tree.language
        if tree.language in SCRIPTS:
            for _, one in imported_modules(tree, candidate.text_after):
                if one.module.startswith("."):
                    names = (name.removeprefix("type ") for name in one.names)
                    self._modules |= dict.fromkeys(names, one.module)

    def __getitem__(self, name: str) -> DeclaredType:
        if name in self._own:
            return self._own[name]
        if name not in self._found:
            self._found[name] = self._of_others(name)
        found = self._found[name]
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)

    def _of_others(self, name: str) -> DeclaredType | None:
        """Return a type of another file that has no base, which may be in a third."""
        place = self._place(name)
        found = None if place is None else self._types(place).get(name)
        return found if found is not None and not found.bases else None

    def _place(self, name: str) -> Path | None:
        """Return the file that declares a type."""
        if self._project is None or self._project.file is None:
            return None
        folder = self._project.file.parent
        if self._language is Language.JAVA and re.fullmatch(r"[A-Z]\w*", name):
            place = folder / f"{name}.java"
            is_there = place.name in self._project.names(folder)
            return place if is_there and place != self._project.file else None
        if name not in self._modules:
            return None
        stem = Path(os.path.normpath(folder / self._modules[name]))
        written = stem.with_suffix("") if stem.suffix in (".js", ".mjs") else stem
        files = self._project.names(written.parent)
        return next(
            (
                written.parent / (written.name + end)
                for end in _ENDINGS
                if written.name + end in files
            ),
            None,
        )

    def _types(self, place: Path) -> Mapping[str, DeclaredType]:
        if place not in self._read and len(self._read) < _MAX_FILES:
            text = self._project.text(place) if self._project else None
            language = language_of(place.name)
            self._read[place] = {}
            if text is not None and language and len(text) < _MAX_CHARS:
                tree = parse(text, language)
                self._read[place] = {} if tree.errors else declared_types(tree)
        return self._read.get(place, {})
