"""Tests for a range, written into the test file of its language's convention.

The test file need not be open, nor exist: during the edit the workspace has it as if it
were open, so that the edit is written and checked like any other. Nothing is written to
disk: the caller gets the edit.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.actions.test_file import find_test_file, has_test_files
from redline.assist.edit.computed_edit import computed_edit
from redline.assist.edit.edits import Edits
from redline.assist.edit.session.result import EditRequest
from redline.assist.editor.services import EditorServices
from redline.assist.editor.workspace import display_name
from redline.assist.privacy.timely_rules import TimelyRules
from redline.errors import (
    CallerError,
    MissingFileError,
    OutdatedError,
    UnreadableFileError,
)
from redline.files import entries_of, leads_out, read_file
from redline.prompts.write_tests import WriteTestsTask, instruction_to_test
from redline.routing.route import Tier, route
from redline.routing.task import Task
from redline.text.document import Document, Snapshot
from redline.text.lines import with_line_feeds
from redline.text.position import Position, Range
from redline.text.region import Region, TextEdit, widen
from redline.text.uri import path_in, uri_parts, uri_path

_NO_VERSION = 0
"""The version of a document that is not open in the editor."""

_MAX_BYTES = 1_000_000
"""Largest test file; a larger one was not written by hand."""

_MAX_NAMES = 100_000
"""Most entries of a folder; a folder with more counts as empty."""


class WrittenTests(Struct, frozen=True, kw_only=True):
    """Tests, as an edit of a file that may not be open."""

    snapshot: Snapshot
    """The text that the edit is for; its URI is the test file's."""
    edits: tuple[TextEdit, ...]
    is_open: bool
    """Whether the editor has the file open, in that version."""
    is_new: bool
    """Whether the file has to be created."""


class _Place(Struct, frozen=True, kw_only=True):
    """A test file on disk."""

    uri: str
    path: str
    """Relative to the workspace folder."""
    text: str | None
    """None: the file does not exist."""


