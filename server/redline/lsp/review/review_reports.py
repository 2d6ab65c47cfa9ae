"""Reports of reviews as documents: under our own URI scheme, or as files.

Files are in the user's cache folder, readable only by the user; above `MAX_FILES` the
oldest are deleted.
"""

from __future__ import annotations

import asyncio
import logging
import re
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import quote, urlsplit

import msgspec

from redline.assist.editor.workspace import Workspace
from redline.assist.review.reporting import report_of
from redline.assist.review.reviews import Reviews
from redline.assist.review.shown.shown_findings import ShownFindings
from redline.errors import (
    EditorError,
    RemoteProtocolError,
    StoreUnavailableError,
    UnknownReviewError,
)
from redline.findings.finding import Finding
from redline.findings.report import Address, markdown_report
from redline.findings.review import Review, Reviewed
from redline.lsp.client.optional_requests import ask
from redline.lsp.client.window import MessageType, show_document, show_message
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.protocol.names import REPORT_SCHEME
from redline.lsp.review.finding_addresses import address_in, file_address
from redline.lsp.review.review_messages import OpenReportResult
from redline.owner_only_files import create_private_folder, write_private_file

MAX_FILES = 50
"""The number of earlier reviews that a server lists."""

_CONTENT_REFRESH = "workspace/textDocumentContent/refresh"

logger = logging.getLogger(__name__)


_MAX_TITLE_CHARS = 60

_NOT_IN_NAMES = re.compile(r"[^\w.,()-]")


class _Subject(NamedTuple):
    kind: Literal["review", "finding"]
    id: str


class ReviewReports:
    """Writes and shows reports; follows the reviews, see `ReviewFollower`."""

    def __init__(
        self,
        *,
        endpoint: Endpoint,
        client: Client,
        workspace: Workspace,
        reviews: Reviews,
        shown: ShownFindings,
    ) -> None:
        self._endpoint = endpoint
        self._client = client
        self._workspace = workspace
        self._reviews = reviews
        self._shown = shown
        self._read: set[str] = set()
        """URIs whose content the client has read."""

    async def content(self, uri: str) -> str:
        """Return the text of one of our documents.

        Raises:
            UnknownReviewError: If there is no such review or finding.
        """
        self._read.add(uri)
        first = next(iter(self._workspace.roots), "")
        return await _text(await self._reviewed(_subject(uri)), address_in(first))

    async def open(
        self, *, review_id: str | None = None, finding_id: str | None = None
    ) -> OpenReportResult:
        """Show the report of a review, or of one finding.

        Raises:
            StoreUnavailableError: If it is a file, and cannot be written.
            UnknownReviewError: If there is none.
        """
        about = _Subject("review", review_id or "")
        if finding_id:
            about = _Subject("finding", finding_id)
        reviewed = await self._reviewed(about)
        if self._client.reads_content:
            self._refresh(about)
            name = quote(_title(reviewed, about), safe="")
            uri = f"{REPORT_SCHEME}:/{about.kind}/{about.id}/{name}.md"
        else:
            name, text = (
                f"{about.kind}-{about.id}.md",
                await _text(reviewed, file_address),
            )
            uri = (await asyncio.to_thread(_write, name, text)).as_uri()
        shown = self._client.shows_documents and await self._show(uri)
        if not shown:
            message = f"Redline: the report is {urlsplit(uri).path}."
            show_message(self._endpoint, MessageType.INFO, message)
        return OpenReportResult(uri=uri, shown=shown)

    def review_changed(self, review: Review) -> None:
        """Make the client read the report again once the review has ended."""
        if review.has_ended:
            self._refresh(_Subject("review", review.id))

    def finding_changed(self, review: Review, finding: Finding) -> None:
        """Make the client read the reports with this finding again."""
        if review.has_ended:
            self._refresh(_Subject("review", review.id))
        self._refresh(_Subject("finding", finding.id))

    def finding_gone(self, review: Review, finding_id: str) -> None:
        """Do nothing: the report is refreshed when the review ends."""

    async def _reviewed(self, about: _Subject) -> Reviewed:
        review_id = about.id
        if about.kind == "finding":
            review_id = self._shown.shown(about.id).finding.review_id
        reviewed = await self._reviews.reviewed(review_id)
        reviewed = msgspec.structs.replace(reviewed, findings=self._as_shown(reviewed))
        return _only(reviewed, about.id) if about.kind == "finding" else reviewed

    def _as_shown(self, reviewed: Reviewed) -> tuple[Finding, ...]:
        """Replace findings that are shown by their current values."""
        now = {view.finding.id: view.finding for view in self._shown.views()}
        return tuple(now.get(one.id, one) for one in reviewed.findings)

    async def _show(self, uri: str) -> bool:
        try:
            return await show_document(self._endpoint, uri, takes_focus=True)
        except (EditorError, RemoteProtocolError) as exc:
            logger.info("no report was shown: %s", exc)
            return False

    def _refresh(self, about: _Subject) -> None:
        """Ask the client to read a document again, if it has read it before."""
        for uri in [uri for uri in self._read if _subject(uri) == about]:
            self._read.discard(uri)
            asking = ask(self._endpoint, _CONTENT_REFRESH, {"uri": uri})
            self._endpoint.start(asking, name="refresh a report")


async def _text(reviewed: Reviewed, address: Address) -> str:
    return await asyncio.to_thread(markdown_report, report_of(reviewed), address)


def _subject(uri: str) -> _Subject:
    """Return what a document of ours is about; its name does not matter."""
    kind, _, rest = urlsplit(uri).path.strip("/").removesuffix(".md").partition("/")
    return _Subject("finding" if kind == "finding" else "review", rest.split("/")[0])


def _title(reviewed: Reviewed, about: _Subject) -> str:
    """Return the name of a report's document, safe in a URI and as a file's name."""
    title = f"Review of {reviewed.review.scope or about.id}"
    if about.kind == "finding":
        title = reviewed.findings[0].title
    return " ".join(_NOT_IN_NAMES.sub(" ", title[:_MAX_TITLE_CHARS]).split())


def _only(reviewed: Reviewed, finding_id: str) -> Reviewed:
    found = tuple(one for one in reviewed.findings if one.id == finding_id)
    if not found:
        raise UnknownReviewError(f"There is no finding {finding_id!r}.")
    review = msgspec.structs.replace(reviewed.review, left_out=())
    return Reviewed(review=review, findings=found)


def _write(name: str, text: str) -> Path:
    # Imported here: few runs of a server write a report file.
    from platformdirs import user_cache_path

    folder = user_cache_path("redline") / "reports"
    file = folder / name
    try:
        create_private_folder(folder)
        write_private_file(file, text)
    except OSError as exc:
        raise StoreUnavailableError(
            f"The report cannot be written to {folder}: {exc.strerror}.",
            remedy="Make that folder writable; the findings are kept.",
        ) from exc
    files = sorted(folder.glob("*.md"), key=lambda one: one.stat().st_mtime)
    for old in files[: max(len(files) - MAX_FILES, 0)]:
        old.unlink(missing_ok=True)
    return file
