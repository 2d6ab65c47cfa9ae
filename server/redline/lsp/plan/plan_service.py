"""The entry point of plans, which loads the rest of them when first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from redline.errors import OutdatedError
from redline.lsp import names
from redline.lsp.actions.review_menu import ReviewAction
from redline.lsp.client import status_messages
from redline.lsp.edit.edit_commands import CommandRow, command
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.request_context import DeferredAnswer
from redline.lsp.messages import ExecuteCommand, LspRange
from redline.lsp.plan import plan_messages

if TYPE_CHECKING:
    from redline.lsp.plan.plan_requests import PlanRequests
    from redline.lsp.plan.plan_wiring import PlanServices, PlanWiring
    from redline.lsp.review.finding_board import CodeLens

_A = TypeVar("_A")


class PlanService:
    """Loads the plans on first use, and serves their commands, lenses and menu."""

    def __init__(self, endpoint: Endpoint, around: Callable[[], PlanServices]) -> None:
        """Load nothing yet."""
        self._endpoint = endpoint
        self._around = around
        self._room: PlanWiring | None = None
        self._lock = asyncio.Lock()
        self._may_open = asyncio.Event()
        self._is_closed = False

    def serve(self) -> None:
        """Close the plans when the connection shuts down."""
        self._endpoint.on_shutdown(self._aclose)

    def table(self) -> Mapping[str, CommandRow]:
        by_id = plan_messages.PlanIdArguments
        return {
            names.DEBUG: self._row(plan_messages.DebugArguments, lambda one: one.debug),
            names.PLAN: self._row(plan_messages.PlanArguments, lambda one: one.plan),
            names.RUN_PLAN: self._row(
                plan_messages.RunPlanArguments, lambda one: one.run
            ),
            names.APPLY_PLAN: self._row(
                plan_messages.ApplyPlanArguments, lambda one: one.apply
            ),
            names.PLANS: self._row(status_messages.NoArguments, lambda one: one.list),
            names.PLAN_STATE: self._row(by_id, lambda one: one.state),
            names.OPEN_PLAN: self._row(by_id, lambda one: one.open),
            names.PLAN_AGAIN: self._row(by_id, lambda one: one.again),
            names.REJECT_PLAN: self._row(by_id, lambda one: one.reject),
            names.CANCEL_PLAN: self._row(by_id, lambda one: one.cancel),
        }

    async def take_back(self, plan_id: str) -> plan_messages.PlanStarted:
        return await (await self._opened()).requests.take_back(plan_id)

    def menu(
        self, uri: str, place: LspRange, only: Collection[str] | None
    ) -> Sequence[ReviewAction]:
        """Return the menu entries at a place; does not block."""
        return () if self._room is None else self._room.board.actions(uri, place, only)

    def lenses(self, uri: str) -> list[CodeLens]:
        return [] if self._room is None else self._room.board.lenses(uri)

    def may_open(self) -> None:
        """Record that the settings are known, and with them the path of the store."""
        self._may_open.set()

    def expect_settings(self) -> None:
        """Have new requests wait for the settings that are being read."""
        self._may_open.clear()

    async def resume(self) -> None:
        """Go on with earlier plans."""
        await self._opened()

    def _row(
        self,
        arguments_type: type[_A],
        work: Callable[[PlanRequests], Callable[[_A], Awaitable[object]]],
    ) -> CommandRow:
        def handler(arguments: _A, params: ExecuteCommand) -> DeferredAnswer:
            return DeferredAnswer(lambda context: do(arguments))

        async def do(arguments: _A) -> object:
            return await work((await self._opened()).requests)(arguments)

        return command(arguments_type, handler)

    async def _opened(self) -> PlanWiring:
        await self._may_open.wait()
        async with self._lock:
            if self._room is None:
                if self._is_closed:
                    raise OutdatedError("The server is shutting down.")
                # Imported in a thread: on the event loop it would delay typing.
                await asyncio.to_thread(import_module, "redline.lsp.plan.plan_wiring")
                from redline.lsp.plan.plan_wiring import PlanWiring

                room = PlanWiring(self._around())
                await room.resume()
                self._room = room
            return self._room

    async def _aclose(self) -> None:
        self._is_closed = True
        async with self._lock:
            if self._room is not None:
                await self._room.aclose()
