"""Finds the values of a YAML document that its structure marks as secret.

These are all values of a Kubernetes `Secret`, and values on the lines after the line of
their key: block and folded scalars (YAML 1.2.2 section 8.1), and scalars that begin on
the next line. Documents are read by their indentation, without a parser: they may be
cut anywhere, be templates, or have errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from msgspec import Struct

from redline.prompts.secrets.escapes import unescaped

Span = tuple[int, int]

_SUFFIXES = frozenset({".dockercompose", ".helm", ".yaml", ".yml"})
"""With identifiers of languages, which a document that is no file has as a suffix."""

_ENTRY = re.compile(
    r"(?P<indent> *+(?:- ++)*+)"
    r"(?P<quote>[\"']?)(?P<key>[\w.][\w./-]{0,252}+)(?P=quote)[ \t]{0,8}+"
    r":(?:[ \t]++(?P<value>.*+)|$)"
)
"""A line with a key of a block mapping, perhaps the first one of a list's item."""

_PROPERTIES = r"(?:[!&]\S{0,200}+[ \t]++){0,2}+"
_BLOCK = re.compile(rf"{_PROPERTIES}[|>][-+0-9]{{0,2}}[ \t]*+(?:#.*)?")
"""The header of a block or folded scalar."""
_BEFORE = re.compile(rf"{_PROPERTIES}")
"""Tags and anchors before a value."""
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#.*")

_QUOTED = re.compile(r"(\"(?:\\.|[^\"\\])*+\"|'[^']*+(?:''[^']*+)*+')[ \t]*+(?:#.*)?")
"""A value (group 1) in quotes, all on one line."""

_IS_SECRET = re.compile(r"([\"']?)Secret\1[ \t]*+(?:#.*)?")
_DATA = ("data", "stringData")

MANIFESTS = (
    *("kind: Secret", 'kind: "Secret"', "kind: 'Secret'"),
    *(r"kind: \"Secret\"", r"kind: \'Secret\'"),
)
"""A manifest in a file of another kind has one of these: in a here-document, in a block
of Markdown, or in a string, where quotes may be escaped."""

_IN_FLOW = re.compile(
    r"[{,]\s{0,20}+[\"']?[\w.-]{1,253}+[\"']?\s{0,20}+:\s{0,20}+"
    r"(?:\"([^\"]*+)\"|'([^']*+)'|([^\s,{}\"']++))"
)
"""The value (in one of the groups) of a flow mapping's key."""

_HARMLESS = re.compile(
    r"\{\{.*\}\}|\$\{.*\}|\$\(.*\)|<.*>|\*\w+|(?:true|false|null)", re.IGNORECASE
)
"""A value that is filled in elsewhere, or that has only one meaning."""

_MIN_VALUE = 4
"""Characters of the shortest value of a `Secret` that is hidden; less would be hidden
in every place of a prompt where it happens to stand."""

_MAX_LINES = 100
"""Lines of a scalar after the line of a key such as `password`."""


@lru_cache(maxsize=1_024)
def is_yaml(path: str) -> bool:
    """Whether a file is YAML, or a template of it, such as `a.yaml.j2`.

    Each prompt asks it of a dozen texts of the same few files.
    """
    return not _SUFFIXES.isdisjoint(PurePosixPath(path.lower()).suffixes)


class ScalarBelow(NamedTuple):
    """A scalar on the lines after the line of its key."""

    key: str
    lines: tuple[tuple[int, str], ...]
    """Its lines without their margins, each with the place where it starts."""


class _Line(NamedTuple):
    start: int
    text: str
    column: int
    """Of the first character; a key after the dash of a list's item has its own."""
    entry: re.Match[str] | None


class _Mapping(Struct):
    """A mapping that is being read: perhaps a manifest."""

    column: int
    is_secret: bool = False
    values: list[Span] = []


def scalars_below(text: str) -> Iterator[ScalarBelow]:
    """Yield the scalars that are on other lines than their keys."""
    key: str | None = None
    column = 0
    is_block = False
    below: list[tuple[int, str]] = []
    for line in _lines(text):
        content = line.text.strip()
        if key is not None and not is_block and content.startswith("#"):
            continue
        if key is not None and (not content or line.column > column):
            is_scalar = is_block or not (line.entry or content.startswith("-"))
            if content and is_scalar:
                below.append((line.start + line.column, content))
            if is_scalar and len(below) <= _MAX_LINES:
                continue
            key = None if line.entry is None else key
            below.clear()
        if key is not None and below:
            yield ScalarBelow(key, tuple(below))
        key, below = None, []
        if line.entry is not None:
            value = line.entry["value"] or ""
            is_block = _BLOCK.fullmatch(value) is not None
            if is_block or not _COMMENT.sub("", _BEFORE.sub("", value + " ")).strip():
                key, column = line.entry["key"], _column(line.entry)
    if key is not None and below:
        yield ScalarBelow(key, tuple(below))


