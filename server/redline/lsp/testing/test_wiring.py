"""Wires test runs together for one connection; loaded when first needed."""

from __future__ import annotations

from redline.assist.testing.run_state import AT_WORK
from redline.assist.testing.test_runs import RunFailure, RunRecord, TestRuns
from redline.lsp.client.job_progress import JobProgress
from redline.lsp.client.optional_requests import ask
from redline.lsp.client.window import MessageType, show_message
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import LspPosition, LspRange
from redline.lsp.rooms.room_services import RoomServices
from redline.lsp.testing.test_board import TestBoard
from redline.lsp.testing.test_messages import (
    CancelTestsArguments,
    CancelTestsResult,
    RunTestsArguments,
    RunTestsResult,
    TestFailure,
    TestOutputArguments,
    TestOutputResult,
    TestRunList,
    TestRunStatus,
)
from redline.supervisor import Supervisor
from redline.text.markdown import plain_message


class TestWiring:
    """The test runs of one editor, and what shows them."""

    def __init__(self, around: RoomServices) -> None:
        self._endpoint = around.endpoint
        self._client = around.client
        self._progress = JobProgress(
            around.progress, lambda run_id: self.runs.cancel(run_id)
        )
        self._supervisor = Supervisor()
        self.runs = TestRuns(around.services)
        self.board = TestBoard(
            self.runs,
            around.services.workspace,
            around.diagnostics,
            shows_related=around.client.shows_related,
        )
        self.runs.follow(self.board.changed)
        self.runs.follow(self._changed)

    async def run(self, arguments: RunTestsArguments) -> RunTestsResult:
        """Start a run; answer with its id."""
        place = arguments.position
        run = await self.runs.start(
            arguments.uri,
            test=arguments.test,
            line=None if place is None else place.line,
        )
        return RunTestsResult(run_id=run.id)

    async def cancel(self, arguments: CancelTestsArguments) -> CancelTestsResult:
        return CancelTestsResult(cancelled=self.runs.cancel(arguments.run_id))

    async def list(self, arguments: object) -> TestRunList:
        """Return the last runs, the oldest first."""
        return TestRunList(runs=tuple(map(_status, self.runs.records)))

    async def output(self, arguments: TestOutputArguments) -> TestOutputResult:
        return TestOutputResult(output=self.runs.record(arguments.run_id).output)

    async def aclose(self) -> None:
        """Kill what runs. Idempotent."""
        await self.runs.aclose()
        await self._supervisor.aclose()

    def _changed(self, run: RunRecord) -> None:
        """Report a run: by progress, by `redline/tests`, else by a message."""
        if self._client.has_tests:
            self._endpoint.notify(names.TESTS_CHANGED, _status(run))
        if run.state in AT_WORK:
            step = "Waiting" if run.state == "waiting" else "Running"
            self._progress.report(run.id, f"Redline: run {run.title}", step)
            return
        self._progress.end(run.id, run.message)
        is_good = run.state in ("passed", "cancelled")
        if not self._client.has_tests and run.state != "cancelled":
            kind = MessageType.INFO if is_good else MessageType.WARNING
            show_message(self._endpoint, kind, f"Redline: {run.message}")
        if self._client.refreshes_lenses:
            asking = ask(self._endpoint, "workspace/codeLens/refresh", None)
            self._supervisor.start(asking, name="refresh lenses")


def _status(run: RunRecord) -> TestRunStatus:
    return TestRunStatus(
        run_id=run.id,
        uri=run.uri,
        title=plain_message(run.title),
        tests=run.tests,
        state=run.state,
        message=plain_message(run.message),
        failed=run.failed,
        failures=tuple(map(_failure, run.failures)),
    )


def _failure(failure: RunFailure) -> TestFailure:
    place = failure.places[0] if failure.places else None
    line = place.line if place is not None else 0
    length = len(place.text) if place is not None else 0
    return TestFailure(
        id=failure.id,
        test=plain_message(failure.test),
        message=plain_message(failure.message),
        uri=place.uri if place is not None else "",
        range=LspRange(LspPosition(line, 0), LspPosition(line, length)),
    )
