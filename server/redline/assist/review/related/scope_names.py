"""The names that connect a change to other code: those it uses and those it defines."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from redline.assist.review.related.outlines import OutlineOf
from redline.findings.scope import ReviewedFile, ReviewScope
from redline.prompts.relevance import names_in
from redline.syntax.facts import Definition
from redline.syntax.language import language_of
from redline.syntax.outline import Outline

MAX_CHARS = 1_000_000
"""Longer files are data; they are not parsed."""

_MAX_FILES = 100
_MAX_NAMES = 80
"""Limit of each kind per file; with more names, every file would be related."""

_MIN_NAME_CHARS = 3
_DUNDER = re.compile(r"__\w+__$")
_SETTING = re.compile(
    r"[\"'](?=[A-Za-z](?:[\w-]*+\.|[^\W_]*+[_-][\w-]))"
    r"([A-Za-z][\w-]*+(?:\.[\w-]++)*+)[\"']"
    r"|\b([A-Z][A-Z\d]*_[A-Z\d_]+)\b"
)
"""Names of settings: quoted text with a dot, dash or underscore, or all capitals."""


class FileNames(msgspec.Struct, frozen=True, kw_only=True):
    """The names that connect one file of a scope to others."""

    path: str
    outline: Outline
    imported: frozenset[str]
    """Every word of its imports."""
    used: tuple[str, ...]
    """Names that the reviewed lines call, and imported names that they use; without
    those that the file itself defines."""
    defined: tuple[str, ...]
    """Names of the definitions that contain reviewed lines."""
    settings: tuple[str, ...]
    """Words of these lines that a configuration file may hold."""


def names_of(scope: ReviewScope, outline_of: OutlineOf) -> list[FileNames]:
    """Collect the names that reviewed lines use and define, file by file, bounded."""
    return [_names_of_file(file, outline_of) for file in scope.files[:_MAX_FILES]]


def _names_of_file(file: ReviewedFile, outline_of: OutlineOf) -> FileNames:
    lines = file.text.split("\n")
    shown = "\n".join(line for first, end in file.spans for line in lines[first:end])
    known = _outline(file, outline_of)
    imported = words_of_imports(known)
    own = {one.name for one in known.definitions}
    called = [
        name for first, end in file.spans for name in known.called_in(range(first, end))
    ]
    return FileNames(
        path=file.path,
        outline=known,
        imported=imported,
        used=_few(
            name
            for name in (*called, *sorted(names_in(shown) & imported))
            if name not in own and (name in imported or not name.startswith("_"))
        ),
        defined=_few(one.name for one in known.definitions if _is_touched(one, file)),
        settings=_few(a or b for a, b in _SETTING.findall(shown)),
    )


def words_of_imports(known: Outline) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", " ".join(one.text for one in known.imports)))


def _outline(file: ReviewedFile, outline_of: OutlineOf) -> Outline:
    language = language_of(file.path, file.language)
    if language is None or len(file.text) > MAX_CHARS:
        return Outline()
    return outline_of(file.text, language)


def _is_touched(one: Definition, file: ReviewedFile) -> bool:
    return any(
        first <= one.last_line and one.first_line < end for first, end in file.spans
    )


def _few(names: Iterable[str]) -> tuple[str, ...]:
    telling = (
        name
        for name in dict.fromkeys(names)
        if len(name) >= _MIN_NAME_CHARS and not _DUNDER.match(name)
    )
    return tuple(telling)[:_MAX_NAMES]
