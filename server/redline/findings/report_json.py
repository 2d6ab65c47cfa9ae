"""The report of a review as JSON, for programs; `docs/reference/findings.md` has it."""

from __future__ import annotations

from redline.findings.reported import ReviewReport


def json_report(report: ReviewReport) -> str:
    """Write a report as one JSON object, indented; LF at the end."""
    raise NotImplementedError
