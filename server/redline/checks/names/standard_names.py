"""What the standard libraries of languages contain.

`benchmarks/standard_names.py` writes the table. Constants in capitals are not in it, so
callers must not report them. Go is read from the user's own installation.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from msgspec import Struct

Section = str


class StandardType(Struct, frozen=True, kw_only=True):
    members: frozenset[str]
    """Its own members."""
    bases: tuple[str, ...] = ()
    """The last names of its bases."""


@cache
def standard_names(section: Section) -> Mapping[str, StandardType]:
    """Return the types or modules of one section by name.

    Args:
        section: `script`, `script globals`, `node`, `rust`, `java` or `java packages`;
            names in `java` are qualified.
    """
    return {
        name: StandardType(members=frozenset(members), bases=tuple(bases))
        for name, bases, members in map(_entry, _sections().get(section, ()))
    }


def _entry(line: str) -> tuple[str, list[str], list[str]]:
    head, *members = line.split(" ")
    name, *bases = head.split(":")
    # The modules of Node have colons in their names.
    return (head, [], members) if name == "node" else (name, bases, members)


@cache
def _sections() -> Mapping[Section, list[str]]:
    try:
        import lzma
    except ImportError:
        # A Python that was built without it: nothing is known, so nothing is reported.
        return {}
    packed = (resources.files(__package__) / "standard.xz").read_bytes()
    found: dict[Section, list[str]] = {}
    section = ""
    for line in lzma.decompress(packed).decode("utf-8").splitlines():
        if line.startswith("= "):
            section = line[2:]
        else:
            found.setdefault(section, []).append(line)
    return found
