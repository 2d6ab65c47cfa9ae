"""The values of a review: claims of models, and the findings made of them.

A `Claim` is a model's statement, none of it verified. A `Finding` is a claim whose
quote was found in the file. A `Dropped` is a claim that is not shown, with the reason.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

Severity = Literal["critical", "high", "medium", "low"]

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""From the most to the least severe."""

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
"""`stale`: its text is not in the file now; if the text returns, it is open again."""

DropReason = Literal[
    "incomplete",  # a field is missing or is not text
    "unknown-file",  # the file is not part of the review
    "not-found",  # the quote is not in the file
    "out-of-scope",  # the quote is in the file, but not in the reviewed lines
    "duplicate",
    "style",
    "refuted",
    "too-many",  # more severe ones are shown
    "minor",  # of low severity, in a review on save
    "dismissed",  # the developer has dismissed the same before
]


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """One finding as a model reports it. All text has LF line ends."""

    file: str
    """The path, as in the prompt."""
    quote: str
    """The lines that it is about, as the model quotes them."""
    severity: str
    category: str
    title: str
    explanation: str
    fix: str | None = None
    """New text of exactly the quoted lines."""
    line: int | None = None
    """The model's number of the first quoted line, from 1. Models count badly: it only
    chooses between equal places."""
    rule: str | None = None
    """Id of the linter's rule that reports it; only the rules engine's is trusted."""


class Fix(msgspec.Struct, frozen=True, kw_only=True):
    """New text for a finding's quoted lines, which applied and passed the checks."""

    new_text: str
    """Whole lines, LF line ends; empty: the lines are deleted."""
    checks: tuple[str, ...] = ()
    """Ids of the checks that it passed."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One verified fault and its place."""

    id: str
    """Derived from the review's id and the fingerprint, so that the same claim, judged
    again after a restart, is the same finding."""
    review_id: str
    file: str
    """Path as in the scope, with `/`."""
    uri: str = ""
    """URI of the file, as in the scope."""
    fingerprint: str
    """Equal for the same fault in the same code across reviews, wherever in the file
    the code moves; see `fingerprint`."""
    first_line: int
    """Index of the first quoted line in the reviewed text, from 0."""
    end_line: int
    """Index after the last one."""
    quote: str
    """The lines of the file, LF line ends, none at the end."""
    severity: Severity
    category: Category
    title: str
    explanation: str
    rule: str | None = None
    """Id of the linter's rule that reports it; None: a model does."""
    is_place_sure: bool = True
    """Whether nothing else that is reviewed has the same lines and could be meant."""
    fix: Fix | None = None
    confidence: float = 0.5
    """In [0, 1], from verified evidence, never from the model's own estimate."""
    evidence: tuple[str, ...] = ()
    """The verified facts, a sentence each."""
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
    """Create the dismissal of a finding; the reason may be empty."""
    return Dismissal(
        fingerprint=finding.fingerprint,
        file=finding.file,
        category=finding.category,
        quote=finding.quote,
        reason=reason,
    )
