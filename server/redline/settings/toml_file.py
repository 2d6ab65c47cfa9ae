"""A settings file: read once, bounded, with the lines of its keys.

A file that cannot be read or parsed is a problem to report, never an exception: the
server continues without it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from redline.errors import MissingFileError, UnreadableFileError
from redline.files import read_file
from redline.settings.source import SettingProblem

MAX_BYTES = 1_000_000
"""Largest settings file that is read; a real one has a few kilobytes."""

_MAX_DOTS = 200
"""Most dots in a line: tomllib takes quadratic time for a key of many parts."""

FileState = Literal["read", "absent", "unusable", "late"]
"""Late: its disk has not answered yet."""

_PLACE = re.compile(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)$")
_WORD = r"""(?: [\w-]+ | "[^"]*" | '[^']*' )"""
_DOTTED = rf"(?P<key> {_WORD} (?: \s*\.\s* {_WORD} )* )"
_TABLE = re.compile(rf"\s* \[ \s* {_DOTTED} \s* \]", re.VERBOSE)
_SETTING = re.compile(rf"\s* {_DOTTED} \s* =", re.VERBOSE)


class TomlFile(Struct, frozen=True, kw_only=True):
    """The result of reading one file."""

    path: Path
    state: FileState
    values: Mapping[str, object] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    content: bytes = b""
    """The bytes of the file, if it could be parsed."""
    problem: SettingProblem | None = None


def read_toml(path: Path, *, roots: Sequence[Path] = ()) -> TomlFile:
    """Read a settings file; a missing one is not a problem, but a link to nothing is.

    Args:
        path: The file.
        roots: The workspace folders that links must not lead out of.
    """
    try:
        content = read_file(path, max_bytes=MAX_BYTES, roots=roots)
    except MissingFileError:
        # Its disk may not be mounted. Without it, other models could be used.
        if any(one.is_symlink() and not one.exists() for one in (path, path.parent)):
            return unusable(path, "it is a link to nothing")
        return TomlFile(path=path, state="absent")
    except UnreadableFileError as error:
        return unusable(path, error.reason)
    return parse_toml(path, content)


def key_lines(text: str) -> dict[str, int]:
    """Find the line, from 1, of each table and key of a file.

    Good enough for messages: text in a multi-line string that looks like a key can only
    hide the line of a key that is not in the file.
    """
    lines: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if found := _TABLE.match(line):
            table = _unquoted(found["key"])
            lines.setdefault(table, number)
        elif found := _SETTING.match(line):
            key = _unquoted(found["key"])
            lines.setdefault(f"{table}.{key}" if table else key, number)
    return lines


def parse_toml(path: Path, content: bytes) -> TomlFile:
    """Read the content of a settings file.

    Args:
        path: The file, for messages.
        content: What was read from it.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return unusable(
            path, "it is not UTF-8", 1 + content.count(b"\n", 0, error.start)
        )
    for at, row in enumerate(text.splitlines(), start=1):
        if row.count(".") > _MAX_DOTS:
            return unusable(path, f"a line has more than {_MAX_DOTS} dots", at)
    try:
        values = tomllib.loads(text)
    except RecursionError:
        return unusable(path, "it is nested too deeply")
    except ValueError as error:
        # `TOMLDecodeError`, or a number with too many digits.
        place = _PLACE.search(str(error))
        line = int(place["line"]) if place and place["line"] else text.count("\n") + 1
        return unusable(path, _PLACE.sub("", str(error)), line)
    return TomlFile(
        path=path, state="read", values=values, lines=key_lines(text), content=content
    )


def unusable(path: Path, message: str, line: int | None = None) -> TomlFile:
    """Return a file that is there and cannot be used.

    Args:
        path: The file.
        message: Why, as the end of a sentence.
        line: The line of the problem, from 1.
    """
    problem = SettingProblem(
        key="",
        source=str(path),
        message=f"this settings file is not used: {message}",
        line=line,
    )
    return TomlFile(path=path, state="unusable", problem=problem)


def _unquoted(key: str) -> str:
    words = re.findall(_WORD, key, re.VERBOSE)
    return ".".join(word.strip("\"'") for word in words)
