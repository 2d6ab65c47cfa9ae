"""One candidate: a generation of a session, and its result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from enum import Enum, auto

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.edit.attempts.reply_reader import ReplyReader
from redline.checks.problem import Problem
from redline.checks.reply import check_reply
from redline.errors import (
    ModelCutError,
    ModelError,
    ModelRejectedError,
    ReplyNotUnderstoodError,
)
from redline.keys_in_use import repeats_key, without_known_keys
from redline.models.interface import (
    Delta,
    Finish,
    Generation,
    GenerationRequest,
    Model,
    Restart,
    Timing,
    Usage,
)
from redline.text.import_lines import imported
from redline.text.indentation import indent_of
from redline.text.line_diff import LineHunk, diff_lines
from redline.text.live_proposal import LiveProposal
from redline.text.proposal import Proposal
from redline.text.reply import Reply
from redline.text.streaming_diff import Hunk, Update

LOST_IMPORTS = "lost-imports"
"""The rule of the problem that imports of the edit have no place any more."""


_REASON_N_CHARS = 200
"""Longest part of a refusal that is shown: it is model text of any length."""

_MANY_LINES = 500
"""From here on, reading the reply and the exact difference take a millisecond each
(measure (i))."""


class CandidateProgress(Enum):
    WRITING = auto()
    DONE = auto()
    """It has a reply, which may have problems or decline."""
    FAILED = auto()
    STOPPED = auto()


class AttemptInput(Struct, frozen=True, kw_only=True):
    """What every candidate of an attempt starts from."""

    make_parser: Callable[[], ReplyReader]
    old_lines: tuple[str, ...]
    instruction: str
    carried: tuple[Hunk, ...]
    """Hunks that are already painted and may be right."""
    new_id: Callable[[], int]
    """Returns hunk ids that are unique in the session."""


class Candidate:
    """One generation, from its first delta to its proposal."""

    def __init__(
        self,
        number: int,
        attempt_input: AttemptInput,
        *,
        on_started: Callable[[], None],
        on_update: Callable[[Candidate, Update], None],
        on_restart: Callable[[Candidate], None],
        on_written: Callable[[Candidate], None],
    ) -> None:
        self.number = number
        self.progress = CandidateProgress.WRITING
        self.generation: Generation | None = None
        self.problems: tuple[Problem, ...] = ()
        self.imports: Proposal | None = None
        """The changes of imports that belong to it, in all lines above the range."""
        self.score = 1.0
        """Quality in [0, 1]: from the reply at first, then from all checks."""
        self.reply: Reply | None = None
        self.error: ModelError | None = None
        self.usage: Usage | None = None
        self.timing: Timing | None = None
        self.response_id: str | None = None
        """The provider's id of the answer."""
        self.model: Model | None = None
        """The model that writes it."""
        self.request: GenerationRequest | None = None
        self.n_chars = 0
        """Characters received, refusals included."""
        self.n_void_chars = 0
        """Those of `n_chars` that came before the last restart."""
        self._attempt_input = attempt_input
        self._on_started = on_started
        self._on_update = on_update
        self._on_restart = on_restart
        self._on_written = on_written
        self._refusal = ""
        self._texts: list[str] = []
        self._has_begun = False
        self._repeats_key = False
        """Whether the model has written an API key of the user."""
        self._live: LiveProposal | None = None

    @property
    def live(self) -> LiveProposal:
        """The proposal while it is written."""
        if self._live is None:
            attempt_input = self._attempt_input
            self._begin_reply()
            self._live = LiveProposal(
                attempt_input.old_lines,
                new_id=attempt_input.new_id,
                carried=attempt_input.carried,
            )
        return self._live

    @property
    def unread(self) -> Problem | None:
        """The first problem of the reply itself: a part was not read, or never came."""
        return next((one for one in self.problems if one.rule == "reply"), None)

    @property
    def proposal(self) -> Proposal:
        """The current proposal, finished or not."""
        return self.live.proposal()

    @property
    def has_text(self) -> bool:
        """Whether any of the reply has been written."""
        return bool(self._texts)

    @property
    def text(self) -> str:
        """The reply as the model wrote it."""
        return "".join(self._texts)

    @property
    def rank(self) -> tuple[float, int]:
        """Sort key, smaller is better: score, then number."""
        return 1 - self.score, self.number

    async def run(self, model: Model, request: GenerationRequest) -> None:
        """Generate to the end.

        If the connection is cut after the first delta, start over once: nothing was
        applied unseen, so the user need not know.
        """
        self.model, self.request = model, request
        finish = await self._read(model, request)
        was_cut = isinstance(finish.error, ModelCutError) and self._has_begun
        if was_cut and self.progress is CandidateProgress.WRITING:
            self._begin_again()
            finish = await self._read(model, request)
        if self.progress is CandidateProgress.WRITING:
            await self._conclude(finish)

    def recall(self, lines: Sequence[str], *, imports: Sequence[str] = ()) -> None:
        """Write lines that were offered before, without a model."""
        _ = self.live
        self.reply = Reply(lines=tuple(lines), imports=tuple(imports))
        self.progress = CandidateProgress.DONE
        self._on_update(self, self.live.feed(list(lines)))
        self._on_update(self, self.live.finish())

    def judged(self, problems: tuple[Problem, ...], score: float) -> None:
        """Store the result of all checks of the finished candidate."""
        self.problems, self.score = problems, score

    def change_imports(self, above: Sequence[str], changes: Sequence[LineHunk]) -> None:
        """Store the changes of imports that belong to it.

        Args:
            above: All lines above the range.
            changes: In these lines.
        """
        new_id = self._attempt_input.new_id
        hunks = tuple(
            Hunk(
                id=new_id(),
                start=each.start,
                end=each.end,
                lines=each.lines,
                state="settled",
            )
            for each in changes
        )
        self.imports = Proposal(old_lines=tuple(above), hunks=hunks)

    def keep_imports_inside(self, line_end: str) -> None:
        """Make the imports in front of the reply a part of the range again."""
        reply = self.reply
        assert reply is not None
        assert reply.lines is not None
        first = next((line for line in reply.lines if line.strip()), "")
        indent = indent_of(first)
        imports = (indent + text if text.strip() else text for text in reply.imports)
        lead = tuple(text + line_end for text in (*imports, ""))
        self.reply = replace(reply, lines=(*lead, *reply.lines), imports=())
        self._show_rest((*lead, *self.live.written))
        self._on_update(self, self.live.finish())

    def imports_in(self, above: Sequence[str]) -> tuple[Hunk, ...]:
        """Return the changes of imports in the lines that are above the range now.

        Lines that the user has added in the meantime are not added again.
        """
        if self.imports is None:
            return ()
        there = imported(above)
        had = imported(self.imports.old_lines)
        hunks = self.imports.after_typing(
            diff_lines(self.imports.old_lines, above)
        ).hunks
        return tuple(
            hunk
            for hunk in hunks
            if hunk.start < hunk.end
            or not (names := imported(hunk.lines))
            or not (names <= there and not names <= had)
        )

    def note_lost_imports(self, above: Sequence[str]) -> None:
        """Store a problem if the user changed the lines that imports belong to.

        Args:
            above: All lines above the range now.
        """
        if self.imports is None:
            return
        # The lines may be as they were again.
        self.problems = tuple(p for p in self.problems if p.rule != LOST_IMPORTS)
        left = {hunk.id for hunk in self.imports_in(above)}
        there = imported(above)
        lost = [
            line.strip()
            for hunk in self.imports.hunks
            if hunk.id not in left
            for line in hunk.lines
            if not imported([line]) <= there
        ]
        if lost:
            message = (
                "The imports above were changed meanwhile, so the edit does not add"
                f" {lost[0]!r}; add it yourself, or run the edit again."
            )
            problem = Problem(rule=LOST_IMPORTS, message=message)
            self.problems = (*self.problems, problem)

    def put_imports_above(self, above: Sequence[str], first: int) -> None:
        """Offer the changes of imports together with the others.

        Args:
            above: All lines above the range now.
            first: The one from which on they belong to the region.
        """
        hunks = [hunk.moved(-first) for hunk in self.imports_in(above)]
        self.live.put_above(above[first:], hunks)

    def stop(self) -> None:
        """Stop writing; idempotent."""
        if self.progress is CandidateProgress.WRITING:
            self.progress = CandidateProgress.STOPPED
        if self.generation is not None:
            self.timing = self.generation.timing
            self.generation.stop()
            self.generation = None

    def _prepare(self) -> None:
        """Create what the first delta needs."""
        self._on_started()
        _ = self.live

    def _begin_reply(self) -> None:
        self._parser = self._attempt_input.make_parser()
        self._has_text = False
        self._texts.clear()
        self._shown: list[str] = []

    def _begin_again(self) -> None:
        """Start over; painted hunks stay until the new text reaches them."""
        self.n_void_chars = self.n_chars
        self._begin_reply()
        # Not from the attempt input: hunks may have been accepted and rejected since.
        self._live = self.live.begin_again()
        self._on_restart(self)

    async def _read(self, model: Model, request: GenerationRequest) -> Finish:
        async with model.start(request) as generation:
            self.generation = generation
            if self.progress is not CandidateProgress.WRITING:
                # The candidate was stopped while the generation started.
                generation.stop()
            else:
                # Done while the request travels.
                self._prepare()
            finish = await self._take_all(generation)
            self.timing = generation.timing
            self.usage = finish.usage or self.usage
            self.response_id = finish.response_id
            self.generation = None
        return finish

    async def _take_all(self, generation: Generation) -> Finish:
        async for event in generation:
            self._has_begun |= isinstance(event, Delta)
            match event:
                case Delta(kind="text"):
                    is_first = not self._has_text
                    self._take(event.text)
                    if is_first:
                        # Let the first paint be sent before the rest is processed.
                        await asyncio.sleep(0)
                case Delta(kind="refusal"):
                    self._refusal += event.text
                    self.n_chars += len(event.text)
                case Delta():
                    pass
                case Restart():
                    self._begin_again()
                    if event.text:
                        self._take(event.text)
                case Finish():
                    return event
        raise AssertionError("a generation ends with its finish")

    def _take(self, text: str) -> None:
        self._has_text = True
        self._texts.append(text)
        self.n_chars += len(text)
        if self.progress is not CandidateProgress.WRITING or self._repeats_key:
            return
        if lines := self._parser.feed(text):
            # Before anybody is shown a line of it.
            if self._holds_key(lines):
                self._stop_for_key()
                return
            self._show(lines)

    def _show(self, lines: Sequence[str]) -> None:
        self._shown += lines
        self._on_update(self, self.live.feed(lines))

    def _show_rest(self, lines: Sequence[str]) -> None:
        """Show what is left of the finished reply, or all if it reads otherwise now."""
        n_shown = len(self._shown)
        if self._shown != list(lines[:n_shown]):
            self._shown, n_shown = [], 0
            self._live = self.live.begin_again()
            self._on_restart(self)
        self._show(lines[n_shown:])

    def _holds_key(self, lines: Sequence[str]) -> bool:
        old_lines = self._attempt_input.old_lines
        return repeats_key("\n".join(lines), before=lambda: "\n".join(old_lines))

    def _stop_for_key(self) -> None:
        self._repeats_key = True
        if self.generation is not None:
            self.generation.stop()

    async def _conclude(self, finish: Finish) -> None:
        self.error = self._error_of(finish)
        if len(self._shown) >= _MANY_LINES and not await self._paint_first():
            return
        if self.error is None:
            self.reply = self._parser.finish().with_reasons(without_known_keys)
            self.problems = check_reply(
                self.reply.problems, instruction=self._attempt_input.instruction
            )
            if finish.reason == "length":
                self.problems += _OUT_OF_ROOM
            self.score = 0.5 ** len(self.problems)
            self.error = self._error_of_reply(self.reply)
            if self._holds_key((*(self.reply.lines or ()), *self.reply.imports)):
                self.reply, self.error = None, _key_error()
        if self.error is not None:
            self.progress = CandidateProgress.FAILED
            return
        lines = self.reply.lines if self.reply is not None else None
        if lines is not None and len(lines) >= _MANY_LINES:
            self._show_rest(lines)
            if not await self._paint_first():
                return
        self.progress = CandidateProgress.DONE
        if lines is not None:
            self._show_rest(lines)
            self._on_update(self, self.live.finish())

    async def _paint_first(self) -> bool:
        """Paint, also the last lines of other sessions, before work of milliseconds.

        Returns:
            Whether the work is still wanted.
        """
        self._on_written(self)
        await asyncio.sleep(0)
        return self.progress is CandidateProgress.WRITING

    def _error_of(self, finish: Finish) -> ModelError | None:
        if self._repeats_key:
            return _key_error()
        if finish.error is not None:
            return finish.error
        is_refused = bool(self._refusal) and not self._has_text
        if finish.reason in ("completed", "length") and not is_refused:
            return None
        return ModelRejectedError(
            f"The model did not answer: {self._reason(finish)}.",
            remedy="Nothing was changed; say it in other words.",
        )

    def _reason(self, finish: Finish) -> str:
        """Return why there is no answer, as the end of a sentence."""
        words = " ".join(self._refusal.split())
        if len(words) > _REASON_N_CHARS:
            words = words[:_REASON_N_CHARS] + " …"
        if words or finish.reason != "stopped":
            return words.rstrip(".") or "it refused"
        return "it was stopped by the server or by new settings"

    def _error_of_reply(self, reply: Reply) -> ModelError | None:
        if reply.lines is not None or reply.declined is not None:
            return None
        message = self.problems[0].message if self.problems else "It has no text."
        return ReplyNotUnderstoodError(message)


def _key_error() -> ModelRejectedError:
    return ModelRejectedError(
        "The model wrote an API key that Redline uses into the edit, so the edit was"
        " discarded.",
        remedy="Nothing was changed. Its server repeats the key that it is sent: use"
        " another server, and replace the key if you do not trust this one.",
    )


_OUT_OF_ROOM = (
    Problem(
        rule="reply",
        message="The model reached its output limit before it was done.",
    ),
)
