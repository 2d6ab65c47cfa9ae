"""The report of a review as SARIF 2.1.0, which code hosts and CI services read.

Section numbers are those of the OASIS standard "Static Analysis Results Interchange
Format (SARIF) Version 2.1.0".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import quote

from redline.findings.finding import Category, Finding, Fix, Severity
from redline.findings.report import ReviewReport, worst_first
from redline.findings.scope import LeftOutFile
from redline.printable import json_page

Json = dict[str, object]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "SRCROOT"
"""Symbol for the folder that paths are relative to (3.4.4); readers resolve it."""

_LEVELS: dict[Severity, Literal["error", "warning", "note"]] = {
    "critical": "error",
    "high": "error",
    "medium": "warning",
    "low": "note",
}
"""Values of 3.27.10."""

_SECURITY_SEVERITIES: dict[Severity, str] = {
    "critical": "9.5",
    "high": "8.0",
    "medium": "5.5",
    "low": "2.0",
}
"""Middles of the ranges that GitHub's code scanning maps to these words."""

_CATEGORIES: dict[Category, str] = {
    "correctness": "Wrong results or unhandled cases",
    "concurrency": "Races, deadlocks and work after cancellation",
    "security": "Injection, missing checks and leaked secrets",
    "error-handling": "Errors that are swallowed or hide their cause",
    "resource": "Files, sockets, locks and tasks that stay open",
    "data-loss": "Lost or corrupted data",
    "performance": "Work that grows faster than its input",
    "time": "Time zones, clocks and time-outs",
    "testing": "Tests that cannot fail",
}


_MAX_HELP_CHARS = 1_000
"""Longest help text of a linter's rule; braces in it are written twice."""


def sarif_report(report: ReviewReport, *, version: str) -> str:
    """Return a report as one SARIF log; LF at the end.

    Args:
        report: Dismissed findings become suppressed results; fixed and stale ones are
            left out.
        version: Redline's version.
    """
    shown = worst_first(
        one for one in report.findings if one.state in ("open", "dismissed")
    )
    rules = list(dict.fromkeys(map(_rule_id, shown)))
    by_rule = {_rule_id(one): one for one in reversed(shown)}
    run: Json = {
        "tool": {
            "driver": {
                "name": "Redline",
                "version": version,
                "rules": [_rule(by_rule[rule]) for rule in rules],
            }
        },
        "invocations": [_invocation(report)],
        "automationDetails": {"id": f"redline/{report.review_id}"},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, rules) for one in shown],
    }
    log: Json = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_page(log)


def _rule_id(finding: Finding) -> str:
    return finding.rule or f"redline/{finding.category}"


def _rule(finding: Finding) -> Json:
    """Describe a rule by its most severe finding (3.49)."""
    is_ours = finding.rule is None
    description = _CATEGORIES[finding.category] if is_ours else finding.title
    properties: Json = {"tags": [finding.category]}
    if finding.category == "security":
        properties["security-severity"] = _SECURITY_SEVERITIES[finding.severity]
    return {
        "id": _rule_id(finding),
        "shortDescription": _message(description),
        # GitHub's code scanning requires all three, none of them empty.
        "fullDescription": _message(description),
        "help": _message(
            description if is_ours else finding.explanation[:_MAX_HELP_CHARS]
        ),
        "defaultConfiguration": {"level": _LEVELS[finding.severity]},
        "properties": properties,
    }


def _result(finding: Finding, rules: Sequence[str]) -> Json:
    """Return one result (3.27)."""
    rule = _rule_id(finding)
    result: Json = {
        "ruleId": rule,
        "ruleIndex": rules.index(rule),
        "level": _LEVELS[finding.severity],
        "message": _message(f"{finding.title}\n\n{finding.explanation}"),
        "locations": [{"physicalLocation": _place(finding)}],
        "partialFingerprints": {"redlineFault/v1": finding.fingerprint},
        "rank": round(finding.confidence * 100, 1),
        "properties": {
            "severity": finding.severity,
            "category": finding.category,
            "evidence": finding.evidence,
        },
    }
    if finding.fix is not None:
        result["fixes"] = [_fix(finding, finding.fix)]
    if finding.state == "dismissed":
        # Not in the source (3.35.2): it was dismissed in the editor.
        result["suppressions"] = [{"kind": "external"}]
    return result


def _place(finding: Finding) -> Json:
    return {
        "artifactLocation": _file(finding),
        "region": {**_lines(finding), "snippet": {"text": finding.quote}},
    }


def _lines(finding: Finding) -> Json:
    """Return the region of the quoted lines, without the last line end (3.30)."""
    *_, last_line = finding.quote.split("\n")
    return {
        "startLine": finding.first_line + 1,
        "startColumn": 1,
        "endLine": finding.end_line,
        "endColumn": len(last_line) + 1,
    }


def _file(finding: Finding) -> Json:
    return {"uri": quote(finding.file), "uriBaseId": _ROOT}


def _fix(finding: Finding, fix: Fix) -> Json:
    """Return a fix as one replacement (3.57); deleted lines include their ends."""
    deleted = _lines(finding)
    if not fix.new_text:
        deleted |= {"endLine": finding.end_line + 1, "endColumn": 1}
    replacement = {"deletedRegion": deleted, "insertedContent": {"text": fix.new_text}}
    return {
        "description": {"text": "A fix that applies and passes the checks."},
        "artifactChanges": [
            {"artifactLocation": _file(finding), "replacements": [replacement]}
        ],
    }


def _invocation(report: ReviewReport) -> Json:
    """Return the outcome of the review (3.20)."""
    invocation: Json = {
        "executionSuccessful": report.state == "done" and not report.is_partial,
        "startTimeUtc": _time(report.created_at),
        "toolExecutionNotifications": list(_notifications(report)),
    }
    if report.seconds is not None:
        invocation["endTimeUtc"] = _time(report.created_at + report.seconds)
    return invocation


def _notifications(report: ReviewReport) -> Iterator[Json]:
    if report.message:
        is_error = report.state == "failed"
        yield _notification(report.message, "error" if is_error else "note")
    for left_out in report.left_out:
        level = "warning" if left_out.by_rule else "error"
        yield _notification(_not_reviewed(left_out), level)


def _notification(text: str, level: str) -> Json:
    return {"level": level, "message": _message(text)}


def _message(text: str) -> Json:
    """Escape a text: braces would be a placeholder (3.11.5), and brackets before an
    address a link (3.11.6)."""
    plain = text.replace("{", "{{").replace("}", "}}").replace("](", "] (")
    return {"text": plain}


def _not_reviewed(left_out: LeftOutFile) -> str:
    return f"Not reviewed: {left_out.path}: {left_out.reason}"


def _time(seconds: float) -> str:
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        # As of a clock that was wrong.
        moment = datetime.max.replace(tzinfo=UTC)
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
