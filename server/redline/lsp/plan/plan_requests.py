"""The commands of plans: convert arguments, call the use case, convert back."""

from __future__ import annotations

import asyncio
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from redline.assist.editor.workspace import Workspace
from redline.assist.plan.application import (
    PlanApplication,
    application,
    applying_again,
    taking_back,
)
from redline.assist.plan.file_operations import restore_files
from redline.assist.plan.plan_document_files import PlanDocumentFiles
from redline.assist.plan.plans import Plans
from redline.assist.testing.output_failures import MAX_OUTPUT_CHARS
from redline.assist.testing.test_runs import FailedOutput
from redline.errors import (
    EditNotLandedError,
    EditorError,
    InvalidArgumentsError,
    PlanStateError,
    RemoteProtocolError,
    StoreError,
)
from redline.lsp.client.window import (
    MessageType,
    show_document,
    show_message,
    show_outcome,
)
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.plan.debug_selection import selected_text
from redline.lsp.plan.plan_changes import PlanChanges, named_files
from redline.lsp.plan.plan_messages import (
    ApplyPlanArguments,
    ApplyPlanResult,
    CancelPlanResult,
    DebugArguments,
    OpenPlanResult,
    PlanArguments,
    PlanIdArguments,
    PlanList,
    PlanStarted,
    PlanStatus,
    RejectPlanResult,
    RunPlanArguments,
)
from redline.lsp.plan.plan_status import plan_status
from redline.plans.overlay import Overlay
from redline.plans.record import PlanRecord, PlanRequest
from redline.prompts.secrets.cuts import ending
from redline.supervisor import Supervisor
from redline.text.uri import uri_path

_T = TypeVar("_T")


