"""One review job: its state, its findings, its cost.

Every change is stored before it is shown, so that what was shown survives any end of
the process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from redline.assist.privacy.excluded_files import SendCheck, send_check
from redline.assist.review.job.answer_reader import PartAnswerReader, Verdict
from redline.assist.review.job.cost import NOTHING, wasted_cost_of_all
from redline.assist.review.job.job_findings import JobFinding, JobFindings
from redline.assist.review.job.job_tools import JobTools
from redline.assist.review.job.model_client import (
    AskOptions,
    is_stored,
)
from redline.assist.review.job.steps import Steps
from redline.assist.review.job.unwanted_answers import (
    UnwantedAnswers,
    unwanted_answers,
)
from redline.assist.review.review_followers import ReviewFollowers
from redline.assist.tiers.cost import Cost
from redline.errors import ModelError
from redline.findings.claim_judge import ClaimJudge
from redline.findings.finding import (
    DropReason,
    Finding,
    FindingState,
)
from redline.findings.review import SUCCESSORS, Review, ReviewState
from redline.findings.reviewed_lines import ReviewedLines, reviewed_lines
from redline.findings.scope import (
    LeftOutFile,
    ReviewScope,
    Selection,
    Span,
    missed,
)
from redline.models.interface import GenerationRequest, Model
from redline.routing.route import Tier
from redline.store.review_change import (
    GoneFinding,
    ReviewChange,
    StoredStep,
    stored_step,
)
from redline.store.review_store import ReviewStore

SkippedWork = Literal["read", "refute", "fix"]

_REVIEWED = "reviewed lines"
"""The step that is kept of a review."""

_N_EARLIER = 400
"""Most earlier reviews that are searched for what has been reviewed."""

_CLAUSES: dict[SkippedWork, tuple[str, str]] = {
    "read": ("no scout read", "related place"),
    "refute": ("no model tried to refute", "finding"),
    "fix": ("no model wrote a fix for", "finding"),
}


def skipped_work(n_undone: Mapping[SkippedWork, int]) -> str:
    """Return one sentence that lists the skipped work; empty: nothing was skipped.

    Args:
        n_undone: How often each kind of work was skipped.
    """
    clauses = [
        f"{verb} {n} {noun}{'' if n == 1 else 's'}"
        for what, (verb, noun) in _CLAUSES.items()
        if (n := n_undone.get(what, 0))
    ]
    if not clauses:
        return ""
    *others, last = clauses
    words = f"{', '.join(others)} and {last}" if others else last
    return f"The cost limit was reached, so {words}."


class OpenQuestion(Struct, frozen=True, kw_only=True):
    """A question that is being answered."""

    model: Model
    request: GenerationRequest
    answer_reader: PartAnswerReader

    @property
    def is_kept(self) -> bool:
        """Whether a stored answer can be resumed, so that nothing more is spent."""
        mark = self.answer_reader.mark
        return mark is not None and is_stored(self.model, mark)

    @property
    def wasted(self) -> Cost:
        """The cost of its answers if they are given up now."""
        return wasted_cost_of_all(
            self.model, self.request, self.answer_reader.heard.marks
        )


class ReviewJob:
    """The state of one review while it runs."""

    def __init__(
        self,
        review: Review,
        *,
        store: ReviewStore,
        followers: ReviewFollowers,
        on_end: Callable[[Review, Sequence[StoredStep]], Awaitable[None]],
        tools: JobTools,
        unwanted: UnwantedAnswers,
        stored: Iterable[StoredStep] = (),
    ) -> None:
        """Continue a review.

        Args:
            review: Its state so far.
            store: Where each change is stored before it is shown.
            followers: Who is shown the changes.
            on_end: Stores the end of the review and its cost, and what is kept of its
                steps, then shows it.
            tools: What its steps work with.
            unwanted: Deletes the answers that are read.
            stored: The steps that an earlier run has begun.
        """
        self.review = review
        self.tools = tools
        self._store = store
        self._followers = followers
        self._on_end = on_end
        self._unwanted = unwanted
        self.steps = Steps(
            review.id, save=store.write, in_thread=tools.in_thread, stored=stored
        )
        self.findings = JobFindings(review.id)
        self.problems: list[str] = []
        """Problems that the report mentions, a sentence each."""
        self.asked: OpenQuestion | None = None
        """The question that the deep model is answering."""
        self._undone: Counter[SkippedWork] = Counter()
        self._is_partial = False
        self._spent: dict[str, Cost] = {}
        self.tier: Tier = "standard" if review.request.is_live else "deep"
        """The tier that reviews."""
        self._scope: ReviewScope | None = None
        """What it reads."""
        self._not_reviewed: dict[str, Sequence[Span]] = {}
        """Changed lines that it leaves to a later review, by URI."""

    @property
    def may_spend(self) -> bool:
        """Whether another model may be asked."""
        limit = self.review.request.max_cost
        return limit is None or (self.spent.cost or 0.0) < limit

    def leave_out(self, files: Iterable[LeftOutFile]) -> None:
        """Record files that are not reviewed; each is listed once."""
        known = self.review.left_out
        self._replace(left_out=tuple(dict.fromkeys((*known, *files))))

    def miss(self, files: Iterable[LeftOutFile]) -> None:
        """Record files that should have been reviewed; the review is then partial."""
        self._is_partial = True
        self.leave_out(files)

    def leave_undone(self, what: SkippedWork, n: int = 1) -> None:
        """Record work that was skipped because of the cost limit."""
        self._is_partial = self._is_partial or n > 0
        self._undone[what] += n

    def note_problems(self, problems: Iterable[str]) -> None:
        """Record problems that the report mentions, a sentence each."""
        self.problems += problems

    def ask(self, question: OpenQuestion) -> None:
        """Count a question's answer so far as spent until it is answered."""
        self.asked = question

    def answered(self, step: str, spent: Cost) -> None:
        """Set the cost of the step whose question has been answered or given up."""
        self.asked = None
        self.count(step, spent)

    async def recall(self) -> None:
        """Count the cost of an earlier run of the server."""
        for step, spent in (await self.tools.in_thread(self.steps.spent)).items():
            self.count(step, spent)

    def asking(self, paths: Iterable[str]) -> AskOptions:
        """Return the options for asking the deep model about some files."""
        return self.tools.asking(
            self.check_files(paths), self.pauses, may_spend=lambda: self.may_spend
        )

    def check_files(self, paths: Iterable[str]) -> SendCheck:
        """Return what refuses to send any of some files once it is excluded."""
        return send_check(paths, self.review.request.roots)

    def unwanted_answers(self) -> tuple[StoredStep, ...]:
        """Return what names the answers to the open question, to delete them."""
        return () if self.asked is None else self.unwanted(self.asked)

    def unwanted(
        self, asked: OpenQuestion, *, ended: str | None = None
    ) -> tuple[StoredStep, ...]:
        """Return what names the answers to a question, once it needs none of them.

        Args:
            asked: The question.
            ended: Id of the answer that was read to its end; None: none was.
        """
        described = asked.model.describe()
        return unwanted_answers(
            self.review.id,
            asked.answer_reader.heard.marks,
            # Those of an earlier run may be of another model.
            is_stored=lambda mark: (
                mark.model != described.label or described.keeps_background
            ),
            ended=ended,
        )

    def delete(self, unwanted: Sequence[StoredStep]) -> None:
        """Begin to delete answers at their providers, once their steps are stored."""
        self._unwanted.delete_soon(unwanted)

    async def same(self) -> Review | None:
        """Find an earlier review of the same text by the same model, unless forced.

        A review that resumes after it has begun to review goes on instead: it may have
        findings, and answers that are paid for.
        """
        if self.review.request.is_forced or self.review.state != "gathering":
            return None
        workspace = self.review.request.workspace
        return await self._store.last_done(workspace, self.review.fingerprint)

    async def refer_to(self, same: Review, judging: ClaimJudge) -> None:
        """Use an earlier review's findings as this review's.

        Their text is there again, so they are open, whatever their state was; dismissed
        ones stay dismissed.
        """
        self._replace(
            same_as=same.id, n_findings=same.n_findings, n_dropped=same.n_dropped
        )
        self.leave_out(same.left_out)
        rows: list[ReviewChange] = []
        standing: list[Finding] = []
        for finding in await self._store.findings(same.id):
            is_dismissed = judging.is_dismissed(finding)
            state: FindingState = "dismissed" if is_dismissed else "open"
            finding = msgspec.structs.replace(finding, state=state)
            # Deleted and written again, they become the newest of their faults.
            gone = GoneFinding(review_id=same.id, id=finding.id)
            rows += [gone, finding]
            standing.append(finding)
        await self._store.write(*rows)
        for finding in standing:
            self._followers.show(same, finding)

    async def reviewed(self, uris: Collection[str]) -> dict[str, bytes]:
        """Return the lines of each file that were reviewed last, by URI.

        Args:
            uris: The files that matter; none: all.
        """
        newest = await self._store.newest(
            [self.review.request.workspace], limit=_N_EARLIER
        )
        files: dict[str, bytes] = {}
        for review in reversed(newest):
            if review.state != "done":
                continue
            if uris and files.keys() >= set(uris):
                break
            for step in await self._store.steps(review.id):
                if step.name == _REVIEWED:
                    found = await self.tools.in_thread(step.outcome, ReviewedLines)
                    files = found.files | files
        return files

    def guard(self) -> None:
        """Have the deep tier review, because the code is of a kind that needs it."""
        self.tier = "deep"

    def has_read(
        self, scope: ReviewScope, *, later: Mapping[str, Sequence[Span]]
    ) -> None:
        """Set what it has read, once it is done.

        Args:
            scope: What it reads.
            later: By URI, changed lines that it leaves to a later review.
        """
        self._scope = scope
        self._not_reviewed = dict(later)

    @property
    def hunks(self) -> tuple[str, ...] | None:
        """The texts that it is about; None: they are not read yet."""
        if self._scope is None:
            return None
        return tuple(
            "\n".join(file.text.split("\n")[first:end])
            for file in self._scope.files
            for first, end in file.spans
        )

    async def _kept_steps(self) -> tuple[StoredStep, ...]:
        scope = self._scope
        if scope is None or isinstance(scope.target, Selection):
            # The other lines of its file may have changed as well.
            return ()
        unread = {one.path for one in missed(self.review.left_out)}
        files = [file for file in scope.files if file.path not in unread]
        lines = await self.tools.in_thread(reviewed_lines, files, self._not_reviewed)
        return (stored_step(self.review.id, _REVIEWED, lines, is_done=True),)

    async def finish(self, message: str = "") -> None:
        """End as `done`; the texts stored with the review are deleted."""
        message = " ".join(filter(None, (message, skipped_work(self._undone))))
        assert "done" in SUCCESSORS[self.review.state]
        self._replace(
            state="done",
            message=message,
            step="",
            percentage=100,
            ended_at=self.tools.now(),
            fingerprint="" if self._is_partial else self.review.fingerprint,
        )
        await self._on_end(self.review, await self._kept_steps())

    def pauses(self, error: ModelError, pause_s: float) -> None:
        """Show the reason and the length of a pause."""
        self.advance(0, f"Waiting {pause_s:.0f} s: {error}")

    @property
    def spent(self) -> Cost:
        """The cost of all steps, and of the current answer so far."""
        spent = sum(self._spent.values(), NOTHING)
        return spent if self.asked is None else spent + self.asked.wasted

    def count(self, step: str, spent: Cost) -> None:
        """Set the cost of a step; repeated calls replace it."""
        self._spent[step] = spent
        self._replace(cost=self.spent.cost)

    async def enter(
        self, state: ReviewState, step: str, percentage: int, **fields: Any
    ) -> None:
        """Enter a state if it follows the current one; store and show the review.

        Args:
            state: The state to enter; one that was passed before a restart is ignored.
            step: What the review does now, for people.
            percentage: Progress at this step.
            **fields: Other fields to set. Any: they are `Review`'s own.
        """
        now = self.review.state
        if state in SUCCESSORS[now]:
            fields["state"] = state
        self._replace(step=step, percentage=percentage, **fields)
        await self._store.write(self.review)
        self._followers.tell(self.review)

    def advance(self, percentage: int, step: str | None = None) -> None:
        """Show progress without storing it."""
        self._replace(
            percentage=percentage, step=self.review.step if step is None else step
        )
        self._followers.tell(self.review)

    def take(self, verdicts: Sequence[Verdict]) -> list[ReviewChange]:
        """Add findings and dropped claims; return the changes to store."""
        rows = self.findings.add(verdicts)
        if rows:
            self._count_findings()
        return [*rows, self.review]

    def show(self, verdicts: Sequence[Verdict]) -> None:
        """Show findings that are already stored."""
        for _, verdict in verdicts:
            if isinstance(verdict, Finding):
                self._followers.show(self.review, verdict)
        self._followers.tell(self.review)

    async def change(self, found: JobFinding, finding: Finding) -> None:
        if self.findings.change(found, finding):
            await self._store.write(found.finding)
            self._followers.show(self.review, found.finding)

    async def drop(self, found: JobFinding, reason: DropReason, detail: str) -> None:
        """Withdraw a finding, store that, and stop showing it."""
        rows = self.findings.drop(found, reason, detail)
        self._count_findings()
        await self._store.write(*rows, self.review)
        self._followers.hide(self.review, found.finding.id)
        self._followers.tell(self.review)

    def _count_findings(self) -> None:
        self._replace(
            n_findings=len(self.findings.kept), n_dropped=self.findings.n_dropped
        )

    def _replace(self, **fields: Any) -> None:
        # Any: see `enter`.
        before = self.review.percentage
        fields["percentage"] = max(before, fields.get("percentage", 0))
        self.review = msgspec.structs.replace(self.review, **fields)
