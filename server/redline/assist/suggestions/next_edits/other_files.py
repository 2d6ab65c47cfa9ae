"""The other files of the workspace that use what the user has renamed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from redline.assist.editor.services import EditorServices
from redline.assist.suggestions.next_edits.edited_document import EditedDocument
from redline.assist.suggestions.next_edits.edited_documents import EditedDocuments
from redline.assist.suggestions.next_edits.importing_files import (
    FIND_IMPORTING_FILES,
    ImportingFile,
    ImportSearch,
    SearchedFile,
)
from redline.errors import ParserEndedError
from redline.next_edits.importers import ExportedRename
from redline.text.document import Document
from redline.text.uri import path_in

logger = logging.getLogger(__name__)


class OtherFiles:
    """Searches the workspace of one editor."""

    def __init__(
        self,
        services: EditorServices,
        documents: EditedDocuments,
        *,
        may_offer: Callable[[Document], bool],
    ) -> None:
        self._workspace = services.workspace
        self._parser = services.parser
        self._documents = documents
        self._may_offer = may_offer

    async def find(
        self, document: Document, rename: ExportedRename
    ) -> Sequence[ImportingFile] | None:
        """Return the files that use a renamed definition of a document.

        Returns:
            None: the document is in no workspace folder.
        """
        root = self._workspace.root_of(document.uri)
        if root is None:
            return None
        search = ImportSearch(
            rename=rename,
            root=root,
            open_files=tuple(self._open_files(root, rename)),
            open_uris=tuple(one.uri for one in self._workspace.documents),
        )
        try:
            return await self._parser.run(FIND_IMPORTING_FILES, search)
        except ParserEndedError as error:
            logger.info("other files were not searched: %s", error.reason)
            return ()

    def state(self, file: ImportingFile) -> EditedDocument | None:
        """Return where what is offered in a file is held; None: nothing may be."""
        if file.stamp is None:
            return self._documents.at(file.uri)
        document = Document(
            uri=file.uri,
            language_id=file.language,
            version=0,
            text=file.text,
            encoding=self._workspace.encoding,
        )
        if not self._may_offer(document):
            return None
        state = EditedDocument(document, stamp=file.stamp)
        self._documents.add_closed(state)
        return state

    def _open_files(self, root: str, rename: ExportedRename) -> list[SearchedFile]:
        """Return the open documents that hold the old name."""
        files = [
            SearchedFile(
                uri=one.uri,
                path=path,
                language=one.language_id,
                lines=one.snapshot().lines,
            )
            for one in self._workspace.documents
            if (path := path_in(one.uri, root)) and self._may_offer(one)
        ]
        return [
            file for file in files if any(rename.old in line for line in file.lines)
        ]
