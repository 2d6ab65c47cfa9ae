"""The patterns of the ignore files that apply to a file, and what they decide."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from redline.assist.privacy.ignore_patterns import IgnorePatterns
from redline.errors import (
    IrregularFileError,
    MissingFileError,
    UnreadableFileError,
)
from redline.files import Stamp, read_file

logger = logging.getLogger(__name__)

OWN_FILE = ".redlineignore"

MAX_IGNORE_BYTES = 100_000
"""The largest known ones have 30,000; each pattern costs time for each file."""


_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
"""How a text in UTF-16 or UTF-32 begins, as PowerShell's `>` writes it."""


class IgnoreLevel(NamedTuple):
    """The patterns of an ignore file that exists."""

    name: str
    depth: int
    patterns: IgnorePatterns


def decision(
    levels: Sequence[IgnoreLevel], parts: Sequence[str]
) -> tuple[bool, str] | None:
    """Return whether patterns ignore a file, as git does, and whose pattern decides.

    Nothing in an ignored folder can be allowed again.

    Args:
        levels: Patterns; later ones override earlier ones.
        parts: The file's path from the folder with depth 0.
    """
    decided: tuple[bool, str] | None = None
    for end in range(1, len(parts) + 1) if levels else ():
        is_folder = end < len(parts)
        for name, depth, patterns in reversed(levels):
            if depth >= end:
                continue
            path = "/".join(parts[depth:end])
            found = patterns.decision(path, is_folder=is_folder)
            if found is not None:
                decided = found, name
                break
        if decided is not None and decided[0]:
            return decided
    return decided


@lru_cache(maxsize=1_000)
def patterns_of(
    file: str, stamp: Stamp | None, roots: tuple[str, ...], ignores_case: bool
) -> IgnorePatterns | None:
    """Read an ignore file, once for each of its states.

    Args:
        file: Its path.
        stamp: Its state; None: the file does not exist.
        roots: Folders that a link must not lead out of; none: it may lead anywhere.
        ignores_case: As of `IgnorePatterns`.

    Raises:
        UnreadableFileError: If it exists and its patterns cannot be read.
    """
    if stamp is None:
        return None
    try:
        content = read_file(file, max_bytes=MAX_IGNORE_BYTES, roots=roots)
    except MissingFileError:
        return None
    except IrregularFileError as exc:
        logger.warning("%s is not used: %s", file, exc.reason)
        return None
    if content.startswith(_WIDE):
        # No line would match, and git takes none of it either.
        raise UnreadableFileError(file, "it is in UTF-16 or UTF-32; save it as UTF-8")
    if file.endswith(OWN_FILE) and b"\n" not in content:
        # Git takes such a file for one line.
        content = content.replace(b"\r", b"\n")
    patterns = IgnorePatterns(content, ignores_case=ignores_case)
    if patterns.unusable:
        first, *rest = patterns.unusable
        logger.warning(
            "%s, line %d matches nothing: %s%s",
            file,
            first.number,
            first.reason,
            f"; nor do {len(rest)} more lines of it" if rest else "",
        )
    return patterns
