"""Notifies an editor of plans: progress, `redline/plan`, and a final message."""

from __future__ import annotations

from collections.abc import Callable

from redline.lsp.client.job_progress import JobProgress
from redline.lsp.client.progress import ProgressRegistry
from redline.lsp.client.window import show_outcome
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.plan.plan_status import outcome, plan_status
from redline.lsp.protocol import names
from redline.plans.record import PlanRecord
from redline.plans.states import PLAN_ENDS, WAITS_FOR_USER

_SILENT = frozenset({"applied", "rejected", "cancelled"})
"""States that the user has brought about."""


class PlanNotifier:
    """Shows the plans of one editor; see `PlanFollower`."""

    def __init__(
        self,
        *,
        endpoint: Endpoint,
        client: Client,
        progress: ProgressRegistry,
        cancel: Callable[[str], object],
        show: Callable[[str], object],
    ) -> None:
        """Create a notifier.

        Args:
            endpoint: The connection.
            client: The capabilities of the client.
            progress: Creates work done progress.
            cancel: Called with the id of a plan that the user cancels.
            show: Called with the id of a plan whose document is to be shown.
        """
        self._endpoint = endpoint
        self._client = client
        self._progress = JobProgress(progress, cancel)
        self._show = show

    def changed(self, record: PlanRecord) -> None:
        """Send a plan's state, and show its progress or its outcome."""
        if self._client.has_plans:
            self._endpoint.notify(names.PLAN_CHANGED, plan_status(record))
        if record.state not in WAITS_FOR_USER | PLAN_ENDS:
            self._progress.report(
                record.id,
                f"Redline: {record.request.kind}",
                record.step or "Waiting",
                _percentage(record),
            )
            return
        if not self._progress.end(record.id, outcome(record)):
            # It waited before, too.
            return
        if record.state == "planned":
            self._show(record.id)
        if not self._client.has_plans and record.state not in _SILENT:
            is_failed = record.state == "failed"
            show_outcome(self._endpoint, outcome(record), is_failed=is_failed)

    def close(self) -> None:
        """End the progress of plans at work, which the next start goes on with."""
        self._progress.close("The plan goes on when Redline starts again.")


def _percentage(record: PlanRecord) -> int:
    """Return the steps that are written, as a share of those of the run."""
    if record.state not in ("running", "joining", "reviewing") or not record.chosen:
        return 0
    n_done = sum(
        record.step_record(one).state not in ("waiting", "writing")
        for one in record.chosen
    )
    return 100 * n_done // len(record.chosen)
