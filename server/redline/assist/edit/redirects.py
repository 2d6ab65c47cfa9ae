"""What a session does with another instruction: steer the answer, or start another."""

from __future__ import annotations

from redline.assist.edit.attempts.attempt import AttemptSpec
from redline.assist.edit.prompt.prompt_writer import PromptWriter
from redline.assist.edit.running.router import Router
from redline.assist.edit.running.runner import Runner
from redline.assist.edit.session.drafts import draft_of
from redline.assist.edit.session.result import EditRequest, Redirected
from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import State
from redline.assist.editor.services import EditorServices
from redline.errors import InvalidArgumentsError
from redline.models.interface import Timing
from redline.routing.tag import split_tag
from redline.text.instruction_comment import InstructionComment, read_comment
from redline.text.named_files import named_files
from redline.text.position import Range


class Redirects:
    """Gives another instruction to the sessions of one editor."""

    def __init__(
        self,
        services: EditorServices,
        *,
        tasks: PromptWriter,
        router: Router,
        runner: Runner,
    ) -> None:
        self._tiers = services.tiers
        self._settings = services.settings
        self._tasks = tasks
        self._router = router
        self._runner = runner

    async def redirect(
        self,
        session: EditSession,
        instruction: str,
        *,
        from_comment: Range | None = None,
    ) -> Redirected:
        """Give a session another instruction, while it writes or afterwards.

        Args:
            session: A session of this editor.
            instruction: What to do instead, or next.
            from_comment: The comment in the document that holds the instruction.

        Returns:
            Once the new generation has begun.

        Raises:
            InvalidArgumentsError: If there is no instruction.
        """
        instruction, tag = split_tag(instruction, self._tiers.names)
        if not instruction.strip():
            raise InvalidArgumentsError("The instruction is empty.")
        if tag is not None:
            session.name_writer(tag)
        comment = None
        if from_comment is not None:
            lines = session.edit_target.document.snapshot().lines
            comment = read_comment(lines, from_comment)
        number = session.attempts.number_redirect()
        if await self._steered(session, instruction, comment):
            return Redirected(session_id=session.id, how="steered", is_accepted=True)
        if number != session.attempts.n_redirects:
            # A later redirect came while this one waited for its steer.
            return Redirected(session_id=session.id, how="restarted", is_accepted=False)
        session.drop_imports()
        turn = AttemptSpec(
            instruction=instruction,
            from_comment=comment,
            earlier=session.instruction,
            draft=draft_of(session.offer, session.attempts, session.edit_target),
            carried=session.offer.live_hunks,
        )
        is_accepted = self._turn(session, turn)
        await turn.begun.wait()
        # Meanwhile a stop may have ended it, or offered what was written before.
        is_last = number == session.attempts.n_redirects and session.state.is_at_work
        return Redirected(
            session_id=session.id,
            how="restarted",
            is_accepted=is_accepted and is_last,
        )

    def type_on(self, session: EditSession, request: EditRequest) -> None:
        """Continue a session with the next version of a typed instruction."""
        is_same = _is_same(session, request)
        session.type_on(request, self._runner.mode(request))
        session.drop_imports()
        current = session.attempts.current
        # A stop may have kept a part of the answer: the final instruction needs all.
        is_partial = session.state.is_waiting and not session.attempts.finished
        if not (is_same and current is not None) or (
            is_partial and not request.is_draft
        ):
            turn = AttemptSpec(
                instruction=request.instruction,
                carried=session.offer.live_hunks,
                wait_s=self.pause_s(request),
            )
            self._turn(session, turn)
        elif session.state.is_waiting and session.offer.shown is not None:
            if request.is_draft:
                session.lifecycle.reply(session.result)
            else:
                self._runner.settle(session)

    def pause_s(self, request: EditRequest) -> float:
        """Return how long to wait for the next key before a request is sent."""
        return self._settings().edit.live_pause_s if request.is_draft else 0.0

    def _turn(self, session: EditSession, turn: AttemptSpec) -> bool:
        was_waiting = session.state.is_waiting
        is_accepted = session.redirect(turn)
        if is_accepted and was_waiting:
            self._runner.resume(session)
        return is_accepted

    async def _steered(
        self,
        session: EditSession,
        instruction: str,
        comment: InstructionComment | None,
    ) -> bool:
        """Try to steer the one generation that writes."""
        attempt = session.attempts.current
        if session.state is not State.GENERATING or attempt is None:
            return False
        # A running generation cannot be given files, nor what the ranges are now.
        if session.edit_target.parts or named_files(instruction):
            return False
        if not self._router.may_steer(session, instruction):
            return False
        if not self._tasks.may_go_on(session):
            return False
        candidate, *others = attempt.candidates
        generation = candidate.generation
        if generation is None or others:
            return False
        if not _is_nearly_written(
            generation.timing,
            n_chars=candidate.n_chars - candidate.n_void_chars,
            n_expected_chars=sum(map(len, session.edit_target.original)),
        ):
            return False
        text, task = self._tasks.steer(session, instruction, comment)
        is_steered = await generation.steer(text, task=task)
        is_current = session.attempts.current is attempt
        if not (is_steered and is_current and session.state is State.GENERATING):
            return False
        self._tasks.steered(session, text)
        session.instruct(instruction, comment)
        return True


def _is_same(session: EditSession, request: EditRequest) -> bool:
    """Whether a model would be asked for the same as now."""
    current = session.request
    return (
        session.instruction.strip() == request.instruction.strip()
        and (current.tier, current.model) == (request.tier, request.model)
        and current.attachments == request.attachments
    )


def _is_nearly_written(timing: Timing, *, n_chars: int, n_expected_chars: int) -> bool:
    """Whether the rest of an answer takes no longer than starting another one.

    A steer takes effect when the current output item ends, and an edit is one item.
    Another answer would begin about as soon as this one did.

    Args:
        timing: The times of the running answer.
        n_chars: Characters written so far.
        n_expected_chars: Rough length of the whole answer.
    """
    sent, first, last = timing.sent, timing.first_delta, timing.last_delta
    if sent is None or first is None or last is None or not n_chars:
        return False
    left_s = (last - sent) * max(n_expected_chars - n_chars, 0) / n_chars
    return left_s <= first - sent
