"""Declarations of names in Java: packages are folders below a source root."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from redline.checks.names.imported import imported_modules
from redline.checks.names.places.places import PACKAGE, Place, WorkspacePlaces


class JavaPlaces(WorkspacePlaces):
    """Follows imports, and looks into the own package."""

    def of_type(self, name: str) -> Iterator[Place]:
        folder = self._path.parent
        if not re.fullmatch(r"[A-Z]\w*", name):
            return
        for _, one in imported_modules(self._tree, self._text):
            if one.whole == name:
                package = PACKAGE.search(self._text)
                depth = package[1].count(".") + 1 if package else 0
                if depth > len(folder.parents):
                    return
                root = folder.parents[depth - 1] if depth else folder
                yield from self._java_file(root, one.module, name)
                return
        if f"{name}.java" in self._project.names(folder):
            yield folder / f"{name}.java", name

    def _java_file(self, root: Path, module: str, name: str) -> Iterator[Place]:
        roots = [root]
        if root.parts[-3:] == ("src", "test", "java"):
            roots.append(Path(*root.parts[:-2], "main", "java"))
        for one in roots:
            place = one.joinpath(*module.split(".")).with_suffix(".java")
            outer = place.parent.with_suffix(".java")  # A class in a class.
            for each in (place, outer):
                if each.name in self._project.names(each.parent):
                    yield each, name
                    return
