"""Decides which files are never sent to a model: secrets, and ignored files.

There are two layers. The built-in list of files that hold keys and credentials applies
everywhere, also to backups of such files, and nothing in a workspace can lift it. The
second layer is what git reads: the file of `core.excludesFile`, `info/exclude` of the
repository, and the `.gitignore` files; and then the `.redlineignore` files, in the same
syntax. A matching `.redlineignore` pattern decides: `!notes.txt` allows an ignored
file. These files count from the top of the file's repository, or from the workspace
folder if that is further up.

An ignore file that is not a regular file counts as absent, as in git. If one cannot be
read for another reason, it may hold anything, so the files below it are held back.
"""

from __future__ import annotations

import logging
import os
import re
import stat
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path, PurePath
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from redline.assist.privacy.git_config import (
    configured_paths,
    configured_values,
    is_true,
    users_files,
    users_folder,
)
from redline.assist.privacy.git_folders import (
    GitFolders,
    Stamps,
    kind_of,
    named_repository,
    repository_of,
)
from redline.assist.privacy.git_index import left_out
from redline.assist.privacy.ignore_patterns import IgnorePatterns, latin_1
from redline.errors import (
    HeldBackError,
    IrregularFileError,
    MissingFileError,
    UnreadableFileError,
)
from redline.files import Stamp, read_file, stamp_of
from redline.text.uri import is_file, path_in, uri_parts, uri_path

logger = logging.getLogger(__name__)

DENIED = (
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    ".dev.vars",
    "!example.env",
    "!sample.env",
    "!template.env",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    "*.pem",
    "*.key",
    "*.ppk",
    "*.p8",
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
    "ssh_host_*_key",
    ".ssh/",
    ".gnupg/",
    ".aws/",
    ".kube/",
    "**/.docker/config.json",
    ".dockercfg",
    "**/.cargo/credentials",
    "**/.cargo/credentials.toml",
    "**/.gem/credentials",
    "**/.config/gh/hosts.yml",
    "**/.m2/settings.xml",
    ".netrc",
    "_netrc",
    ".my.cnf",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".htpasswd",
    "**/etc/shadow*",
    "**/etc/gshadow*",
    "**/etc/security/opasswd",
    "*.keytab",
    ".git-credentials",
    ".boto",
    ".s3cfg",
    ".terraformrc",
    "*.tfstate",
    "*.tfstate.backup",
    ".vault-token",
    ".vault_pass",
    "rclone.conf",
    "pip.conf",
    ".yarnrc.yml",
    "kubeconfig",
    "*.jwk",
    "*.ovpn",
    ".secrets",
    "credentials.json",
    "secret.json",
    "secret.yml",
    "secret.yaml",
    "secrets.json",
    "secrets.toml",
    "secrets.yml",
    "secrets.yaml",
    "service[-_]account*.json",
    "*firebase-adminsdk*.json",
    "client_secret*.json",
    "application_default_credentials.json",
    "auth.json",
    "token.json",
    ".bash_history",
    ".zsh_history",
    ".mysql_history",
    ".psql_history",
    ".python_history",
)
"""Files that hold keys and credentials by convention, in `.gitignore` syntax, in any
case of their letters."""

_BACKUP_SUFFIXES = ("~", "#", ".bak", ".old", ".orig", ".save", ".swo", ".swp")
"""The ends of the names that Emacs, Vim, nano and patch give to copies of a file."""
_BACKUP_PREFIXES = ("", "#", ".#", ".")

IGNORE_FILES = (".gitignore", ".redlineignore")
"""Later ones override earlier ones."""

MAX_IGNORE_BYTES = 100_000
"""The largest known ones have 30,000; each pattern costs time for each file."""

_EXCLUDE = ".git/info/exclude"
_EXCLUDES_FILE = "core.excludesFile"
_INDEX = ".git/index"
_DOT_GIT = f"{os.sep}.git"

_REVISION = re.compile(r"//|:|/\.git/")
"""What sets a revision or an archive apart from the path of a file in it."""

_DRIVE_END = len("/c:")

_MAX_N_STEPS = 100

_MAX_PLACES = 1_000

_Key: TypeAlias = tuple[str, tuple[str, ...]]
"""A file's URI, and those of the workspace folders."""

_States: TypeAlias = tuple[tuple[str, Stamp | None], ...]
"""Paths, with what was there; None: nothing."""

