"""Runs sessions: routes them, generates attempt by attempt, settles the results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any  # What a coroutine yields to the loop is the loop's affair.
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from redline.assist.edit.attempts.attempt import Attempt, AttemptSpec
from redline.assist.edit.document.applier import Applier
from redline.assist.edit.document.rejected_offers import RejectedOffer
from redline.assist.edit.document.stale_imports import StaleImports
from redline.assist.edit.prompt.prompt_writer import PromptWriter
from redline.assist.edit.running.attempt_files import AttemptFiles, goes_on
from redline.assist.edit.running.candidate_checks import CandidateChecks
from redline.assist.edit.running.candidate_display import CandidateDisplay
from redline.assist.edit.running.conclusion import Conclusion
from redline.assist.edit.running.escalation import Escalation
from redline.assist.edit.running.growing_steps import GrowingSteps
from redline.assist.edit.running.live_budget import LiveBudget
from redline.assist.edit.running.router import Router
from redline.assist.edit.running.second_opinions import SecondOpinions
from redline.assist.edit.session.account import OpinionNote
from redline.assist.edit.session.result import (
    EditRequest,
    FinishWriting,
    Mode,
    WrittenEdit,
)
from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import State, Step
from redline.assist.editor.services import EditorServices
from redline.errors import (
    CallerError,
    EditNotLandedError,
    ModelError,
    OutdatedError,
    PromptTooLongError,
    RedlineError,
    ReplyNotUnderstoodError,
)
from redline.models.interface import Model, ModelDescription
from redline.supervisor import Supervisor
from redline.text.lines import with_line_feeds


class Runner:
    """Runs the sessions of one editor."""

    def __init__(
        self,
        services: EditorServices,
        *,
        tasks: PromptWriter,
        applier: Applier,
        supervisor: Supervisor,
        take_over: Callable[[EditSession], None],
        router: Router,
        stale_imports: StaleImports,
    ) -> None:
        """Create a runner.

        Args:
            services: What they work with.
            tasks: Writes the prompts.
            applier: Applies changes to documents.
            supervisor: Runs the tasks.
            take_over: Ends other sessions on a session's region in favour of it.
            router: Chooses the models.
            stale_imports: Looks at changes of imports before they are applied.
        """
        self._editor = services.editor
        self._tiers = services.tiers
        self._settings = services.settings
        self._tasks = tasks
        self._applier = applier
        self._conclusion = Conclusion(applier, stale_imports)
        self._files = AttemptFiles(tasks, router)
        self._supervisor = supervisor
        self._take_over = take_over
        self._candidate_checks = CandidateChecks(services, secrets=tasks.secrets)
        self._escalation = Escalation(services.tiers)
        self._router = router
        self._opinions = SecondOpinions(services, writer=tasks, supervisor=supervisor)
        self._live_budget = LiveBudget()
        self._steppers: WeakKeyDictionary[EditSession, GrowingSteps] = (
            WeakKeyDictionary()
        )

    def start(self, session: EditSession, finish: FinishWriting | None) -> None:
        """Run a new session until it ends or waits for the user.

        Args:
            session: The session.
            finish: Waits for its edit; None: a model writes it.
        """
        self._spawn(session, self._begin(session, finish))

    def resume(self, session: EditSession) -> None:
        """Run the next attempt of a session that was waiting."""
        self._spawn(session, self._attempts(session))

    def recall(self, session: EditSession, offer: RejectedOffer) -> None:
        """Offer again, in a new session, what was rejected or dropped."""
        first = session.attempts.next
        assert first is not None
        self._spawn(session, self._recall(session, offer, first))

    def settle(self, session: EditSession) -> None:
        """Check and conclude a draft session that was waiting."""
        current = session.attempts.current
        assert current is not None
        session.lifecycle.advance(Step.REPLIED)
        self._spawn(session, self._settle_draft(session, current))

    async def aclose(self) -> None:
        """End the user's checkers. Idempotent."""
        await self._candidate_checks.aclose()

    def session_changed(self, session: EditSession) -> None:
        """Take back the growing steps of a session that was stopped, and give up the
        second opinion on one that is over.
        """
        if session.state.is_end:
            self._opinions.drop(session)
        if session.state is State.WITHDRAWING:
            self._supervisor.start(
                self._steppers[session].withdraw(), name=f"withdraw {session.id}"
            )

    async def _recall(
        self, session: EditSession, offer: RejectedOffer, turn: AttemptSpec
    ) -> None:
        if session.edit_target.is_queued:
            await self._leave_queue(session)
            if session.state.is_end:
                return
            if session.edit_target.region.lines != offer.written.old_lines:
                raise offer.outdated()
        if not session.attempts.take(turn):
            # A redirect overtook it: a model continues from the offer.
            session.attempts.begin_with(with_line_feeds(offer.written.lines))
            await self._begin(session)
            return
        session.begin("preview", keeps_on_stop=False, replans=False)
        await self._propose(session, turn, offer.written)
        # A redirect may have come while it was checked.
        await self._attempts(session)

    async def _propose(
        self, session: EditSession, turn: AttemptSpec, written: WrittenEdit
    ) -> None:
        """Settle a session on an edit that is written."""
        attempt = self._attempt(session, turn, n_candidates=1)
        turn.begun.set()
        self._started(session)
        (candidate,) = attempt.candidates
        candidate.recall(written.lines, imports=written.imports)
        session.lifecycle.advance(Step.REPLIED)
        if written.problems is not None:
            candidate.judged(written.problems, written.score)
        else:
            await self._candidate_checks.judge(session, candidate)
            await self._ask_checkers(session, attempt)
        if self._is_current(session, attempt, State.CHECKING):
            await self._conclusion.settle(session, candidate)

    async def _finish(self, session: EditSession, finish: FinishWriting) -> None:
        """Settle a session on an edit that is written elsewhere, if it comes.

        Raises:
            RedlineError: If it cannot be written.
        """
        done: list[WrittenEdit | RedlineError | None] = []

        async def work() -> None:
            try:
                done.append(await finish())
            except RedlineError as exc:
                done.append(exc)

        turn = session.attempts.next
        self._started(session)
        await session.lifecycle.until_ended(work())
        # After a redirect that came meanwhile, a model writes.
        if session.state.is_end or turn is None or session.attempts.next is not turn:
            return
        lines = session.edit_target.region.lines
        match done:
            case [RedlineError() as error]:
                raise error
            case [WrittenEdit(old_lines=old) as written] if old == lines:
                session.attempts.take(turn)
                await self._propose(session, turn, written)

    async def _settle_draft(self, session: EditSession, attempt: Attempt) -> None:
        await self._check(session, attempt)
        await self._attempts(session)

    def _spawn(self, session: EditSession, work: Coroutine[Any, Any, None]) -> None:
        self._supervisor.start(self._guard(session, work), name=f"session {session.id}")

    async def _guard(
        self, session: EditSession, work: Coroutine[Any, Any, None]
    ) -> None:
        try:
            await work
        except (ModelError, EditNotLandedError, CallerError, OutdatedError) as exc:
            session.fail(exc, str(exc))
        except asyncio.CancelledError:
            session.stopping.stop("shutdown")
            raise
        except Exception as exc:
            if not session.fail(exc, "Redline failed inside; nothing was changed."):
                # No caller waits that would log it.
                raise

    async def _leave_queue(self, session: EditSession) -> None:
        """Wait while another edit changes its text; start from the outcome of that.

        Raises:
            OutdatedError: If two of its ranges have become one.
        """
        edit_target = session.edit_target
        are_joined = False

        def begin() -> None:
            nonlocal are_joined
            are_joined = edit_target.has_joined_parts
            if not are_joined:
                edit_target.leave_queue()
                self._take_over(session)

        await session.lifecycle.until_ended(
            self._applier.settled(edit_target.document, begin)
        )
        if are_joined:
            raise OutdatedError("Another edit left no line between two of the ranges.")

    async def _begin(
        self, session: EditSession, finish: FinishWriting | None = None
    ) -> None:
        if session.edit_target.is_queued:
            await self._leave_queue(session)
        if not self._tiers.is_ready:
            await session.lifecycle.until_ended(self._tiers.ready())
        if session.state.is_end:
            return
        settings = self._settings()
        if self._router.has_choice(session):
            self._router.follow(session)
        mode = self.mode(session.request)
        keeps = settings.edit.on_stop == "keep"
        session.begin(
            mode,
            keeps_on_stop=keeps,
            replans=settings.edit.on_typing == "replan",
        )
        if mode == "stream":
            self._steppers[session] = GrowingSteps(
                session, self._applier, self._supervisor, keeps_on_stop=keeps
            )
        elif finish is not None:
            await self._finish(session, finish)
        await self._attempts(session)

    def mode(self, request: EditRequest) -> Mode:
        """Return how the outcome of a request reaches its document."""
        mode = request.apply or self._settings().edit.apply
        if request.is_draft:
            mode = "preview"
        if mode == "preview" and not self._editor.traits.has_preview:
            return "end"
        return mode

    async def _attempts(self, session: EditSession) -> None:
        attempts = session.attempts
        while session.state is State.GENERATING and (turn := attempts.next) is not None:
            try:
                # It is not taken yet: a newer spec continues from it.
                if turn.wait_s and not await attempts.is_quiet(turn.wait_s):
                    continue
                if session.is_draft and (wait_s := self._live_wait_s()) > 0:
                    # Over the budget: wait; a newer or final instruction ends the wait.
                    await attempts.is_quiet(wait_s)
                elif session.state is State.GENERATING and attempts.take(turn):
                    await self._round(session, turn)
            finally:
                turn.begun.set()

    def _live_wait_s(self) -> float:
        """Take a generation from the live budget; returns the seconds to wait."""
        return self._live_budget.take(
            per_minute=self._settings().edit.live_per_minute,
            now=asyncio.get_running_loop().time(),
        )

    def _drafted(self, session: EditSession, turn: AttemptSpec) -> AttemptSpec:
        """Route an attempt that writes; the draft tier may write it first."""
        if turn.purpose != "write" or not self._router.has_choice(session):
            return turn
        self._router.follow(session)
        if self._router.is_drafted(session):
            return replace(turn, purpose="draft")
        return turn

    async def _look_at_images(self, session: EditSession, turn: AttemptSpec) -> None:
        if turn.repairs is None and self._files.has_to_look(session):
            await session.lifecycle.until_ended(self._files.look(session, turn))

    async def _round(self, session: EditSession, taken: AttemptSpec) -> None:
        await self._look_at_images(session, taken)
        if not goes_on(session, taken):
            return
        turn = self._drafted(session, taken)
        model = await self._model(session, turn, taken)
        if model is None:
            return
        if turn.purpose == "draft":
            session.account.draft_begun(model)
        attempt = await self._run(session, turn, taken, model)
        if not self._is_current(session, attempt, State.GENERATING):
            return
        if (error := attempt.error()) is not None:
            await self._fail_attempt(session, attempt, error)
            return
        if (stepper := self._steppers.get(session)) is not None:
            await stepper.idle()
        if self._is_current(session, attempt, State.GENERATING):
            session.lifecycle.advance(Step.REPLIED)
            await self._check(session, attempt)

    async def _model(
        self, session: EditSession, turn: AttemptSpec, taken: AttemptSpec
    ) -> Model | None:
        """Return the model for a request, if all that it shows may be sent.

        None: The attempt has failed, or is not wanted any more.
        """
        model = await self._router.model(session, turn)
        if not goes_on(session, taken):
            return None
        if model.describe().is_model and self._files.has_to_read(session, taken):
            await session.lifecycle.until_ended(self._files.read(session, taken))
        return model if goes_on(session, taken) else None

    async def _run(
        self,
        session: EditSession,
        turn: AttemptSpec,
        taken: AttemptSpec,
        model: Model,
    ) -> Attempt:
        described = model.describe()
        n_candidates = self._n_candidates(session)
        attempt = self._attempt(session, turn, n_candidates=n_candidates)
        await attempt.run(model, self._tasks.write(session, turn, described))
        is_current = self._is_current(session, attempt, State.GENERATING)
        narrower = model.describe()
        is_learnt = _is_learnt(attempt.error(), described, narrower)
        if is_current and is_learnt and await self._model(session, turn, taken):
            # The server has said what its window is: once more, with less context.
            attempt = self._attempt(session, turn, n_candidates=n_candidates)
            await attempt.run(model, self._tasks.write(session, turn, narrower))
        return attempt

    def _attempt(
        self, session: EditSession, turn: AttemptSpec, *, n_candidates: int
    ) -> Attempt:
        """Make an attempt the session's current one."""
        display = CandidateDisplay(session, self._steppers.get(session))
        attempt = Attempt(
            turn,
            self._tasks.attempt_input(session, turn),
            n_candidates=n_candidates,
            on_started=lambda: self._requested(session),
            on_update=display.update,
            on_restart=display.restart,
            on_written=display.written,
        )
        session.attempts.begin(attempt)
        return attempt

    async def _fail_attempt(
        self, session: EditSession, attempt: Attempt, error: Exception
    ) -> None:
        """Retry after an unreadable answer or a draft model's failure, or go back to
        the candidate before it.

        Raises:
            Exception: The error, if neither is possible.
        """
        session.lifecycle.advance(Step.REPLIED)
        repaired = attempt.turn.repairs
        if repaired is not None and repaired.error is not None:
            repaired = None
        if isinstance(error, ReplyNotUnderstoodError):
            failed = attempt.candidates[0]
            session.account.failed(failed.problems)
            checks = self._settings().checks
            retry = self._escalation.retry(session, repaired or failed, checks)
            if retry is not None:
                session.account.close(attempt, kept=failed, shown=session.offer.shown)
                session.retry(retry)
                return
        session.account.close(attempt, kept=None, shown=session.offer.shown)
        if (retry := self._escalation.without_draft(session, error)) is not None:
            session.retry(retry)
            return
        if repaired is None:
            raise error
        session.chosen.explain(f"The repair failed: {error}")
        await self._conclusion.settle(session, repaired)

    async def _check(self, session: EditSession, attempt: Attempt) -> None:
        """Check the candidates of an attempt; then settle or retry it."""
        if not session.is_draft:
            for candidate in attempt.written:
                await self._candidate_checks.judge(session, candidate)
            await self._ask_checkers(session, attempt)
            session.account.checked(asyncio.get_running_loop().time())
        if not self._is_current(session, attempt, State.CHECKING):
            return
        # Problems go back to the model at once.
        if not attempt.written[0].problems and self._opinions.is_waiting(session):
            await session.lifecycle.until_ended(self._opinions.wait(session))
            if not self._is_current(session, attempt, State.CHECKING):
                return
        best, newest = attempt.finished[0], attempt.written[0]
        session.account.close(attempt, kept=best, shown=session.offer.shown)
        session.account.failed(newest.problems)
        if attempt.turn.purpose == "draft":
            session.account.draft_written(best)
        if best is not newest:
            session.chosen.explain(
                "The next answer was worse, so the earlier one counts."
            )
        verdict = self._opinions.arrived(session)
        retry = self._escalation.by_opinion(session, best, verdict)
        if retry is not None:
            lines = tuple(best.proposal.new_lines)
            session.account.opinion_given(OpinionNote("raised", lines))
        else:
            retry = self._escalation.retry(session, best, self._settings().checks)
        if retry is not None:
            session.offer.show_other(best)
            session.retry(retry)
            return
        await self._conclusion.settle(session, best)

    async def _ask_checkers(self, session: EditSession, attempt: Attempt) -> None:
        """Ask the user's checkers, until a newer instruction or the session's end."""
        checks = self._candidate_checks
        is_current = self._is_current(session, attempt, State.CHECKING)
        if not is_current or not checks.has_checkers(session):
            return
        async with asyncio.TaskGroup() as group:
            asking = group.create_task(
                checks.ask_checkers(session, attempt.written),
                name=f"checkers of {session.id}",
            )
            news = group.create_task(
                session.attempts.news(), name=f"news of {session.id}"
            )
            await asyncio.wait({asking, news}, return_when=asyncio.FIRST_COMPLETED)
            asking.cancel()
            news.cancel()

    def _is_current(self, session: EditSession, attempt: Attempt, state: State) -> bool:
        return session.attempts.current is attempt and session.state is state

    def _requested(self, session: EditSession) -> None:
        """Do what can wait until the request has been sent to a model."""
        self._started(session)
        self._opinions.begun(session, self._opinion_given)

    def _opinion_given(self, session: EditSession) -> None:
        """Let a lower tier write if a second opinion says so before anything is."""
        if session.state is not State.GENERATING:
            return
        verdict = self._opinions.arrived(session)
        routing = self._escalation.down_by_opinion(session, verdict)
        if routing is not None:
            session.account.opinion_given(OpinionNote("lowered"))
            session.hand_down(routing)

    def _started(self, session: EditSession) -> None:
        """Get ready to show and check an edit."""
        session.report_start()
        self._candidate_checks.prepare(session)
        self._router.follow(session)
        if session.mode == "preview" and session.offer.painter is None:
            session.begin_preview(self._settings().edit.paints_per_s)

    def _n_candidates(self, session: EditSession) -> int:
        # Only one candidate can write steps; a draft needs only one.
        if session.is_draft or session.mode == "stream":
            return 1
        return session.request.n_candidates or self._settings().edit.candidates


def _is_learnt(
    error: Exception | None, before: ModelDescription, now: ModelDescription
) -> bool:
    """Whether a refusal has shown that a model's window is smaller than assumed."""
    is_too_long = isinstance(error, PromptTooLongError)
    return is_too_long and now.context_tokens < before.context_tokens
