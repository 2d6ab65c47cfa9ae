"""Declarations of names in C++: the headers that a file includes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from redline.checks.names.places.places import Place, WorkspacePlaces

_INCLUDE = re.compile(r"^[ \t]*+#[ \t]*+include[ \t]*+\"([\w./-]++)\"", re.MULTILINE)
_MAX_HEADERS = 12


class CppPlaces(WorkspacePlaces):
    """Looks into the included headers of the workspace."""

    def of_type(self, name: str) -> Iterator[Place]:
        yield from ((one, name) for one in self._headers)

    def of_value(self, name: str) -> Iterator[Place]:
        yield from self.of_type(name)

    @cached_property
    def _headers(self) -> list[Path]:
        """The headers of the workspace that the file includes, also indirectly."""
        found: list[Path] = []
        waiting = [(self._path.parent, self._text)]
        while waiting and len(found) < _MAX_HEADERS:
            folder, text = waiting.pop()
            for name in _INCLUDE.findall(text):
                place = self._header(folder, name)
                if place is not None and place not in found and place != self._path:
                    found.append(place)
                    waiting.append((place.parent, self._project.text(place) or ""))
        return found

    def _header(self, folder: Path, name: str) -> Path | None:
        folders = [folder, *self._project.folders_above]
        for one in folders:
            for inner in (".", "include", "src"):
                place = Path(os.path.normpath(one / inner / name))
                if place.name in self._project.names(place.parent):
                    return place
        return None
