"""From a session to a candidate: the prompt, the stream, the parsed reply."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from redline.assist.session import EditSession
from redline.assist.states import Step
from redline.assist.workspace import Workspace
from redline.checks.problem import Problem
from redline.errors import ModelCutError, ModelRejectedError
from redline.models.interface import (
    Delta,
    Finish,
    Generation,
    GenerationRequest,
    Model,
    Restart,
)
from redline.prompts.edit import EditTask, edit_prompt
from redline.prompts.message import Prompt
from redline.prompts.surroundings import gather_surroundings, with_line_feeds
from redline.settings.tree import Settings
from redline.text.line_diff import diff_lines
from redline.text.proposal import Proposal, ProposedHunk, propose
from redline.text.region import end_of_new_lines
from redline.text.reply import Reply, ReplyFormat
from redline.text.reply_parser import ReplyParser
from redline.text.streaming_diff import StreamingDiff, Update

_REPORT_INTERVAL_S = 0.25
"""Progress is for people: four times a second is as much as they read."""

_GAP_SHARE = 0.25
"""Of the time between two paints, what deltas wait at most to be read: 8 ms at 30
paints a second, which makes a delta of one token a quarter cheaper."""

_REASON_N_CHARS = 200
"""As much of a refusal as is shown: it is the model's text, of any length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What one generation came to."""

    reply: Reply
    proposal: Proposal
    problems: tuple[Problem, ...] = ()
    """What the generation itself says is wrong; checks add theirs."""


