"""The keys and entries of a YAML document that is written in lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

_DASHES = re.compile(r"[ ]*+(?:-[ ]++)*+")
_KEY = re.compile(
    r"(?P<quote>[\"']?)(?P<key>[\w.\-/]++)(?P=quote):(?:\s++(?P<value>.*))?$"
)
_TEXT = re.compile(r"(?:^|\s)[|>][-+\d]*+$")
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*")
_LIST = re.compile(r"\[(?P<inside>[^\[\]{}]*)\]")
_NO_LINES = re.compile(
    r"^\t|^[ \t]*+(?:\{[{%]|<%|\?\s)|(?:^|\s)<<:|(?:^|[\s\[])[&*]\w", re.M
)


class YamlEntry(Struct, frozen=True, kw_only=True):
    line: int
    path: tuple[str, ...]
    """The keys around it; an entry of a list is a number with a dash."""
    key: str
    """Empty for an entry of a list that has only a value."""
    value: str

    @property
    def values(self) -> list[str]:
        """The value, or those of a list that is written in brackets."""
        inside = _LIST.fullmatch(self.value)
        parts = inside["inside"].split(",") if inside else [self.value]
        return [part.strip().strip("\"'") for part in parts if part.strip()]


def yaml_entries(text: str) -> list[YamlEntry]:
    """Return the entries; none if the text has what is not read, such as anchors."""
    if _NO_LINES.search(text) or "\n---" in text:
        return []
    return list(_entries(text.split("\n")))


def _entries(lines: list[str]) -> Iterator[YamlEntry]:
    around: list[tuple[int, str]] = []
    text_depth: int | None = None
    for number, line in enumerate(lines):
        bare = line.strip()
        depth = len(line) - len(line.lstrip())
        if not bare or (text_depth is not None and depth > text_depth):
            continue
        text_depth = None
        if bare.startswith("#"):
            continue
        dashes = _DASHES.match(line)
        start = dashes.end() if dashes else 0
        columns = [at for at in range(start) if line[at] == "-"]
        _leave(around, columns[0] if columns else start, is_entry=bool(columns))
        around += ((at, f"-{number}") for at in columns)
        content = _COMMENT.sub("", line[start:]).strip()
        found = _KEY.fullmatch(content)
        path = tuple(key for _, key in around)
        value = (found["value"] or "").strip() if found else content
        yield YamlEntry(
            line=number, path=path, key=found["key"] if found else "", value=value
        )
        if found:
            around.append((start, found["key"]))
        if _TEXT.search(value):
            text_depth = columns[-1] if columns and not found else start


def _leave(around: list[tuple[int, str]], depth: int, *, is_entry: bool) -> None:
    """Remove what a line at some depth is no longer in.

    The entries of a list may be as deep as its key.
    """
    while around and (
        around[-1][0] > depth
        or (
            around[-1][0] == depth
            and not (is_entry and not around[-1][1].startswith("-"))
        )
    ):
        around.pop()
