"""The values that a review is about: what a model claims, and what became of it.

A `Claim` is what a model said, nothing of it believed. A `Finding` is a claim whose
quote was found in the file. A `Dropped` is a claim that is not shown, with the reason.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

Severity = Literal["critical", "high", "medium", "low"]

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""From worst to least."""

Category = Literal[
    "correctness",
    "concurrency",
    "security",
    "error-handling",
    "resource",
    "data-loss",
    "performance",
    "time",
    "testing",
]

FindingState = Literal["open", "stale", "fixed", "dismissed"]
"""`stale`: its text is gone from the file for now; it comes back with it."""

DropReason = Literal[
    "incomplete",  # a field is missing or is no text
    "unknown-file",  # the file is not part of the review
    "not-found",  # the quote is not in the file
    "out-of-scope",  # the quote is in the file, but not in what was to be reviewed
    "duplicate",
    "style",
    "refuted",
    "too-many",  # worse ones are shown
    "dismissed",  # the developer has dismissed the same before
]


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """One finding as a model tells it. All text has LF line ends."""

    file: str
    """Path as the model was given it."""
    quote: str
    """The lines it is about, as the model says they are."""
    severity: str
    category: str
    title: str
    explanation: str
    fix: str | None = None
    """New text of exactly the quoted lines."""
    line: int | None = None
    """Number of the first quoted line as the model counts, from 1. Models count badly:
    it only chooses between places that are equal."""
    rule: str | None = None
    """Id of the linter's rule that says so; believed of the rules engine only."""


class Fix(msgspec.Struct, frozen=True, kw_only=True):
    """New text for a finding's quoted lines, which applied and passed the checks."""

    new_text: str
    """Whole lines, LF line ends; empty: the lines are removed."""
    checks: tuple[str, ...] = ()
    """Ids of the checks that it passed."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One fault that was found, and where."""

    id: str
    """Made of the review's id and the fingerprint: the same claim judged again, after a
    restart, is the same finding."""
    review_id: str
    file: str
    """Path as in the scope, with `/`."""
    uri: str = ""
    """The file's, as in the scope."""
    fingerprint: str
    """The same for the same fault in the same code in every review of it, wherever in
    the file it moves; see `identity`."""
    first_line: int
    """Index of the first quoted line in the text that was reviewed; from 0."""
    end_line: int
    """Index after the last one."""
    quote: str
    """The lines as they are in the file, LF line ends, without the last one."""
    severity: Severity
    category: Category
    title: str
    explanation: str
    rule: str | None = None
    """Id of the linter's rule that says so; None: a model does."""
    fix: Fix | None = None
    confidence: float = 0.5
    """In [0, 1], from what was verified, never from what the model says of itself."""
    evidence: tuple[str, ...] = ()
    """What was verified, a sentence each."""
    state: FindingState = "open"


class Dropped(msgspec.Struct, frozen=True, kw_only=True):
    """A claim that is not shown."""

    claim: Claim
    reason: DropReason
    detail: str
    """One sentence for the report."""


class Dismissal(msgspec.Struct, frozen=True, kw_only=True):
    """A finding that the developer does not want to see again."""

    fingerprint: str
    file: str
    category: Category
    quote: str
    reason: str = ""


def dismissal_of(finding: Finding, reason: str) -> Dismissal:
    """Say what a developer dismisses, and why; the reason may be empty."""
    return Dismissal(
        fingerprint=finding.fingerprint,
        file=finding.file,
        category=finding.category,
        quote=finding.quote,
        reason=reason,
    )