class TestWriter:
    """Requests tests for code in open documents."""

    __test__ = False
    """Keeps pytest from collecting this class because of its name."""

    def __init__(self, services: EditorServices, edits: Edits) -> None:
        self._workspace = services.workspace
        self._edits = edits
        self._settings = services.settings
        self._ignore_rules = TimelyRules()

    async def write(
        self,
        snapshot: Snapshot,
        selection: Range,
        *,
        wish: str = "",
        progress_token: str | int | None = None,
    ) -> WrittenTests:
        """Write tests for a range of an open document.

        Cancelling is safe: the session is stopped.

        Args:
            snapshot: The document with the code.
            selection: In code points, clamped; widened to whole lines.
            wish: Additional instructions of the user.
            progress_token: The client's, if it has one.

        Raises:
            CallerError: If the place for tests of this language is unknown, or the
                document is not a file.
            HeldBackError: If the code must not be sent to a model.
            OutdatedError: If the test file was opened or written in the meantime.
            RedlineError: As `computed_edit`.
        """
        await self._refuse(snapshot)
        region = widen(snapshot.lines, selection)
        root, path = self._root(snapshot.uri)
        place = await asyncio.to_thread(_find, root, path, snapshot.language_id)
        place = replace(place, uri=self._workspace.own_uri(place.uri))
        is_open = self._workspace.has(place.uri)
        is_new = place.text is None and not is_open
        task = WriteTestsTask(
            path=path,
            test_path=place.path,
            code=with_line_feeds(region.lines),
            is_new_file=is_new,
            wish=wish,
        )
        with self._opened(place, snapshot.language_id) as document:
            request = EditRequest(
                session_id=secrets.token_hex(8),
                uri=place.uri,
                range=_whole(document.snapshot()),
                instruction=instruction_to_test(task),
                kind="tests",
                tier=self._tier(snapshot, path, region),
                apply="hand-over",
                progress_token=progress_token,
            )
            done = await computed_edit(self._edits.open(request))
        if not is_open:
            await self._refuse_changed(place, root, done.snapshot)
        return WrittenTests(
            snapshot=done.snapshot, edits=done.edits, is_open=is_open, is_new=is_new
        )

    async def _refuse(self, snapshot: Snapshot) -> None:
        if not has_test_files(snapshot.language_id):
            raise CallerError(
                f"Redline does not know where tests of {snapshot.language_id} belong."
            )
        if uri_parts(snapshot.uri).scheme != "file":
            raise CallerError("Only a file that was saved can have a test file.")
        name = self._workspace.relative_path(snapshot.uri)
        if any("\ud800" <= each <= "\udfff" for each in str(uri_path(snapshot.uri))):
            raise CallerError(f"{name} has no test file: its path is not in UTF-8.")
        await self._ignore_rules.refuse(snapshot.uri, self._workspace.roots, name)

    async def _refuse_changed(
        self, place: _Place, root: str, snapshot: Snapshot
    ) -> None:
        """Refuse the edit of a file that was opened or written in the meantime."""
        folder = Path(uri_path(root))
        text = await asyncio.to_thread(_read, folder / place.path, folder)
        edited = "".join(snapshot.lines)
        own = self._workspace.own_uri(place.uri)
        if self._workspace.has(own) or (text or "") != edited:
            raise OutdatedError(f"{place.path} has changed in the meantime.")

    def _root(self, uri: str) -> tuple[str, str]:
        """Split a URI at its workspace folder; outside of all, at its own folder."""
        for root in self._workspace.roots:
            if (path := path_in(uri, root)) is not None:
                return root.rstrip("/") + "/", path
        head, _, _ = uri.rpartition("/")
        return f"{head}/", display_name(uri)

    def _tier(self, snapshot: Snapshot, path: str, region: Region) -> Tier | None:
        """Return the tier that boundaries demand for the tested code, if any."""
        task = Task(
            instruction="Write tests.",
            path=path,
            language=snapshot.language_id,
            code=region.text,
            kind="tests",
        )
        found = route(task, settings=self._settings().routing, asked=None)
        return found.tier if found.boundaries else None

    @contextmanager
    def _opened(self, place: _Place, language: str) -> Iterator[Document]:
        """Open the test file in the workspace during the edit."""
        if self._workspace.has(place.uri):
            yield self._workspace.document(place.uri)
            return
        self._workspace.open(place.uri, language, _NO_VERSION, place.text or "")
        document = self._workspace.document(place.uri)
        try:
            yield document
        finally:
            # The user may have opened it in the meantime: then it is another object.
            if self._workspace.is_open(document):
                self._workspace.close(place.uri)


def _find(root: str, path: str, language: str) -> _Place:
    """Find the test file of a file; call it in a thread, since it reads folders."""
    folder = Path(uri_path(root))
    test_path = find_test_file(path, language, lambda inside: _names(folder / inside))
    text = _read(folder / test_path, folder)
    return _Place(uri=root + quote(test_path), path=test_path, text=text)


def _names(folder: Path) -> frozenset[str]:
    try:
        return frozenset(one.name for one in entries_of(folder, max_entries=_MAX_NAMES))
    except UnreadableFileError:
        return frozenset()


def _read(file: Path, root: Path) -> str | None:
    """Read a file with its line ends; None if it does not exist.

    Raises:
        CallerError: If it exists and cannot be edited.
    """
    try:
        return read_file(file, max_bytes=_MAX_BYTES, roots=(root,)).decode("utf-8")
    except MissingFileError as exc:
        if leads_out(file, (root,)):
            raise CallerError(
                f"The test file {file.name} is not written: it is a link that leads"
                " out of the folder."
            ) from exc
        return None
    except UnreadableFileError as exc:
        raise CallerError(
            f"The test file {file.name} is not used: {exc.reason}."
        ) from exc
    except UnicodeDecodeError as exc:
        raise CallerError(f"The test file {file.name} is not UTF-8 text.") from exc


def _whole(snapshot: Snapshot) -> Range:
    last = len(snapshot.lines) - 1
    return Range(Position(0, 0), Position(last, len(snapshot.lines[last])))
