"""Runs a case of the corpus through all steps from an answer to a finding."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from benchmarks.review_corpus import Case, Defect, scope_of
from redline.checks.all_checks import RULES, check
from redline.checks.candidate import CheckedEdit
from redline.findings.answer_stream import Ending, FindingStream
from redline.findings.claim_judge import ClaimJudge
from redline.findings.confidence import after_fix, after_refutation
from redline.findings.finding import Claim, Dropped, DropReason, Finding, Fix
from redline.findings.fixes import proposed_fix, with_fix
from redline.findings.refutation import parse_refutation
from redline.text.lines import split_lines

CHUNK_N_CHARS = 23
"""Characters of an answer that arrive at a time: a few tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a case."""

    case: Case
    ending: Ending
    findings: tuple[Finding, ...]
    dropped: tuple[Dropped, ...]
    n_fixes: int
    """How many findings came with a fix."""

    @property
    def reasons(self) -> Counter[DropReason]:
        """How many claims were dropped, by reason."""
        return Counter(one.reason for one in self.dropped)

    @property
    def reported(self) -> tuple[Defect, ...]:
        """The faults that should have been found."""
        return tuple(one for one in self.case.defects if one.is_reported)

    def found(self, defect: Defect) -> Finding | None:
        """Return the finding that is about a fault, at exactly its lines."""
        first, last = defect.lines
        for one in self.findings:
            if (one.first_line + 1, one.end_line) == (first, last):
                return one
        return None

    @property
    def is_right(self) -> bool:
        """Whether the result is as expected."""
        found = [(self.found(defect), defect) for defect in self.reported]
        return (
            self.ending == self.case.ending
            and self.reasons == self.case.dropped
            and len(self.findings) == len(self.reported)
            and all(one is not None and _is_as_expected(one, it) for one, it in found)
        )


def run_case(case: Case, *, n_chars: int = CHUNK_N_CHARS) -> Outcome:
    """Read the answer, verify its claims, refute the rest, try the fixes.

    Args:
        case: What to run.
        n_chars: How much of the answer arrives at a time.
    """
    judge = ClaimJudge(scope_of(case), review_id="corpus")
    lines = split_lines(case.text())
    findings: list[Finding] = []
    dropped: list[Dropped] = []
    n_fixes = 0
    claims, ending = _claims(case.answer_text(), n_chars)
    for claim in claims:
        verdict = judge.judge(claim)
        if isinstance(verdict, Finding):
            verdict = _refute(case, claim, verdict)
        if isinstance(verdict, Dropped):
            dropped.append(verdict)
            continue
        span = range(verdict.first_line, verdict.end_line)
        proposal = proposed_fix(claim, lines, span)
        n_fixes += claim.fix is not None
        if proposal is not None:
            verdict = _with_fix(verdict, lines, span, proposal)
        findings.append(verdict)
    return Outcome(
        case=case,
        ending=ending,
        findings=tuple(findings),
        dropped=tuple(dropped),
        n_fixes=n_fixes,
    )


def _claims(answer: str, n_chars: int) -> tuple[list[Claim], Ending]:
    stream = FindingStream()
    claims: list[Claim] = []
    for at in range(0, len(answer), n_chars):
        claims += stream.feed(answer[at : at + n_chars])
    return claims + stream.close(), stream.ending


def _refute(case: Case, claim: Claim, finding: Finding) -> Finding | Dropped:
    refutation = parse_refutation(case.refutation(finding.title))
    if refutation.verdict == "refuted":
        return Dropped(claim=claim, reason="refuted", detail=refutation.reason)
    return after_refutation(finding, refutation)


def _with_fix(
    finding: Finding, lines: list[str], span: range, new_text: str
) -> Finding:
    """Attach a fix if it passes the checks of an edit."""
    after = with_fix(lines, span, new_text)
    candidate = CheckedEdit(
        before=lines,
        after=after,
        region_before=span,
        region_after=range(span.start, span.stop + len(after) - len(lines)),
        path=finding.file,
        instruction=finding.title,
        kind="quickfix",
    )
    if check(candidate):
        return finding
    return after_fix(finding, Fix(new_text=new_text, checks=tuple(RULES)))


def _is_as_expected(finding: Finding, defect: Defect) -> bool:
    has_fix = finding.fix is not None
    return (
        finding.severity == defect.severity
        and finding.category == defect.category
        and has_fix == (defect.fix == "passes")
    )
