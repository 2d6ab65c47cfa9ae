"""A plan as it is sent to the client."""

from __future__ import annotations

from redline.lsp.plan.plan_messages import (
    PlanEvidence,
    PlanFindingInfo,
    PlanProblem,
    PlanStatus,
    PlanStepStatus,
    PlanTierUsage,
)
from redline.plans.plan import PlanStep
from redline.plans.record import PlanRecord
from redline.text.markdown import plain_message


def plan_status(record: PlanRecord) -> PlanStatus:
    """Convert a plan; texts of models are made harmless."""
    plan = record.plan
    return PlanStatus(
        plan_id=record.id,
        kind=record.request.kind,
        state=record.state,
        instruction=record.request.instruction,
        summary=plain_message(plan.summary) if plan is not None else "",
        step=record.step,
        steps=tuple(_step(step, record) for step in (plan.steps if plan else ())),
        findings=tuple(
            PlanFindingInfo(
                file=one.file,
                line=one.line,
                severity=one.severity,
                title=plain_message(one.title),
                explanation=plain_message(one.explanation),
                fixed=one.is_fixed,
            )
            for one in record.findings
        ),
        cause=plain_message(record.cause),
        evidence=tuple(
            PlanEvidence(file=one.file, quote=one.quote) for one in record.evidence
        ),
        confidence=record.confidence,
        proved=record.proved,
        message=plain_message(record.message),
        estimate=record.estimate,
        timing=record.ran_s,
        usage=tuple(
            PlanTierUsage(
                tier=use.tier,
                input_tokens=use.input_n_tokens,
                cached_tokens=use.cached_n_tokens,
                output_tokens=use.output_n_tokens,
                wasted_tokens=use.wasted_n_tokens,
                cost=use.cost,
            )
            for use in record.uses
        ),
    )


def _step(step: PlanStep, record: PlanRecord) -> PlanStepStatus:
    done = record.step_record(step.id)
    return PlanStepStatus(
        id=step.id,
        file=step.file,
        symbol=step.symbol,
        kind=step.kind,
        instruction=plain_message(step.instruction),
        state=done.state,
        tier=done.tier,
        problems=tuple(
            PlanProblem(
                rule=one.rule, message=plain_message(one.message), line=one.line
            )
            for one in done.problems
        ),
        message=plain_message(done.message),
    )


def outcome(record: PlanRecord) -> str:
    """Describe a plan that waits for the user or has ended, in a sentence or two."""
    what = record.request.kind
    n_steps = len(record.plan.steps) if record.plan is not None else 0
    steps = "1 step" if n_steps == 1 else f"{n_steps} steps"
    match record.state:
        case "planned":
            words = f"The plan has {steps}."
            if record.estimate is not None:
                words += f" A run costs about ${record.estimate:.4f}."
        case "ready":
            words = f"The {what} is ready to be applied."
        case "held":
            words = f"The {what} is held: look at it before you apply it."
        case "failed":
            words = f"The {what} failed:"
        case _:
            words = f"The {what} is {record.state}."
    if record.cause and record.state in ("ready", "held"):
        words = f"{record.cause} {words}"
    return f"{words} {record.message}".strip()
