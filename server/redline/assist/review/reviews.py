"""The reviews of one server: start one, cancel it, read its findings.

Every change of a review is stored first, so a review resumes where it was after the
server is killed. At most `review.parallel` run at a time; the others wait in a queue.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

from redline.assist.review.finding_watch import HEAR_S, FindingWatch
from redline.assist.review.job.job_tools import JobTools
from redline.assist.review.job.unwanted_answers import (
    DELETE_LIMIT_S,
    UnwantedAnswers,
    answers_of,
    unwanted_answers,
)
from redline.assist.review.known_reviews import KnownReviews
from redline.assist.review.orphan_watch import LOOK_S, OrphanWatch
from redline.assist.review.review_followers import ReviewFollower, ReviewFollowers
from redline.assist.review.review_usage import usage_of
from redline.assist.usage.recorder import Ledger
from redline.errors import (
    NO_PROCESSES,
    RedlineError,
    ReviewStateError,
    StoreError,
    StoreUnavailableError,
    UnknownReviewError,
    is_for_want_of_processes,
)
from redline.findings.finding import Finding, FindingState, dismissal_of
from redline.findings.review import (
    Review,
    Reviewed,
    ReviewRequest,
    ReviewState,
    ended,
)
from redline.store.review_change import StoredDismissal, StoredState, StoredStep
from redline.store.review_store import ReviewStore
from redline.supervisor import Supervisor

if TYPE_CHECKING:
    from redline.assist.review.job.review_job import ReviewJob

N_REMEMBERED = 50
"""How many earlier reviews are listed after a start."""

_N_READ = 400
"""How many are read to find them among the reviews on save."""

_SHOWN: tuple[FindingState, ...] = ("open", "stale", "fixed")

logger = logging.getLogger(__name__)


class Reviews:
    """The reviews of one server."""

    def __init__(
        self,
        tools: JobTools,
        store: ReviewStore,
        *,
        ledger: Ledger | None = None,
        new_id: Callable[[], str] = lambda: secrets.token_hex(6),
        look_s: float = LOOK_S,
        hear_s: float = HEAR_S,
    ) -> None:
        """Create an empty list of reviews; `resume` adds the stored ones.

        Args:
            tools: The models, settings and documents that reviews use.
            store: Where reviews are stored; closed by `aclose`.
            ledger: Records the usage of each review that has ended.
            new_id: Returns an id that no review has.
            look_s: Seconds between checks for reviews orphaned by another server.
            hear_s: Seconds between checks for findings changed by another server.
        """
        self._tools = tools
        self._store = store
        self._ledger = ledger
        self._new_id = new_id
        self._known = KnownReviews()
        self._followers = ReviewFollowers()
        # The first one, so that the others can ask for the state they are shown.
        self._followers.join(self._known)
        self._queue: deque[str] = deque()
        self._running: dict[str, asyncio.Task[None]] = {}
        self._jobs: dict[str, ReviewJob] = {}
        self._unwanted: set[str] = set()
        """Running reviews that the user has cancelled."""
        self._not_stored: dict[str, StoreError] = {}
        """Why the end of a cancelled review could not be stored, by id."""
        self._supervisor = Supervisor()
        self._unwanted_answers = UnwantedAnswers(store, tools.tiers)
        self._orphans = OrphanWatch(
            store, self._supervisor, take_over=self._adopt, look_s=look_s
        )
        self._finding_watch = FindingWatch(
            store,
            self._supervisor,
            self._followers,
            ended_review=self._ended_review,
            on_change=self._state_changed,
            look_s=hear_s,
        )
        self._is_closed = False

    def follow(self, follower: ReviewFollower) -> None:
        """Notify a follower of all changes from now on."""
        self._followers.join(follower)

    def reviews(self) -> tuple[Review, ...]:
        """Return those that this server started, resumed or found, the oldest first."""
        return self._known.all()

    async def refresh(self) -> None:
        """Refresh the state of reviews that other servers run.

        Raises:
            StoreError: If the store cannot be read now.
        """
        for review in filter(self._is_elsewhere, self._known.all()):
            found = await self._store.review(review.id)
            if found is not None and self._is_elsewhere(self.review(review.id)):
                self._known.update(found)

    @property
    def running(self) -> tuple[Review, ...]:
        """The reviews that this server runs now; queued ones are not among them."""
        return tuple(map(self.review, self._running))

    def hunks(self, review_id: str) -> tuple[str, ...] | None:
        """Return the texts that a running review is about; None: not known yet."""
        job = self._jobs.get(review_id)
        return None if job is None else job.hunks

    def review(self, review_id: str) -> Review:
        """Find a review by its id.

        Raises:
            UnknownReviewError: If there is none.
        """
        return self._known.review(review_id)

    async def start(self, request: ReviewRequest) -> str:
        """Store and queue a review; return its id.

        Cancelling this call does not stop the review from being stored and queued.

        Raises:
            StoreError: If it cannot be stored now; no review is started.
        """
        review = Review(
            id=self._new_id(), request=request, created_at=self._tools.now()
        )
        begun = self._supervisor.start(self._begin(review), name="begin a review")
        error = await asyncio.shield(begun)
        if error is not None:
            raise error
        return review.id

    async def resume(self, roots: Sequence[str]) -> tuple[Finding, ...]:
        """Take over the unfinished reviews of these folders whose server is gone.

        Returns:
            The open and the stale findings of all reviews of these folders, and the
            fixed ones of those that are listed: a fix may be undone.

        Raises:
            StoreError: If the store cannot be read now.
        """
        newest = await self._store.newest(roots, limit=_N_READ)
        # Those on save count for their budgets.
        live = [each for each in newest if each.request.is_live]
        asked = [each for each in newest if not each.request.is_live]
        for review in (*live, *asked[-N_REMEMBERED:]):
            self._known.add(review)
        await self._take_over(roots)
        findings: list[Finding] = []
        for finding in await self._store.findings_of(roots, _SHOWN):
            owner = self._known.find(finding.review_id)
            if owner is None and finding.state != "fixed":
                # Its review is older than the listed ones.
                owner = await self._store.review(finding.review_id)
            if owner is not None:
                self._known.add(owner)
                self._followers.has_seen(owner, finding)
                findings.append(finding)
        await self._unwanted_answers.resume(roots)
        self._pump()
        self._orphans.watch(roots)
        self._finding_watch.watch(roots)
        return tuple(findings)

    async def cancel(self, review_id: str) -> bool:
        """Cancel a review; False: it has ended.

        Raises:
            UnknownReviewError: If there is none.
            ReviewStateError: If another server runs it.
            StoreError: If its end cannot be stored now; the next start resumes it.
        """
        if review_id in self._queue:
            self._queue.remove(review_id)
            if (error := await self._end(review_id, "cancelled")) is not None:
                raise error
            return True
        task = self._running.get(review_id)
        if task is None:
            await self.refresh()
            review = self.review(review_id)
            if review.has_ended:
                return False
            raise ReviewStateError(
                f"The review is {review.state} in another window or program.",
                remedy="Cancel it there.",
            )
        self._unwanted.add(review_id)
        # A task that is cancelled before its first step does not even end the review.
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        if (error := self._not_stored.pop(review_id, None)) is not None:
            raise error
        return self.review(review_id).state == "cancelled"

    async def wait(self, review_id: str) -> Review:
        """Wait until a review has ended.

        Raises:
            UnknownReviewError: If there is none.
        """
        return await self._known.wait(review_id)

    async def reviewed(self, review_id: str) -> Reviewed:
        """Return a review with its findings, or those of the review it refers to.

        Raises:
            UnknownReviewError: If there is none.
            StoreError: If the store cannot be read now.
        """
        review = self._known.find(review_id)
        if not _is_encodable(review_id):
            review = None
        elif review is None or self._is_elsewhere(review):
            review = await self._store.review(review_id)
        if review is None:
            raise UnknownReviewError(f"There is no review {review_id!r}.")
        source = review.same_as or review.id
        return Reviewed(
            review=review,
            findings=await self._store.findings(source),
            dropped=await self._store.drops(source),
        )

    async def dismiss(self, finding: Finding, reason: str = "") -> Finding:
        """Dismiss a finding, in this and every later review of the same code.

        Raises:
            StoreError: If the dismissal cannot be stored now.
        """
        dismissal = dismissal_of(finding, reason)
        review = self.review(finding.review_id)
        finding = msgspec.structs.replace(finding, state="dismissed")
        at = self._tools.now()
        await self._store.write(
            StoredDismissal(
                workspace=review.request.workspace, at=at, dismissal=dismissal
            )
        )
        self._state_changed(finding)
        return finding

    async def set_state(self, finding: Finding, state: FindingState) -> Finding:
        """Store and show that a finding is stale, open again, or fixed.

        What a user did in another window meanwhile is stored instead, and shown soon.

        Raises:
            StoreError: If the state cannot be stored now.
        """
        await self._store.write(
            StoredState(
                review_id=finding.review_id,
                fingerprint=finding.fingerprint,
                was=finding.state,
                state=state,
            )
        )
        finding = msgspec.structs.replace(finding, state=state)
        self._state_changed(finding)
        return finding

    async def store_place(self, finding: Finding) -> None:
        """Store a finding whose file was renamed, so that later servers show it there.

        Raises:
            StoreError: If it cannot be stored now.
        """
        await self._store.write(finding)

    async def aclose(self) -> None:
        """Stop all reviews; the next start resumes them. Idempotent.

        It resumes none that are only in memory, so their answers are deleted.
        """
        self._is_closed = True
        self._queue.clear()
        jobs = tuple(self._jobs.values())
        await self._supervisor.aclose()
        with suppress(StoreError):
            if jobs and not await self._store.outlives_server():
                for job in jobs:
                    self._unwanted_answers.delete_soon(job.unwanted_answers())
        await self._unwanted_answers.aclose(limit_s=DELETE_LIMIT_S)
        await self._store.aclose()

    # The queue, and reviews of other servers.

    def _is_elsewhere(self, review: Review) -> bool:
        return not (review.has_ended or review.id in (*self._running, *self._queue))

    async def _ended_review(self, review_id: str) -> Review | None:
        """Return a review of any server that has ended; None: it runs, or is gone.

        Raises:
            StoreError: If the store cannot be read now.
        """
        review = self._known.find(review_id)
        if review is None or self._is_elsewhere(review):
            review = await self._store.review(review_id)
            if review is not None and review.has_ended:
                self._known.update(review)
        return review if review is not None and review.has_ended else None

    async def _begin(self, review: Review) -> StoreError | None:
        """Store and queue a review; return why it could not be stored."""
        try:
            await self._store.write(review)
        except StoreError as error:
            return error
        self._enqueue(review)
        self._pump()
        return None

    def _enqueue(self, review: Review) -> None:
        self._queue.append(review.id)
        self._followers.tell(review)

    async def _take_over(self, roots: Sequence[str]) -> None:
        for review in await self._store.take_over(roots):
            if review.request.origin == "editor":
                self._enqueue(review)
            else:
                self._known.update(review)
                state: ReviewState = "cancelled" if review.request.is_live else "failed"
                await self._end(review.id, state, _SERVER_GONE)

    async def _adopt(self, roots: Sequence[str]) -> None:
        """Take over orphaned reviews, and start them."""
        await self._take_over(roots)
        self._pump()

    def _pump(self) -> None:
        """Start queued reviews up to `review.parallel`."""
        parallel = self._tools.settings().review.parallel
        while self._queue and len(self._running) < parallel and not self._is_closed:
            review_id = self._queue.popleft()
            self._running[review_id] = self._supervisor.start(
                self._work(review_id), name=f"review {review_id}"
            )

    # Running one review.

    async def _work(self, review_id: str) -> None:
        try:
            await self._run(self.review(review_id))
        finally:
            self._running.pop(review_id, None)
            self._jobs.pop(review_id, None)
            self._unwanted.discard(review_id)
            self._pump()

    async def _run(self, review: Review) -> None:
        try:
            await self._do(review)
        except asyncio.CancelledError:
            await self._cancelled(review.id)
            raise
        except StoreError as error:
            # Its stored state is unfinished, so the next start resumes an editor's.
            note = _NOT_STORED if review.request.origin == "editor" else ""
            message = f"{error} {note}".strip()
            review = self._as_it_ends(review.id, "failed", message)
            await self._show_end(review)
        except RedlineError as error:
            await self._end(review.id, "failed", f"{error} {error.remedy}".strip())
        except Exception as error:
            # The supervisor logs it; the review must still end.
            is_full = is_for_want_of_processes(error)
            await self._end(review.id, "failed", _NO_PROCESSES if is_full else _BUG)
            raise

    async def _cancelled(self, review_id: str) -> None:
        """End a review that the user has cancelled, unless it has ended already."""
        is_over = self.review(review_id).has_ended
        if is_over or review_id not in self._unwanted:
            return
        if (error := await self._end(review_id, "cancelled")) is not None:
            self._not_stored[review_id] = error

    async def _finish(self, review: Review, steps: Sequence[StoredStep]) -> None:
        """Store the end of a review and its cost, then show it.

        Raises:
            StoreError: If the end cannot be stored now.
        """
        await self._store.end(review, *steps)
        self._known.update(review)
        await self._show_end(review)

    async def _show_end(self, review: Review) -> None:
        """Store the usage of a review that has ended, then show its end."""
        job = self._jobs.get(review.id)
        try:
            if self._ledger is not None and job is not None:
                self._ledger.record(usage_of(review, job.spent))
                await self._ledger.settled()
        finally:
            self._followers.tell(review)

    async def _do(self, review: Review) -> None:
        # Imported in a thread: it loads parsers and prompts.
        await asyncio.to_thread(import_module, "redline.assist.review.job.run_job")
        from redline.assist.review.job.review_job import ReviewJob
        from redline.assist.review.job.run_job import run_job

        job = ReviewJob(
            review,
            store=self._store,
            followers=self._followers,
            on_end=self._finish,
            tools=self._tools,
            unwanted=self._unwanted_answers,
            stored=await self._store.steps(review.id),
        )
        self._jobs[review.id] = job
        for finding in await self._store.findings(review.id):
            if finding.state != "open":
                job.findings.states[finding.id] = finding.state
        await run_job(job, await self._store.dismissals(review.request.workspace))

    async def _end(
        self, review_id: str, state: ReviewState, message: str = ""
    ) -> StoreError | None:
        """End a review before it is done; return why its end could not be stored.

        A cancel that comes meanwhile is too late: it does not interrupt this.
        """
        ending = self._store_end(review_id, state, message)
        return await self._supervisor.complete(ending, name=f"end review {review_id}")

    async def _store_end(
        self, review_id: str, state: ReviewState, message: str
    ) -> StoreError | None:
        review = self._as_it_ends(review_id, state, message)
        failure: StoreError | None = None
        unwanted: Sequence[StoredStep] = ()
        try:
            unwanted = await self._answers(review_id)
            await self._store.end(review, *unwanted)
        except StoreError as error:
            logger.warning("the end of a review could not be stored: %s", error)
            failure = error
        self._unwanted_answers.delete_soon(unwanted)
        await self._show_end(review)
        return failure

    async def _answers(self, review_id: str) -> Sequence[StoredStep]:
        """Return what names the answers that a review has not read to their end.

        Raises:
            StoreError: If the store cannot be read now.
        """
        if (job := self._jobs.get(review_id)) is not None:
            return job.unwanted_answers()
        # An earlier run of it, or another server, has begun to read them.
        stored = await self._store.steps(review_id)
        if not stored:
            return ()
        try:
            marks = await self._tools.in_thread(answers_of, stored)
        except RuntimeError as error:
            raise StoreUnavailableError(NO_PROCESSES) from error
        return unwanted_answers(review_id, marks)

    def _as_it_ends(self, review_id: str, state: ReviewState, message: str) -> Review:
        review, job = self.review(review_id), self._jobs.get(review_id)
        if job is not None:
            review = msgspec.structs.replace(review, cost=job.spent.cost)
        return ended(review, state, message, at=self._tools.now())

    def _state_changed(self, finding: Finding) -> None:
        if (job := self._jobs.get(finding.review_id)) is not None:
            job.findings.states[finding.id] = finding.state
        self._followers.change(self.review(finding.review_id), finding)


_NOT_STORED = "The findings so far are kept; the next start resumes the review."
_NO_PROCESSES = f"{NO_PROCESSES} Close other programs, then review it again."
_BUG = "An internal error of Redline ended it; see the log."
_SERVER_GONE = "It did not finish: the program that ran it ended."


def _is_encodable(text: str) -> bool:
    """Whether a text has no lone surrogate, which the store refuses."""
    return not any("\ud800" <= each <= "\udfff" for each in text)
