"""`textDocument/codeLens`: how many findings a file has, above its first line."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from redline.lsp.features.lsp_values import as_lsp
from redline.lsp.review.review_service import ReviewService


def register(server: LanguageServer, reviews: ReviewService) -> None:
    """Serve the lenses of findings."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def on_code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        lenses = reviews.lenses(params.text_document.uri)
        return [as_lsp(lens, types.CodeLens) for lens in lenses]
