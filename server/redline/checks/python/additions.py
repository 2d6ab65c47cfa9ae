"""Names of Python's standard library that old versions of Python do not have."""

from __future__ import annotations

import re
from collections.abc import Iterable

from redline.checks.names.added_names import Version, added_names

_REQUIRED = re.compile(
    r"^[ \t]*+(?:requires-python|python_requires|python)[ \t]*+=[ \t]*+[\"']?[ \t]*+"
    r"(?:>=|~=|==|\^)?[ \t]*+3\.(\d++)",
    re.MULTILINE,
)


def added_in(module: str, name: str | None) -> Version | None:
    """Return the version that added a module, or a name of it; None if it is older."""
    return added_names("python").get(module if name is None else f"{module}.{name}")


def oldest_version(manifests: Iterable[str]) -> Version | None:
    """Return the oldest version of Python that a project runs on, by its manifests."""
    for text in manifests:
        if found := _REQUIRED.search(text):
            return (3, int(found[1]))
    return None
