"""Lenses, findings and reports, by the standard methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lsprotocol import types
from msgspec import UNSET
from pygls.lsp.server import LanguageServer

from redline.lsp.methods.lsp_values import as_lsp
from redline.lsp.plan.plan_service import PlanService
from redline.lsp.review.finding_board import CodeLens
from redline.lsp.review.review_service import ReviewService
from redline.lsp.testing.test_service import TestService

Report = (
    types.RelatedFullDocumentDiagnosticReport
    | types.RelatedUnchangedDocumentDiagnosticReport
)


def register(
    server: LanguageServer,
    reviews: ReviewService,
    plans: PlanService,
    tests: TestService,
    *,
    next_edit_lenses: Callable[[str], Sequence[CodeLens]],
) -> None:
    """Serve `textDocument/codeLens`, `textDocument/diagnostic`, and the documents of
    the scheme `redline-review`."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def on_code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        of_tests = await tests.lenses(uri)
        of_edits = next_edit_lenses(uri)
        lenses = [*plans.lenses(uri), *reviews.lenses(uri), *of_tests, *of_edits]
        return [as_lsp(lens, types.CodeLens) for lens in lenses]

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

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    async def on_text_document_content(
        params: types.TextDocumentContentParams,
    ) -> types.TextDocumentContentResult:
        return types.TextDocumentContentResult(await reviews.content(params.uri))
