"""Wires deep reviews together for one connection.

Loaded in a thread when a review is started or stored ones are resumed, since most
servers need none of this at their start.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from redline.assist.edit.document.applier import Applier
from redline.assist.review.job.job_tools import job_tools
from redline.assist.review.reviews import Reviews
from redline.assist.review.save_reviews import SaveReviews
from redline.assist.review.shown.apply_fix import FixApplier
from redline.assist.review.shown.shown_findings import ShownFindings
from redline.errors import StoreError
from redline.lsp.actions.menu import MenuEntry
from redline.lsp.client.workspace_edits import EditForms, apply_edit
from redline.lsp.protocol.messages import LspRange
from redline.lsp.review.finding_actions import finding_actions
from redline.lsp.review.finding_board import FindingBoard
from redline.lsp.review.review_notifier import ReviewNotifier
from redline.lsp.review.review_reports import ReviewReports
from redline.lsp.review.review_requests import ReviewRequests
from redline.lsp.rooms.room_services import RoomServices
from redline.store.review_store import ReviewStore
from redline.supervisor import Supervisor
from redline.text.document import Snapshot
from redline.text.region import TextEdit

_NO_VERSION = 0
"""Version of a document that is not open in the editor."""


class ReviewWiring:
    """The reviews of one editor, and the objects that show them."""

    def __init__(self, around: RoomServices) -> None:
        self._around = around
        services = around.services
        self._supervisor = Supervisor()
        # The use case: reviews and their store.
        tools = job_tools(services)
        self.reviews = Reviews(
            tools,
            ReviewStore(
                lambda: services.settings().store,
                on_trouble=around.on_trouble,
                on_recovery=self._recovered,
            ),
            ledger=around.ledger,
        )
        # Findings in the editor.
        self.board = FindingBoard(
            endpoint=around.endpoint,
            client=around.client,
            workspace=services.workspace,
            diagnostics=around.diagnostics,
        )
        self.shown = ShownFindings(services.workspace, self.reviews, self.board.changed)
        self.board.attach(self.shown)
        # Reports and commands.
        self.reports = ReviewReports(
            endpoint=around.endpoint,
            client=around.client,
            workspace=services.workspace,
            reviews=self.reviews,
            shown=self.shown,
        )
        self.requests = ReviewRequests(
            workspace=services.workspace,
            reviews=self.reviews,
            shown=self.shown,
            reports=self.reports,
            has_preview=around.client.has_preview,
            fix_applier=FixApplier(
                workspace=services.workspace,
                edits=around.edits,
                shown=self.shown,
                tools=tools,
                applier=Applier(services, self._supervisor),
                apply_to_file=self._apply_to_file,
            ),
        )
        # Reviews that a save begins.
        self.save_reviews = SaveReviews(
            workspace=services.workspace,
            reviews=self.reviews,
            tiers=services.tiers,
            settings=lambda: services.settings().review,
            start=self.requests.review_saved,
            say=services.editor.show_message,
            now=tools.now,
        )
        # Notifications.
        self._notifier = ReviewNotifier(
            endpoint=around.endpoint,
            client=around.client,
            progress=around.progress,
            cancel=self._cancel,
            on_change=around.on_change,
        )
        for follower in (self.shown, self.reports, self._notifier):
            self.reviews.follow(follower)

    async def resume(self) -> bool:
        """Resume unfinished reviews, and show the findings of earlier ones.

        Returns:
            False: the store cannot be read now, which is reported.
        """
        try:
            findings = await self.reviews.resume(self._around.services.workspace.roots)
        except StoreError as exc:
            self._around.on_trouble(f"Earlier reviews are not shown: {exc}")
            return False
        self.shown.load(findings)
        return True

    def actions(
        self, uri: str, place: LspRange, only: Collection[str] | None
    ) -> Sequence[MenuEntry]:
        """Return the menu entries for the findings at a place."""
        return finding_actions(self.shown, uri, place, only)

    async def aclose(self) -> None:
        """Stop the reviews; the next start resumes them. Idempotent."""
        await self.save_reviews.aclose()
        await self._supervisor.aclose()
        await self.reviews.aclose()
        await self.shown.aclose()
        self._notifier.close()

    def _recovered(self, trouble: str) -> None:
        """Show the findings of earlier reviews, which could not be read before."""
        self._around.on_recovery(trouble)
        self._supervisor.start(self.resume(), name="resume reviews")

    def _cancel(self, review_id: str) -> None:
        self._supervisor.attempt(self.reviews.cancel(review_id), name="cancel a review")

    async def _apply_to_file(
        self, uri: str, lines: Sequence[str], edit: TextEdit
    ) -> bool:
        around = self._around
        snapshot = Snapshot(
            uri=uri,
            version=_NO_VERSION,
            language_id="",
            lines=lines,
            encoding=around.services.workspace.encoding,
        )
        whole = EditForms(around.client).of_edits(snapshot, [edit], is_open=False)
        return await apply_edit(around.endpoint, "Redline: fix", whole)
