"""The entry point of test runs, which loads the rest of them when first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from redline.errors import InvalidArgumentsError
from redline.lsp.actions.menu import MenuEntry
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.protocol import names
from redline.lsp.protocol.message_bases import NoArguments
from redline.lsp.protocol.messages import LspRange
from redline.lsp.rooms.command_row import CommandRow, deferred
from redline.lsp.rooms.loaded_room import LoadedRoom
from redline.lsp.rooms.room_services import RoomServices
from redline.lsp.testing import test_messages
from redline.settings.tree import Settings

if TYPE_CHECKING:
    from redline.assist.testing.test_runs import FailedOutput
    from redline.lsp.review.finding_board import CodeLens
    from redline.lsp.testing.test_wiring import TestWiring

_A = TypeVar("_A")


class TestService(LoadedRoom["TestWiring"]):
    """Loads the test runs on first use, and serves their commands, lenses and menu."""

    _MODULE = "redline.lsp.testing.test_wiring"

    def __init__(
        self,
        endpoint: Endpoint,
        settings: Callable[[], Settings],
        around: Callable[[], RoomServices],
        *,
        may_open: asyncio.Event,
    ) -> None:
        super().__init__(endpoint, around, may_open=may_open)
        self._settings = settings

    def table(self) -> Mapping[str, CommandRow]:
        return {
            names.RUN_TESTS: self._row(
                test_messages.RunTestsArguments, lambda room: room.run
            ),
            names.CANCEL_TESTS: self._row(
                test_messages.CancelTestsArguments, lambda room: room.cancel
            ),
            names.TEST_RUNS: self._row(NoArguments, lambda room: room.list),
            names.TEST_OUTPUT: self._row(
                test_messages.TestOutputArguments, lambda room: room.output
            ),
        }

    async def prepare(self) -> None:
        """Load the test runs if there is a command: a menu does not wait for them."""
        if self._settings().test.command and not self._is_closed:
            await self._opened()

    def menu(
        self, uri: str, place: LspRange, only: Collection[str] | None
    ) -> Sequence[MenuEntry]:
        """Return the menu entries at a place; does not block."""
        if self.loaded is None:
            return ()
        return tuple(self.loaded.board.actions(uri, place, only))

    async def lenses(self, uri: str) -> list[CodeLens]:
        if not self._settings().test.command:
            return []
        return await (await self._opened()).board.lenses(uri)

    def failed_output(self, failure_id: str) -> FailedOutput:
        """Return the output of a failure of a run.

        Raises:
            InvalidArgumentsError: If it is not known.
        """
        if self.loaded is None:
            raise InvalidArgumentsError("No test was run since the server started.")
        return self.loaded.runs.failed_output(failure_id)

    def _row(
        self,
        arguments_type: type[_A],
        work: Callable[[TestWiring], Callable[[_A], Awaitable[object]]],
    ) -> CommandRow:
        async def do(arguments: _A) -> object:
            return await work(await self._opened())(arguments)

        return deferred(arguments_type, do)

    async def _make(self) -> TestWiring:
        from redline.lsp.testing.test_wiring import TestWiring

        return TestWiring(self._around())
