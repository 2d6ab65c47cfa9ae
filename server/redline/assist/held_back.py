"""Which files are never sent to a model: secrets, and what the workspace ignores.

Two layers. The built-in list of files that hold keys and credentials holds everywhere,
and nothing in a workspace can lift it. Then the workspace's own `.gitignore` files and,
after them, its `.redlineignore` files, in the syntax of the former; the last pattern
that matches decides, so `!notes.txt` in `.redlineignore` lets an ignored file through.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeAlias
from urllib.parse import unquote

from pathspec import GitIgnoreSpec

from redline.text.uri import uri_parts

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
    ".docker/config.json",
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
"""In the order in which they are read: later ones win."""

_MAX_IGNORE_BYTES = 1_000_000
_MAX_PLACES = 1_000

_denied = GitIgnoreSpec.from_lines(DENIED)


Stamp: TypeAlias = tuple[int, int] | None
"""An ignore file's time of change and size; None: there is no such file."""

Stamps: TypeAlias = dict[str, Stamp]
"""Of ignore files that were looked at."""


class HeldBack:
    """Answers for one workspace; reads ignore files again when they change."""

    def __init__(self) -> None:
        self._specs: dict[str, tuple[Stamp, GitIgnoreSpec | None]] = {}
        self._places: dict[tuple[str, tuple[str, ...]], _Place] = {}

    def reason(
        self, uri: str, roots: Sequence[str], *, stamps: Stamps | None = None
    ) -> str | None:
        """Say why a file must not be sent, as the end of a sentence; None: it may.

        Args:
            uri: The document's.
            roots: URIs of the workspace folders.
            stamps: What was seen of ignore files a moment ago, which is not looked at
                again, and to which is added: files asked for together share most.
        """
        key = (uri, tuple(roots))
        if (place := self._places.get(key)) is None:
            if len(self._places) >= _MAX_PLACES:
                self._places.clear()
            place = self._places[key] = _place(uri, roots)
        if place.is_denied:
            return "it is of a kind that holds keys or credentials"
        seen = {} if stamps is None else stamps
        for _, file, _ in place.ignore_files:
            if file not in seen:
                seen[file] = _stamp(file)
        now = [seen[file] for _, file, _ in place.ignore_files]
        if now != place.stamps:
            place.verdict = self._verdict(place, now)
            place.stamps = now
        return place.verdict

    def _verdict(self, place: _Place, stamps: Sequence[Stamp]) -> str | None:
        verdict: str | None = None
        for (name, file, inside), stamp in zip(place.ignore_files, stamps, strict=True):
            # Nearly always there is no such file.
            spec = None if stamp is None else self._spec(file, stamp)
            is_ignored = None if spec is None else spec.check_file(inside).include
            if is_ignored is not None:
                verdict = f"{name} leaves it out" if is_ignored else None
        return verdict

    def _spec(self, file: str, stamp: Stamp) -> GitIgnoreSpec | None:
        known = self._specs.get(file)
        if known is not None and known[0] == stamp:
            return known[1]
        try:
            with open(file, encoding="utf-8", errors="replace") as lines:
                text = lines.read(_MAX_IGNORE_BYTES)
        except OSError:
            return None
        spec = GitIgnoreSpec.from_lines(text.splitlines())
        self._specs[file] = (stamp, spec)
        return spec


@dataclass(slots=True, kw_only=True)
class _Place:
    """What of a file's verdict its name alone decides, and where to look for the rest.

    Working this out takes longer than looking, and is the same each time.
    """

    is_denied: bool
    ignore_files: tuple[tuple[str, str, str], ...] = ()
    """For each ignore file that could be about it, in order: its name, its path, and
    the file's path from there."""
    stamps: list[Stamp] | None = None
    """Of these, when the verdict was found; None: there was none yet."""
    verdict: str | None = None


def _stamp(file: str) -> Stamp:
    try:
        stat = os.stat(file)
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


def _place(uri: str, roots: Sequence[str]) -> _Place:
    parts = uri_parts(uri)
    path = PurePosixPath(unquote(parts.path))
    is_denied = _denied.match_file(str(path).lstrip("/"))
    if not is_denied and parts.scheme == "file":
        for root_uri in roots:
            root = Path(unquote(uri_parts(root_uri).path))
            if Path(path).is_relative_to(root):
                files = tuple(_ignore_files(Path(path), root))
                return _Place(is_denied=False, ignore_files=files)
    return _Place(is_denied=is_denied)


def _ignore_files(path: Path, root: Path) -> Iterator[tuple[str, str, str]]:
    """The ignore files from the root down to the file's own folder."""
    parents = path.parent.relative_to(root).parts
    folders = [root.joinpath(*parents[:n]) for n in range(len(parents) + 1)]
    for name in IGNORE_FILES:
        for folder in folders:
            yield name, str(folder / name), path.relative_to(folder).as_posix()
