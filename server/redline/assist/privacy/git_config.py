"""Reads the few values of git's configuration that name other files.

Git is not run for it: that would cost a process for each repository, and would let a
repository of strangers choose what git opens. The condition of an `includeIf` is not
evaluated; what such a file sets counts in addition to what is set elsewhere.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from redline.errors import (
    IrregularFileError,
    MissingFileError,
    UnreadableFileError,
)
from redline.files import Stamp, read_file, stamp_of

_MAX_BYTES = 1_000_000
_MAX_DEPTH = 10
"""Git's own limit for includes in includes."""

_SECTION = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*')
_NAME = re.compile(r"([A-Za-z][\w-]*)\s*")
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


class _Entry(NamedTuple):
    section: str
    """In lower case, like the name."""
    subsection: str | None
    name: str
    value: str


class ConfiguredValues(NamedTuple):
    """Values that the configuration sets for one name."""

    certain: str | None
    """The one in force; None: there is none."""
    possible: tuple[str, ...]
    """Those that an `includeIf` may put in force."""
    files: tuple[str, ...]
    """The files that were read, or would be if they existed."""


class ConfiguredPaths(NamedTuple):
    """Paths that the configuration sets for one name."""

    paths: tuple[str, ...]
    """The one in force, and those that an `includeIf` may put in force; absolute."""
    is_set: bool
    """Whether the default does not apply."""
    files: tuple[str, ...]
    """The files that were read, or would be if they existed."""


def configured_paths(
    files: Sequence[str],
    name: str,
    *,
    base: str,
    uncertain: Sequence[str] = (),
    stamp: Callable[[str], Stamp | None] = stamp_of,
) -> ConfiguredPaths:
    """Return the paths that `core.<name>` has.

    Args:
        files: The configuration files; later ones override earlier ones.
        name: The name, in lower case.
        base: The folder that a relative path starts from.
        uncertain: Files that another setting may switch on.
        stamp: Returns the state of a file.
    """
    found = configured_values(files, name, uncertain=uncertain, stamp=stamp)
    values = (*found.possible, found.certain or "")
    paths = dict.fromkeys(_path(value, base) for value in values)
    return ConfiguredPaths(
        paths=tuple(path for path in paths if path),
        is_set=found.certain is not None,
        files=found.files,
    )


def configured_values(
    files: Sequence[str],
    name: str,
    *,
    uncertain: Sequence[str] = (),
    stamp: Callable[[str], Stamp | None] = stamp_of,
) -> ConfiguredValues:
    """Return the values that `core.<name>` has, in files and in the environment.

    The arguments are those of `configured_paths`.
    """
    search = _Search(name, stamp)
    for file in files:
        search.visit(file, is_certain=True)
    for file in uncertain:
        search.visit(file, is_certain=False)
    for entry in _environment_entries(os.environ):
        search.take(entry, os.getcwd(), 0, is_certain=True)
    return ConfiguredValues(
        search.certain, tuple(search.possible), files=tuple(search.read)
    )


def is_true(value: str) -> bool:
    return value.lower() in ("true", "yes", "on") or value.lstrip("+-0")[:1].isdigit()


class _Search:
    """Follows the includes of configuration files."""

    def __init__(self, name: str, stamp: Callable[[str], Stamp | None]) -> None:
        self.certain: str | None = None
        self.possible: list[str] = []
        self.read: dict[str, None] = {}
        self._name = name
        self._stamp = stamp

    def visit(self, file: str, depth: int = 0, *, is_certain: bool) -> None:
        """Read a file and what it includes."""
        if depth > _MAX_DEPTH or file in self.read:
            return
        self.read[file] = None
        for entry in _entries(file, self._stamp(file)):
            self.take(entry, os.path.dirname(file), depth, is_certain=is_certain)

    def take(self, entry: _Entry, folder: str, depth: int, *, is_certain: bool) -> None:
        """Take the value of an entry, or follow it to the file that it includes."""
        if (entry.section, entry.subsection) == ("core", None):
            if entry.name == self._name and is_certain:
                self.certain = entry.value
            elif entry.name == self._name:
                self.possible.append(entry.value)
        elif entry.section in ("include", "includeif") and entry.name == "path":
            is_sure = is_certain and entry.section == "include"
            if included := _path(entry.value, folder):
                self.visit(included, depth + 1, is_certain=is_sure)


