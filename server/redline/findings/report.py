"""The report of a review, independent of its format, and as Markdown, for people.

Text of models and files is data: it can add no links that run commands, no images and
no HTML, and cannot end the block that contains it. Only places of findings are links to
files, and their addresses come from the caller. Explanations are block quotes, since
the end of a quote closes everything open in it; code is between fences that are longer
than any inside.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, get_args

import msgspec

from redline.findings.finding import Dropped, DropReason, Finding, Severity
from redline.findings.scope import LeftOutFile
from redline.findings.wording import showable
from redline.text.line_diff import diff_lines
from redline.text.markdown import harmless

ReportState = Literal["running", "done", "cancelled", "failed"]

NO_MODEL = (
    "No model took part: Redline's built-in rules reviewed what can be checked "
    "without one. For a review by a model, configure one for the tier `deep`; "
    "`redline doctor` lists the available ones."
)

_REASONS: dict[DropReason, str] = {
    "incomplete": "without a required field",
    "unknown-file": "about a file that was not reviewed",
    "not-found": "with a quote that is not in the file",
    "out-of-scope": "about lines that were not reviewed",
    "duplicate": "reported before",
    "style": "about style only",
    "refuted": "refuted by a second model",
    "too-many": "less severe than those shown",
    "minor": "of low severity",
    "dismissed": "dismissed before",
}
_OUTCOMES: dict[ReportState, str] = {
    "running": "The review is running; these are its findings so far.",
    "cancelled": "The review was cancelled; these are its findings until then.",
    "failed": "The review failed; these are its findings until then.",
    "done": "",
}
_BACKTICKS = re.compile("`+")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")
_MAX_QUOTE_LINES = 40
"""Longest quote of a finding; the editor shows all of it."""


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


Address = Callable[[Finding], str]
"""Where the place of a finding leads, percent-encoded; empty: it is no link."""


def _nowhere(_: Finding) -> str:
    return ""


def markdown_report(report: ReviewReport, address: Address = _nowhere) -> str:
    """Return a report as Markdown; LF line ends, one at the end."""
    shown = worst_first(one for one in report.findings if one.state != "dismissed")
    dismissed = [one for one in report.findings if one.state == "dismissed"]
    blocks = [
        f"# Review of {_inline(report.scope)}" if report.scope else "# Review",
        *_outcome(report, shown),
        *(
            block
            for n, one in enumerate(shown, 1)
            for block in _finding(n, one, address)
        ),
        *_dismissed(dismissed, address),
        *_left_out(report),
        *_dropped(report.dropped),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def counts(findings: Iterable[Finding]) -> str:
    """Count the findings of each severity, as text: "1 critical, 2 low"."""
    n_of = Counter(one.severity for one in findings)
    return ", ".join(f"{n_of[one]} {one}" for one in get_args(Severity) if n_of[one])


def _outcome(report: ReviewReport, shown: list[Finding]) -> Iterator[str]:
    yield _OUTCOMES[report.state]
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


def _finding(number: int, finding: Finding, address: Address) -> Iterator[str]:
    yield f"## {number}. {_inline(finding.title)}"
    rule = f", rule {_code(finding.rule)}" if finding.rule else ""
    yield (
        f"**{finding.severity}**, {finding.category}{rule}, "
        f"{_place(finding, address)}"
        f"{_STATES.get(finding.state, '')}"
    )
    yield _quoted(finding.explanation)
    lines = finding.quote.split("\n")
    rest = len(lines) - _MAX_QUOTE_LINES
    yield _fenced("\n".join(lines[:_MAX_QUOTE_LINES]))
    if rest > 0:
        yield f"And {rest} more lines."
    if finding.fix is not None:
        yield "A fix that passes the checks:"
        yield _fenced(_diff(lines, finding.fix.new_text), "diff")
    sure = f"Confidence {finding.confidence:.0%}. {' '.join(finding.evidence)}"
    yield _inline(sure.rstrip())


_STATES = {
    "stale": " (its code is gone from the file)",
    "fixed": " (fixed)",
}


def _place(finding: Finding, address: Address) -> str:
    place = _code(f"{finding.file}:{finding.first_line + 1}")
    target = address(finding)
    return f"[{place}]({target})" if target else place


def _diff(old: list[str], new_text: str) -> str:
    """Return the changes of a fix as the body of a diff."""
    new = new_text.split("\n") if new_text else []
    shown: list[str] = []
    at = 0
    for hunk in diff_lines(old, new):
        shown += [f" {line}" for line in old[at : hunk.start]]
        shown += [f"-{line}" for line in old[hunk.start : hunk.end]]
        shown += [f"+{line}" for line in hunk.lines]
        at = hunk.end
    return "\n".join([*shown, *(f" {line}" for line in old[at:])])


def _dismissed(findings: list[Finding], address: Address) -> Iterator[str]:
    if findings:
        yield "## Dismissed"
        yield "\n".join(
            f"- {_inline(one.title)} ({_place(one, address)})" for one in findings
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
        yield "## Claims that are not shown"
    for reason, ones in by_reason.items():
        yield f"{len(ones)} {_REASONS[reason]}:"
        yield "\n".join(
            f"- {_inline(one.claim.title) or 'Without a title'}: {_inline(one.detail)}"
            for one in ones
        )


def _inline(text: str) -> str:
    """Format a text for use within a line."""
    return harmless(" ".join(showable(text).split())).replace("|", "\\|")


def _quoted(text: str) -> str:
    """Format paragraphs as a block quote."""
    lines = harmless(showable(text)).split("\n")
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _code(text: str) -> str:
    """Format a name as code, whatever it contains."""
    plain = _UNPRINTABLE.sub("?", showable(text))
    run = "`" * (1 + max(map(len, _BACKTICKS.findall(plain)), default=0))
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{run}{pad}{plain}{pad}{run}"


def _fenced(text: str, language: str = "") -> str:
    plain = showable(text)
    longest = max(map(len, _BACKTICKS.findall(plain)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{plain}\n{fence}"
