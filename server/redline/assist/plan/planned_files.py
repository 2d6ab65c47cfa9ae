"""Reads the files that a plan names, within the folders and rules of the workspace."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from redline.assist.context.workspace_files import MAX_FILE_BYTES, source_files
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.assist.privacy.linked_files import without_links
from redline.errors import (
    MissingFileError,
    ParserEndedError,
    UnreadableFileError,
)
from redline.files import FullStamp, full_stamp_of, read_text
from redline.parsing.work import WorkRunner
from redline.plans.contracts import OUTLINES, OutlineQuestion
from redline.plans.refusals import PlannedFile, path_fault
from redline.text.document import Snapshot
from redline.text.lines import with_line_feeds
from redline.text.uri import path_in, uri_path

MAX_PLANNED_BYTES = 1_000_000
_MAX_SEARCH_S = 5.0
"""Longest search of the workspace for a name."""


class PlanFiles:
    """The files of one workspace, as a plan sees them."""

    def __init__(self, roots: Sequence[str]) -> None:
        """Use the first folder for paths, and all of them for the rules."""
        self.roots = tuple(roots)
        self._root = Path(uri_path(roots[0]))
        self._rules = IgnoreRules()
        self._first_seen: dict[str, FullStamp | None] = {}

    def uri(self, path: str) -> str:
        return (self._root / path).as_uri()

    def path(self, uri: str) -> str | None:
        """Return a document's path in the plan; None: it is not in the folder."""
        return path_in(uri, self.roots[0]) or None

    def is_linked(self, path: str) -> bool:
        """Whether a path is a link or reached through one; blocks."""
        real = Path(os.path.realpath(self._root / path))
        return real != Path(os.path.realpath(self._root)) / path

    def opened(self, documents: Mapping[str, Snapshot]) -> dict[str, Snapshot]:
        """Return the open documents by their path in the plan; blocks.

        A document counts, too, if it is open by another path of a file in the folder.
        """
        own = {path: one for uri, one in documents.items() if (path := self.path(uri))}
        real = {
            path: one for uri, one in documents.items() if (path := self._real(uri))
        }
        return real | own

    def read(
        self, paths: Iterable[str], documents: Mapping[str, Snapshot]
    ) -> dict[str, PlannedFile]:
        """Read files, without their definitions; blocks, so call it in a thread.

        Args:
            paths: Any paths; what may not be read is said in `PlannedFile.reason`.
            documents: The open documents, whose text counts instead of that on disk.
        """
        opened = self.opened(documents)
        return {path: self._read(path, opened.get(path)) for path in paths}

    async def outlined(
        self, files: Mapping[str, PlannedFile], parser: WorkRunner
    ) -> dict[str, PlannedFile]:
        """Return the files with their definitions; none if a parser gives up."""
        texts = {
            path: file.text for path, file in files.items() if file.text is not None
        }
        try:
            found = await parser.run(OUTLINES, OutlineQuestion(texts=texts))
        except ParserEndedError:
            found = {}
        return {
            path: replace(file, definitions=found.get(path, ()))
            for path, file in files.items()
        }

    def first_seen(self, paths: Iterable[str]) -> dict[str, FullStamp]:
        """Return how files were when this object first listed or read them."""
        found = {path: self._first_seen.get(path) for path in paths}
        return {path: stamp for path, stamp in found.items() if stamp is not None}

    def has_changed(self, path: str, text: str, seen: FullStamp | None) -> bool:
        """Whether a file is not, or no longer, what a plan was made for; blocks.

        Args:
            path: The file.
            text: What the plan takes it for.
            seen: How it was when the plan was made; None: not known.
        """
        is_other = self._read(path, None).text != text
        return is_other or seen not in (None, full_stamp_of(self._root / path))

    def holding(self, names: Collection[str]) -> dict[str, dict[str, str]]:
        """Find the source files that hold names; blocks, so call it in a thread.

        Returns:
            The texts of the files by path, by name.
        """
        found: dict[str, dict[str, str]] = {name: {} for name in names}
        if not names:
            return found
        words = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")
        end = time.monotonic() + _MAX_SEARCH_S
        for file in source_files(self.roots[:1], self._rules):
            if time.monotonic() > end:
                break
            if file is None:
                continue
            try:
                text = read_text(file.file, max_bytes=MAX_FILE_BYTES)
            except UnreadableFileError:
                continue
            for name in set(words.findall(text)):
                found[name][file.path] = text
        return found

    def names(self, limit: int) -> list[str]:
        """Return the paths of source files; blocks, so call it in a thread.

        Those above the limit are seen, too: a plan may name any file.
        """
        found: list[str] = []
        end = time.monotonic() + _MAX_SEARCH_S
        for file in source_files(self.roots[:1], self._rules):
            if time.monotonic() > end:
                break
            if file is None:
                continue
            self._see(file.path)
            if len(found) < limit and file.path.isprintable():
                found.append(file.path)
        return found

    def _real(self, uri: str) -> str | None:
        """Return a document's path in the plan without links, as `path` does."""
        real, (folder,) = without_links(uri, self.roots[:1])
        return path_in(real, folder) or None

    def _see(self, path: str) -> None:
        if path not in self._first_seen:
            self._first_seen[path] = full_stamp_of(self._root / path)

    def _read(self, path: str, opened: Snapshot | None) -> PlannedFile:
        if (reason := path_fault(path)) is not None:
            return PlannedFile(reason=reason)
        file = self._root / path
        if self.is_linked(path):
            return PlannedFile(reason="it is reached through a link")
        if (reason := self._rules.reason(file.as_uri(), self.roots)) is not None:
            return PlannedFile(reason=reason)
        self._see(path)
        if opened is not None:
            return PlannedFile(text=with_line_feeds(opened.lines))
        try:
            text = read_text(file, max_bytes=MAX_PLANNED_BYTES, roots=[self._root])
        except MissingFileError:
            return PlannedFile()
        except UnreadableFileError as error:
            return PlannedFile(reason=error.reason)
        if "\ufffd" in text:
            return PlannedFile(reason="it is not text in UTF-8")
        return PlannedFile(text=text)


async def read_files(
    files: PlanFiles,
    paths: Iterable[str],
    *,
    documents: Mapping[str, Snapshot],
    parser: WorkRunner,
) -> dict[str, PlannedFile]:
    read = await asyncio.to_thread(files.read, tuple(paths), documents)
    return await files.outlined(read, parser)
