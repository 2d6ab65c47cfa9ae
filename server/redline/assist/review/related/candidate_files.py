"""The files of a workspace that hold given names, read and parsed in limited time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

import msgspec

from redline.assist.context.workspace_files import MAX_FILE_BYTES, source_files
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.assist.review.related.outlines import OutlineOf
from redline.errors import UnreadableFileError
from redline.files import read_text
from redline.prompts.relevance import names_in, rank
from redline.syntax.language import Language
from redline.syntax.outline import Outline

_MAX_PARSED = 150
"""How many files are parsed: those that share most names with the reviewed lines."""


class CandidateFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that may be related to a change."""

    path: str
    text: str
    """LF line ends."""
    names: frozenset[str]
    """The wanted names that it holds."""
    outline: Outline


class _Found(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    names: frozenset[str]
    language: Language


def candidate_files(
    wanted: frozenset[str],
    *,
    roots: Sequence[str],
    without: Collection[str],
    is_late: Callable[[], bool],
    outline_of: OutlineOf,
) -> tuple[CandidateFile, ...]:
    """Find the files that hold names.

    Args:
        wanted: The names.
        roots: URIs of the workspace folders.
        without: Paths of files to skip.
        is_late: Whether to stop and return the files found so far.
        outline_of: Parses a file.

    Returns:
        The files, those that share most with the names first.
    """
    found: dict[str, _Found] = {}
    for path, one in _holders(wanted, roots):
        if path is not None and one is not None and path not in without:
            found.setdefault(path, one)
        if is_late():
            break
    ranked = rank(wanted, {path: one.names for path, one in found.items()})
    files: list[CandidateFile] = []
    for path in list(ranked)[:_MAX_PARSED]:
        one = found[path]
        files.append(
            CandidateFile(
                path=path,
                text=one.text,
                names=one.names,
                outline=outline_of(one.text, one.language),
            )
        )
        if is_late():
            break
    return tuple(files)


def _holders(
    wanted: frozenset[str], roots: Sequence[str]
) -> Iterator[tuple[str | None, _Found | None]]:
    """Yield the files that hold names; None, None lets the caller check the time."""
    for file in source_files(roots, IgnoreRules()):
        if file is None:
            yield None, None
            continue
        try:
            text = read_text(file.file, max_bytes=MAX_FILE_BYTES)
        except UnreadableFileError:
            continue
        names = names_in(text) & wanted
        # A path that is not UTF-8 cannot be encoded: the whole answer would fail.
        if names and file.path.isprintable():
            yield file.path, _Found(text=text, names=names, language=file.language)
