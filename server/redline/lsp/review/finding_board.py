"""Findings as diagnostics and code lenses of one editor.

A client that pulls diagnostics receives refresh requests; diagnostics of files that are
not open are pushed to every client.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from redline.assist.editor.workspace import Workspace
from redline.assist.review.shown.shown_findings import FindingView, ShownFindings
from redline.findings.report import counts
from redline.lsp.actions.action_messages import LspCommand
from redline.lsp.client.diagnostics import DiagnosticBoard, LspDiagnostic
from redline.lsp.client.optional_requests import ask
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import LspPosition, LspRange
from redline.lsp.review import review_messages
from redline.lsp.review.finding_messages import diagnostic
from redline.text.anchor import Splice
from redline.text.document import Document

_OWNER = "reviews"


class DiagnosticReport(Struct, frozen=True, rename="camel", omit_defaults=True):
    """The answer to a pull; only a full one has `items`."""

    kind: str
    result_id: str
    items: tuple[LspDiagnostic, ...] | UnsetType = UNSET


class CodeLens(Struct, frozen=True):
    """A line above the text, with a command."""

    range: LspRange
    command: LspCommand


class FindingBoard:
    """Shows `ShownFindings` as diagnostics and code lenses."""

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
        """How many documents were opened so far; part of the result ids."""
        self._wanted: set[str] = set()
        """Refresh requests that are to be sent."""
        self._asking: set[str] = set()
        """Refresh requests that the client has not answered yet."""

    def attach(self, shown: ShownFindings) -> None:
        self._shown = shown
        if self._client.pulls_diagnostics:
            self._workspace.follow(self)

    def changed(self, uri: str) -> None:
        """Push a file's findings, or ask the client to pull them."""
        if self._client.pulls_diagnostics and self._workspace.has(uri):
            self._push(uri, ())
            self._refresh("workspace/diagnostic/refresh")
        else:
            self._push(uri, self._diagnostics_of(uri))
        if self._client.refreshes_lenses:
            self._refresh("workspace/codeLens/refresh")

    async def pull(self, uri: str, previous_id: str | None) -> DiagnosticReport:
        """Answer a pull, for the current text."""
        assert self._shown is not None
        await self._shown.settle(uri)
        items = self._diagnostics_of(uri)
        # Neovim drops diagnostics when it reads a file again, but keeps the result id.
        result_id = f"{self._n_opened}-{hash(items):x}"
        if result_id == previous_id:
            return DiagnosticReport("unchanged", result_id)
        return DiagnosticReport("full", result_id, items)

    def lenses(self, uri: str) -> list[CodeLens]:
        """Return a lens per review, with the count of its findings in a file."""
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
                    [review_messages.OpenReportArguments(review_id=review_id)],
                ),
            )
            for review_id, views in reviews.items()
        ]

    # For a client that pulls: open documents are pulled, closed files are pushed.

    def document_opened(self, document: Document) -> None:
        """Stop pushing the document, and invalidate earlier result ids."""
        self._n_opened += 1
        self._push(document.uri, ())

    def document_spliced(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        """Do nothing: `changed` reports what the splice changes."""

    def document_changed(self, document: Document) -> None:
        """Do nothing: `changed` reports what the splices change."""

    def document_closed(self, document: Document) -> None:
        """Push the document's findings from now on."""
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
        """Send a refresh request, and another one if findings changed meanwhile."""
        while method in self._wanted:
            self._wanted.discard(method)
            await ask(self._endpoint, method, None)
        self._asking.discard(method)


def _counts(views: Sequence[FindingView]) -> str:
    by_severity = counts(view.finding for view in views)
    return f"{len(views)} finding{'s' * (len(views) != 1)} ({by_severity})"