_denied = IgnorePatterns("\n".join(DENIED).encode(), ignores_case=True)


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
                One of another scheme, such as `git:`, is judged by the path in it.
            roots: URIs of the workspace folders, which may be links themselves.
            stamps: States of ignore files read a moment ago, which are used and added
                to; files that are checked together share most of them.
        """
        seen = {} if stamps is None else stamps
        folders = tuple(roots)
        for name in _as_files(uri, folders):
            given = (name, folders)
            reason = self._reason_at(given, seen)
            # A link gives a file another path; each of them may be held back.
            if reason is None and (real := _without_links(*given)) != given:
                reason = self._reason_at(real, seen)
            if reason is not None:
                return reason
        return None

    def refuse(self, uri: str, roots: Sequence[str], name: str) -> None:
        """Refuse a file that must not be sent.

        Raises:
            HeldBackError: If it must not; `name` is the file's in the message.
        """
        if (reason := self.reason(uri, roots)) is not None:
            raise held_back(name, reason)

    def _reason_at(self, key: _Key, seen: Stamps) -> str | None:
        """Return the reason for one path of a file, as `reason` does."""
        place = self._places.get(key)
        if place is None or not _are_unchanged(place.guards, seen):
            if len(self._places) >= _MAX_PLACES:
                self._places.clear()
            place = self._places[key] = _place(*key, seen)
        if place.is_denied:
            return "it is of a kind that holds keys or credentials"
        if place.read is None or not _are_unchanged(place.read, seen):
            stamps = [_state(source.file, seen) for source in place.sources]
            place.verdict = _verdict(place, stamps)
            files = (source.file for source in place.sources)
            place.read = tuple(zip(files, stamps, strict=True))
        return place.verdict


def held_back(name: str, reason: str) -> HeldBackError:
    """Return the error for a file with a reason of `IgnoreRules`."""
    return HeldBackError(f"{name} is not sent to a model: {reason}.")


class _Source(NamedTuple):
    """Where an ignore file would be."""

    name: str
    """One of `IGNORE_FILES`, `_EXCLUDE`, `_EXCLUDES_FILE` or `_INDEX`."""
    file: str
    depth: int
    """How many folders its patterns apply below the place's start."""


class _Place(Struct, kw_only=True):
    """A file's verdict so far: by its name, and where its ignore files would be.

    Computing this takes longer than reading the stamps.
    """

    is_denied: bool
    parts: tuple[str, ...] = ()
    """The file's path from the start of its rules, in the form for matching."""
    sources: tuple[_Source, ...] = ()
    """Later ones override earlier ones."""
    guards: _States = ()
    """The paths that decided about this, with their states: a `.git`, which may appear
    or go at any time, and git's configuration."""
    start: str = ""
    """The outermost folder whose ignore files count."""
    ignores_case: bool = False
    """Whether git matches letters in either case here."""
    read: _States | None = None
    """The ignore files with their states at the verdict; None: there was none yet."""
    verdict: str | None = None


def is_inside(uri: str, roots: Sequence[str]) -> bool:
    """Whether a document is in a workspace folder, and no link that leads out of all.

    Args:
        uri: The document's, of any scheme.
        roots: URIs of the workspace folders, which may be links themselves.
    """
    given = (uri, tuple(roots))
    return all(
        any(path_in(one, root) is not None for root in folders)
        for one, folders in (given, _without_links(*given))
    )


def _without_links(uri: str, roots: tuple[str, ...]) -> _Key:
    """Return where a file and the workspace folders really are."""
    if not _may_be_links(uri, roots):
        return uri, roots
    return _real(uri), tuple(_real(root) if is_file(root) else root for root in roots)


def _real(uri: str) -> str:
    path = uri_path(uri)
    real = os.path.realpath(path)
    return uri if real == str(path) else Path(real).as_uri()


def _may_be_links(uri: str, roots: tuple[str, ...]) -> bool:
    """Whether a path may lead elsewhere; much faster than `os.path.realpath`."""
    if (ways := _ways(uri, roots)) is None:
        return True
    for way in ways:
        for path in way:
            try:
                mode = os.lstat(path).st_mode
            except (OSError, ValueError):
                # What is below cannot be reached either.
                break
            if stat.S_ISLNK(mode):
                return True
    return False


