"""The messages of plans."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from redline.lsp.protocol.message_bases import SentMessage, SparseArguments, Tier
from redline.lsp.protocol.messages import LspRange
from redline.plans.record import PlanKind, Proof
from redline.plans.states import PlanState, StepState


class PlanArguments(SparseArguments, frozen=True):
    uri: str
    instruction: Annotated[str, Meta(max_length=100_000)]
    range: LspRange | None = None
    """The lines that it is about; absent: the document."""
    tier: Tier | None = None
    """The tier that plans; absent: deep."""
    files: tuple[str, ...] = ()
    """Paths of further files to show to the planner."""
    max_cost: float | None = None
    """US dollars after which no model is asked; absent: `plan.max_cost`."""


class DebugArguments(SparseArguments, frozen=True):
    """Arguments of `redline.debug`: a text, lines of an open document, or a failure."""

    text: Annotated[str, Meta(max_length=4_000_000)] | None = None
    """The output that shows the failure."""
    uri: str | None = None
    """With `text`: which workspace folder it is about."""
    range: LspRange | None = None
    """The lines of the document; absent: all of them."""
    failure: str | None = None
    """The id of a failure of a test run; its output counts."""
    tier: Tier | None = None
    """The tier that looks for the cause; absent: deep."""
    max_cost: float | None = None
    """US dollars after which no model is asked; absent: `plan.max_cost`."""


class PlanIdArguments(SparseArguments, frozen=True):
    plan_id: str


class RunPlanArguments(SparseArguments, frozen=True):
    plan_id: str
    steps: tuple[str, ...] | None = None
    """Ids of the steps to write; absent: all that are not left out."""


class ApplyPlanArguments(SparseArguments, frozen=True):
    plan_id: str
    files: tuple[str, ...] | None = None
    """Paths of the files to apply; absent: all."""
    steps: tuple[str, ...] | None = None
    """Ids of the steps to apply; absent: all."""
    force: bool = False
    """Also apply steps that use what is not applied."""


class PlanStarted(SentMessage, frozen=True):
    """The result of `redline.plan`, `debug`, `runPlan` and `planAgain`."""

    plan_id: str
    state: PlanState


class PlanProblem(SentMessage, frozen=True):
    """A problem of a step's result."""

    rule: str
    message: str
    line: int | None
    """From 0, in the file as the step leaves it."""


class PlanStepStatus(SentMessage, frozen=True):
    id: str
    file: str
    symbol: str
    kind: Literal["edit", "create", "rename", "delete"]
    instruction: str
    state: StepState
    tier: str
    problems: tuple[PlanProblem, ...]
    message: str


class PlanFindingInfo(SentMessage, frozen=True):
    """A finding of the review of the whole."""

    file: str
    line: int
    severity: str
    title: str
    explanation: str
    fixed: bool


class PlanEvidence(SentMessage, frozen=True):
    """Lines that show the cause of a failure."""

    file: str
    quote: str


class PlanTierUsage(SentMessage, frozen=True):
    tier: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    wasted_tokens: int
    cost: float | None


class PlanStatus(SentMessage, frozen=True):
    """`redline/plan`, and the result of `redline.planState`."""

    plan_id: str
    kind: PlanKind
    state: PlanState
    instruction: str
    summary: str
    step: str
    """What it does now, for people."""
    steps: tuple[PlanStepStatus, ...]
    findings: tuple[PlanFindingInfo, ...]
    cause: str
    evidence: tuple[PlanEvidence, ...]
    confidence: str
    proved: Proof
    message: str
    estimate: float | None
    """US dollars that a run is likely to cost; null: not known."""
    timing: float | None
    """Seconds that the run took; null: it has not ended."""
    usage: tuple[PlanTierUsage, ...]


class PlanList(SentMessage, frozen=True):
    """The result of `redline.plans`."""

    plans: tuple[PlanStatus, ...]


class OpenPlanResult(SentMessage, frozen=True):
    file: str
    """The path of the plan's document."""
    uri: str
    """The URI of the plan's document."""
    shown: bool


class ApplyPlanResult(SentMessage, frozen=True):
    plan_id: str
    state: PlanState
    applied: tuple[str, ...]
    """Ids of the applied steps."""
    files: tuple[str, ...]
    """Paths of the changed files."""
    left_out: tuple[str, ...]
    """Ids of steps that use what is not applied."""
    stale: tuple[str, ...]
    """Ids of steps whose places are gone."""
    message: str


class CancelPlanResult(SentMessage, frozen=True):
    cancelled: bool


class RejectPlanResult(SentMessage, frozen=True):
    plan_id: str
    state: PlanState
