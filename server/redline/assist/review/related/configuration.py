"""Finds lines in configuration files that hold names from a change."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath

from redline.assist.context.workspace_files import walk
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import UnreadableFileError
from redline.files import read_text

_SUFFIXES = (
    *(".cfg", ".conf", ".env", ".ini", ".json"),
    *(".properties", ".toml", ".xml", ".yaml", ".yml"),
)
_NAMES = ("Dockerfile", ".env.example", ".env.sample", ".env.template", "Makefile")
_GENERATED = re.compile(r"(?:lock|\.min)\.(?:json|yaml|yml|toml)$|-lock\.json$")

_MAX_BYTES = 100_000
_MAX_ENTRIES = 20_000


def settings_in_files(
    names: Sequence[str], *, roots: Sequence[str], is_late: Callable[[], bool]
) -> Iterator[tuple[str, str, int, str]]:
    """Find lines that hold a name as a word.

    Yields:
        A path, the file's text, the first such line in it from 0, and the name.
    """
    if not names:
        return
    words = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])")
    ignore_rules = IgnoreRules()
    for root, entry in islice(walk(roots, ignore_rules), _MAX_ENTRIES):
        if entry is None or not _is_configuration(entry):
            if is_late():
                return
            continue
        path = Path(entry.path)
        if ignore_rules.reason(path.as_uri(), roots) is not None:
            continue
        try:
            text = read_text(path, max_bytes=_MAX_BYTES)
        except UnreadableFileError:
            continue
        found = words.search(text)
        if found is not None:
            line = text.count("\n", 0, found.start())
            yield path.relative_to(root).as_posix(), text, line, found[0]


def _is_configuration(entry: os.DirEntry[str]) -> bool:
    is_named = entry.name in _NAMES or PurePosixPath(entry.name).suffix in _SUFFIXES
    if not is_named or _GENERATED.search(entry.name):
        return False
    try:
        return entry.is_file(follow_symlinks=False)
    except OSError:
        return False
