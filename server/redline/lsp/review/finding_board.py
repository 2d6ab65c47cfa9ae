"""Findings as diagnostics and code lenses of one editor.

A client that pulls diagnostics is told when to; what is in files that are not open is
pushed to every client.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from redline.assist.review.shown.shown_findings import FindingView, ShownFindings
from redline.assist.workspace import Workspace
from redline.errors import EditorError, RemoteProtocolError
from redline.findings.report import counts
from redline.lsp import extensions, names
from redline.lsp.actions.action_messages import LspCommand
from redline.lsp.client.diagnostics import DiagnosticBoard, LspDiagnostic
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.messages import LspPosition, LspRange
from redline.lsp.review.finding_messages import diagnostic
from redline.text.anchor import Splice
from redline.text.document import Document

_OWNER = "reviews"
_REFRESH_LIMIT_S = 10.0

logger = logging.getLogger(__name__)


class DiagnosticReport(Struct, frozen=True, rename="camel", omit_defaults=True):
    """The answer to a pull; `items` of a full one."""

    kind: str
    result_id: str
    items: tuple[LspDiagnostic, ...] | UnsetType = UNSET


class CodeLens(Struct, frozen=True):
    """A line above the text, with something to do."""

    range: LspRange
    command: LspCommand


class FindingBoard:
    """Shows what `ShownFindings` has."""

    def __init__(
        self,
        *,
        endpoint: Endpoint,
        client: Client,
        workspace: Workspace,
        diagnostics: DiagnosticBoard,
    ) -> None:
        self._endpoint = endpoint
        self._client = client
        self._workspace = workspace
        self._diagnostics = diagnostics
        self._shown: ShownFindings | None = None
        self._pushed: set[str] = set()
        self._n_opened = 0
        """Documents, over time: part of the ids of results."""
        self._wanted: set[str] = set()
        """Refreshes that the client is to be asked for."""
        self._asking: set[str] = set()
        """Those that it has not answered yet."""

    def attach(self, shown: ShownFindings) -> None:
        """Say whose findings they are."""
        self._shown = shown
        if self._client.pulls_diagnostics:
            self._workspace.follow(self)

    def changed(self, uri: str) -> None:
        """Show a file's findings as they are now."""
        if self._client.pulls_diagnostics and self._workspace.has(uri):
            self._push(uri, ())
            self._refresh("workspace/diagnostic/refresh")
        else:
            self._push(uri, self._diagnostics_of(uri))
        if self._client.refreshes_lenses:
            self._refresh("workspace/codeLens/refresh")

    async def pull(self, uri: str, previous_id: str | None) -> DiagnosticReport:
        """Answer a pull, for the text as it is now."""
        assert self._shown is not None
        await self._shown.settle(uri)
        items = self._diagnostics_of(uri)
        # Neovim drops what it shows when it reads a file again, but keeps the id.
        result_id = f"{self._n_opened}-{hash(items):x}"
        if result_id == previous_id:
            return DiagnosticReport("unchanged", result_id)
        return DiagnosticReport("full", result_id, items)

    def lenses(self, uri: str) -> list[CodeLens]:
        """Count the findings of a file, review by review."""
        assert self._shown is not None
        reviews: dict[str, list[FindingView]] = {}
        for view in self._shown.in_file(uri):
            reviews.setdefault(view.finding.review_id, []).append(view)
        at = LspPosition(0, 0)
        return [
            CodeLens(
                LspRange(at, at),
                LspCommand(
                    f"Redline: {_counts(views)}",
                    names.OPEN_REPORT,
                    [extensions.OpenReportArguments(review_id=review_id)],
                ),
            )
            for review_id, views in reviews.items()
        ]

    # Of a client that pulls: who shows a document's findings changes with its opening.

    def document_opened(self, document: Document) -> None:
        """They are pulled from now on, and what was pulled before counts no more."""
        self._n_opened += 1
        self._push(document.uri, ())

    def document_spliced(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        """Nothing is to be done: it is told of what has changed."""

    def document_closed(self, document: Document) -> None:
        """They are pushed from now on."""
        self._push(document.uri, self._diagnostics_of(document.uri))

    def _diagnostics_of(self, uri: str) -> tuple[LspDiagnostic, ...]:
        assert self._shown is not None
        related = self._client.shows_related
        views = self._shown.in_file(uri)
        return tuple(diagnostic(view, shows_related=related) for view in views)

    def _push(self, uri: str, diagnostics: Sequence[LspDiagnostic]) -> None:
        if not diagnostics and uri not in self._pushed:
            return
        version = None
        if self._workspace.has(uri):
            version = self._workspace.document(uri).version
        (self._pushed.add if diagnostics else self._pushed.discard)(uri)
        self._diagnostics.put(_OWNER, uri, diagnostics, version=version)

    def _refresh(self, method: str) -> None:
        self._wanted.add(method)
        if method not in self._asking:
            self._asking.add(method)
            self._endpoint.start(self._ask(method), name=method)

    async def _ask(self, method: str) -> None:
        """Ask, and again for what has changed since; one request at a time."""
        while method in self._wanted:
            self._wanted.discard(method)
            try:
                await self._endpoint.request(
                    method, None, object, timeout_s=_REFRESH_LIMIT_S
                )
            except (EditorError, RemoteProtocolError) as exc:
                logger.info("%s: %s", method, exc)
        self._asking.discard(method)


def _counts(views: Sequence[FindingView]) -> str:
    told = counts(view.finding for view in views)
    return f"{len(views)} finding{'s' * (len(views) != 1)} ({told})"
