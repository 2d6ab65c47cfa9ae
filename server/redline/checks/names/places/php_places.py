"""Declarations of names in PHP: the namespaces that `use` names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.names.places.places import PACKAGE, Place, WorkspacePlaces


class PhpPlaces(WorkspacePlaces):
    """Follows `use`."""

    def of_type(self, name: str) -> Iterator[Place]:
        own = PACKAGE.search(self._text)
        whole = f"{own[1]}\\{name}" if own else name
        for found in re.finditer(
            r"^use\s+([\w\\]+)(?:\s+as\s+(\w+))?\s*;", self._text, re.M
        ):
            if (found[2] or found[1].rpartition("\\")[2]) == name:
                whole = found[1]
        for found in re.finditer(
            r"^use\s+([\w\\]+)\\\{([^{}]*)\}\s*;", self._text, re.M
        ):
            if name in re.split(r"[,\s]+", found[2]):
                whole = f"{found[1]}\\{name}"
        package, _, last = whole.lstrip("\\").rpartition("\\")
        if not re.fullmatch(r"\w+", last):
            return
        kinds = rf"(?i:\b(?:class|interface|trait|enum)\s+){last}\b"
        for one in self._project.declaring(last, kinds, (".php",)):
            namespace = PACKAGE.search(self._project.text(one) or "")
            if one != self._path and (namespace[1] if namespace else "") == package:
                yield one, last
