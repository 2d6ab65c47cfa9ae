"""Wires plans together for one connection; loaded in a thread when first needed."""

from __future__ import annotations

from redline.assist.plan.plan_document_files import PlanDocumentFiles
from redline.assist.plan.plan_tools import PlanTools
from redline.assist.plan.plans import Plans
from redline.assist.review.job.job_tools import job_tools
from redline.errors import StoreError
from redline.lsp.client.optional_requests import ask
from redline.lsp.plan.plan_board import PlanBoard
from redline.lsp.plan.plan_messages import PlanIdArguments
from redline.lsp.plan.plan_notifier import PlanNotifier
from redline.lsp.plan.plan_requests import PlanRequests
from redline.lsp.rooms.room_services import RoomServices
from redline.plans.record import PlanRecord
from redline.store.review_store import ReviewStore
from redline.supervisor import Supervisor


class PlanWiring:
    """The plans of one editor, and the objects that show them."""

    def __init__(self, around: RoomServices) -> None:
        self._around = around
        services = around.services
        self._supervisor = Supervisor()
        tools = PlanTools(
            services=services,
            job=job_tools(services),
            counter=around.counter,
            ledger=around.ledger,
        )
        documents = PlanDocumentFiles(services.workspace, services.settings)
        self._plans = Plans(
            tools,
            ReviewStore(
                lambda: services.settings().store,
                on_trouble=around.on_trouble,
                on_recovery=around.on_recovery,
            ),
            documents=documents,
        )
        self.requests = PlanRequests(
            endpoint=around.endpoint,
            client=around.client,
            workspace=services.workspace,
            plans=self._plans,
            documents=documents,
            supervisor=self._supervisor,
            failed_output=around.failed_output,
        )
        self.board = PlanBoard(self._plans, services.workspace, around.diagnostics)
        self._notifier = PlanNotifier(
            endpoint=around.endpoint,
            client=around.client,
            progress=around.progress,
            cancel=self._cancel,
            show=self._show,
        )
        self._plans.records.follow(self._notifier.changed)
        self._plans.records.follow(self._refresh)

    async def resume(self) -> None:
        """Go on with the plans of these folders whose server is gone."""
        try:
            await self._plans.resume(self._around.services.workspace.roots)
        except StoreError as error:
            self._around.on_trouble(f"Earlier plans are not shown: {error}")

    async def aclose(self) -> None:
        """Stop the plans; the next start goes on with them. Idempotent."""
        await self._supervisor.aclose()
        await self._plans.aclose()
        self._notifier.close()

    def _cancel(self, plan_id: str) -> None:
        self._supervisor.attempt(self._plans.cancel(plan_id), name="cancel a plan")

    def _show(self, plan_id: str) -> None:
        showing = self.requests.open(PlanIdArguments(plan_id=plan_id))
        self._supervisor.attempt(showing, name="show a plan")

    def _refresh(self, record: PlanRecord) -> None:
        """Have the client ask for the lenses of the plan's document again."""
        if self._around.client.refreshes_lenses:
            asking = ask(self._around.endpoint, "workspace/codeLens/refresh", None)
            self._supervisor.start(asking, name="refresh lenses")
