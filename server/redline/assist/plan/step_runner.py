"""Carries out the steps of a plan on an overlay: documents that no editor shows.

Each step is an ordinary edit, whose outcome is handed over: routed, checked, repaired
and escalated as an edit in an editor. Its session follows the text when another step of
the same file is done before it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.context.gatherer import ContextGatherer
from redline.assist.edit.edits import Edits
from redline.assist.edit.hand_over_editor import HandOverEditor
from redline.assist.edit.prompt.prompt_writer import PromptWriter
from redline.assist.edit.session.result import EditRequest, EditResult
from redline.assist.edit.session.session import EditSession
from redline.assist.editor.workspace import Workspace
from redline.assist.plan.plan_tools import PlanTools, tier_use
from redline.assist.plan.planned_files import PlanFiles
from redline.assist.tiers.cost import Cost
from redline.assist.usage.recorder import UsageRecorder
from redline.errors import ParserEndedError, RedlineError
from redline.files import FullStamp
from redline.plans.contracts import (
    JOIN,
    OUTLINES,
    JoinQuestion,
    OutlineQuestion,
)
from redline.plans.overlay import Overlay
from redline.plans.places import place_of
from redline.plans.plan import Plan, PlanStep
from redline.plans.record import PlanKind, StepProblem, StepRecord, TierUse
from redline.plans.states import StepState
from redline.prompts.blocks import Block, on_one_line
from redline.prompts.plan_prompt import step_blocks
from redline.prompts.secrets.cuts import beginning
from redline.routing.route import Tier
from redline.settings.tree import Settings
from redline.store.task import LateTaskFacts, TaskUsage
from redline.syntax.language import language_of
from redline.text.document import ContentChange, Snapshot
from redline.text.position import Encoding
from redline.text.region import TextEdit, range_of_lines

JOINED_RULES = frozenset(
    {"undefined-name", "phantom-import", "phantom-member", "phantom-parameter"}
)
"""Checks of names that another step may define: they run when all steps are there."""

_TIERS: tuple[Tier | None, ...] = (None, None, "standard")
"""Who writes a step: the routed tier, which gets one repair of a broken contract, and
one higher tier."""

_MAX_READ_CHARS = 60_000
"""Longest file that a step is shown besides its own."""


class StepOutcome(Struct, frozen=True, kw_only=True):
    record: StepRecord
    overlay: Overlay
    """With the step."""


class _Ledger:
    """Implements `Ledger`: passes tasks on as the plan's, and holds them for it."""

    def __init__(self, tools: PlanTools, kind: PlanKind) -> None:
        self._ledger = tools.ledger
        self._kind = kind
        self.tasks: dict[str, TaskUsage] = {}

    def record(self, task: TaskUsage) -> None:
        task = replace(task, kind=self._kind)
        self.tasks[task.id] = task
        self._ledger.record(task)

    def update(self, task_id: str, later: LateTaskFacts) -> None:
        self._ledger.update(task_id, later)

    async def settled(self) -> None:
        """Wait until it is stored."""
        await self._ledger.settled()


