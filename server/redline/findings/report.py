"""The report of a review as Markdown, for the editor and for people in general.

Whatever a model or a file has written is data: it can add no links that run commands,
no images and no HTML, and cannot end the block it stands in. Explanations stand in
block quotes, since whatever is open in one ends with it; code stands between fences
that are longer than any inside.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import get_args

from redline.findings.finding import Dropped, DropReason, Finding, Severity
from redline.findings.reported import ReportState, ReviewReport, worst_first
from redline.findings.wording import showable
from redline.text.line_diff import diff_lines
from redline.text.markdown import harmless

NO_MODEL = (
    "No model took part: Redline's built-in rules have reviewed what can be told "
    "without one. To have a model review, name one for the tier `deep` in the settings;"
    " `redline doctor` shows what there is."
)

_REASONS: dict[DropReason, str] = {
    "incomplete": "something was missing",
    "unknown-file": "about a file that was not reviewed",
    "not-found": "quoted what is not in the file",
    "out-of-scope": "about lines that were not in question",
    "duplicate": "said before",
    "style": "about style only",
    "refuted": "refuted by a second model",
    "too-many": "less grave than those that are shown",
    "dismissed": "dismissed before",
}
_STATES_TOLD: dict[ReportState, str] = {
    "running": "The review goes on; this is what it has found so far.",
    "cancelled": "The review was cancelled; this is what it had found until then.",
    "failed": "The review failed; this is what it had found until then.",
    "done": "",
}
_BACKTICKS = re.compile("`+")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")
_MAX_QUOTE_LINES = 40
"""Of a finding's code; all of it is in the editor."""


def markdown_report(report: ReviewReport) -> str:
    """Write a report; LF line ends, one at the end."""
    shown = worst_first(one for one in report.findings if one.state != "dismissed")
    dismissed = [one for one in report.findings if one.state == "dismissed"]
    blocks = [
        f"# Review of {_inline(report.scope)}" if report.scope else "# Review",
        *_outcome(report, shown),
        *(block for n, one in enumerate(shown, 1) for block in _finding(n, one)),
        *_dismissed(dismissed),
        *_left_out(report),
        *_dropped(report.dropped),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def counts(findings: Iterable[Finding]) -> str:
    """Say how many findings there are of each severity: "1 critical, 2 low"."""
    found = Counter(one.severity for one in findings)
    told = (f"{found[one]} {one}" for one in get_args(Severity) if found[one])
    return ", ".join(told)


def _outcome(report: ReviewReport, shown: list[Finding]) -> Iterator[str]:
    yield _STATES_TOLD[report.state]
    if report.is_partial:
        yield "**The review is not complete**: see what was not reviewed below."
    if report.message:
        yield _quoted(report.message)
    if not report.has_model:
        yield NO_MODEL
    if shown:
        n_fixes = sum(one.fix is not None for one in shown)
        fixes = f" {n_fixes} with a fix that passes the checks." if n_fixes else ""
        findings = "1 finding" if len(shown) == 1 else f"{len(shown)} findings"
        yield f"**{findings}**: {counts(shown)}.{fixes}"
    elif report.is_partial:
        yield "No findings in what was reviewed."
    elif report.state == "done":
        yield "**No findings.**"
    yield _facts(report)


def _facts(report: ReviewReport) -> str:
    facts = [f"{what} by {_code(label)}" for what, label in report.models.items()]
    if report.seconds is not None:
        facts.append(f"{report.seconds:.0f} s")
    if report.cost is not None and report.models:
        facts.append(f"${report.cost:.2f}")
    return ", ".join([*facts, f"review {_code(report.review_id)}"]) + "."


def _finding(number: int, finding: Finding) -> Iterator[str]:
    yield f"## {number}. {_inline(finding.title)}"
    said_by = f", rule {_code(finding.rule)}" if finding.rule else ""
    yield (
        f"**{finding.severity}**, {finding.category}{said_by}, "
        f"{_code(f'{finding.file}:{finding.first_line + 1}')}"
        f"{_STATES.get(finding.state, '')}"
    )
    yield _quoted(finding.explanation)
    lines = finding.quote.split("\n")
    rest = len(lines) - _MAX_QUOTE_LINES
    yield _fenced("\n".join(lines[:_MAX_QUOTE_LINES]))
    if rest > 0:
        yield f"And {rest} lines more."
    if finding.fix is not None:
        yield "A fix that passes the checks:"
        yield _fenced(_diff(lines, finding.fix.new_text), "diff")
    sure = f"Confidence {finding.confidence:.0%}. {' '.join(finding.evidence)}"
    yield _inline(sure.rstrip())


_STATES = {
    "stale": " (its code is gone from the file)",
    "fixed": " (fixed)",
}


def _diff(old: list[str], new_text: str) -> str:
    """Show what a fix changes."""
    new = new_text.split("\n") if new_text else []
    shown: list[str] = []
    at = 0
    for hunk in diff_lines(old, new):
        shown += [f" {line}" for line in old[at : hunk.start]]
        shown += [f"-{line}" for line in old[hunk.start : hunk.end]]
        shown += [f"+{line}" for line in hunk.lines]
        at = hunk.end
    return "\n".join([*shown, *(f" {line}" for line in old[at:])])


def _dismissed(findings: list[Finding]) -> Iterator[str]:
    if findings:
        yield "## Dismissed"
        yield "\n".join(
            f"- {_inline(one.title)} ({_code(f'{one.file}:{one.first_line + 1}')})"
            for one in findings
        )


def _left_out(report: ReviewReport) -> Iterator[str]:
    if report.left_out:
        yield "## Not reviewed"
        yield "\n".join(
            f"- {_code(one.path)}: {_inline(one.reason)}" for one in report.left_out
        )


def _dropped(dropped: Iterable[Dropped]) -> Iterator[str]:
    by_reason: dict[DropReason, list[Dropped]] = {}
    for one in dropped:
        by_reason.setdefault(one.reason, []).append(one)
    if by_reason:
        yield "## Claimed and not shown"
    for reason, ones in by_reason.items():
        yield f"{len(ones)} {_REASONS[reason]}:"
        yield "\n".join(
            f"- {_inline(one.claim.title) or 'Without a title'}: {_inline(one.detail)}"
            for one in ones
        )


def _inline(text: str) -> str:
    """Show a text within a line."""
    return harmless(" ".join(showable(text).split())).replace("|", "\\|")


def _quoted(text: str) -> str:
    """Show paragraphs as a block quote."""
    lines = harmless(showable(text)).split("\n")
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _code(text: str) -> str:
    """Show a name as code, whatever is in it."""
    plain = _UNPRINTABLE.sub("?", showable(text))
    run = "`" * (1 + max(map(len, _BACKTICKS.findall(plain)), default=0))
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{run}{pad}{plain}{pad}{run}"


def _fenced(text: str, language: str = "") -> str:
    plain = showable(text)
    longest = max(map(len, _BACKTICKS.findall(plain)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{plain}\n{fence}"
