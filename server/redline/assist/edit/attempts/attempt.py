"""An attempt: one instruction on one region, by one candidate or several at once.

A redirect ends an attempt and begins the next. Candidates race, each with its own
generation; the first one that writes is shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct, field

from redline.assist.edit.attempts.candidate import (
    AttemptInput,
    Candidate,
    CandidateProgress,
)
from redline.models.interface import GenerationRequest, Model
from redline.text.instruction_comment import InstructionComment
from redline.text.streaming_diff import Hunk, Update

Purpose = Literal["write", "draft", "review", "repair", "escalate"]
"""What an attempt is for: to write the edit; to write a cheap draft of it; to review
such a draft, or to write the edit if the draft failed; to repair a candidate with
problems, by the same model or by a higher tier."""


class AttemptSpec(Struct, frozen=True, kw_only=True):
    """What a session does next: the input of an attempt."""

    instruction: str
    from_comment: InstructionComment | None = None
    """The comment that the instruction was written in."""
    purpose: Purpose = "write"
    repairs: Candidate | None = None
    """The candidate that is reviewed or repaired."""
    earlier: str | None = None
    """The instruction that this one redirects."""
    draft: str | None = None
    """The earlier text, finished or not, for the prompt."""
    carried: tuple[Hunk, ...] = ()
    wait_s: float = 0.0
    """How long to wait for a newer spec before this attempt begins."""
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when its generations have begun, or will never begin."""


class Attempt:
    """The candidates of one spec."""

    def __init__(
        self,
        turn: AttemptSpec,
        attempt_input: AttemptInput,
        *,
        n_candidates: int,
        on_started: Callable[[], None],
        on_update: Callable[[Candidate, Update], None],
        on_restart: Callable[[Candidate], None],
        on_written: Callable[[Candidate], None],
    ) -> None:
        self.turn = turn
        self.candidates = [
            Candidate(
                number,
                attempt_input,
                on_started=on_started,
                on_update=on_update,
                on_restart=on_restart,
                on_written=on_written,
            )
            for number in range(n_candidates)
        ]

    @property
    def written(self) -> list[Candidate]:
        """Candidates with a reply, best first; equal proposals only once."""
        done = [c for c in self.candidates if c.progress is CandidateProgress.DONE]
        if len(done) == 1:
            return done
        unique: dict[tuple[str, ...], Candidate] = {}
        for candidate in sorted(done, key=lambda c: c.rank):
            unique.setdefault(tuple(candidate.proposal.new_lines), candidate)
        return list(unique.values())

    @property
    def finished(self) -> list[Candidate]:
        """Candidates that can be offered, best first.

        A repaired candidate comes first if every repair of it scores lower.
        """
        written, before = self.written, self.turn.repairs
        if before is None or before.progress is not CandidateProgress.DONE:
            return written
        is_worse = all(candidate.score < before.score for candidate in written)
        return [before, *written] if is_worse else written

    async def run(self, model: Model, request: GenerationRequest) -> None:
        """Run every candidate to its end; returns when none is writing."""
        self.turn.begun.set()
        first, *others = self.candidates
        if not others:
            await first.run(model, request)
            return
        async with asyncio.TaskGroup() as group:
            for candidate in self.candidates:
                group.create_task(
                    candidate.run(model, request), name=f"candidate {candidate.number}"
                )

    def stop(self) -> None:
        self.turn.begun.set()
        for candidate in self.candidates:
            candidate.stop()

    def keep_only(self, candidate: Candidate) -> list[Candidate]:
        """Stop and return the others; none if this one is not of the attempt."""
        if candidate not in self.candidates:
            return []
        others = [each for each in self.candidates if each is not candidate]
        for other in others:
            other.stop()
        self.candidates = [candidate]
        return others

    def error(self) -> Exception | None:
        """Return the first error if every candidate failed; None otherwise."""
        errors: Sequence[Exception] = [c.error for c in self.candidates if c.error]
        return errors[0] if len(errors) == len(self.candidates) else None