class Generator:
    """Runs the generations of sessions."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        settings: Callable[[], Settings],
        cache_key: str,
    ) -> None:
        self._workspace = workspace
        self._settings = settings
        self._cache_key = cache_key

    async def generate(self, session: EditSession, model: Model) -> Candidate | None:
        """Run a session's generation to its end.

        A connection that is cut after the first delta is tried once more from the
        start: nothing has been applied, so the user need not know.

        Returns:
            The candidate; None if the session ended meanwhile or keeps what it has.

        Raises:
            ModelError: If the model could not answer.
        """
        prompt, reply_format = self._prompt(session)
        request = GenerationRequest(
            prompt=prompt, cache_key=self._cache_key, gap_s=self._gap_s()
        )
        for is_last_try in (False, True):
            stream = _Stream(session, reply_format)
            finish = await stream.read(model, request)
            if not session.is_generating:
                return None
            if _was_cut_while_writing(finish, stream) and not is_last_try:
                session.advance(Step.RETRY)
                continue
            return stream.candidate(finish)
        raise AssertionError("the second try always returns")

    def _gap_s(self) -> float:
        """How often it is worth reading what the model writes."""
        paints_per_s = self._settings().edit.paints_per_s
        return _GAP_SHARE / paints_per_s if paints_per_s else 0.0

    def _prompt(self, session: EditSession) -> tuple[Prompt, ReplyFormat]:
        settings = self._settings().edit
        region = session.region
        lines = session.document.snapshot().lines
        around = gather_surroundings(
            lines,
            session.first_line,
            session.first_line + len(region.lines),
            max_bytes=settings.context_bytes,
        )
        is_long = len(region.lines) > settings.rewrite_lines
        reply_format: ReplyFormat = "search-replace" if is_long else "rewrite"
        task = EditTask(
            instruction=session.request.instruction,
            path=self._workspace.relative_path(session.document.uri),
            language=session.document.language_id,
            before=around.before,
            target=with_line_feeds(region.lines),
            after=around.after,
            draft=session.draft,
            reply_format=reply_format,
            is_whole_file=around.is_whole_file,
        )
        return edit_prompt(task), reply_format


class _Stream:
    """One generation of a session, from its first delta to its candidate."""

    def __init__(self, session: EditSession, reply_format: ReplyFormat) -> None:
        self._session = session
        self._reply_format = reply_format
        self._loop = asyncio.get_running_loop()
        self._next_report = self._loop.time() + _REPORT_INTERVAL_S
        self._refusal = ""
        self.has_deltas = False
        """Whether anything came: before that, models try again by themselves."""
        self._has_text = False
        self._is_voided = True
        """Whether what is painted, if anything, is of a text that does not count."""
        self._restart("")

    async def read(self, model: Model, request: GenerationRequest) -> Finish:
        """Read it to its end, painting what arrives."""
        session = self._session
        async with model.start(request) as generation:
            if session.is_generating:
                session.generation = generation
            else:
                # It was ended while the generation was started.
                generation.stop()
            finish = await self._read(generation)
            session.take_finish(finish)
            session.generation = None
        return finish

    def candidate(self, finish: Finish) -> Candidate:
        """Conclude.

        Raises:
            ModelError: If it did not come to an answer.
        """
        if finish.reason == "failed" and finish.error is not None:
            raise finish.error
        is_refused = bool(self._refusal) and not self._has_text
        if is_refused or finish.reason in ("filtered", "stopped", "failed"):
            raise ModelRejectedError(
                f"The model did not answer: {self._reason(finish)}.",
                remedy="Nothing was changed; say it in other words.",
            )
        reply = self._parser.finish()
        return Candidate(
            reply=reply,
            proposal=self._propose(reply),
            problems=_OUT_OF_ROOM if finish.reason == "length" else (),
        )

    async def _read(self, generation: Generation) -> Finish:
        async for event in generation:
            match event:
                case Delta():
                    self._read_delta(event)
                case Restart():
                    self._restart(event.text)
                case Finish():
                    return event
        raise AssertionError("a generation ends with its finish")

    def _read_delta(self, delta: Delta) -> None:
        self.has_deltas = True
        if delta.kind == "text":
            self._take(delta.text)
        elif delta.kind == "refusal":
            self._refusal += delta.text

    def _reason(self, finish: Finish) -> str:
        """Say why there is no answer, as the end of a sentence."""
        words = " ".join(self._refusal.split())
        if len(words) > _REASON_N_CHARS:
            words = words[:_REASON_N_CHARS] + " …"
        if words or finish.reason != "stopped":
            return words.rstrip(".") or "it refused"
        return "it was stopped by the server or by new settings"

    def _restart(self, text: str) -> None:
        session = self._session
        lines = session.document.snapshot().lines
        self._parser = ReplyParser(
            format=self._reply_format,
            target_lines=session.region.lines,
            line_end=end_of_new_lines(lines, session.first_line),
            language=session.document.language_id,
        )
        self._has_text = False
        # What is painted stays until there is something to paint instead.
        self._is_voided = True
        session.written = []
        if session.painter is not None:
            session.diff = StreamingDiff(session.region.lines)
        if text:
            self._take(text)

    def _take(self, text: str) -> None:
        self._has_text = True
        if lines := self._parser.feed(text):
            self._paint(lines)
        now = self._loop.time()
        if now >= self._next_report and self._session.progress is not None:
            self._next_report = now + _REPORT_INTERVAL_S
            self._session.progress.report(f"{len(self._session.written)} lines")

    def _paint(self, lines: Sequence[str]) -> None:
        session = self._session
        session.written += lines
        if session.diff is not None:
            self._show(session.diff.feed(lines))

    def _show(self, update: Update) -> None:
        session = self._session
        if session.painter is None:
            return
        if self._is_voided:
            self._is_voided = False
            session.painter.replace(update.hunks, n_lines=len(session.region.lines))
        else:
            session.painter.update(update.hunks, update.removed)

    def _propose(self, reply: Reply) -> Proposal:
        session = self._session
        old = session.region.lines
        if reply.lines is None:
            return Proposal(old_lines=old, hunks=())
        if session.diff is None:
            changes = enumerate(diff_lines(old, reply.lines))
            hunks = tuple(
                ProposedHunk(id=i, start=c.start, end=c.end, lines=c.lines)
                for i, c in changes
            )
            return Proposal(old_lines=old, hunks=hunks)
        self._paint(reply.lines[len(session.written) :])
        self._show(session.diff.finish())
        return propose(old, session.diff.hunks)


_OUT_OF_ROOM = (
    Problem(
        rule="reply",
        message="The model reached its output limit before it was done.",
    ),
)


def _was_cut_while_writing(finish: Finish, stream: _Stream) -> bool:
    return isinstance(finish.error, ModelCutError) and stream.has_deltas
