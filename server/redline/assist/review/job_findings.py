"""The findings of one job so far, in the order in which they were found.

The order, and with it the rows in the store, follows from what the models have said:
a review that goes on after a restart makes the same ones again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from redline.assist.review.answer_reader import Verdict
from redline.assist.review.review_codec import drop_row, finding_row
from redline.findings.finding import (
    Claim,
    Dropped,
    DropReason,
    Finding,
    FindingState,
    Severity,
)
from redline.store.stored_review import GoneFinding, ReviewChange

_RANK = {severity: n for n, severity in enumerate(get_args(Severity))}


@dataclass(slots=True)
class JobFinding:
    """One finding, and the claim it was made of."""

    n: int
    """Which one of its review, from 0."""
    claim: Claim
    finding: Finding
    is_gone: bool = False


class JobFindings:
    """The findings of one review, and the claims that were dropped."""

    def __init__(self, review_id: str) -> None:
        self.states: dict[str, FindingState] = {}
        """What has become of findings outside of the review, by id."""
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
        """Take note of what was said; return what is to be stored."""
        changes: list[ReviewChange] = []
        for claim, verdict in verdicts:
            if isinstance(verdict, Dropped):
                changes.append(drop_row(self._review_id, self._n_dropped, verdict))
                self._n_dropped += 1
            else:
                n = len(self._found)
                self._found.append(JobFinding(n=n, claim=claim, finding=verdict))
                changes.append(finding_row(verdict))
        return changes

    def drop(
        self, found: JobFinding, reason: DropReason, detail: str
    ) -> list[ReviewChange]:
        """Take a finding back; return what is to be stored."""
        found.is_gone = True
        self._n_gone += 1
        # After those that were never found, each in its place, whichever was first.
        n = self._n_dropped + found.n
        dropped = Dropped(claim=found.claim, reason=reason, detail=detail)
        gone = GoneFinding(review_id=self._review_id, id=found.finding.id)
        return [gone, drop_row(self._review_id, n, dropped)]

    def beyond(self, limit: int) -> Sequence[JobFinding]:
        """Return those that are too many: the least severe, and of these the last."""
        ranked = sorted(self.kept, key=lambda found: _RANK[found.finding.severity])
        return ranked[limit:]
