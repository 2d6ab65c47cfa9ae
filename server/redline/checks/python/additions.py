"""Names of Python's standard library that old versions of Python do not have."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module

from redline.checks.names.added_names import Version, added_names
from redline.syntax.word_set import word_set

_REQUIRED = re.compile(
    r"^[ \t]*+(?:requires-python|python_requires|python)[ \t]*+=[ \t]*+[\"']?[ \t]*+"
    r"(?:>=|~=|==|\^)?[ \t]*+3\.(\d++)",
    re.MULTILINE,
)

COMPILED = word_set(
    "array binascii cmath fcntl gc itertools marshal math select syslog"
    " time unicodedata zlib"
)
"""Modules without a source; importing them only defines names."""


def added_in(module: str, name: str | None) -> Version | None:
    """Return the version that added a module, or a name of it; None if it is older."""
    return added_names("python").get(module if name is None else f"{module}.{name}")


@cache
def compiled_names(module: str) -> frozenset[str] | None:
    """Return the names of a compiled module, newer ones included; None if unknown."""
    if module not in COMPILED:
        return None
    try:
        known = dir(import_module(module))
    except ImportError:
        return None
    head = f"{module}."
    added = (one for one in added_names("python") if one.startswith(head))
    return frozenset(known).union(one.removeprefix(head) for one in added)


def oldest_version(manifests: Iterable[str]) -> Version | None:
    """Return the oldest version of Python that a project runs on, by its manifests."""
    for text in manifests:
        if found := _REQUIRED.search(text):
            return (3, int(found[1]))
    return None


def running_version() -> Version:
    """Return the version of the Python whose standard library is read by default."""
    return sys.version_info[:2]