def values_of_manifests(text: str) -> Iterator[Span]:
    """Yield the values under `data:` and `stringData:` of each `kind: Secret`.

    The kind may be named before or after them, also in an item of a list.
    """
    if "Secret" not in text or "ata" not in text:
        return
    open_ones: list[_Mapping] = []
    lines = list(_lines(text))
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.text.startswith(("---", "...")):
            yield from _close(open_ones, -1)
        if (entry := line.entry) is None:
            continue
        column = _column(entry)
        is_item = "-" in entry["indent"]
        # An item of a list begins a mapping of its own.
        yield from _close(open_ones, line.column - 1 if is_item else column)
        if not open_ones or open_ones[-1].column != column:
            open_ones.append(_Mapping(column))
        mapping = open_ones[-1]
        value = entry["value"] or ""
        if entry["key"] == "kind":
            mapping.is_secret |= _IS_SECRET.fullmatch(value) is not None
        elif entry["key"] in _DATA:
            first = line.start + entry.start("value")
            mapping.values += (
                (first + start, first + end) for start, end in _in_flow(value)
            )
            end = _end_of_data(lines, at, column)
            mapping.values += _values(lines[at:end], text)
            at = end
    yield from _close(open_ones, -1)


def values_of_escaped_manifests(text: str) -> Iterator[Span]:
    """Yield the same values of a manifest that is a string on one line."""
    start = 0
    for line in text.split("\n"):
        if "\\n" in line and any(map(line.__contains__, MANIFESTS)):
            inner, places = unescaped(line)
            # The quotes of the string end the first and the last line of the manifest.
            document = "".join(
                "\n" if char in "\"'`" and line[at] == char else char
                for char, at in zip(inner, places, strict=False)
            )
            for a, b in values_of_manifests(document):
                yield start + places[a], start + places[b]
        start += len(line) + 1


def _end_of_data(lines: list[_Line], at: int, column: int) -> int:
    """Return the end of the lines from there on that are below a key."""
    while at < len(lines) and (not lines[at].text.strip() or lines[at].column > column):
        at += 1
    return at


def _close(open_ones: list[_Mapping], column: int) -> Iterator[Span]:
    """End the mappings that are further right; yields the values of manifests."""
    while open_ones and open_ones[-1].column > column:
        mapping = open_ones.pop()
        if mapping.is_secret:
            yield from mapping.values


def _values(lines: list[_Line], text: str) -> Iterator[Span]:
    """Yield the values of a block mapping, each with all of its lines."""
    column: int | None = None
    value: Span | None = None
    for line in lines:
        content = line.text.rstrip()
        end = line.start + len(content)
        if line.entry is not None and (column is None or line.column <= column):
            column = line.column
            yield from _trimmed(value, text)
            found = line.entry["value"] or ""
            if not found or _BLOCK.fullmatch(found):
                value = end, end
                continue
            first = line.start + line.entry.start("value")
            before = _BEFORE.match(found)
            start = first + (before.end() if before else 0)
            if quoted := _QUOTED.fullmatch(line.text, start - line.start):
                end = line.start + quoted.end(1)
            elif comment := _COMMENT.search(found):
                end = max(start, first + comment.start())
            value = start, end
        elif column is not None and content and line.column > column and value:
            value = (value[0], end)
    yield from _trimmed(value, text)


def _trimmed(value: Span | None, text: str) -> Iterator[Span]:
    """Yield the span of a value without margins and quotes, if it may be secret."""
    if value is None:
        return
    start, end = value
    whole = text[start:end]
    start += len(whole) - len(whole.lstrip())
    whole = whole.strip()
    if whole[:1] in ("'", '"') and whole[-1:] == whole[:1]:
        start += 1
        whole = whole[1:-1]
    if len(whole) >= _MIN_VALUE and not _HARMLESS.fullmatch(whole):
        yield start, start + len(whole)


def _in_flow(value: str) -> Iterator[Span]:
    if not value.startswith("{") or value.startswith("{{"):
        return
    for found in _IN_FLOW.finditer(value):
        yield from _trimmed(found.span(found.lastindex or 0), value)


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        column = len(line) - len(line.lstrip(" "))
        yield _Line(start, line, column, _ENTRY.match(line))
        start += len(line) + 1


def _column(entry: re.Match[str]) -> int:
    return entry.end("indent")