def _environment_entries(environ: Mapping[str, str]) -> Iterator[_Entry]:
    """Yield the entries of `GIT_CONFIG_COUNT` and of `git -c`, which override files."""
    given: list[tuple[str, str]] = []
    count = environ.get("GIT_CONFIG_COUNT", "")
    for number in range(int(count) if count.isdecimal() and len(count) < 4 else 0):
        key = environ.get(f"GIT_CONFIG_KEY_{number}", "")
        given.append((key, environ.get(f"GIT_CONFIG_VALUE_{number}", "")))
    try:
        words = shlex.split(environ.get("GIT_CONFIG_PARAMETERS", ""))
    except ValueError:
        words = []
    for word in words:
        key, equals, value = word.partition("=")
        given.append((key, value if equals else "true"))
    for key, value in given:
        section, _, rest = key.partition(".")
        subsection, dot, name = rest.rpartition(".")
        yield _Entry(section.lower(), subsection if dot else None, name.lower(), value)


def users_files(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the configuration files of the system and the user."""
    found = []
    if environ.get("GIT_CONFIG_NOSYSTEM", "").lower() not in ("1", "true", "yes", "on"):
        found.append(environ.get("GIT_CONFIG_SYSTEM", "/etc/gitconfig"))
    if (named := environ.get("GIT_CONFIG_GLOBAL")) is not None:
        return (*found, named)
    user = os.path.expanduser("~")
    return (*found, f"{users_folder(environ)}/config", f"{user}/.gitconfig")


def users_folder(environ: Mapping[str, str]) -> str:
    base = environ.get("XDG_CONFIG_HOME") or f"{os.path.expanduser('~')}/.config"
    return f"{base}/git"


def _path(value: str, base: str) -> str:
    """Return the absolute path of a value; empty: it names no file."""
    if not value or "\0" in value:
        return ""
    return os.path.normpath(os.path.join(base, os.path.expanduser(value)))


def check_config(file: str, stamp: Stamp | None) -> None:
    """Check that a configuration file can be read, if it is there and a regular file.

    Raises:
        UnreadableFileError: If it cannot.
    """
    with suppress(MissingFileError, IrregularFileError):
        _read_entries(file, stamp)


def _entries(file: str, stamp: Stamp | None) -> tuple[_Entry, ...]:
    try:
        return _read_entries(file, stamp)
    except UnreadableFileError:
        return ()


@lru_cache(maxsize=200)
def _read_entries(file: str, stamp: Stamp | None) -> tuple[_Entry, ...]:
    """Read a configuration file, once for each of its states.

    Raises:
        UnreadableFileError: If it cannot be read.
    """
    if stamp is None:
        return ()
    text = os.fsdecode(read_file(file, max_bytes=_MAX_BYTES))
    return tuple(_parse(text.removeprefix("\ufeff").replace("\r\n", "\n")))


def _parse(text: str) -> Iterator[_Entry]:
    """Yield the entries up to the first mistake, for which git would refuse to run."""
    section, subsection, at = "", None, 0
    while at < len(text):
        char = text[at]
        if char.isspace():
            at += 1
        elif char in "#;":
            at = _line_end(text, at)
        elif char == "[":
            if (match := _SECTION.match(text, at)) is None:
                return
            section = match[1].lower()
            subsection = None if match[2] is None else re.sub(r"\\(.)", r"\1", match[2])
            at = match.end()
        else:
            if (match := _NAME.match(text, at)) is None:
                return
            value, at = _value(text, match.end())
            yield _Entry(section, subsection, match[1].lower(), value)


def _value(text: str, at: int) -> tuple[str, int]:
    """Read the value of a name; returns it and the index after it."""
    if text[at : at + 1] != "=":
        return "true", _line_end(text, at)
    at += 1
    parts: list[str] = []
    is_quoted, n_kept = False, 0
    while at < len(text) and text[at] != "\n":
        char = text[at]
        if char == "\\" and at + 1 < len(text):
            at += 1
            if text[at] != "\n":
                parts.append(_ESCAPES.get(text[at], text[at]))
                n_kept = len(parts)
        elif char == '"':
            is_quoted = not is_quoted
            n_kept = len(parts)
        elif char in "#;" and not is_quoted:
            at = _line_end(text, at)
            break
        elif parts or is_quoted or not char.isspace():
            parts.append(char)
            if is_quoted or not char.isspace():
                n_kept = len(parts)
        at += 1
    return "".join(parts[:n_kept]), at


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
