"""Reviews the joined steps of a plan by the deep tier, as any change.

The review lives in memory: a plan that resumes after a restart is reviewed again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.plan.plan_answers import PlanAnswers
from redline.assist.plan.plan_tools import PlanTools
from redline.assist.plan.planned_files import PlanFiles
from redline.assist.review.job.brief import gather_brief
from redline.assist.review.job.confirming import Confirming
from redline.assist.review.job.review_job import ReviewJob
from redline.assist.review.job.reviewing import Reviewing
from redline.assist.review.review_followers import ReviewFollowers
from redline.assist.tiers.cost import Cost
from redline.findings.claim_judge import ClaimJudge
from redline.findings.finding import Finding
from redline.findings.fixes import with_fix
from redline.findings.review import Review, ReviewRequest
from redline.findings.scope import ReviewedFile, ReviewScope, Span, WorkingTree
from redline.plans.overlay import Overlay
from redline.plans.record import PlanFinding, PlanRecord
from redline.prompts.redaction import hide, without_placeholders
from redline.settings.tree import StoreSettings
from redline.store.review_change import StoredStep
from redline.store.review_store import ReviewStore
from redline.syntax.language import language_of
from redline.text.document import Snapshot
from redline.text.line_diff import diff_lines
from redline.text.lines import split_lines
from redline.text.unified_diff import unified_diff

GRAVE = ("critical", "high")
"""Severities that hold a plan back."""


class PlanReviewed(Struct, frozen=True, kw_only=True):
    """What the review found, and the overlay with the fixes of grave findings."""

    findings: tuple[PlanFinding, ...]
    overlay: Overlay
    message: str = ""
    """What was not reviewed, a sentence; empty: nothing."""

    @property
    def is_grave(self) -> bool:
        """Whether a grave finding is left."""
        return any(one.severity in GRAVE and not one.is_fixed for one in self.findings)


async def review_plan(
    record: PlanRecord,
    overlay: Overlay,
    *,
    files: PlanFiles,
    tools: PlanTools,
    answers: PlanAnswers,
    snapshots: Mapping[str, Snapshot],
    max_cost: float | None,
    on_spent: Callable[[Cost], None],
) -> PlanReviewed:
    """Review the change that an overlay makes.

    Args:
        record: The plan, for the purpose of the change.
        overlay: The result of its steps.
        files: The workspace.
        tools: Their deep tier reviews.
        answers: Deletes the answers that are read.
        snapshots: The files of the overlay by URI.
        max_cost: US dollars after which no model is asked; None: no limit.
        on_spent: Receives the cost at the end, also of a review that fails or is
            cancelled.

    Raises:
        ModelError: If the deep model does not answer.
    """
    scope = plan_scope(record, overlay, files)
    request = ReviewRequest(
        target=scope.target,
        roots=record.request.roots,
        is_forced=True,
        max_cost=max_cost,
    )
    store = ReviewStore(lambda: StoreSettings(enabled=False))
    ended: list[Review] = []

    async def on_end(review: Review, steps: Sequence[StoredStep]) -> None:
        ended.append(review)

    job_tools = replace(tools.job, documents=lambda: snapshots, on_stored=answers.note)
    job = ReviewJob(
        Review(
            id=record.id,
            request=request,
            created_at=tools.job.now(),
            state="gathering",
            fingerprint=record.id,
        ),
        store=store,
        followers=ReviewFollowers(),
        on_end=on_end,
        tools=job_tools,
        unwanted=answers.unwanted,
    )
    try:
        await store.write(job.review)
        judge = await job_tools.in_thread(
            ClaimJudge, scope, review_id=record.id, dismissed=(), trusts_rules=False
        )
        brief = await gather_brief(
            scope,
            request,
            job_tools,
            may_spend=lambda: job.may_spend,
            on_spent=lambda spent: job.count("brief", spent),
            on_note=lambda n_done, n_all: None,
        )
        await Reviewing(job, scope, brief, judge).run()
        await Confirming(job, scope, brief).run()
        await job.finish()
    finally:
        on_spent(job.spent)
        # Nothing resumes this review, so its answers are deleted now.
        answers.unwanted.delete_soon(job.unwanted_answers())
        await store.aclose()
    found = [one.finding for one in job.findings.kept]
    message = ended[0].message if ended else ""
    if ended and ended[0].is_partial:
        message = f"Not all of the change was reviewed. {message}".strip()
    return _with_fixes(found, overlay, message)


def plan_scope(record: PlanRecord, overlay: Overlay, files: PlanFiles) -> ReviewScope:
    """Return the change of an overlay as the subject of a review."""
    summary = record.plan.summary if record.plan is not None else ""
    purpose = " ".join(f"{record.request.instruction} {summary}".split())
    reviewed = [
        ReviewedFile(
            path=change.path,
            uri=files.uri(change.path),
            language=(language.value if (language := language_of(change.path)) else ""),
            text=change.after,
            spans=spans,
            diff=unified_diff(change.before or "", change.after, path=change.path),
            is_new=change.before is None,
            old_path=change.old_path or None,
        )
        for change in overlay.changes()
        if change.after and (spans := _spans(change.before or "", change.after))
    ]
    return ReviewScope(
        target=WorkingTree(root=record.request.workspace),
        title="a change that a fast model has written, in parts, for this purpose: "
        + without_placeholders(*hide(purpose)),
        files=tuple(reviewed),
        deleted=tuple(one.path for one in overlay.changes() if one.after is None),
    )


def _spans(before: str, after: str) -> tuple[Span, ...]:
    """Return the changed lines of a text; around a deletion, the lines beside it."""
    spans: list[Span] = []
    shift = 0
    n_lines = after.count("\n") + 1
    for hunk in diff_lines(split_lines(before), split_lines(after)):
        first = hunk.start + shift
        end = first + len(hunk.lines)
        if not hunk.lines:
            first, end = max(0, first - 1), min(n_lines, end + 1)
        spans.append((first, min(end, n_lines)))
        shift += hunk.shift
    return tuple(span for span in spans if span[0] < span[1])


def _with_fixes(found: list[Finding], overlay: Overlay, message: str) -> PlanReviewed:
    """Apply the checked fixes of grave findings, the last of a file first."""
    fixed: set[str] = set()
    taken: dict[str, int] = {}
    for finding in sorted(found, key=lambda one: -one.first_line):
        text = overlay.text(finding.file)
        is_free = finding.end_line <= taken.get(finding.file, finding.end_line)
        if finding.severity not in GRAVE or finding.fix is None or text is None:
            continue
        if is_free:
            span = range(finding.first_line, finding.end_line)
            lines = with_fix(split_lines(text), span, finding.fix.new_text)
            overlay = overlay.write(finding.file, "".join(lines))
            taken[finding.file] = finding.first_line
            fixed.add(finding.id)
    return PlanReviewed(
        findings=tuple(
            PlanFinding(
                file=one.file,
                line=one.first_line,
                severity=one.severity,
                title=one.title,
                explanation=one.explanation,
                is_fixed=one.id in fixed,
            )
            for one in found
        ),
        overlay=overlay,
        message=message,
    )