class PlanRequests:
    """Runs the plan commands of one editor."""

    def __init__(
        self,
        *,
        endpoint: Endpoint,
        client: Client,
        workspace: Workspace,
        plans: Plans,
        documents: PlanDocumentFiles,
        supervisor: Supervisor,
        failed_output: Callable[[str], FailedOutput],
    ) -> None:
        self._endpoint = endpoint
        self._failed_output = failed_output
        self._client = client
        self._workspace = workspace
        self._plans = plans
        self._documents = documents
        self._supervisor = supervisor
        self._changes = PlanChanges(endpoint, client, workspace)

    async def plan(self, arguments: PlanArguments) -> PlanStarted:
        """Start a plan; answer with its id once it is stored."""
        first = end = None
        if arguments.range is not None:
            first = arguments.range.start.line
            end = arguments.range.end.line + (arguments.range.end.character > 0)
        record = await self._plans.start(
            PlanRequest(
                instruction=arguments.instruction.strip(),
                roots=self._workspace.roots_around(arguments.uri),
                uri=arguments.uri,
                first_line=first,
                end_line=end,
                tier=arguments.tier,
                files=arguments.files,
                max_cost=arguments.max_cost,
            )
        )
        return _started(record)

    async def debug(self, arguments: DebugArguments) -> PlanStarted:
        """Start a debug; answer with its id once it is stored."""
        output, uri, number = arguments.text, arguments.uri or "", 0
        if arguments.failure is not None:
            failed = self._failed_output(arguments.failure)
            output, uri, number = failed.output, failed.uri, failed.number
        if output is None:
            if arguments.uri is None:
                raise InvalidArgumentsError(
                    "There is nothing to debug.",
                    remedy="Send the output as `text`, or select it in a document.",
                )
            document = self._workspace.document(arguments.uri)
            output = selected_text(document.snapshot(), arguments.range)
        record = await self._plans.start(
            PlanRequest(
                instruction="",
                kind="debug",
                output=ending(output, MAX_OUTPUT_CHARS),
                failure_number=number,
                roots=self._workspace.roots_around(uri),
                tier=arguments.tier,
                max_cost=arguments.max_cost,
            )
        )
        return _started(record)

    async def run(self, arguments: RunPlanArguments) -> PlanStarted:
        """Carry out a plan, or some of its steps."""
        await self._own(arguments.plan_id)
        return _started(await self._plans.run(arguments.plan_id, arguments.steps))

    async def again(self, arguments: PlanIdArguments) -> PlanStarted:
        return _started(await self._plans.again(arguments.plan_id))

    async def list(self, arguments: object) -> PlanList:
        """Return the plans, the oldest first."""
        plans = await self._plans.all_current(self._workspace.roots)
        return PlanList(plans=tuple(map(plan_status, plans)))

    async def state(self, arguments: PlanIdArguments) -> PlanStatus:
        return plan_status(await self._plans.current(arguments.plan_id))

    async def cancel(self, arguments: PlanIdArguments) -> CancelPlanResult:
        """Cancel a plan; answer whether it had not ended before."""
        return CancelPlanResult(cancelled=await self._plans.cancel(arguments.plan_id))

    async def reject(self, arguments: PlanIdArguments) -> RejectPlanResult:
        record = await self._plans.reject(arguments.plan_id)
        return RejectPlanResult(plan_id=record.id, state=record.state)

    async def open(self, arguments: PlanIdArguments) -> OpenPlanResult:
        record = await self._plans.current(arguments.plan_id)
        if record.plan is None:
            raise PlanStateError(f"The plan is {record.state}, so it has no document.")
        path = await asyncio.to_thread(self._documents.path, record)
        if not await asyncio.to_thread(path.exists):
            await self._documents.write(record)
            if not await asyncio.to_thread(path.exists):
                raise PlanStateError(
                    "The plan has no document: `store.enabled` is false, so nothing "
                    "of it is written.",
                    remedy="Run it as it is, or switch the store on and plan again.",
                )
        uri = path.as_uri()
        shown = False
        if self._client.shows_documents:
            with suppress(EditorError, RemoteProtocolError):
                shown = await show_document(self._endpoint, uri, takes_focus=True)
        if not shown:
            message = f"Redline: the plan is {path}."
            show_message(self._endpoint, MessageType.INFO, message)
        return OpenPlanResult(file=str(path), uri=uri, shown=shown)

    async def apply(self, arguments: ApplyPlanArguments) -> ApplyPlanResult:
        return await self._alone(
            arguments.plan_id, lambda record: self._apply_plan(record, arguments)
        )

    async def take_back(self, plan_id: str) -> PlanStarted:
        """Restore the files of an applied plan that still are as it left them."""
        return await self._alone(plan_id, self._take_back)

    async def _alone(
        self, plan_id: str, edit: Callable[[PlanRecord], Awaitable[_T]]
    ) -> _T:
        """Refuse a second edit of a plan: its files do not show the first one yet.

        The editor may apply an edit whose request the user has cancelled. So the edit
        is waited for and recorded also then.
        """
        done: list[_T] = []

        async def work() -> None:
            await self._own(plan_id)
            async with self._plans.records.edit(plan_id) as record:
                done.append(await edit(record))

        await self._supervisor.see_through(work, name="edit by a plan")
        return done[0]

    async def _apply_plan(
        self, record: PlanRecord, arguments: ApplyPlanArguments
    ) -> ApplyPlanResult:
        folder = Path(uri_path(record.request.workspace))
        if not await asyncio.to_thread(folder.is_dir):
            raise PlanStateError(
                f"The folder of the plan is gone: {folder}.",
                remedy="Nothing was changed, and the plan is kept: apply it when the "
                "folder is back, or reject it.",
            )
        if record.state == "applied":
            found = await self._again(record)
        elif record.state in ("ready", "held"):
            found = await asyncio.to_thread(
                application,
                record,
                self._workspace.snapshots(),
                files=arguments.files,
                steps=arguments.steps,
                is_forced=arguments.force,
            )
        else:
            raise PlanStateError(
                f"The plan is {record.state}; only a plan that is ready or held can "
                "be applied."
            )
        missing: Mapping[str, str] = {}
        if found.files:
            # Before it is stored as sent: after a no, nothing counts as applied.
            await self._changes.ask_for(found.files)
            await self._plans.records.send(record.id, found)
            root = record.request.workspace
            missing = await self._changes.apply("Redline: plan", found.files, root)
            if missing:
                paths = {one.path for one in found.files} - set(missing)
                found = _only_these(found, paths)
        if found.files or found.stale:
            with _changed_before():
                record = await self._plans.records.applied(record.id, found)
        state = self._plans.records.plan(record.id).state
        message = _message(found, missing)
        self._show_outcome(f"The plan is {state}. {message}".strip())
        return ApplyPlanResult(
            plan_id=record.id,
            state=state,
            applied=found.steps,
            files=tuple(file.path for file in found.files),
            left_out=found.left_out,
            stale=found.stale,
            message=message,
        )

    async def _again(self, record: PlanRecord) -> PlanApplication:
        """Return what an applied plan changes again: its editor may have ended before
        the user saved."""
        found = await asyncio.to_thread(
            applying_again, record, self._workspace.snapshots()
        )
        if not found.files:
            raise PlanStateError(
                "The plan is applied, and no file is as it was before.",
                remedy="`redline.takeBack` restores the files.",
            )
        await self._refuse_elsewhere(record, [one.path for one in found.files])
        return found

    async def _refuse_elsewhere(self, record: PlanRecord, paths: Iterable[str]) -> None:
        """Refuse what would change files that another window may show as applied."""
        if elsewhere := await self._plans.records.landed_elsewhere(record, paths):
            raise PlanStateError(
                "Another window applied the plan and may show its changes to these "
                f"files, which do not have them here: {', '.join(elsewhere)}.",
                remedy="Nothing was changed: apply it or take it back in that window, "
                "or save the files there and read them again here.",
            )

    async def _take_back(self, record: PlanRecord) -> PlanStarted:
        if not record.landed.changes():
            raise PlanStateError(
                f"The plan is {record.state}; nothing of it is applied."
            )
        found = await asyncio.to_thread(
            taking_back, record, self._workspace.snapshots()
        )
        await self._refuse_elsewhere(record, found.restored)
        edited = [one for one in found.files if one.exact is None]
        root = record.request.workspace
        missing: Mapping[str, str] = {}
        if edited:
            await self._changes.ask_for(edited)
            missing = await self._changes.apply(
                "Redline: take back a plan", edited, root
            )
        deleted = [one for one in found.files if one.exact is not None]
        await asyncio.to_thread(restore_files, deleted, root)
        if missing:
            raise EditNotLandedError(
                f"These files were left as they are: {named_files(missing)}.",
                remedy="The other files of the plan were restored.",
            )
        if found.stale_files:
            names = ", ".join(found.stale_files)
            raise EditNotLandedError(
                f"These files were changed since, and are left as they are: {names}.",
                remedy="The other files of the plan were restored."
                if found.files
                else "Undo the plan in the editor.",
            )
        with _changed_before():
            record = await self._plans.records.taken_back(record.id)
        self._show_outcome("The plan is taken back.")
        return _started(record)

    def _show_outcome(self, text: str) -> None:
        """Say what became of an edit to clients that do not show it themselves.

        Menus and lenses of an editor drop the result of their command.
        """
        if not self._client.has_plans:
            show_outcome(self._endpoint, text, is_failed=False)

    async def _own(self, plan_id: str) -> None:
        """Find a plan, if its folder is open here: others may be edited elsewhere.

        Raises:
            PlanStateError: If its folder is not.
        """
        record = await self._plans.current(plan_id)
        folder = record.request.workspace
        if folder not in self._workspace.roots:
            raise PlanStateError(
                f"The plan is about {uri_path(folder)}, which is not open here.",
                remedy="Open that folder, so that texts that are not saved count.",
            )


