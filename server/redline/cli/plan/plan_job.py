"""Runs one plan in a terminal: the same job as in an editor, run at once."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.edit.hand_over_editor import HandOverEditor
from redline.assist.editor.services import EditorServices
from redline.assist.editor.workspace import Workspace
from redline.assist.plan.application import AppliedFile, PlanApplication, application
from redline.assist.plan.plan_document_files import PlanDocumentFiles
from redline.assist.plan.plan_tools import PlanTools
from redline.assist.plan.plans import Plans
from redline.assist.privacy.prompt_log import PromptLog
from redline.assist.review.job.job_tools import job_tools
from redline.cli.command_tools import CommandTools, command_tools, load_settings
from redline.cli.plan.plan_files import PlanFileWriter
from redline.cli.terminal.ending_signals import signals_held
from redline.cli.terminal.progress_bar import ProgressBar
from redline.errors import RedlineError, StoreError
from redline.log import logging_to
from redline.plans.document import write_document
from redline.plans.record import PlanRecord, PlanRequest
from redline.prompts.tokens import TokenCounter
from redline.settings.load import Loaded
from redline.store.review_store import ReviewStore
from redline.text.position import Encoding

_CANCEL_LIMIT_S = 5.0
"""Time limit to store that a plan was cancelled."""


class PlanOrder(Struct, frozen=True, kw_only=True):
    instruction: str
    workspace: Path
    output: str = ""
    """Of a debug: the output that shows the failure."""
    files: tuple[str, ...] = ()
    """Paths relative to the workspace."""
    config: Path | None = None
    max_cost: float | None = None
    is_applied: bool = False
    """Whether a plan that is ready is written to the files."""


class PlanReport(Struct, frozen=True, kw_only=True):
    record: PlanRecord
    document: str = ""
    """The plan as Markdown; empty: there is none."""
    files: tuple[AppliedFile, ...] = ()
    written: tuple[str, ...] = ()
    """Paths of the files that are written."""
    problem: str = ""
    """What could not be written, and why; a sentence."""


async def run_plan(
    order: PlanOrder, progress: ProgressBar, writer: PlanFileWriter
) -> PlanReport:
    """Plan, run and perhaps apply.

    Cancelling is safe: the plan is cancelled with it. Once files are written, signals
    wait until all of them are.

    Raises:
        RedlineError: If there is no plan.
    """
    loaded = await load_settings(order.config, order.workspace, warn=progress.warn)
    async with AsyncExitStack() as stack:
        stack.enter_context(logging_to(loaded.settings.log, is_shown=False))
        tools = await stack.enter_async_context(
            command_tools(loaded, on_usage_trouble=progress.warn)
        )
        plans = _plans(order, tools, loaded, progress)
        stack.push_async_callback(plans.aclose)
        plans.records.follow(lambda record: progress.show(record.step or record.state))
        record = await plans.start(
            PlanRequest(
                instruction=order.instruction,
                roots=(order.workspace.as_uri(),),
                files=order.files,
                max_cost=order.max_cost,
                origin="terminal",
                output=order.output,
                kind="debug" if order.output else "plan",
            )
        )
        try:
            record = await plans.settled(record.id)
            if record.state == "planned" and not (
                record.plan is None or record.plan.questions
            ):
                _announce(record, progress)
                await plans.run(record.id)
                record = await plans.settled(record.id)
        except asyncio.CancelledError:
            # The next start ends a plan of a terminal whose end is not stored.
            with suppress(StoreError):
                async with asyncio.timeout(_CANCEL_LIMIT_S):
                    await plans.cancel(record.id)
            raise
        document = "" if record.plan is None else write_document(record.plan)
        report = PlanReport(record=record, document=document)
        if record.state not in ("ready", "held"):
            return report
        found: PlanApplication = await asyncio.to_thread(application, record, {})
        report = replace(report, files=found.files, problem=_stale(found))
        if record.state == "held" or found.stale_files or not order.is_applied:
            return report
        with signals_held(progress.warn, writer.interrupted):
            return await _write(plans, report, found, order.workspace, writer)


def _announce(record: PlanRecord, progress: ProgressBar) -> None:
    """Say what the run is likely to cost, before it begins."""
    assert record.plan is not None
    words = f"{len(record.plan.steps)} steps: {record.plan.summary}"
    if record.estimate is not None:
        words += f" (about ${record.estimate:.4f})"
    progress.say(words)


def _stale(found: PlanApplication) -> str:
    if not found.stale_files:
        return ""
    names = ", ".join(found.stale_files)
    return f"These files were changed meanwhile, and are left out: {names}."


async def _write(
    plans: Plans,
    report: PlanReport,
    found: PlanApplication,
    workspace: Path,
    writer: PlanFileWriter,
) -> PlanReport:
    """Write the files of a plan that is ready, and record that it is applied."""
    problem = ""
    try:
        # An editor with this folder may apply it, too.
        async with plans.records.edit(report.record.id) as record:
            await plans.records.send(record.id, found)
            await asyncio.to_thread(writer.write, found.files, workspace)
            record = await plans.records.applied(record.id, found)
            report = replace(report, record=record)
    except StoreError as error:
        problem = f"Nothing was written, as the plan could not be claimed: {error}"
        if writer.written:
            problem = f"The files are written, but that is not stored: {error}"
    except RedlineError as error:
        problem = f"{error} {error.remedy}".strip()
    return replace(report, written=writer.written, problem=problem)


def _plans(
    order: PlanOrder, tools: CommandTools, loaded: Loaded, progress: ProgressBar
) -> Plans:
    workspace = Workspace(Encoding.UTF_32)
    workspace.change_roots(added=[order.workspace.as_uri()], removed=())
    counter = TokenCounter()
    services = EditorServices(
        workspace=workspace,
        editor=HandOverEditor(),
        tiers=tools.tiers,
        settings=lambda: loaded.settings,
        parser=tools.parser,
        cache_key=secrets.token_hex(8),
        sent=PromptLog(counter.about),
    )
    return Plans(
        PlanTools(
            services=services,
            job=job_tools(services),
            counter=counter,
            ledger=tools.usage,
        ),
        ReviewStore(lambda: loaded.settings.store, on_trouble=progress.warn),
        documents=PlanDocumentFiles(workspace, services.settings),
    )
