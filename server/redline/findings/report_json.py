"""The report of a review as JSON, for programs; see `docs/reference/findings.md`."""

from __future__ import annotations

from typing import get_args

import msgspec
from msgspec.structs import replace

from redline.findings.finding import (
    Category,
    DropReason,
    Finding,
    FindingState,
    Severity,
)
from redline.findings.report import ReportState, ReviewReport, worst_first
from redline.findings.scope import LeftOutFile
from redline.printable import json_page

VERSION = 1
"""Increases when a field is removed or changes its meaning; fields may be added."""


class _Fix(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    new_text: str
    checks: tuple[str, ...]


class _Finding(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    fingerprint: str
    file: str
    first_line: int
    last_line: int = 0
    quote: str
    severity: Severity
    category: Category
    rule: str | None
    title: str
    explanation: str
    fix: _Fix | None
    confidence: float
    evidence: tuple[str, ...]
    state: FindingState


class _Dropped(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    reason: DropReason
    detail: str
    file: str
    quote: str
    title: str


class _Report(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    version: int
    review_id: str
    state: ReportState
    partial: bool
    scope: str
    message: str
    seconds: float | None
    cost: float | None
    models: dict[str, str]
    has_model: bool
    counts: dict[str, int]
    findings: list[_Finding]
    dropped: list[_Dropped]
    left_out: tuple[LeftOutFile, ...]


def json_report(report: ReviewReport) -> str:
    """Return a report as one JSON object, indented; LF at the end."""
    found = worst_first(report.findings)
    still_open = [one.severity for one in found if one.state == "open"]
    written = _Report(
        version=VERSION,
        review_id=report.review_id,
        state=report.state,
        partial=report.is_partial,
        scope=report.scope,
        message=report.message,
        seconds=report.seconds,
        cost=report.cost,
        models=report.models,
        has_model=report.has_model,
        counts={one: still_open.count(one) for one in get_args(Severity)},
        findings=[_finding(one) for one in found],
        dropped=[
            _Dropped(
                reason=one.reason,
                detail=one.detail,
                file=one.claim.file,
                quote=one.claim.quote,
                title=one.claim.title,
            )
            for one in report.dropped
        ],
        left_out=report.left_out,
    )
    return json_page(written)


def _finding(finding: Finding) -> _Finding:
    written = msgspec.convert(finding, _Finding, from_attributes=True)
    return replace(
        written, first_line=finding.first_line + 1, last_line=finding.end_line
    )
