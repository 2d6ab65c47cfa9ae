"""The entry point of deep reviews, which loads the rest of them when first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from redline.errors import OutdatedError
from redline.lsp import names
from redline.lsp.actions.review_menu import ReviewAction, review_actions
from redline.lsp.edit.edit_commands import CommandRow, command
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.request_context import DeferredAnswer
from redline.lsp.messages import ExecuteCommand, LspRange
from redline.lsp.review import review_messages

if TYPE_CHECKING:
    from redline.lsp.review.finding_board import CodeLens, DiagnosticReport
    from redline.lsp.review.review_requests import ReviewRequests
    from redline.lsp.review.review_wiring import ReviewServices, ReviewWiring

_A = TypeVar("_A")


class ReviewService:
    """Loads the reviews on first use, and serves their commands, menu and documents."""

    def __init__(
        self, endpoint: Endpoint, around: Callable[[], ReviewServices]
    ) -> None:
        """Load nothing yet."""
        self._endpoint = endpoint
        self._around = around
        self._room: ReviewWiring | None = None
        self._lock = asyncio.Lock()
        self._resuming = asyncio.Lock()
        self._has_resumed = False
        self._may_open = asyncio.Event()
        self._is_closed = False

    def serve(self) -> None:
        """Close the reviews when the connection shuts down."""
        self._endpoint.on_shutdown(self._aclose)

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
    ) -> Sequence[ReviewAction]:
        """Return the menu entries at a place; does not block, see `ReviewMenu`."""
        offered = review_actions(uri, place, only)
        if self._room is None:
            return offered
        return [*self._room.actions(uri, place, only), *offered]

    @property
    def running(self) -> tuple[review_messages.ReviewStatus, ...]:
        """The reviews that this server runs now."""
        if self._room is None:
            return ()
        from redline.lsp.review.finding_messages import review_status

        return tuple(map(review_status, self._room.running))

    def saved(self, uri: str) -> None:
        """Review what a save has changed; only called if reviews on save are on."""
        if self._room is not None:
            self._room.saved(uri)
        else:
            self._endpoint.start(self._saved(uri), name="review a save")

    async def _saved(self, uri: str) -> None:
        (await self._resumed()).saved(uri)

    def files_changed(self) -> None:
        """Search files on disk again after a change there."""
        if self._room is not None:
            self._room.files_changed()

    def roots_changed(self) -> None:
        """Resume earlier reviews of new folders."""
        if self._room is not None:
            self._endpoint.start(self._look_again(), name="resume reviews")

    def may_open(self) -> None:
        """Record that the settings are known, and with them the path of the store."""
        self._may_open.set()

    def expect_settings(self) -> None:
        """Have new requests wait for the settings that are being read."""
        self._may_open.clear()

    async def resume(self) -> None:
        await self._resumed()

    async def requests(self) -> ReviewRequests:
        """Return the commands, after earlier reviews are resumed."""
        return (await self._resumed()).requests

    async def pull(self, uri: str, previous_id: str | None) -> DiagnosticReport | None:
        """Return a document's findings; None: reviews are not loaded yet."""
        if self._room is None:
            return None
        return await self._room.board.pull(uri, previous_id)

    async def store_fixes(self, uri: str) -> None:
        """Store which findings of a file are fixed by what was accepted.

        Raises:
            StoreError: If that cannot be stored now.
        """
        if self._room is not None:
            await self._room.store_fixes(uri)

    def lenses(self, uri: str) -> list[CodeLens]:
        return [] if self._room is None else self._room.board.lenses(uri)

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
        def handler(arguments: _A, params: ExecuteCommand) -> DeferredAnswer:
            return DeferredAnswer(lambda context: do(arguments))

        async def do(arguments: _A) -> object:
            # A new review need not wait until earlier ones are resumed.
            is_new = arguments_type is review_messages.DeepReviewArguments
            room = await (self._opened() if is_new else self._resumed())
            return await work(room.requests)(arguments)

        return command(arguments_type, handler)

    async def _opened(self) -> ReviewWiring:
        await self._may_open.wait()
        async with self._lock:
            if self._room is None:
                if self._is_closed:
                    raise OutdatedError("The server is shutting down.")
                # Imported in a thread: on the event loop it would delay typing.
                await asyncio.to_thread(
                    import_module, "redline.lsp.review.review_wiring"
                )
                from redline.lsp.review.review_wiring import ReviewWiring

                self._room = ReviewWiring(self._around())
            return self._room

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

    async def _aclose(self) -> None:
        self._is_closed = True
        async with self._lock:
            if self._room is not None:
                await self._room.aclose()
