"""`workspace/textDocumentContent`: reports of reviews as read-only documents."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from redline.lsp.review.review_service import ReviewService


def register(server: LanguageServer, reviews: ReviewService) -> None:
    """Serve the documents of the scheme `redline-review`."""

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    async def on_text_document_content(
        params: types.TextDocumentContentParams,
    ) -> types.TextDocumentContentResult:
        return types.TextDocumentContentResult(await reviews.content(params.uri))
