"""The content of a report, independent of its format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

import msgspec

from redline.findings.finding import Dropped, Finding, Severity
from redline.findings.scope import LeftOutFile

ReportState = Literal["running", "done", "cancelled", "failed"]


class ReviewReport(msgspec.Struct, frozen=True, kw_only=True):
    """A review that has ended or is running."""

    review_id: str
    state: ReportState
    is_partial: bool = False
    """Whether it is done, but something that should have been reviewed was not."""
    scope: str
    """What was reviewed, as the end of a sentence: "lines 3 to 9 of a.py"."""
    message: str = ""
    """Why it failed, or notes on its outcome; a sentence or more."""
    created_at: float = 0.0
    """Unix seconds."""
    seconds: float | None = None
    """How long it took; None: it has not ended."""
    models: dict[str, str] = {}
    """Model label by task: `reviewing`, `refuting`, `fixing`."""
    has_model: bool = True
    """False: no model is configured; the built-in rules reviewed."""
    cost: float | None = None
    """US dollars; None: not known."""
    findings: tuple[Finding, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    left_out: tuple[LeftOutFile, ...] = ()


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by severity, then confidence, then place."""
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
