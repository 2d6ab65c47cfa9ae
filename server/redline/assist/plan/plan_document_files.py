"""The documents of plans, as files in the user's data folder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from redline.assist.workspace import Workspace
from redline.errors import InvalidArgumentsError, StoreError, UnreadableFileError
from redline.files import read_text
from redline.owner_only_files import create_private_folder, write_private_file
from redline.plans.document import PlanDocument, read_document, write_document
from redline.plans.plan import Plan
from redline.settings.tree import Settings

_MAX_BYTES = 1_000_000
_MAX_SHOWN = 3


class PlanDocumentFiles:
    """Writes plans as documents, and reads what the user made of them."""

    def __init__(self, workspace: Workspace, settings: Callable[[], Settings]) -> None:
        self._workspace = workspace
        self._settings = settings

    def path(self, plan_id: str) -> Path:
        """Return the file of a plan: beside the stored plans."""
        # Imported here: it loads SQLite.
        from redline.store.database import file_of

        return file_of(self._settings().store).parent / "plans" / f"{plan_id}.md"

    async def write(self, plan_id: str, plan: Plan) -> None:
        """Write the document of a plan.

        Raises:
            StoreError: If it cannot be written.
        """

        def write() -> None:
            path = self.path(plan_id)
            create_private_folder(path.parent)
            write_private_file(path, write_document(plan))

        try:
            await asyncio.to_thread(write)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise StoreError(f"The plan's document cannot be written: {reason}.") from (
                error
            )

    async def read(self, plan_id: str, plan: Plan) -> PlanDocument:
        """Read what the user made of a document; a missing one is the plan itself.

        An open document counts, with what is not saved yet.

        Raises:
            InvalidArgumentsError: If it cannot be read as a plan.
        """
        path = await asyncio.to_thread(self.path, plan_id)
        uri = path.as_uri()
        if self._workspace.has(uri):
            text = self._workspace.document(uri).snapshot().text
        else:
            try:
                text = await asyncio.to_thread(read_text, path, max_bytes=_MAX_BYTES)
            except UnreadableFileError:
                return read_document(write_document(plan))
        document = read_document(text)
        if document.problems:
            named = [
                f"line {one.line + 1}: {one.message}"
                for one in document.problems[:_MAX_SHOWN]
            ]
            raise InvalidArgumentsError(
                f"The plan's document cannot be read: {' '.join(named)}",
                remedy=f"Nothing was started; correct {path}, or plan again.",
            )
        return document
