"""Shows text to the user, as a document if the client can, else as a message."""

from __future__ import annotations

import asyncio
import itertools
import logging
import shutil
from pathlib import Path

from redline.errors import EditorError, RemoteProtocolError
from redline.lsp.client.window import MessageType, show_document, show_message
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.owner_only_files import let_owner_in, write_private_file

_MESSAGE_N_CHARS = 2_000

logger = logging.getLogger(__name__)


class DocumentShower:
    """Shows Markdown. Its files are in a folder that only the user can read, and are
    deleted when the server ends."""

    def __init__(self, endpoint: Endpoint, *, shows_documents: bool) -> None:
        self._endpoint = endpoint
        self._shows_documents = shows_documents
        self._folder: Path | None = None
        self._numbers = itertools.count(1)

    async def show(self, markdown: str) -> None:
        """Show a text as a document, or as a message if that fails."""
        if self._shows_documents and await self._has_shown(markdown):
            return
        message = markdown[:_MESSAGE_N_CHARS]
        show_message(self._endpoint, MessageType.INFO, message)

    async def aclose(self) -> None:
        folder, self._folder = self._folder, None
        if folder is not None:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def _has_shown(self, markdown: str) -> bool:
        try:
            file = await asyncio.to_thread(self._write, markdown)
            return await show_document(self._endpoint, file.as_uri(), takes_focus=False)
        except (OSError, EditorError, RemoteProtocolError) as exc:
            logger.info("no document was shown: %s", exc)
            return False

    def _write(self, markdown: str) -> Path:
        # Imported late: most runs of a server show no document.
        import tempfile

        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="redline-"))
            let_owner_in(self._folder)
        file = self._folder / f"explanation-{next(self._numbers)}.md"
        write_private_file(file, markdown)
        return file