@lru_cache(_MAX_PLACES)
def _ways(uri: str, roots: tuple[str, ...]) -> tuple[tuple[str, ...], ...] | None:
    """Return the folders that lead to a file and to the workspace folders.

    Returns:
        The paths from the top down, each once; none if the URI is not of a file. None
        if something else than a link may lead elsewhere: `..`, or on Windows junctions
        and short names.
    """
    if not is_file(uri):
        return ()
    paths = [uri_path(one) for one in (uri, *roots) if is_file(one)]
    if os.name == "nt" or any(".." in path.parts for path in paths):
        return None
    known: set[PurePath] = set()
    ways = []
    for path in paths:
        ways.append([p for p in (*reversed(path.parents), path) if p not in known])
        known.update(ways[-1])
    return tuple(tuple(map(str, way)) for way in ways)


@lru_cache(_MAX_PLACES)
def _as_files(uri: str, roots: tuple[str, ...]) -> Sequence[str]:
    """Return the URIs of the files that a URI may stand for.

    A path in another scheme may have a revision before the file's own path, as
    `fugitive://ROOT/.git//HASH/a.py`, `gitsigns://ROOT/.git/:0:a.py` and
    `zipfile://ROOT/a.zip::a.py` have: what follows each part of it may be that path.
    """
    parts = uri_parts(uri)
    if parts.scheme == "file" or not parts.path.startswith("/"):
        return [uri]
    # On Windows two slashes would name another machine.
    path = f"/{parts.path.lstrip('/')}"
    decoded = path.replace("%3A", ":").replace("%3a", ":")
    found = _REVISION.search(decoded, _DRIVE_END)
    if found is None:
        return [f"file://{path}"]
    tops = [root for root in roots if path_in(f"file://{path}", root) is not None]
    # The top of the repository, which may be above or below a workspace folder.
    tops.append(f"file://{decoded[: found.start()]}")
    files = [f"file://{path}"]
    for top in dict.fromkeys(tops):
        top = top.rstrip("/")
        rest = decoded.removeprefix(uri_parts(top).path)
        steps = [step for step in re.split(r"[/:]+", rest) if step][:_MAX_N_STEPS]
        files += [f"{top}/{'/'.join(steps[at:])}" for at in range(len(steps))]
    return files


def _are_unchanged(states: _States, seen: Stamps) -> bool:
    """Whether what is at some paths is what was there before."""
    for path, before in states:
        if before is None and path not in seen:
            # Most folders have no ignore file, so most paths are missing and stay so;
            # asking only that is twice as fast as a failed `os.stat`.
            try:
                is_there = os.access(path, os.F_OK)
            except ValueError:
                is_there = False
            if not is_there:
                seen[path] = None
                continue
        if _state(path, seen) != before:
            return False
    return True


def _state(path: str, seen: Stamps) -> Stamp | None:
    """Return the state of a path, read once for all files that are checked together."""
    if path not in seen:
        seen[path] = kind_of(path) if path.endswith(_DOT_GIT) else stamp_of(path)
    return seen[path]


def _place(uri: str, roots: Sequence[str], seen: Stamps) -> _Place:
    path = Path(uri_path(uri))
    names = tuple(
        latin_1(os.fsencode(name)) for name in path.parts if name != path.anchor
    )
    if _is_denied(names):
        return _Place(is_denied=True)
    if uri_parts(uri).scheme != "file":
        return _Place(is_denied=False)
    repositories, looked = _repositories(path, seen)
    starts = [Path(root) for root in map(uri_path, roots) if path.is_relative_to(root)]
    starts += [repository.top for repository in repositories]
    if not starts:
        return _Place(is_denied=False, guards=_guards(looked, seen))
    start = min(starts, key=lambda folder: len(folder.parts))
    inside = path.relative_to(start).parts
    folders = [os.path.join(start, *inside[:depth]) for depth in range(len(inside))]
    sources = [
        _Source(name, os.path.join(folder, name), depth)
        for name in IGNORE_FILES
        for depth, folder in enumerate(folders)
    ]
    excludes: list[_Source] = []
    ignores_case = False
    for repository in repositories:
        depth = len(repository.top.parts) - len(start.parts)
        named, read, is_caseless = _git_excludes(repository, depth, seen)
        excludes += named
        looked += (*repository.pointers, *read)
        ignores_case = ignores_case or is_caseless
    sources[:0] = excludes
    return _Place(
        is_denied=False,
        guards=_guards(looked, seen),
        parts=names[len(names) - len(inside) :],
        sources=tuple(sources),
        start=str(start),
        ignores_case=ignores_case,
    )


