"""The types of Python's standard library, by module.

`benchmarks/python_types.py` writes the table from typeshed. It is unpacked when a check
first asks for a module (20 ms), and each module is decoded when one asks for it.
"""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from functools import cache
from importlib import resources

import msgspec

from redline.checks.python.module_types import ModuleTypes


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
    if types is None or types.is_open or types.stars or module == "sys":
        return None
    inside = f"{module}."
    modules = (one.removeprefix(inside) for one in _table() if one.startswith(inside))
    return frozenset(types.entries).union(modules)


@cache
def _table() -> Mapping[str, msgspec.Raw]:
    packed = (resources.files(__package__) / "standard_types.xz").read_bytes()
    return msgspec.json.decode(lzma.decompress(packed), type=dict[str, msgspec.Raw])
