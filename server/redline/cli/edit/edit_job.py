"""Runs one edit in a terminal: the same sessions as in an editor, on one document."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.context.gatherer import ContextGatherer
from redline.assist.edit.edits import Edits
from redline.assist.edit.hand_over_editor import HandOverEditor
from redline.assist.edit.prompt.prompt_writer import PromptWriter
from redline.assist.edit.session.result import EditRequest, EditResult
from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import State
from redline.assist.editor.services import EditorServices
from redline.assist.editor.workspace import Workspace
from redline.assist.privacy.prompt_log import PromptLog
from redline.assist.usage.recorder import UsageRecorder
from redline.assist.usage.usage_log import UsageLog
from redline.cli.command_tools import CommandTools, command_tools, load_settings
from redline.cli.edit.edit_report import EditReport, EditRunUsage, FoundProblem
from redline.cli.edit.edited_file import EditedFile
from redline.cli.terminal.ending_signals import signals_held
from redline.cli.terminal.progress_bar import ProgressBar
from redline.errors import RedlineError
from redline.log import logging_to
from redline.prompts.tokens import TokenCounter
from redline.settings.load import Loaded
from redline.store.task import NO_ID, LateTaskFacts, TaskUsage
from redline.syntax.language import language_id_of
from redline.text.document import ContentChange, Document
from redline.text.position import Encoding, Range
from redline.text.region import TextEdit, widen
from redline.text.unified_diff import unified_diff

_INDEX_LIMIT_S = 5.0
"""How long an edit waits for the first reading of the workspace."""


class EditRun(Struct, frozen=True, kw_only=True):
    file: EditedFile
    range: Range
    instruction: str
    workspace: Path
    config: Path | None = None
    is_applied: bool = False
    """Whether an edit without problems is written to the file."""


async def run_edit(order: EditRun, progress: ProgressBar) -> EditReport:
    """Run an edit. Cancelling is safe: the file is written whole or not at all."""
    loaded = await load_settings(order.config, order.workspace, warn=progress.warn)
    async with AsyncExitStack() as stack:
        stack.enter_context(logging_to(loaded.settings.log, is_shown=False))
        tools = await stack.enter_async_context(
            command_tools(loaded, on_usage_trouble=progress.warn)
        )
        terminal = _Terminal(order, tools, loaded, progress)
        stack.push_async_callback(terminal.aclose)
        return await terminal.edit()


class _StepProgress:
    """Implements `EditProgress`: shows how far a session is."""

    def __init__(self, progress: ProgressBar) -> None:
        self._progress = progress
        self._step = ""

    def enter(self, step: str) -> None:
        self._step = step
        self._progress.show(step)

    def report(self, message: str) -> None:
        """Show what the session reports about the current step."""
        self._progress.show(self._step, detail=f" · {message}")

    def end(self, message: str) -> None:
        """Do nothing: the report says how it ended."""


class _LastTask:
    """Implements `Ledger`: passes tasks on, and holds the last one for the report."""

    def __init__(self, usage: UsageLog) -> None:
        self._usage = usage
        self.task: TaskUsage | None = None

    def record(self, task: TaskUsage) -> None:
        self.task = task
        self._usage.record(task)

    def update(self, task_id: str, later: LateTaskFacts) -> None:
        self._usage.update(task_id, later)

    async def settled(self) -> None:
        """Wait until it is stored."""
        await self._usage.settled()


class _Terminal:
    """One document, open in a terminal instead of an editor."""

    def __init__(
        self,
        order: EditRun,
        tools: CommandTools,
        loaded: Loaded,
        progress: ProgressBar,
    ) -> None:
        self._order = order
        self._file = order.file
        self._uri = order.file.path.as_uri()
        self._tools = tools
        self._progress = _StepProgress(progress)
        self._warn = progress.warn
        # Code points, in which edits are handed over.
        self._workspace = Workspace(Encoding.UTF_32)
        self._workspace.change_roots(added=[order.workspace.as_uri()], removed=())
        counter = TokenCounter()
        self._gatherer = ContextGatherer(self._workspace, counter)
        services = EditorServices(
            workspace=self._workspace,
            editor=HandOverEditor(self._progress),
            tiers=tools.tiers,
            settings=lambda: loaded.settings,
            parser=tools.parser,
            cache_key=secrets.token_hex(8),
            sent=PromptLog(counter.about),
        )
        self._edits = Edits(
            services,
            tasks=PromptWriter(services, gatherer=self._gatherer, counter=counter),
            on_change=self._session_changed,
        )
        self._ledger = _LastTask(tools.usage)
        self._recorder = UsageRecorder(self._workspace, self._ledger)

    async def aclose(self) -> None:
        """Stop the session, record it, and end the indexer."""
        await self._edits.aclose()
        self._recorder.close()
        await self._gatherer.aclose()

    async def edit(self) -> EditReport:
        """Edit the document, and write the file if that is wanted."""
        language = language_id_of(self._file.path.as_posix())
        self._workspace.open(self._uri, language, 1, self._file.text)
        await self._read_workspace()
        try:
            asked = self._edits.open(
                EditRequest(
                    session_id=secrets.token_hex(8),
                    uri=self._uri,
                    range=self._order.range,
                    instruction=self._order.instruction,
                    apply="hand-over",
                )
            )
            result = await asked.outcome()
        except RedlineError as exc:
            # The usage of a session that failed is recorded a moment later.
            self._recorder.close()
            return self._counted(self._report(exc))
        report = self._counted(self._result_report(result))
        if report.outcome == "proposed" and self._order.is_applied:
            return self._write(report, result.edits)
        return report

    async def _read_workspace(self) -> None:
        """Wait until an edit is shown what it calls elsewhere, as in an editor."""
        if not self._tools.tiers.choose("fast").model.describe().is_model:
            return
        self._progress.enter("Reading the workspace")
        self._gatherer.begin()
        # In a large workspace, what is not read yet is left out.
        with suppress(TimeoutError):
            async with asyncio.timeout(_INDEX_LIMIT_S):
                await self._gatherer.indexed()

    def _session_changed(self, session: EditSession) -> None:
        self._recorder.session_changed(session)
        if session.state is State.CHECKING:
            self._progress.enter("Checking")
        elif session.state is State.GENERATING:
            turn = session.attempts.next
            is_again = turn is not None and turn.purpose != "write"
            self._progress.enter(session.chosen.reasons[-1] if is_again else "Writing")

    def _report(self, error: RedlineError | None = None) -> EditReport:
        region = widen(
            self._workspace.document(self._uri).snapshot().lines, self._order.range
        )
        return EditReport(
            file=self._file.name,
            first_line=region.first + 1,
            last_line=region.first + len(region.lines),
            outcome="failed",
            message=str(error or ""),
            remedy=error.remedy if error is not None else "",
        )

    def _counted(self, report: EditReport) -> EditReport:
        task = self._ledger.task
        if task is None or not self._has_model(task):
            return report
        tokens = task.tokens
        return replace(
            report,
            model=None if task.model == NO_ID else task.model,
            cost=task.cost,
            usage=EditRunUsage(
                input_tokens=tokens.input_n_tokens,
                cached_tokens=tokens.cached_n_tokens,
                output_tokens=tokens.output_n_tokens,
                wasted_tokens=tokens.wasted_n_tokens,
            ),
        )

    def _has_model(self, task: TaskUsage) -> bool:
        """Whether a model answered, and not the built-in rules."""
        labels = (each.describe() for each in self._tools.tiers.models)
        return any(each.is_model and each.label == task.model for each in labels)

    def _result_report(self, result: EditResult) -> EditReport:
        report = replace(
            self._report(),
            message=result.message or "",
            tier=result.tier,
            reasons=result.reasons,
            assumes=result.assumes,
        )
        if result.outcome == "unchanged" or (
            result.outcome == "computed" and not result.edits
        ):
            return replace(report, outcome="unchanged")
        if result.outcome != "computed":
            return report
        n_above = _n_lines_added(result.edits, above=report.first_line - 1)
        checks = tuple(
            FoundProblem(
                rule=problem.rule,
                line=None
                if problem.line is None
                else report.first_line + n_above + problem.line,
                message=problem.message,
            )
            for problem in result.checks
        )
        return replace(
            report,
            outcome="held" if checks else "proposed",
            checks=checks,
            diff=unified_diff(
                self._file.with_mark(self._file.text),
                self._file.with_mark(self._edited(result.edits)),
                path=self._file.name,
            ),
        )

    def _edited(self, edits: Sequence[TextEdit]) -> str:
        document = Document(
            uri=self._uri,
            language_id="",
            version=1,
            text=self._file.text,
            encoding=Encoding.UTF_32,
        )
        document.change(2, _changes(edits))
        return document.snapshot().text

    def _write(self, report: EditReport, edits: Sequence[TextEdit]) -> EditReport:
        try:
            with signals_held(self._warn, self._file.interrupted):
                self._file.write(self._edited(edits))
        except RedlineError as exc:
            return replace(
                report, outcome="failed", message=str(exc), remedy=exc.remedy
            )
        # The document shows the edit, so that its usage counts as accepted.
        self._workspace.change(self._uri, 2, _changes(edits))
        return replace(report, outcome="applied")


def _changes(edits: Sequence[TextEdit]) -> list[ContentChange]:
    """Return edits of one text as changes one after the other: the last comes first."""
    return [
        ContentChange(range=edit.range, text=edit.new_text) for edit in reversed(edits)
    ]


def _n_lines_added(edits: Sequence[TextEdit], *, above: int) -> int:
    """Count the lines that edits add above a line, such as imports."""
    return sum(
        edit.new_text.count("\n") - (edit.range.end.line - edit.range.start.line)
        for edit in edits
        if edit.range.end.line <= above and edit.range.start.line < above
    )
