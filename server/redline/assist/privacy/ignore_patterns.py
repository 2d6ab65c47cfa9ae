"""Patterns of `.gitignore` files, matched as git does, in linear time.

A line that git cannot use matches nothing, here as there; `IgnorePatterns.unusable`
names it. The rules are those of git's `wildmatch.c` and `dir.c` (git 2.39): bytes are
matched, not characters, so texts and paths are decoded as Latin-1.

A pattern is translated into a regular expression. The text between two wildcards is
fixed, and its first match is as good as any later one, which an atomic group expresses.
So nothing is tried twice, for any hostile pattern and name.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterator
from functools import cached_property

from msgspec import Struct

from redline.assist.privacy.ignore_classes import read_class

_SPECIAL = frozenset("*?[\\")
_SLASHES = ("/", "\\/")

_NOTHING = "(?!)"
_ANY_NAME = "[^/]*"
_ANY_FOLDERS = "(?:[^/]*/)*?"


class UnusableLine(Struct, frozen=True, kw_only=True):
    """A line that matches nothing."""

    number: int
    """From 1."""
    reason: str
    """The end of a sentence."""


class _Pattern(Struct, frozen=True, kw_only=True):
    is_negated: bool
    for_folders: bool
    """Whether it ends with a slash and so matches folders only."""
    for_names: bool
    """Whether it has no other slash and so matches the last part of a path."""
    matches: Callable[[str], object]


class IgnorePatterns:
    """The patterns of one ignore file.

    Args:
        content: The bytes of the file; unusable lines are collected, not raised.
        ignores_case: Whether letters of ASCII match in either case, as git matches
            them with `core.ignoreCase`.
    """

    def __init__(self, content: bytes, *, ignores_case: bool = False) -> None:
        patterns: list[_Pattern] = []
        unusable: list[UnusableLine] = []
        for number, line in _lines(content.removeprefix(b"\xef\xbb\xbf")):
            try:
                patterns.append(_parsed(line, ignores_case=ignores_case))
            except ValueError as exc:
                unusable.append(UnusableLine(number=number, reason=str(exc)))
        self.unusable = tuple(unusable)
        # The last pattern that matches decides.
        self._patterns = tuple(reversed(patterns))
        self._content = content
        self._ignores_case = ignores_case

    @cached_property
    def composed(self) -> IgnorePatterns:
        """The same patterns, for paths that `composed` has returned."""
        if self._content.isascii():
            return self
        content = _composed(self._content)
        return IgnorePatterns(content, ignores_case=self._ignores_case)

    def decision(self, path: str, *, is_folder: bool) -> bool | None:
        """Return whether the patterns ignore a path, regardless of its folders.

        Args:
            path: Relative to the ignore file's folder, as `latin_1` returns it.
            is_folder: Whether the path is a folder.

        Returns:
            None if no pattern matches; False if a negated one decides.
        """
        name = path[path.rfind("/") + 1 :]
        for one in self._patterns:
            if one.for_folders and not is_folder:
                continue
            if one.matches(name if one.for_names else path):
                return not one.is_negated
        return None


def latin_1(path: bytes) -> str:
    """Return a path in the form for matching: one character per byte."""
    return path.decode("latin-1")


def composed(path: str) -> str:
    """Return a path as `latin_1` does, with its letters composed (Unicode's NFC).

    macOS shows names decomposed as often as composed, and takes either.
    """
    return latin_1(_composed(path.encode("latin-1")))


def _composed(content: bytes) -> bytes:
    text = content.decode("utf-8", "surrogateescape")
    return unicodedata.normalize("NFC", text).encode("utf-8", "surrogateescape")


def _lines(content: bytes) -> Iterator[tuple[int, str]]:
    """Yield the number and text of the lines that hold patterns."""
    for number, line in enumerate(latin_1(content).split("\n"), start=1):
        if not line.startswith("#"):
            # Git, written in C, reads up to the first NUL.
            text, _, _ = line.removesuffix("\r").partition("\0")
            text = _without_trailing_spaces(text)
            if text:
                yield number, text


def _without_trailing_spaces(line: str) -> str:
    """Drop trailing spaces, except one that a backslash escapes."""
    stripped = line.rstrip(" ")
    n_backslashes = len(stripped) - len(stripped.rstrip("\\"))
    if n_backslashes % 2 and len(stripped) < len(line):
        return stripped + " "
    return stripped


def _parsed(line: str, *, ignores_case: bool) -> _Pattern:
    """Parse one line.

    Raises:
        ValueError: If it matches nothing; the message says why.
    """
    is_negated = line.startswith("!")
    glob = line.removeprefix("!")
    for_folders = glob.endswith("/")
    glob = glob.removesuffix("/")
    for_names = "/" not in glob
    glob = glob.removeprefix("/")
    if not glob:
        raise ValueError("it names nothing")
    return _Pattern(
        is_negated=is_negated,
        for_folders=for_folders,
        for_names=for_names,
        matches=_matcher(glob, for_names=for_names, ignores_case=ignores_case),
    )


def _matcher(
    glob: str, *, for_names: bool, ignores_case: bool
) -> Callable[[str], object]:
    """Return a predicate that is true for the paths that a glob matches."""
    if ignores_case:
        expression = _expression(glob, for_names=for_names, ignores_case=True)
        return re.compile(expression, re.DOTALL | re.ASCII | re.IGNORECASE).fullmatch
    if not _SPECIAL.intersection(glob):
        return glob.__eq__
    suffix = glob[1:]
    if for_names and glob[0] == "*" and not _SPECIAL.intersection(suffix):
        return lambda name: name.endswith(suffix)
    expression = _expression(glob, for_names=for_names, ignores_case=False)
    return re.compile(expression, re.DOTALL).fullmatch


def _expression(glob: str, *, for_names: bool, ignores_case: bool) -> str:
    """Translate a glob.

    Raises:
        ValueError: If it matches nothing; the message says why.
    """
    # The parts between `**/`, each split into the parts between `*`.
    segments: list[list[str]] = [[""]]
    has_open_end = False
    at = 0
    while at < len(glob):
        if glob[at] != "*":
            one, at = _one_character(glob, at, ignores_case=ignores_case)
            segments[-1][-1] += one
            continue
        end = len(glob) - len(glob[at:].lstrip("*"))
        if for_names or not _spans_folders(glob, at, end):
            segments[-1].append("")
        elif end == len(glob):
            has_open_end = True
        elif glob[end] == "/":
            segments.append([""])
            end += 1
        else:
            # An escaped slash cannot match zero folders.
            segments.append([f"{_ANY_NAME}/"])
            end += 2
        at = end
    return _joined(segments, has_open_end=has_open_end)


def _joined(segments: list[list[str]], *, has_open_end: bool) -> str:
    """Join the segments; all but the last are matched at their first place."""
    n_inner = len(segments) if has_open_end else len(segments) - 1
    parts = [
        ("" if number == 0 else _ANY_FOLDERS) + _segment(one, is_inner=number < n_inner)
        for number, one in enumerate(segments)
    ]
    inner = "".join(f"(?>{part})" for part in parts[:n_inner])
    return inner + (".*" if has_open_end else parts[-1])


def _segment(blocks: list[str], *, is_inner: bool) -> str:
    first, *rest = blocks
    end = _ANY_NAME + rest.pop() if rest and not is_inner else ""
    return first + "".join(f"(?>{_ANY_NAME}?{block})" for block in rest) + end


def _spans_folders(glob: str, start: int, end: int) -> bool:
    """Whether asterisks match any number of folders."""
    if end - start < 2 or not (end == len(glob) or glob.startswith(_SLASHES, end)):
        return False
    # Git compares the part before the first wildcard separately, and treats the rest as
    # the start of the pattern.
    return glob[start - 1] == "/" or not _SPECIAL.intersection(glob[:start])


def _one_character(glob: str, at: int, *, ignores_case: bool) -> tuple[str, int]:
    """Translate one character; returns the expression and the next index."""
    match glob[at]:
        case "?":
            return "[^/]", at + 1
        case "[":
            return read_class(glob, at, ignores_case=ignores_case)
        case "\\":
            if at + 1 == len(glob):
                raise ValueError("it ends with a backslash")
            if ignores_case and glob[at + 1] in string.ascii_uppercase:
                # Git compares it with the text in lower case.
                return _NOTHING, at + 2
            return re.escape(glob[at + 1]), at + 2
        case char:
            return re.escape(char), at + 1