def _repositories(path: Path, seen: Stamps) -> tuple[list[GitFolders], list[str]]:
    """Return the repositories whose rules a file has, and what decided about them.

    One that the environment names counts besides the one above the file: git may be
    run with this environment and without.
    """
    nearest, looked = repository_of(path, seen)
    named, read = named_repository(path)
    return [one for one in (nearest, named) if one is not None], [*looked, *read]


def _is_denied(names: tuple[str, ...]) -> bool:
    """Whether a path is on the built-in list, or is a backup of one that is."""
    *folders, name = names or ("",)
    original = _without_backup_suffixes(name)
    copied = {original.removeprefix(prefix) for prefix in _BACKUP_PREFIXES}
    levels = (_Level("", 0, _denied),)
    return any(
        decided is not None and decided[0]
        for one in {name, *copied}
        if (decided := _decision(levels, (*folders, one)))
    )


def _without_backup_suffixes(name: str) -> str:
    end = len(name)
    while suffix := next(
        (one for one in _BACKUP_SUFFIXES if name.endswith(one, 1, end)), None
    ):
        end -= len(suffix)
    return name[:end]


def _guards(paths: Sequence[str], seen: Stamps) -> _States:
    return tuple((path, _state(path, seen)) for path in dict.fromkeys(paths))


def _git_excludes(
    repository: GitFolders, depth: int, seen: Stamps
) -> tuple[list[_Source], Sequence[str], bool]:
    """Return the sources outside the worktree, and the files that decided about them.

    Later sources override earlier ones, as in git. The last value is whether git
    matches letters in either case.
    """
    own, common = repository.own, repository.common
    files = (*users_files(os.environ), *([str(common / "config")] if common else []))
    uncertain = [str(own / "config.worktree")] if own else []

    def stamp(file: str) -> Stamp | None:
        return _state(file, seen)

    config = configured_paths(
        files,
        "excludesfile",
        base=str(repository.top),
        uncertain=uncertain,
        stamp=stamp,
    )
    case = configured_values(files, "ignorecase", uncertain=uncertain, stamp=stamp)
    excludes = config.paths
    if not config.is_set:
        excludes = (*excludes, f"{users_folder(os.environ)}/ignore")
    sources = [_Source(_EXCLUDES_FILE, file, depth) for file in excludes]
    if common is not None:
        sources.append(_Source(_EXCLUDE, str(common / "info" / "exclude"), depth))
    if own is not None:
        sources.append(_Source(_INDEX, str(own / "index"), depth))
    ignores_case = any(map(is_true, (*case.possible, case.certain or "")))
    return sources, config.files, ignores_case


class _Level(NamedTuple):
    """The patterns of an ignore file that exists."""

    name: str
    depth: int
    patterns: IgnorePatterns


def _verdict(place: _Place, stamps: Sequence[Stamp | None]) -> str | None:
    git: list[_Level] = []
    own: list[_Level] = []
    for (name, file, depth), stamp in zip(place.sources, stamps, strict=True):
        if name == _INDEX:
            if _is_below_left_out(place, file, depth, stamp):
                return "git knows a .gitignore for it that is not in the worktree"
            continue
        # Those outside the worktree are where the user or a tool has put them.
        roots = (place.start,) if name in IGNORE_FILES else ()
        try:
            patterns = _patterns(file, stamp, roots, place.ignores_case)
        except UnreadableFileError as exc:
            return f"{name} cannot be used ({exc.reason})"
        if patterns is not None:
            levels = own if name == ".redlineignore" else git
            levels.append(_Level(name, depth, patterns))
    for levels in (own, git):
        if (decided := _decision(levels, place.parts)) is not None:
            is_ignored, name = decided
            return f"{name} leaves it out" if is_ignored else None
    return None


def _is_below_left_out(
    place: _Place, index: str, depth: int, stamp: Stamp | None
) -> bool:
    """Whether git reads a `.gitignore` above the file from its index.

    It does so for one that is not in the worktree.
    """
    out = left_out(index, stamp)
    if not out.ignore_files and not out.folders:
        return False
    parts = [part.encode("latin-1") for part in place.parts]
    above, folders = parts[:depth], parts[depth:-1]
    for end in range(len(folders) + 1):
        path = b"/".join((*folders[:end], b".gitignore"))
        file = os.path.join(os.fsencode(place.start), *above, path)
        if path in out.ignore_files and not os.path.lexists(file):
            return True
        if end and b"/".join(folders[:end]) in out.folders:
            return True
    return False


def _decision(
    levels: Sequence[_Level], parts: Sequence[str]
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
def _patterns(
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
