"""The documents of plans, as files in the user's data folder, if they are stored."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from redline.assist.editor.workspace import Workspace
from redline.errors import (
    InvalidArgumentsError,
    MissingFileError,
    StoreError,
    UnreadableFileError,
)
from redline.files import entries_of, read_text
from redline.owner_only_files import create_private_folder, write_private_file
from redline.plans.document import (
    PlanDocument,
    document_name,
    plan_id_of,
    read_document,
    write_document,
)
from redline.plans.record import PlanRecord
from redline.settings.tree import Settings

logger = logging.getLogger(__name__)

_MAX_BYTES = 1_000_000
_MAX_SHOWN = 3
_MAX_DOCUMENTS = 100_000


class PlanDocumentFiles:
    """Writes plans as documents, and reads what the user made of them."""

    def __init__(self, workspace: Workspace, settings: Callable[[], Settings]) -> None:
        self._workspace = workspace
        self._settings = settings

    def path(self, record: PlanRecord) -> Path:
        """Return the file of a plan: beside the stored plans."""
        return self._folder() / document_name(record.request.instruction, record.id)

    async def delete(self, plan_ids: Collection[str]) -> None:
        """Delete the documents of plans; the log names those that cannot be deleted."""
        if plan_ids:
            await asyncio.to_thread(self._delete, frozenset(plan_ids))

    async def write(self, record: PlanRecord) -> None:
        """Write the document of a plan, unless nothing is to be stored.

        Raises:
            StoreError: If it cannot be written.
        """
        plan = record.plan
        assert plan is not None
        if not self._settings().store.enabled:
            return

        def write() -> None:
            path = self.path(record)
            create_private_folder(path.parent)
            write_private_file(path, write_document(plan, record.revision))

        try:
            await asyncio.to_thread(write)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise StoreError(f"The plan's document cannot be written: {reason}.") from (
                error
            )

    async def read(self, record: PlanRecord) -> PlanDocument:
        """Read what the user made of a document; a missing one is the plan itself.

        An open document counts, with what is not saved yet.

        Raises:
            InvalidArgumentsError: If it cannot be read as this plan.
        """
        plan = record.plan
        assert plan is not None
        path = await asyncio.to_thread(self.path, record)
        remedy = f"Nothing was started; correct {path}, or plan again."
        text = await self._text(path, remedy)
        if text is None:
            return read_document(write_document(plan, record.revision))
        document = await asyncio.to_thread(read_document, text)
        if document.problems:
            named = [
                f"line {one.line + 1}: {one.message}"
                for one in document.problems[:_MAX_SHOWN]
            ]
            raise InvalidArgumentsError(
                f"The plan's document cannot be read: {' '.join(named)}", remedy=remedy
            )
        if document.revision != record.revision:
            raise InvalidArgumentsError(
                f"The plan's document is of plan {document.revision}, and the current "
                f"one is plan {record.revision}: it was planned again.",
                remedy=f"Nothing was started; load {path} into the editor again.",
            )
        return document

    def _folder(self) -> Path:
        # Imported here: it loads SQLite.
        from redline.store.database import file_of

        return file_of(self._settings().store).parent / "plans"

    def _delete(self, plan_ids: Collection[str]) -> None:
        with suppress(UnreadableFileError):
            for entry in entries_of(self._folder(), max_entries=_MAX_DOCUMENTS):
                if plan_id_of(entry.name) in plan_ids:
                    try:
                        os.unlink(entry.path)
                    except OSError as error:
                        reason = error.strerror or type(error).__name__
                        logger.warning(
                            "the document of an old plan cannot be deleted, and stays: "
                            "%s: %s",
                            entry.path,
                            reason,
                        )

    async def _text(self, path: Path, remedy: str) -> str | None:
        """Return the text of a document; None: there is none.

        Raises:
            InvalidArgumentsError: If it is there, and cannot be read.
        """
        uri = self._workspace.own_uri(path.as_uri())
        try:
            if self._workspace.has(uri):
                text = self._workspace.document(uri).snapshot().text
                if len(text) > _MAX_BYTES:
                    raise UnreadableFileError(str(path), reason="it is too large")
                return text
            return await asyncio.to_thread(read_text, path, max_bytes=_MAX_BYTES)
        except MissingFileError:
            return None
        except UnreadableFileError as error:
            raise InvalidArgumentsError(
                f"The plan's document cannot be read: {error.reason}.", remedy=remedy
            ) from error