def _only_these(found: PlanApplication, paths: Collection[str]) -> PlanApplication:
    """Return an application of some files: the others are still to be applied."""
    files = tuple(one for one in found.files if one.path in paths)
    texts = dict(found.rest.texts)
    base = dict(found.rest.base)
    renamed = dict(found.rest.renamed)
    for one in found.files:
        if one.path in paths:
            continue
        texts[one.path] = one.after
        if one.old_path:
            base[one.old_path], texts[one.old_path] = one.before, None
            base[one.path], renamed[one.path] = None, one.old_path
        else:
            base[one.path] = one.before
    rest = Overlay(base=base, texts=texts, renamed=renamed)
    return replace(found, files=files, rest=rest)


def _started(record: PlanRecord) -> PlanStarted:
    return PlanStarted(plan_id=record.id, state=record.state)


def _message(found: PlanApplication, missing: Mapping[str, str]) -> str:
    words = []
    if missing:
        words.append(f"These files were left as they were: {named_files(missing)}.")
    if not found.files:
        words.append("Nothing was applied.")
    if found.left_out:
        names = ", ".join(found.left_out)
        words.append(f"Left out, because they use what is not applied: {names}.")
    if found.stale:
        names = ", ".join(found.stale_files)
        words.append(
            f"Their places were changed meanwhile, in {names}: "
            f"{', '.join(found.stale)}. Write these steps again by `redline.runPlan`."
        )
    return " ".join(words)


@contextmanager
def _changed_before() -> Iterator[None]:
    """Say in the error that the files are changed, if that cannot be stored.

    Raises:
        StoreError: If it cannot be stored now.
    """
    try:
        yield
    except StoreError as error:
        raise type(error)(
            f"The files were changed, but that could not be recorded: {error}",
            remedy="Redline stores it again as long as it runs; then "
            "`redline.takeBack` can take an applied plan back.",
        ) from error
