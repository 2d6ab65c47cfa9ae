"""Reads the few values of git's configuration that name other files.

Git is not run for it: that would cost a process for each repository, and would let a
repository of strangers choose what git opens. The condition of an `includeIf` is not
evaluated; what such a file sets counts in addition to what is set elsewhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from redline.errors import UnreadableFileError
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
    search = _Search(name, base, stamp)
    for file in files:
        search.visit(file, is_certain=True)
    for file in uncertain:
        search.visit(file, is_certain=False)
    certain = [search.certain] if search.certain else []
    return ConfiguredPaths(
        paths=tuple(dict.fromkeys((*search.possible, *certain))),
        is_set=search.certain is not None,
        files=tuple(search.read),
    )


class _Search:
    """Follows the includes of configuration files."""

    def __init__(
        self, name: str, base: str, stamp: Callable[[str], Stamp | None]
    ) -> None:
        self.certain: str | None = None
        """The path in force; None: there is none, empty: it is set to nothing."""
        self.possible: list[str] = []
        self.read: dict[str, None] = {}
        self._name = name
        self._base = base
        self._stamp = stamp

    def visit(self, file: str, depth: int = 0, *, is_certain: bool) -> None:
        """Read a file and what it includes."""
        if depth > _MAX_DEPTH or file in self.read:
            return
        self.read[file] = None
        for entry in _entries(file, self._stamp(file)):
            if (entry.section, entry.subsection) == ("core", None):
                if entry.name == self._name:
                    self._set(_path(entry.value, self._base), is_certain=is_certain)
            elif entry.section in ("include", "includeif") and entry.name == "path":
                is_sure = is_certain and entry.section == "include"
                if included := _path(entry.value, os.path.dirname(file)):
                    self.visit(included, depth + 1, is_certain=is_sure)

    def _set(self, path: str, *, is_certain: bool) -> None:
        if is_certain:
            self.certain = path
        elif path:
            self.possible.append(path)


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
    """Return the folder of the user's files for git."""
    base = environ.get("XDG_CONFIG_HOME") or f"{os.path.expanduser('~')}/.config"
    return f"{base}/git"


def _path(value: str, base: str) -> str:
    """Return the absolute path of a value; empty: it names no file."""
    if not value or "\0" in value:
        return ""
    return os.path.normpath(os.path.join(base, os.path.expanduser(value)))


@lru_cache(maxsize=200)
def _entries(file: str, stamp: Stamp | None) -> tuple[_Entry, ...]:
    """Read a configuration file, once for each of its states."""
    if stamp is None:
        return ()
    try:
        text = os.fsdecode(read_file(file, max_bytes=_MAX_BYTES))
    except UnreadableFileError:
        return ()
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
