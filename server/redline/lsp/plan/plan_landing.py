"""Which files of a workspace edit show what it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from redline.assist.editor.workspace import Workspace
from redline.assist.plan.application import AppliedFile
from redline.assist.plan.planned_files import MAX_PLANNED_BYTES
from redline.errors import UnreadableFileError
from redline.files import read_text
from redline.text.lines import with_line_feeds
from redline.text.uri import uri_path

_LIMIT_S = 5.0
"""Longest wait for the editor to show an edit that it says it has applied."""


class PlanLanding:
    """Compares files with what an edit makes of them; a `DocumentWatcher`."""

    def __init__(self, workspace: Workspace, files: Sequence[AppliedFile]) -> None:
        self._workspace = workspace
        self._files = files
        self._open: dict[str, AppliedFile] = {}
        """The files whose text is edited, by the URIs of their documents."""
        self._changed = asyncio.Event()
        self._watch_open()

    def close(self) -> None:
        for uri in self._open:
            self._workspace.unwatch(uri, self)

    def document_changed(self) -> None:
        """Look again."""
        self._changed.set()

    def document_closed(self) -> None:
        """Look again: a deleted file is closed."""
        self._changed.set()

    async def missing(self, *, is_previewed: bool) -> tuple[str, ...]:
        """Return the paths of the files that an applied edit has left as they were.

        Args:
            is_previewed: Whether the editor has a preview in which files can be left
                out, and saves the others. One without may hold files that it has not
                opened in buffers that neither the disk nor a message shows.
        """
        # Some editors open the files that they edit, and report the change later.
        self._watch_open()
        with suppress(TimeoutError):
            async with asyncio.timeout(_LIMIT_S):
                while any(map(self._is_unchanged, self._open)):
                    self._changed.clear()
                    await self._changed.wait()
        looked_at = self._files if is_previewed else tuple(self._open.values())
        return await self._paths(looked_at, _is_as_before)

    async def not_shown(self) -> tuple[str, ...]:
        """Return the paths of the files that do not show an edit that has failed."""
        return await self._paths(self._files, _is_not_after)

    async def _paths(
        self,
        files: Sequence[AppliedFile],
        is_meant: Callable[[AppliedFile, _Texts], bool],
    ) -> tuple[str, ...]:
        opened = {
            uri: self._text(own)
            for file in files
            for uri in (file.uri, file.old_uri)
            if self._workspace.has(own := self._workspace.own_uri(uri))
        }
        return await asyncio.to_thread(
            lambda: tuple(
                one.path for one in files if is_meant(one, _Texts(opened=opened))
            )
        )

    def _watch_open(self) -> None:
        for file in self._files:
            uri = self._workspace.own_uri(file.uri)
            is_edited = not file.old_uri and file.after is not None
            is_new = uri not in self._open and self._workspace.has(uri)
            if is_edited and is_new:
                self._open[uri] = file
                self._workspace.watch(uri, self)

    def _is_unchanged(self, uri: str) -> bool:
        return self._workspace.has(uri) and self._text(uri) == self._open[uri].before

    def _text(self, uri: str) -> str:
        return with_line_feeds(self._workspace.document(uri).snapshot().lines)


class _Texts:
    """The texts of files, as the editor or else the disk has them."""

    def __init__(self, opened: Mapping[str, str]) -> None:
        self._opened = opened

    def exists(self, uri: str) -> bool:
        """Whether there is such a file on disk."""
        return Path(uri_path(uri)).exists()

    def text(self, uri: str) -> str | None:
        """Return the text of a file; None: there is none that can be read."""
        if uri in self._opened:
            return self._opened[uri]
        try:
            return read_text(Path(uri_path(uri)), max_bytes=MAX_PLANNED_BYTES)
        except UnreadableFileError:
            return None


def _is_as_before(file: AppliedFile, texts: _Texts) -> bool:
    if file.old_uri:
        return texts.exists(file.old_uri)
    if file.after is None:
        return texts.exists(file.uri)
    return texts.text(file.uri) == file.before


def _is_not_after(file: AppliedFile, texts: _Texts) -> bool:
    if file.after is None:
        return texts.exists(file.uri)
    return texts.text(file.uri) != file.after
