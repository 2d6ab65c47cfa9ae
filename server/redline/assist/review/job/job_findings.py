"""The findings of one job so far, in the order in which they were found.

The order, and with it the rows in the store, follows from the models' answers: a review
that resumes after a restart creates the same rows again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import get_args

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.review.job.answer_reader import Verdict
from redline.findings.finding import (
    Claim,
    Dropped,
    DropReason,
    Finding,
    FindingState,
    Severity,
)
from redline.store.review_change import GoneFinding, ReviewChange, StoredDrop

_RANK = {severity: n for n, severity in enumerate(get_args(Severity))}


class JobFinding(Struct):
    """One finding, and the claim behind it."""

    n: int
    """Its index in the review, from 0."""
    claim: Claim
    finding: Finding
    is_gone: bool = False


class JobFindings:
    """The findings of one review, and the claims that were dropped."""

    def __init__(self, review_id: str) -> None:
        self.states: dict[str, FindingState] = {}
        """States that the user or the text gave to findings meanwhile, by id."""
        self._review_id = review_id
        self._found: list[JobFinding] = []
        self._n_dropped = 0
        self._n_gone = 0

    @property
    def kept(self) -> Sequence[JobFinding]:
        """Those that are shown, in order."""
        return [found for found in self._found if not found.is_gone]

    @property
    def n_dropped(self) -> int:
        """How many claims are not shown."""
        return self._n_dropped + self._n_gone

    def add(self, verdicts: Iterable[Verdict]) -> list[ReviewChange]:
        """Add findings and dropped claims; return the changes to store."""
        changes: list[ReviewChange] = []
        for claim, verdict in verdicts:
            if isinstance(verdict, Dropped):
                changes.append(self._drop(self._n_dropped, verdict))
                self._n_dropped += 1
            else:
                n = len(self._found)
                self._found.append(JobFinding(n=n, claim=claim, finding=verdict))
                changes.append(verdict)
        return changes

    def change(self, found: JobFinding, finding: Finding) -> bool:
        """Replace a finding, but for the state it was given; return if it differs."""
        state = self.states.get(finding.id, finding.state)
        before, found.finding = found.finding, replace(finding, state=state)
        return found.finding != before

    def drop(
        self, found: JobFinding, reason: DropReason, detail: str
    ) -> list[ReviewChange]:
        """Withdraw a finding; return the changes to store."""
        found.is_gone = True
        self._n_gone += 1
        # Numbered after the claims that never became findings, in a fixed order.
        n = self._n_dropped + found.n
        dropped = Dropped(claim=found.claim, reason=reason, detail=detail)
        gone = GoneFinding(review_id=self._review_id, id=found.finding.id)
        return [gone, self._drop(n, dropped)]

    def beyond(self, limit: int) -> Sequence[JobFinding]:
        """Return those above the limit: the least severe, among equals the latest."""
        ranked = sorted(self.kept, key=lambda found: _RANK[found.finding.severity])
        return ranked[limit:]

    def _drop(self, n: int, dropped: Dropped) -> StoredDrop:
        return StoredDrop(review_id=self._review_id, n=n, dropped=dropped)
