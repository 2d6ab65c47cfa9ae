"""The types of Python's standard library, by module.

`benchmarks/python_types.py` writes the table from typeshed. Each module is decoded when
a check first asks for it.
"""

from __future__ import annotations

import io
import zipfile
from functools import cache
from importlib import resources

import msgspec

from redline.checks.python.module_types import ModuleTypes


@cache
def standard_types(module: str) -> ModuleTypes | None:
    """Return the types of a module of the standard library; None if unknown."""
    try:
        return msgspec.json.decode(_table().read(module), type=ModuleTypes)
    except KeyError:
        return None


@cache
def _table() -> zipfile.ZipFile:
    packed = (resources.files(__package__) / "standard_types.zip").read_bytes()
    return zipfile.ZipFile(io.BytesIO(packed))