class StepRunner:
    """The overlay of one run, and the edits on it."""

    def __init__(
        self,
        plan: Plan,
        overlay: Overlay,
        *,
        kind: PlanKind,
        seen: Mapping[str, FullStamp],
        files: PlanFiles,
        tools: PlanTools,
    ) -> None:
        """Open the plan's files as the overlay has them."""
        self._plan = plan
        self._seen = seen
        self._files = files
        self._tools = tools
        self.overlay = overlay
        services = tools.services
        self._workspace = Workspace(Encoding.UTF_32)
        self._workspace.change_roots(added=services.workspace.roots, removed=())
        self._gatherer = ContextGatherer(self._workspace, tools.counter)
        self._ledger = _Ledger(tools, kind)
        self._recorder = UsageRecorder(self._workspace, self._ledger)
        own = replace(
            services,
            workspace=self._workspace,
            editor=HandOverEditor(),
            settings=self._settings,
        )
        self._edits = Edits(
            own,
            tasks=PromptWriter(own, gatherer=self._gatherer, counter=tools.counter),
            on_change=self._recorder.session_changed,
        )
        # Last, so that all followers see them.
        for path in {*overlay.base, *overlay.texts}:
            self._open(path)

    async def aclose(self) -> None:
        """Stop what is being written, and record it."""
        await self._edits.aclose()
        self._recorder.close()
        await self._gatherer.aclose()

    def snapshots(self) -> dict[str, Snapshot]:
        """Return the files of the overlay by URI."""
        return self._workspace.snapshots()

    @property
    def uses(self) -> tuple[TierUse, ...]:
        """What the steps of this run have taken so far."""
        return tuple(
            tier_use(task.tier, Cost(tokens=task.tokens, cost=task.cost))
            for task in self._ledger.tasks.values()
        )

    async def run(self, step: PlanStep) -> StepOutcome:
        """Carry out one step. Cancelling is safe: its edit is stopped."""
        match step.kind:
            case "delete":
                record = await self._delete(step)
            case "rename":
                self.overlay = self.overlay.rename(step.file, step.to)
                self._close(step.file)
                self._open(step.to)
                record = StepRecord(id=step.id, state="checked", needs_look=True)
            case "edit" | "create":
                record = await self._write(step)
        return StepOutcome(record=record, overlay=self.overlay)

    async def _delete(self, step: PlanStep) -> StepRecord:
        """Delete a file, unless it has text that the planner cannot have known."""
        text = self.overlay.base.get(step.file)
        if text is not None:
            has_changed = await asyncio.to_thread(
                self._files.has_changed, step.file, text, self._seen.get(step.file)
            )
            if has_changed:
                message = (
                    f"{step.file} is not saved, or was changed after the plan was "
                    "made, so it is not deleted: save it, and plan again."
                )
                return StepRecord(
                    id=step.id, state="problem", message=message, needs_look=True
                )
        self.overlay = self.overlay.delete(step.file)
        self._close(step.file)
        return StepRecord(id=step.id, state="checked", needs_look=True)

    async def _write(self, step: PlanStep) -> StepRecord:
        if step.kind == "create" and self.overlay.text(step.file) is None:
            self.overlay = self.overlay.write(step.file, "")
            self._open(step.file)
        record = StepRecord(id=step.id, state="problem", message="It was not written.")
        instruction = step.instruction
        for tier in _TIERS:
            try:
                record = await self._edit(step, instruction, tier)
            except RedlineError as error:
                words = f"{error} {error.remedy}".strip()
                return replace(record, message=words)
            broken = await self._broken_contracts(step)
            if not broken:
                return record
            problems = (*record.problems, *broken)
            record = replace(record, state="problem", problems=problems)
            listed = "\n".join(f"- {one.message}" for one in broken)
            instruction = (
                f"{step.instruction}\n\nThis is wrong with what was written:\n{listed}"
            )
        return record

    async def _edit(
        self, step: PlanStep, instruction: str, tier: Tier | None
    ) -> StepRecord:
        """Write a step by one edit session.

        Raises:
            RedlineError: If it could not be written.
        """
        uri = self._files.uri(step.file)
        text = self.overlay.text(step.file) or ""
        place = await self._place(step, text)
        if place is None:
            return StepRecord(
                id=step.id,
                state="stale",
                message=f"Its place is no longer in {step.file}.",
            )
        document = self._workspace.document(uri)
        lines = document.snapshot().lines
        last = min(place.stop, len(lines))
        request = EditRequest(
            session_id=secrets.token_hex(8),
            uri=uri,
            range=range_of_lines(lines, place.start, last - place.start),
            instruction=instruction,
            tier=tier,
            apply="hand-over",
            notes=(*step_blocks(self._plan, step), *self._read_blocks(step)),
            title=f"{step.id} {step.file}",
        )
        asked = self._edits.open(request)
        result = await asked.outcome()
        if result.outcome == "computed":
            if result.version != document.version:
                # A step of the same file was done at the same moment.
                return await self._edit(step, instruction, tier)
            self._take(step.file, result.edits)
        elif result.outcome != "unchanged":
            message = result.message or "The edit was not finished."
            return StepRecord(
                id=step.id, state="problem", tier=result.tier, message=message
            )
        return _record(step, result, asked.session)

    def _take(self, path: str, edits: Sequence[TextEdit]) -> None:
        """Put the edits of a step into the overlay."""
        uri = self._files.uri(path)
        document = self._workspace.document(uri)
        changes = [
            ContentChange(range=edit.range, text=edit.new_text)
            for edit in reversed(edits)
        ]
        self._workspace.change(uri, document.version + 1, changes)
        self.overlay = self.overlay.write(path, document.snapshot().text)

    async def _place(self, step: PlanStep, text: str) -> range | None:
        try:
            found = await self._tools.services.parser.run(
                OUTLINES, OutlineQuestion(texts={step.file: text})
            )
        except ParserEndedError:
            found = {}
        return place_of(step, text, found.get(step.file, ()))

    async def _broken_contracts(self, step: PlanStep) -> tuple[StepProblem, ...]:
        given = [one for one in self._plan.contracts if one.name in step.gives]
        if not given:
            return ()
        text = self.overlay.text(step.file) or ""
        question = JoinQuestion(contracts=tuple(given), after={step.file: text})
        try:
            answer = await self._tools.services.parser.run(JOIN, question)
        except ParserEndedError as error:
            message = f"The contract is not checked: {error.reason}."
            return (StepProblem(rule="unchecked", message=message),)
        return tuple(
            StepProblem(rule=one.rule, message=one.message, line=one.line)
            for one in answer.problems
        )

    def _read_blocks(self, step: PlanStep) -> list[Block]:
        """Return the files that the step is shown, as the plan found them."""
        return [
            Block(
                title=f"The file {on_one_line(path)}",
                text=beginning(text, _MAX_READ_CHARS, path=path),
                path=path,
            )
            for path in step.reads
            if path != step.file and (text := self.overlay.text(path)) is not None
        ]

    def _settings(self) -> Settings:
        settings = self._tools.services.settings()
        off = tuple({*settings.checks.off, *JOINED_RULES})
        # A checker of the user would judge a step without the others.
        checks = replace(settings.checks, off=off, commands={})
        return replace(settings, checks=checks)

    def _open(self, path: str) -> None:
        text = self.overlay.text(path)
        if text is not None:
            language = language_of(path)
            identifier = language.value if language else ""
            self._workspace.open(self._files.uri(path), identifier, 1, text)

    def _close(self, path: str) -> None:
        self._workspace.close(self._files.uri(path))


def _record(step: PlanStep, result: EditResult, session: EditSession) -> StepRecord:
    first = session.edit_target.first_line
    problems = tuple(
        StepProblem(
            rule=problem.rule,
            message=problem.message,
            line=None if problem.line is None else first + problem.line,
        )
        for problem in result.checks
    )
    route = session.chosen.route
    has_boundary = route is not None and bool(route.boundaries)
    is_same = result.outcome == "unchanged"
    state: StepState = "problem" if problems or is_same else "checked"
    message = result.message or "The model changed nothing." if is_same else ""
    return StepRecord(
        id=step.id,
        state=state,
        tier=result.tier,
        problems=problems,
        message=message,
        needs_look=has_boundary or bool(problems),
    )
