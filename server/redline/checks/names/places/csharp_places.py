"""Declarations of names in C#: the namespaces that a file uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.names.places.places import PACKAGE, Place, WorkspacePlaces


class CsharpPlaces(WorkspacePlaces):
    """Finds a type that one file of the used namespaces declares."""

    def of_type(self, name: str) -> Iterator[Place]:
        if not re.fullmatch(r"[A-Z]\w*", name):
            return
        own = PACKAGE.search(self._text)
        scopes = set(
            re.findall(r"^\s*(?:global\s+)?using\s+([\w.]+)\s*;", self._text, re.M)
        )
        parts = own[1].split(".") if own else []
        scopes.update(".".join(parts[:n]) for n in range(len(parts) + 1))
        kinds = (
            r"\b(?:class|struct|interface|enum|record(?:\s+(?:class|struct))?)"
            rf"\s+{name}\b"
        )
        found = []
        for one in self._project.declaring(name, kinds, (".cs",)):
            namespace = PACKAGE.search(self._project.text(one) or "")
            if one != self._path and (namespace[1] if namespace else "") in scopes:
                found.append(one)
        if len(found) == 1:
            yield found[0], name
