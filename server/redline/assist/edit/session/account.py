"""What the attempts of one session used: time, tokens, cost, repairs.

The session writes it; the status and the usage records read it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal

from msgspec import Struct

from redline.assist.edit.attempts.attempt import Attempt
from redline.assist.edit.attempts.candidate import Candidate
from redline.assist.edit.session.cost_tally import CostTally
from redline.assist.tiers.cost import CHARS_PER_TOKEN, Cost
from redline.checks.problem import Problem
from redline.models.interface import Model, Timing, Usage


class Draft(Struct, frozen=True):
    """What the `draft` tier wrote for the session's instruction."""

    model: str
    """Its label in the settings."""
    lines: tuple[str, ...] | None = None
    """The region as drafted; None: it is not written yet, or cannot be read."""


class OpinionNote(Struct, frozen=True):
    """What a second opinion said about the session's instruction."""

    verdict: Literal["agreed", "overruled", "raised", "lowered", "late", "unread"]
    lines: tuple[str, ...] = ()
    """The region as a lower tier wrote it, if a higher one went over it."""


class Account:
    """Counts each generation of a session once."""

    def __init__(self) -> None:
        self.timing: Timing | None = None
        """Timing of the last generation."""
        self.writer: Model | None = None
        """The model that wrote the generation of `timing`."""
        self.usage: Usage | None = None
        """Usage of the last generation whose provider reported it."""
        self.cost_tally = CostTally()
        """Tokens and cost of all generations."""
        self.failed_checks: list[str] = []
        """Ids of the checks that the candidates failed, in order."""
        self.n_repairs = 0
        self.draft: Draft | None = None
        """The draft of the current instruction; None: nothing was drafted."""
        self.opinion: OpinionNote | None = None
        """The second opinion on the current instruction; None: there is none yet."""
        self.checked_at: float | None = None
        """When a candidate was last checked, on the loop's clock."""
        self.applied_at: float | None = None
        """When a part of the edit last entered the document, on the loop's clock."""
        self._n_wasted_chars = 0
        self._closed: Attempt | None = None
        """The last attempt that was closed."""
        self._kept: Candidate | None = None
        """The candidate of that attempt that was used."""

    @property
    def wasted_n_tokens(self) -> int:
        """Estimated tokens of stopped and unused generations."""
        return self._n_wasted_chars // CHARS_PER_TOKEN

    def close(
        self, attempt: Attempt, *, kept: Candidate | None, shown: Candidate | None
    ) -> None:
        """Count the generations of a finished attempt.

        An attempt may be closed twice; the second call only marks its `kept` as wasted.

        Args:
            attempt: Its generations have ended.
            kept: The candidate that is used; None: none is.
            shown: The candidate in the preview, for the timing if none is kept.
        """
        if attempt is self._closed:
            if self._kept is not None and kept is None:
                self._n_wasted_chars += self._kept.n_chars - self._kept.n_void_chars
                self._kept = None
            return
        self._closed, self._kept = attempt, kept
        self.cost_tally.add(attempt.candidates, kept=kept)
        for candidate in attempt.candidates:
            is_kept = candidate is kept
            n_chars = candidate.n_void_chars if is_kept else candidate.n_chars
            self._n_wasted_chars += n_chars
        self._report(kept or shown or attempt.candidates[0])

    def count(self, candidates: Collection[Candidate]) -> None:
        """Count candidates that have stopped writing, each only once."""
        self.cost_tally.add(candidates)

    def count_loser(self, candidate: Candidate, *, is_writing: bool) -> None:
        """Count a candidate that was stopped in favour of another of its attempt."""
        self.cost_tally.add([candidate])
        if is_writing:
            self._n_wasted_chars += candidate.n_chars

    def checked(self, at: float) -> None:
        """Record when candidates were checked."""
        self.checked_at = at

    def failed(self, problems: Iterable[Problem]) -> None:
        """Record the checks that a candidate failed."""
        self.failed_checks += dict.fromkeys(problem.rule for problem in problems)

    def asked_beside(self, cost: Cost) -> None:
        """Count what an answer cost that is no candidate: a description of the attached
        images, or a second opinion.
        """
        self.cost_tally.add_cost(cost)

    def draft_begun(self, model: Model) -> None:
        """Record the model that drafts for the current instruction."""
        self.draft = Draft(model.describe().label)

    def draft_written(self, candidate: Candidate) -> None:
        """Record the draft that goes to its review."""
        if self.draft is not None:
            lines = tuple(candidate.proposal.new_lines)
            self.draft = Draft(self.draft.model, lines)

    def opinion_given(self, opinion: OpinionNote) -> None:
        """Record what became of a second opinion."""
        self.opinion = opinion

    def redirected(self) -> None:
        """Forget the draft of the earlier instruction, and the opinion on it."""
        self.draft = None
        self.opinion = None

    def repaired(self) -> None:
        """Record that problems were sent back to the model."""
        self.n_repairs += 1

    def applied(self, at: float) -> None:
        """Record when a part of the edit entered the document."""
        self.applied_at = at

    def _report(self, candidate: Candidate) -> None:
        if candidate.timing is not None:
            self.timing, self.writer = candidate.timing, candidate.model
        self.usage = candidate.usage or self.usage
