"""The entry point of deep reviews, which loads the rest of them when first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from redline.assist.actions.kinds import REVIEW, is_wanted
from redline.lsp.actions.menu import MenuEntry
from redline.lsp.client import status_messages
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import LspRange
from redline.lsp.review import review_messages
from redline.lsp.rooms.command_row import CommandRow, deferred
from redline.lsp.rooms.loaded_room import LoadedRoom
from redline.lsp.rooms.room_services import RoomServices
from redline.text.uri import FileRename

if TYPE_CHECKING:
    from redline.lsp.review.finding_board import CodeLens, DiagnosticReport
    from redline.lsp.review.review_requests import ReviewRequests
    from redline.lsp.review.review_wiring import ReviewWiring

_A = TypeVar("_A")


class ReviewService(LoadedRoom["ReviewWiring"]):
    """Loads the reviews on first use, and serves their commands, menu and documents."""

    _MODULE = "redline.lsp.review.review_wiring"

    def __init__(
        self,
        endpoint: Endpoint,
        around: Callable[[], RoomServices],
        *,
        may_open: asyncio.Event,
    ) -> None:
        super().__init__(endpoint, around, may_open=may_open)
        self._resuming = asyncio.Lock()
        self._has_resumed = False

    def table(self) -> Mapping[str, CommandRow]:
        return {
            names.DEEP_REVIEW: self._row(
                review_messages.DeepReviewArguments,
                lambda requests: requests.deep_review,
            ),
            names.CANCEL_REVIEW: self._row(
                review_messages.ReviewArguments, lambda requests: requests.cancel
            ),
            names.DISMISS: self._row(
                review_messages.DismissArguments, lambda requests: requests.dismiss
            ),
            names.APPLY_FIX: self._row(
                review_messages.ApplyFixArguments, lambda requests: requests.apply_fix
            ),
        }

    def menu(
        self, uri: str, place: LspRange, only: Collection[str] | None
    ) -> Sequence[MenuEntry]:
        """Return the menu entries at a place; does not block, see `Menu`."""
        offered = _offers(uri, place, only)
        if self.loaded is None:
            return offered
        return [*self.loaded.actions(uri, place, only), *offered]

    @property
    def running(self) -> tuple[status_messages.ReviewStatus, ...]:
        """The reviews that this server runs now."""
        if self.loaded is None:
            return ()
        from redline.lsp.review.finding_messages import review_status

        return tuple(map(review_status, self.loaded.reviews.running))

    def saved(self, uri: str) -> None:
        """Review what a save has changed; only called if reviews on save are on."""
        if self.loaded is not None:
            self.loaded.save_reviews.saved(uri)
        else:
            self._endpoint.start(self._saved(uri), name="review a save")

    async def _saved(self, uri: str) -> None:
        (await self._resumed()).save_reviews.saved(uri)

    def files_changed(self) -> None:
        """Search files on disk again after a change there."""
        if self.loaded is not None:
            self.loaded.shown.files_changed()

    def files_renamed(self, renames: Sequence[FileRename]) -> None:
        """Keep the findings of files that have another name now."""
        if self.loaded is not None:
            self.loaded.shown.files_renamed(renames)

    def roots_changed(self) -> None:
        """Resume earlier reviews of new folders, and hide those of removed ones."""
        if self.loaded is not None:
            self.loaded.shown.roots_changed()
            self._endpoint.start(self._look_again(), name="resume reviews")

    async def resume(self) -> None:
        await self._resumed()

    async def requests(self) -> ReviewRequests:
        """Return the commands, after earlier reviews are resumed."""
        return (await self._resumed()).requests

    async def pull(self, uri: str, previous_id: str | None) -> DiagnosticReport | None:
        """Return a document's findings; None: reviews are not loaded yet."""
        if self.loaded is None:
            return None
        return await self.loaded.board.pull(uri, previous_id)

    async def store_fixes(self, uri: str) -> None:
        """Store which findings of a file are fixed by what was accepted.

        Raises:
            StoreError: If that cannot be stored now.
        """
        if self.loaded is not None:
            await self.loaded.shown.store_fixes(uri)

    def lenses(self, uri: str) -> list[CodeLens]:
        return [] if self.loaded is None else self.loaded.board.lenses(uri)

    async def content(self, uri: str) -> str:
        """Return the text of one of our documents.

        Raises:
            UnknownReviewError: If there is no such review or finding.
        """
        return await (await self._resumed()).reports.content(uri)

    def _row(
        self,
        arguments_type: type[_A],
        work: Callable[[ReviewRequests], Callable[[_A], Awaitable[object]]],
    ) -> CommandRow:
        async def do(arguments: _A) -> object:
            # A new review need not wait until earlier ones are resumed.
            is_new = arguments_type is review_messages.DeepReviewArguments
            room = await (self._opened() if is_new else self._resumed())
            return await work(room.requests)(arguments)

        return deferred(arguments_type, do)

    async def _make(self) -> ReviewWiring:
        from redline.lsp.review.review_wiring import ReviewWiring

        return ReviewWiring(self._around())

    async def _resumed(self) -> ReviewWiring:
        room = await self._opened()
        async with self._resuming:
            if not self._has_resumed:
                self._has_resumed = await room.resume()
        return room

    async def _look_again(self) -> None:
        room = await self._opened()
        async with self._resuming:
            self._has_resumed = await room.resume()


def _offers(uri: str, place: LspRange, only: Collection[str] | None) -> list[MenuEntry]:
    """Offer a review of the selected lines, or of the file."""
    if not is_wanted(REVIEW, only):
        return []
    is_cursor = place.start == place.end
    return [
        MenuEntry(
            title="Review this file" if is_cursor else "Review these lines",
            kind=REVIEW,
            command=names.DEEP_REVIEW,
            arguments=review_messages.DeepReviewArguments(
                uri=uri, range=None if is_cursor else place
            ),
        )
    ]
