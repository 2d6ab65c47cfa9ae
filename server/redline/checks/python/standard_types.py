"""The types of Python's standard library, by module.

`benchmarks/python_types.py` writes the table from typeshed. It is unpacked when a check
first asks for a module (20 ms), and each module is decoded when one asks for it.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

import msgspec

from redline.checks.python.module_types import ImportedName, ModuleTypes


@cache
def standard_types(module: str) -> ModuleTypes | None:
    """Return the types of a module of the standard library; None if unknown."""
    found = _table().get(module)
    return None if found is None else msgspec.json.decode(found, type=ModuleTypes)


@cache
def standard_names(module: str) -> frozenset[str] | None:
    """Return all public names of a standard module; None if it may have others."""
    types = standard_types(module)
    # Each implementation adds names to `sys`.
    if types is None or types.is_open or module == "sys":
        return None
    inside = f"{module}."
    modules = {one.removeprefix(inside) for one in _table() if one.startswith(inside)}
    starred = [standard_names(_starred(star, module)) for star in types.stars]
    known = [names for names in starred if names is not None]
    if len(known) < len(starred):
        return None
    return frozenset(types.entries).union(modules, *known)


def _starred(star: ImportedName, module: str) -> str:
    """Return the full name of a module from which another imports all names."""
    if not star.level:
        return star.module
    parts = module.split(".")
    # A package is a folder of its own modules.
    is_package = any(one.startswith(f"{module}.") for one in _table())
    return ".".join((*parts[: len(parts) - star.level + is_package], star.module))


@cache
def known_words() -> frozenset[str]:
    """Return every word of the table: no member of a standard type is another."""
    words = (re.findall(rb"[A-Za-z_]\w*", bytes(one)) for one in _table().values())
    return frozenset(word.decode() for found in words for word in found)


@cache
def _table() -> Mapping[str, msgspec.Raw]:
    packed = (resources.files(__package__) / "standard_types.xz").read_bytes()
    return msgspec.json.decode(lzma.decompress(packed), type=dict[str, msgspec.Raw])
