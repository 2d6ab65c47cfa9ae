"""Refutations, and their effect on a finding's confidence."""

from __future__ import annotations

import pytest

from redline.findings.claim_judge import finding_id, fingerprint
from redline.findings.confidence import after_fix, after_refutation, assess_quote
from redline.findings.finding import Finding, Fix
from redline.findings.quote import Likeness
from redline.findings.refutation import Refutation, Verdict, parse_refutation


@pytest.mark.parametrize(
    ("answer", "verdict", "reason"),
    [
        ('{"reason": "Checked.", "verdict": "refuted"}', "refuted", "Checked."),
        ('{"verdict": "upheld", "reason": "x = 0"}', "upheld", "x = 0"),
        ('```json\n{"reason": "a", "verdict": "REFUTED"}\n```', "refuted", "a"),
        ('Well. {"reason": "says "no" to it", "verdict": "refuted"}', "refuted",
         'says "no" to it'),
        ('{"verdict": "refuted", "reason": ""}', "unclear", ""),
        ('{"verdict": "refuted"}', "unclear", ""),
        ('{"reason": "a", "verdict": "refuted | upheld | unclear"}', "unclear", "a"),
        ('{"verdict": "refuted", "reason": "a"} No, wait: '
         '{"verdict": "upheld", "reason": "b"}', "upheld", "b"),
        ('{"verdict": "refuted", "reason": "cut he', "unclear", ""),
        ("The finding is refuted.", "unclear", ""),
        ("", "unclear", ""),
    ],
)  # fmt: skip
def test_only_what_says_so_and_why_refutes(
    answer: str, verdict: Verdict, reason: str
) -> None:
    """In doubt the finding is kept."""
    assert parse_refutation(answer) == Refutation(verdict=verdict, reason=reason)


def finding(likeness: Likeness = "exact", n_places: int = 1) -> Finding:
    """A finding whose quote alone is verified."""
    assessment = assess_quote(likeness, n_places=n_places, rule=None)
    return Finding(
        id="f",
        review_id="r",
        file="a.py",
        fingerprint="p",
        first_line=0,
        end_line=1,
        quote="x",
        severity="low",
        category="time",
        title="t",
        explanation="e",
        confidence=assessment.confidence,
        evidence=assessment.evidence,
    )


def test_what_is_verified_makes_sure() -> None:
    """Step by step, never beyond a linter's rule, each with its sentence."""
    found = finding()
    unclear = after_refutation(found, Refutation(verdict="unclear", reason=""))
    upheld = after_refutation(found, Refutation(verdict="upheld", reason="x = 0"))
    fixed = after_fix(upheld, Fix(new_text="y"))
    rule = assess_quote("exact", n_places=1, rule="F821")
    assert found.confidence == unclear.confidence == 0.5
    assert found.confidence < upheld.confidence < fixed.confidence < rule.confidence < 1
    assert len(fixed.evidence) == 3
    assert fixed.fix == Fix(new_text="y")


def test_a_worse_quote_is_less_sure() -> None:
    """And so is one with several places."""
    sure = [finding(likeness).confidence for likeness in ("exact", "marked", "part")]
    assert sure == sorted(sure, reverse=True)
    assert len(set(sure)) == 3
    assert finding(n_places=2).confidence < finding().confidence


def test_a_refuted_finding_is_worth_nothing() -> None:
    """In case it is shown anyway."""
    verdict = Refutation(verdict="refuted", reason="a")
    assert after_refutation(finding(), verdict).confidence == 0


def fault(**change: str) -> str:
    """The fingerprint of one fault."""
    said = {"file": "a.py", "code": "time", "quote": "  a\n\n    b  "} | change
    return fingerprint(file=said["file"], code=said["code"], quote=said["quote"])


def test_a_fault_keeps_its_name_when_it_is_indented_anew() -> None:
    """Another file, kind or code gives another fingerprint."""
    assert fault() == fault(quote="a\n\tb")
    others = [fault(file="b.py"), fault(code="testing"), fault(quote="a b")]
    assert len({fault(), *others}) == 4
    names = [fingerprint(file="a", code="b", quote="c", occurrence=n) for n in (0, 1)]
    assert len(set(names)) == 2
    assert finding_id("r1", fault()) != finding_id("r2", fault())
