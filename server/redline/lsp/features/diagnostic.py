"""`textDocument/diagnostic`: findings for clients that pull diagnostics."""

from __future__ import annotations

from lsprotocol import types
from msgspec import UNSET
from pygls.lsp.server import LanguageServer

from redline.lsp.features.lsp_values import as_lsp
from redline.lsp.review.review_service import ReviewService

Report = (
    types.RelatedFullDocumentDiagnosticReport
    | types.RelatedUnchangedDocumentDiagnosticReport
)


def register(server: LanguageServer, reviews: ReviewService) -> None:
    """Serve the diagnostics of one document."""

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC)
    async def on_diagnostic(params: types.DocumentDiagnosticParams) -> Report:
        uri = params.text_document.uri
        report = await reviews.pull(uri, params.previous_result_id)
        if report is None:
            return types.RelatedFullDocumentDiagnosticReport(items=[])
        if report.items is UNSET:
            return types.RelatedUnchangedDocumentDiagnosticReport(
                result_id=report.result_id
            )
        return types.RelatedFullDocumentDiagnosticReport(
            items=[as_lsp(item, types.Diagnostic) for item in report.items],
            result_id=report.result_id,
        )
