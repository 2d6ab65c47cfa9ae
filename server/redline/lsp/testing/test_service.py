"""The entry point of test runs, which loads the rest of them when first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from redline.assist.services import EditorServices
from redline.errors import InvalidArgumentsError, OutdatedError
from redline.lsp import names
from redline.lsp.actions.review_menu import ReviewAction
from redline.lsp.client import status_messages
from redline.lsp.client.diagnostics import DiagnosticBoard
from redline.lsp.client.progress import ProgressRegistry
from redline.lsp.edit.edit_commands import CommandRow, command
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.request_context import DeferredAnswer
from redline.lsp.messages import ExecuteCommand, LspRange
from redline.lsp.testing import test_messages

if TYPE_CHECKING:
    from redline.assist.testing.test_runs import FailedOutput
    from redline.lsp.review.finding_board import CodeLens
    from redline.lsp.testing.test_wiring import TestWiring

_A = TypeVar("_A")


class TestService:
    """Loads the test runs on first use, and serves their commands, lenses and menu."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        client: Client,
        services: EditorServices,
        progress: ProgressRegistry,
        diagnostics: DiagnosticBoard,
    ) -> None:
        self._endpoint = endpoint
        self._client = client
        self._services = services
        self._progress = progress
        self._diagnostics = diagnostics
        self._room: TestWiring | None = None
        self._lock = asyncio.Lock()
        self._is_closed = False

    def serve(self) -> None:
        """Kill what runs when the connection shuts down."""
        self._endpoint.on_shutdown(self._aclose)

    def table(self) -> Mapping[str, CommandRow]:
        return {
            names.RUN_TESTS: self._row(
                test_messages.RunTestsArguments, lambda room: room.run
            ),
            names.CANCEL_TESTS: self._row(
                test_messages.CancelTestsArguments, lambda room: room.cancel
            ),
            names.TEST_RUNS: self._row(
                status_messages.NoArguments, lambda room: room.list
            ),
            names.TEST_OUTPUT: self._row(
                test_messages.TestOutputArguments, lambda room: room.output
            ),
        }

    async def prepare(self) -> None:
        """Load the test runs if there is a command: a menu does not wait for them."""
        if self._services.settings().test.command and not self._is_closed:
            await self._opened()

    def menu(
        self, uri: str, place: LspRange, only: Collection[str] | None
    ) -> Sequence[ReviewAction]:
        """Return the menu entries at a place; does not block."""
        if self._room is None:
            return ()
        return tuple(self._room.board.actions(uri, place, only))

    async def lenses(self, uri: str) -> list[CodeLens]:
        if not self._services.settings().test.command:
            return []
        return await (await self._opened()).board.lenses(uri)

    def failed_output(self, failure_id: str) -> FailedOutput:
        """Return the output of a failure of a run.

        Raises:
            InvalidArgumentsError: If it is not known.
        """
        if self._room is None:
            raise InvalidArgumentsError("No test was run since the server started.")
        return self._room.runs.failed_output(failure_id)

    def _row(
        self,
        arguments_type: type[_A],
        work: Callable[[TestWiring], Callable[[_A], Awaitable[object]]],
    ) -> CommandRow:
        def handler(arguments: _A, params: ExecuteCommand) -> DeferredAnswer:
            return DeferredAnswer(lambda context: do(arguments))

        async def do(arguments: _A) -> object:
            return await work(await self._opened())(arguments)

        return command(arguments_type, handler)

    async def _opened(self) -> TestWiring:
        async with self._lock:
            if self._room is None:
                if self._is_closed:
                    raise OutdatedError("The server is shutting down.")
                # Imported in a thread: on the event loop it would delay typing.
                await asyncio.to_thread(
                    import_module, "redline.lsp.testing.test_wiring"
                )
                from redline.lsp.testing.test_wiring import TestWiring

                self._room = TestWiring(
                    endpoint=self._endpoint,
                    client=self._client,
                    services=self._services,
                    progress=self._progress,
                    diagnostics=self._diagnostics,
                )
            return self._room

    async def _aclose(self) -> None:
        self._is_closed = True
        async with self._lock:
            if self._room is not None:
                await self._room.aclose()
