"""A plan as it is stored: the request, its state, and what its steps have made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from redline.files import FullStamp
from redline.plans.overlay import Overlay
from redline.plans.plan import Plan
from redline.plans.states import PLAN_ENDS, PlanState, StepState

PlanKind = Literal["plan", "debug"]
Proof = Literal["green", "red", "not run"]
PlanOrigin = Literal["editor", "terminal"]
"""Only an editor's plan is taken over by another server when its server is gone."""


class PlanRequest(Struct, frozen=True, kw_only=True):
    instruction: str
    roots: tuple[str, ...]
    """URIs of the workspace folders; the plan's paths are relative to the first."""
    uri: str = ""
    """The document that the instruction is about; empty: none."""
    first_line: int | None = None
    """The first of its lines, from 0; None: the whole document."""
    end_line: int | None = None
    tier: str | None = None
    """The tier that plans; None: the deep one."""
    files: tuple[str, ...] = ()
    """Paths of further files that the planner is shown."""
    max_cost: float | None = None
    """US dollars after which no model is asked; None: as in the settings."""
    output: str = ""
    """Of a debug: the output that shows the failure."""
    failure_number: int = 0
    """Of a debug: which of the failures in the output it is about."""
    origin: PlanOrigin = "editor"
    kind: PlanKind = "plan"

    @property
    def workspace(self) -> str:
        """The folder that the plan belongs to; empty: none."""
        return self.roots[0] if self.roots else ""


class StepProblem(Struct, frozen=True, kw_only=True):
    """What is wrong with the result of a step."""

    rule: str
    message: str
    """A sentence."""
    line: int | None = None
    """From 0, in the file as the step leaves it."""


class StepRecord(Struct, frozen=True, kw_only=True):
    id: str
    state: StepState = "waiting"
    tier: str = ""
    """The tier that wrote it; empty: none yet."""
    problems: tuple[StepProblem, ...] = ()
    message: str = ""
    """A sentence, such as why it failed."""
    needs_look: bool = False
    """Whether it crossed a boundary, and is to be confirmed for itself."""


class TierUse(Struct, frozen=True, kw_only=True):
    """The tokens and the money that one tier took."""

    tier: str
    input_n_tokens: int = 0
    cached_n_tokens: int = 0
    output_n_tokens: int = 0
    wasted_n_tokens: int = 0
    cost: float | None = 0.0
    """US dollars; None: the price of a model is not known."""


class PlanFinding(Struct, frozen=True, kw_only=True):
    """A finding of the deep review of the joined steps."""

    file: str
    line: int
    """From 0, in the file as the steps leave it."""
    severity: str
    title: str
    explanation: str
    is_fixed: bool = False


class Evidence(Struct, frozen=True, kw_only=True):
    """Lines of a file that show the cause of a failure."""

    file: str
    quote: str


class SentEdit(Struct, frozen=True, kw_only=True):
    """What an edit changes, so that it can be taken back."""

    landed: Overlay = Overlay()
    """The texts before and after."""
    deleted: Mapping[str, str] = {}
    deleted_permissions: Mapping[str, int] = {}


class PlanRecord(Struct, frozen=True, kw_only=True):
    """The state of one plan; replaced as a whole when it changes."""

    id: str
    request: PlanRequest
    created_at: float
    """Unix seconds."""
    ended_at: float | None = None
    state: PlanState = "queued"
    step: str = ""
    """What it does now, for people."""
    message: str = ""
    """Why it failed or is held; a sentence or more."""
    seen: Mapping[str, FullStamp] = {}
    """How the files of its steps were when the planner's code was read, by path."""
    plan: Plan | None = None
    revision: int = 1
    """How often it was planned; its document says it, too."""
    estimate: float | None = None
    """US dollars that a run is likely to cost; None: not known."""
    chosen: tuple[str, ...] = ()
    """Ids of the steps of the current run."""
    steps: tuple[StepRecord, ...] = ()
    overlay: Overlay = Overlay()
    findings: tuple[PlanFinding, ...] = ()
    uses: tuple[TierUse, ...] = ()
    began_s: float | None = None
    """When the run began, in Unix seconds."""
    ran_s: float | None = None
    """How long the run took."""
    applied: tuple[str, ...] = ()
    """Ids of the steps that were applied."""
    landed: Overlay = Overlay()
    """The texts before and after what was applied."""
    deleted: Mapping[str, str] = {}
    """The applied deletions: exact texts by path, with line ends and byte order
    marks."""
    deleted_permissions: Mapping[str, int] = {}
    """The permissions of these files, by path."""
    landed_in: Mapping[str, str] = {}
    """The servers whose editors applied its files, by path."""
    editing: str = ""
    """The server whose editor has an edit of the plan now; empty: none has."""
    sent: SentEdit = SentEdit()
    """The last edit that applies it, until that is recorded: it has landed as far as
    the files show it."""
    # Of a debug.
    cause: str = ""
    evidence: tuple[Evidence, ...] = ()
    confidence: str = ""
    proved: Proof = "not run"
    is_second_diagnosis: bool = False
    """Whether the test still failed with the first fix."""

    @property
    def has_ended(self) -> bool:
        """Whether its state is final, unless it is taken back."""
        return self.state in PLAN_ENDS

    @property
    def cost(self) -> float | None:
        """US dollars so far; None: the price of a model is not known."""
        costs = [use.cost for use in self.uses]
        return None if None in costs else sum(cost or 0.0 for cost in costs)

    def step_record(self, step_id: str) -> StepRecord:
        found = (step for step in self.steps if step.id == step_id)
        return next(found, StepRecord(id=step_id))


def unwritten_steps(record: PlanRecord) -> str:
    """Return a sentence that names the steps which are still to be written."""
    names = [
        step.id
        for step in (record.plan.chosen if record.plan is not None else ())
        if step.id not in record.applied
        if record.step_record(step.id).state == "waiting"
    ]
    if not names:
        return ""
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} not written yet."


def with_step(record: PlanRecord, step: StepRecord) -> PlanRecord:
    if not any(one.id == step.id for one in record.steps):
        return replace(record, steps=(*record.steps, step))
    steps = tuple(step if one.id == step.id else one for one in record.steps)
    return replace(record, steps=steps)


def with_use(record: PlanRecord, use: TierUse) -> PlanRecord:
    before = next((one for one in record.uses if one.tier == use.tier), None)
    if before is None:
        return replace(record, uses=(*record.uses, use))
    is_known = before.cost is not None and use.cost is not None
    added = TierUse(
        tier=use.tier,
        input_n_tokens=before.input_n_tokens + use.input_n_tokens,
        cached_n_tokens=before.cached_n_tokens + use.cached_n_tokens,
        output_n_tokens=before.output_n_tokens + use.output_n_tokens,
        wasted_n_tokens=before.wasted_n_tokens + use.wasted_n_tokens,
        cost=(before.cost or 0.0) + (use.cost or 0.0) if is_known else None,
    )
    uses = tuple(added if one.tier == use.tier else one for one in record.uses)
    return replace(record, uses=uses)
