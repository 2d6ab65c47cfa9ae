"""Work for a parser process: finds the files that import a renamed definition.

It walks the workspace and reads every file that may hold the old name, which takes too
long for the event loop. Ignored files are not opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from redline.assist.context.workspace_files import MAX_FILE_BYTES, source_files
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import UnreadableFileError
from redline.files import Stamp, read_text
from redline.next_edits.importers import SCRIPTS, ExportedRename, importing_uses
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.rename import MAX_USES
from redline.next_edits.source import EditedSource
from redline.parsing.work import Work
from redline.text.lines import split_lines
from redline.text.uri import uri_path

MAX_FILES = 20
"""Most files with uses; a rename in more of them is work for another tool."""


class SearchedFile(Struct, frozen=True, kw_only=True):
    """A document that is open in the editor."""

    uri: str
    path: str
    """Relative to the workspace folder."""
    language: str
    lines: Sequence[str]


class ImportSearch(Struct, frozen=True, kw_only=True):
    """What to look for, and where."""

    rename: ExportedRename
    root: str
    """URI of the workspace folder."""
    open_files: tuple[SearchedFile, ...]
    """They are read as they are in the editor."""
    open_uris: tuple[str, ...]
    """All documents that are open, which are not read from the disk."""


class ImportingFile(Struct, frozen=True, kw_only=True):
    """A file that uses the definition."""

    uri: str
    language: str
    edits: tuple[NextEdit, ...]
    text: str = ""
    """Of a file that is not open; LF line ends."""
    stamp: Stamp | None = None
    """Of such a file, when it was read; None: it is open."""


FIND_IMPORTING_FILES: Work[ImportSearch, tuple[ImportingFile, ...]] = Work(
    function="redline.assist.suggestions.next_edits.importing_files:find_importing_files",
    result=tuple[ImportingFile, ...],
)


def find_importing_files(search: ImportSearch) -> tuple[ImportingFile, ...]:
    """Return the files with uses, open ones first; none if there are too many uses."""
    found: list[ImportingFile] = []
    for one in _searched(search):
        found.append(one)
        n_uses = sum(len(each.edits) for each in found)
        if len(found) > MAX_FILES or n_uses > MAX_USES:
            return ()
    return tuple(found)


def _searched(search: ImportSearch) -> Iterator[ImportingFile]:
    rename = search.rename
    for file in search.open_files:
        edits = _uses(file.lines, file.language, file.path, rename)
        if edits:
            yield ImportingFile(uri=file.uri, language=file.language, edits=edits)
    skipped = {uri_path(uri) for uri in search.open_uris}
    for each in source_files([search.root], IgnoreRules()):
        if each is None or not _is_alike(each.language.value, rename.language):
            continue
        if uri_path(each.uri) in skipped:
            continue
        try:
            text = read_text(
                each.file,
                max_bytes=MAX_FILE_BYTES,
                roots=[Path(uri_path(search.root))],
            )
        except UnreadableFileError:
            continue
        language = each.language.value
        if rename.old not in text:
            continue
        edits = _uses(split_lines(text), language, each.path, rename)
        if edits:
            yield ImportingFile(
                uri=each.uri,
                language=language,
                edits=edits,
                text=text,
                stamp=each.stamp,
            )


def _is_alike(language: str, other: str) -> bool:
    return language == other or {language, other} <= SCRIPTS


def _uses(
    lines: Sequence[str], language: str, path: str, rename: ExportedRename
) -> tuple[NextEdit, ...]:
    source = EditedSource(lines, language, max_tokenized=MAX_FILE_BYTES)
    return tuple(importing_uses(source, path, rename))
