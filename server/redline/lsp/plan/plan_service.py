"""The entry point of plans, which loads the rest of them when first needed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from redline.lsp.actions.menu import MenuEntry
from redline.lsp.plan import plan_messages
from redline.lsp.protocol import names
from redline.lsp.protocol.message_bases import NoArguments
from redline.lsp.protocol.messages import LspRange
from redline.lsp.rooms.command_row import CommandRow, deferred
from redline.lsp.rooms.loaded_room import LoadedRoom

if TYPE_CHECKING:
    from redline.lsp.plan.plan_requests import PlanRequests
    from redline.lsp.plan.plan_wiring import PlanWiring
    from redline.lsp.review.finding_board import CodeLens

_A = TypeVar("_A")


class PlanService(LoadedRoom["PlanWiring"]):
    """Loads the plans on first use, and serves their commands, lenses and menu."""

    _MODULE = "redline.lsp.plan.plan_wiring"

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
            names.PLANS: self._row(NoArguments, lambda one: one.list),
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
    ) -> Sequence[MenuEntry]:
        """Return the menu entries at a place; does not block."""
        if self.loaded is None:
            return ()
        return self.loaded.board.actions(uri, place, only)

    def lenses(self, uri: str) -> list[CodeLens]:
        return [] if self.loaded is None else self.loaded.board.lenses(uri)

    async def resume(self) -> None:
        await self._opened()

    def _row(
        self,
        arguments_type: type[_A],
        work: Callable[[PlanRequests], Callable[[_A], Awaitable[object]]],
    ) -> CommandRow:
        async def do(arguments: _A) -> object:
            return await work((await self._opened()).requests)(arguments)

        return deferred(arguments_type, do)

    async def _make(self) -> PlanWiring:
        from redline.lsp.plan.plan_wiring import PlanWiring

        room = PlanWiring(self._around())
        await room.resume()
        return room
