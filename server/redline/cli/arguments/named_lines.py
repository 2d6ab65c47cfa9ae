"""`FILE:10-20` and `FILE:10`: some lines of a file, as an argument."""

from __future__ import annotations

import os
import re
from pathlib import Path

from msgspec import Struct

from redline.errors import InvalidArgumentsError

_LINES = re.compile(r"(?P<file>.+):(?P<first>[1-9]\d{0,8})(?:-(?P<last>\d{1,9}))?")


class NamedLines(Struct, frozen=True, kw_only=True):
    """Lines of a file, counted from 1."""

    path: Path
    """As it was written."""
    first: int
    last: int
    """Included."""


def named_lines(text: str) -> NamedLines | None:
    """Return the lines that an argument names; None: it is only a path.

    A file whose name looks like lines of another one is that file.

    Raises:
        InvalidArgumentsError: If they end before they begin, or are of no file.
    """
    # With the lines, the name may be longer than a name can be.
    found = None if os.path.exists(text) else _LINES.fullmatch(text)
    if found is None:
        return None
    first = int(found["first"])
    last = int(found["last"] or first)
    if last < first:
        raise InvalidArgumentsError(f"{text} ends before it begins.")
    path = Path(found["file"])
    if not path.is_file():
        raise InvalidArgumentsError(f"{path} is not a file.")
    return NamedLines(path=path, first=first, last=last)
