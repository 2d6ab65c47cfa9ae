"""Secrets that the output of a program may show without a sign that they are secrets.

A program prints what it has read from its settings and its environment, and these
files, which are not sent, are the only ones that say that it is a password.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from redline.child_environment import secret_values
from redline.errors import UnreadableFileError
from redline.files import entries_of, read_text
from redline.prompts.secrets.kinds import Kind, kind_of
from redline.prompts.secrets.search import find_secrets

_MAX_ENTRIES = 5_000
_MAX_FOLDERS = 200
_MAX_FILES = 50
_MAX_FILE_BYTES = 100_000

_MIN_CHARS = 6
"""A shorter value of a variable is a flag or a common word."""


def known_secrets(
    root: Path, paths: Iterable[str], environ: Mapping[str, str]
) -> list[str]:
    """Return the secrets of settings files and of an environment; blocks.

    Args:
        root: The workspace folder; its own settings and those of the folders directly
            in it are read, whatever ignore rules say.
        paths: Further files in it, whose folders may have settings.
        environ: The environment that a program inherits.
    """
    found: dict[str, None] = {}
    for file in islice(_settings_files(root, paths), _MAX_FILES):
        try:
            text = read_text(file, max_bytes=_MAX_FILE_BYTES, roots=[root])
        except UnreadableFileError:
            continue
        found |= dict.fromkeys(
            text[start:end] for start, end in find_secrets(text, file.name)
        )
    # A path is the place of a secret.
    found |= dict.fromkeys(
        value
        for value in secret_values(environ)
        if len(value) >= _MIN_CHARS and not value.startswith(("/", "~"))
    )
    return list(found)


def _settings_files(root: Path, paths: Iterable[str]) -> Iterator[Path]:
    folders = [root, *(root / one for path in paths for one in Path(path).parents)]
    below = (one.name for one in _entries(root) if one.is_dir(follow_symlinks=False))
    folders += (root / name for name in below if not name.startswith("."))
    for folder in islice(dict.fromkeys(folders), _MAX_FOLDERS):
        for entry in _entries(folder):
            if kind_of(entry.name) is Kind.SETTINGS or entry.name.endswith(".json"):
                yield folder / entry.name


def _entries(folder: Path) -> Sequence[os.DirEntry[str]]:
    try:
        return entries_of(folder, max_entries=_MAX_ENTRIES)
    except UnreadableFileError:
        return ()
