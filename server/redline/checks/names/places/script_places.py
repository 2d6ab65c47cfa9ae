"""Declarations of names in TypeScript and JavaScript: relative imports and exports."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from redline.checks.names.places.places import Place, WorkspacePlaces

_ENDINGS = (".ts", ".tsx", ".d.ts", ".mts", ".js", ".jsx", ".mjs")
_IMPORT = re.compile(
    r"import\b(?P<what>[^\"'`;()]*+)[\"'](?P<module>[^\"'\n]++)", re.DOTALL
)
"""An import of scripts, from its beginning."""
_REEXPORT = re.compile(
    r"^export[ \t]++(?:type[ \t]++)?(?P<what>\*(?:[ \t]++as[ \t]++\w++)?+|\{[^{}]*+\})"
    r"\s*+from\s*+[\"'](?P<module>[^\"'\n]++)",
    re.MULTILINE,
)
_OPEN = re.compile(r"\bexport\s+\*|\bexport\s+=|\bmodule\.exports\b|\bexports\.")


class ScriptPlaces(WorkspacePlaces):
    """Follows relative imports."""

    @property
    def is_open(self) -> bool:
        return _OPEN.search(self._text) is not None

    @cached_property
    def exported_names(self) -> frozenset[str]:
        lists = re.findall(r"\bexport\s+(?:type\s+)?\{([^{}]*)\}", self._text)
        words = re.findall(r"[\w$]+", ",".join(lists))
        others = re.findall(
            r"\bexport\s+(?:const|let|var|namespace|declare \w+|default)\s*([^=;\n]*)",
            self._text,
        )
        return frozenset([*words, "default", *re.findall(r"[\w$]+", " ".join(others))])

    def of_type(self, name: str) -> Iterator[Place]:
        if name not in self._imports:
            return
        module, inner = self._imports[name]
        place = self._resolved(module)
        if place is not None:
            yield place, inner

    def of_value(self, name: str) -> Iterator[Place]:
        yield from self.of_type(name)

    def namespace(self, name: str) -> list[Path] | None:
        module, inner = self._imports.get(name, ("", ""))
        place = self._resolved(module) if inner == "*" else None
        return None if place is None else [place]

    def passed_on(self, name: str) -> Iterator[Place]:
        for found in _REEXPORT.finditer(self._text):
            what, place = found["what"], self._resolved(found["module"])
            if place is None:
                continue
            if what == "*":
                yield place, name
            for inner, outer in _listed(what):
                if outer == name:
                    yield place, inner
        if name == "default":
            own = re.search(r"\bexport\s+default\s+(?:class\s+)?(\w+)", self._text)
            if own:
                yield self._path, own[1]
        else:
            yield from self.of_type(name)

    @cached_property
    def _imports(self) -> dict[str, tuple[str, str]]:
        """By local name the module, and the name that it has there."""
        names: dict[str, tuple[str, str]] = {}
        for statement in self._tree.imports:
            found = _IMPORT.match(statement.text)
            what, is_from, _ = (
                found["what"].rpartition("from") if found else ("", "", "")
            )
            if found is None or not is_from:
                continue
            what, module = what.strip().removeprefix("type "), found["module"]
            for inner, outer in _listed(what):
                names[outer] = (module, inner)
            if star := re.search(r"\*\s+as\s+(\w+)", what):
                names[star[1]] = (module, "*")
            if default := re.match(r"(?!type\b)[\w$]+", what):
                names[default[0]] = (module, "default")
        return names

    def _resolved(self, module: str) -> Path | None:
        if not module.startswith("."):
            return None
        stem = Path(os.path.normpath(self._path.parent / module))
        written = stem.with_suffix("") if stem.suffix in (".js", ".mjs") else stem
        for place in (written, written / "index"):
            files = self._project.names(place.parent)
            for end in _ENDINGS:
                if place.name + end in files:
                    return place.parent / (place.name + end)
        return None


def _listed(what: str) -> Iterator[tuple[str, str]]:
    """Yield the names in braces, as they are exported and as they are imported."""
    inside = re.search(r"\{([^{}]*)\}", what)
    for one in inside[1].split(",") if inside else ():
        words = one.split()
        if words[:1] == ["type"] and len(words) > 1:
            words = words[1:]
        if words:
            yield words[0], words[-1]
