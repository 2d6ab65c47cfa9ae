"""What a report is made of, for people and for programs alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

import msgspec

from redline.findings.finding import Dropped, Finding, Severity
from redline.findings.scope import LeftOutFile

ReportState = Literal["running", "done", "cancelled", "failed"]


class ReviewReport(msgspec.Struct, frozen=True, kw_only=True):
    """A review that is over, or as far as it is."""

    review_id: str
    state: ReportState
    is_partial: bool = False
    """Whether it is done, and yet not all that should have been reviewed was."""
    scope: str
    """What was reviewed, as the end of a sentence: "lines 3 to 9 of a.py"."""
    message: str = ""
    """Why it failed, or what else must be said; a sentence or more."""
    created_at: float = 0.0
    """Unix seconds."""
    seconds: float | None = None
    """How long it took; None: it is not over."""
    models: dict[str, str] = {}
    """Label of the model by what it did: `reviewing`, `refuting`, `fixing`."""
    has_model: bool = True
    """False: no model is configured; the built-in rules reviewed."""
    cost: float | None = None
    """US dollars; None: not known."""
    findings: tuple[Finding, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    left_out: tuple[LeftOutFile, ...] = ()


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Order findings by severity, then by how sure they are, then by place."""
    ranks = {severity: n for n, severity in enumerate(get_args(Severity))}
    return sorted(
        findings,
        key=lambda one: (
            ranks[one.severity],
            -one.confidence,
            one.file,
            one.first_line,
        ),
    )
