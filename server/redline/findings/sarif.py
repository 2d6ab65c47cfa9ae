"""The report of a review as SARIF 2.1.0, which code hosts and CI services read."""

from __future__ import annotations

from redline.findings.reported import ReviewReport


def sarif_report(report: ReviewReport, *, version: str) -> str:
    """Write a report as one SARIF log; LF at the end.

    Args:
        report: Dismissed findings become suppressed results, fixed ones are left out.
        version: Redline's.
    """
    raise NotImplementedError
