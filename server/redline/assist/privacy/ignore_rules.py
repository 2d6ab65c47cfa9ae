"""Decides which files are never sent to a model: secrets, and ignored files.

There are two layers. The built-in list of files that hold keys and credentials applies
everywhere, and nothing in a workspace can lift it. The second layer is the workspace's
`.gitignore` files, as git reads them, and then its `.redlineignore` files, in the same
syntax. A matching `.redlineignore` pattern decides: `!notes.txt` allows an ignored
file.

An ignore file that is not a regular file counts as absent, as in git. If one cannot be
read for another reason, it may hold anything, so the files below it are held back.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from redline.assist.privacy.ignore_patterns import IgnorePatterns, latin_1
from redline.errors import (
    IrregularFileError,
    MissingFileError,
    UnreadableFileError,
)
from redline.files import Stamp, read_file, stamp_of
from redline.text.uri import is_file, uri_parts, uri_path

logger = logging.getLogger(__name__)

DENIED = (
    ".env",
    ".env.*",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "!id_*.pub",
    ".ssh/",
    ".gnupg/",
    ".aws/",
    ".kube/",
    "**/.docker/config.json",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
    "credentials.json",
    "secrets.json",
    "secrets.yml",
    "secrets.yaml",
    "service-account*.json",
)
"""Files that hold keys and credentials by convention, in `.gitignore` syntax."""

IGNORE_FILES = (".gitignore", ".redlineignore")
"""Later ones override earlier ones."""

MAX_IGNORE_BYTES = 100_000
"""The largest known ones have 30,000; each pattern costs time for each file."""

_MAX_PLACES = 1_000

_Key: TypeAlias = tuple[str, tuple[str, ...]]
"""A file's URI, and those of the workspace folders."""

_denied = IgnorePatterns("\n".join(DENIED).encode())

Stamps: TypeAlias = dict[str, Stamp | None]
"""States of the ignore files read so far; None: the file does not exist."""


class IgnoreRules:
    """The ignore rules of one workspace; rereads ignore files when they change."""

    def __init__(self) -> None:
        self._places: dict[_Key, _Place] = {}

    def reason(
        self, uri: str, roots: Sequence[str], *, stamps: Stamps | None = None
    ) -> str | None:
        """Return why a file must not be sent, as the end of a sentence; None: it may.

        Args:
            uri: The document's; the target of a link must not be held back either.
            roots: URIs of the workspace folders, which may be links themselves.
            stamps: States of ignore files read a moment ago, which are used and added
                to; files that are checked together share most of them.
        """
        seen = {} if stamps is None else stamps
        given = (uri, tuple(roots))
        # Links give a file several paths; each of them may be held back.
        for one in dict.fromkeys((given, _without_links(*given))):
            if (reason := self._reason_at(one, seen)) is not None:
                return reason
        return None

    def _reason_at(self, key: _Key, seen: Stamps) -> str | None:
        """Return the reason for one path of a file, as `reason` does."""
        if (place := self._places.get(key)) is None:
            if len(self._places) >= _MAX_PLACES:
                self._places.clear()
            place = self._places[key] = _place(*key)
        if place.is_denied:
            return "it is of a kind that holds keys or credentials"
        files = [
            str(folder / name) for name in IGNORE_FILES for folder in place.folders
        ]
        for file in files:
            if file not in seen:
                seen[file] = stamp_of(file)
        now = [seen[file] for file in files]
        if now != place.stamps:
            place.verdict = _verdict(place, files, now)
            place.stamps = now
        return place.verdict


@dataclass(slots=True, kw_only=True)
class _Place:
    """A file's verdict so far: by its name, and where its ignore files would be.

    Computing this takes longer than reading the stamps, and its result never changes.
    """

    is_denied: bool
    parts: tuple[str, ...] = ()
    """The file's path from its root, in the form for matching."""
    folders: tuple[Path, ...] = ()
    """The root, and each folder between it and the file."""
    stamps: list[Stamp | None] | None = None
    """States of the ignore files at the verdict; None: there was no verdict yet."""
    verdict: str | None = None


def _without_links(uri: str, roots: tuple[str, ...]) -> _Key:
    """Return where a file and the workspace folders really are."""
    if not is_file(uri):
        return uri, roots
    return _real(uri), tuple(_real(root) if is_file(root) else root for root in roots)


def _real(uri: str) -> str:
    path = str(uri_path(uri))
    real = os.path.realpath(path)
    return uri if real == path else Path(real).as_uri()


def _place(uri: str, roots: Sequence[str]) -> _Place:
    path = uri_path(uri)
    names = tuple(
        latin_1(os.fsencode(name)) for name in path.parts if name != path.anchor
    )
    is_denied = _decision((_denied,), names) is True
    if not is_denied and uri_parts(uri).scheme == "file":
        for root in map(uri_path, roots):
            if path.is_relative_to(root):
                inside = path.relative_to(root).parts
                folders = [Path(root, *inside[:n]) for n in range(len(inside))]
                return _Place(
                    is_denied=False,
                    parts=names[len(names) - len(inside) :],
                    folders=tuple(folders),
                )
    return _Place(is_denied=is_denied)


def _verdict(
    place: _Place, files: Sequence[str], stamps: Sequence[Stamp | None]
) -> str | None:
    n_folders = len(place.folders)
    root = str(place.folders[0]) if place.folders else ""
    verdict: str | None = None
    for number, name in enumerate(IGNORE_FILES):
        first = number * n_folders
        levels: list[IgnorePatterns | None] = []
        for at in range(first, first + n_folders):
            try:
                levels.append(_patterns(files[at], stamps[at], root))
            except UnreadableFileError as exc:
                return f"{name} cannot be used ({exc.reason})"
        is_ignored = _decision(levels, place.parts)
        if is_ignored is not None:
            verdict = f"{name} leaves it out" if is_ignored else None
    return verdict


def _decision(
    levels: Sequence[IgnorePatterns | None], parts: Sequence[str]
) -> bool | None:
    """Return whether patterns ignore a file, as git does.

    Nothing in an ignored folder can be allowed again.

    Args:
        levels: The patterns of the root and of the folders below it, in order.
        parts: The file's path from the root.
    """
    present = [(n, one) for n, one in enumerate(levels) if one is not None]
    present.reverse()
    decided: bool | None = None
    for end in range(1, len(parts) + 1) if present else ():
        is_folder = end < len(parts)
        for start, patterns in present:
            if start >= end:
                continue
            path = "/".join(parts[start:end])
            found = patterns.decision(path, is_folder=is_folder)
            if found is not None:
                decided = found
                break
        if decided:
            return True
    return decided


@lru_cache(maxsize=1_000)
def _patterns(file: str, stamp: Stamp | None, root: str) -> IgnorePatterns | None:
    """Read an ignore file, once for each of its states.

    Args:
        file: Its path.
        stamp: Its state; None: the file does not exist.
        root: The workspace folder; a link must not lead out of it.

    Raises:
        UnreadableFileError: If it exists and its patterns cannot be read.
    """
    if stamp is None:
        return None
    try:
        content = read_file(file, max_bytes=MAX_IGNORE_BYTES, roots=(root,))
    except MissingFileError:
        return None
    except IrregularFileError as exc:
        logger.warning("%s is not used: %s", file, exc.reason)
        return None
    patterns = IgnorePatterns(content)
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
