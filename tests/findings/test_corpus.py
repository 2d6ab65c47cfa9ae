"""The corpus of reviews: true claims are kept, all others are dropped."""

from __future__ import annotations

import sys
from collections import Counter

import pytest
from benchmarks import reviews
from benchmarks.review_cases import run_case
from benchmarks.review_corpus import CORPUS, Case, load_cases

from redline.findings.finding import DropReason
from redline.text.lines import split_lines

CASES = load_cases()


def name(case: Case) -> str:
    """The test id of a case."""
    return case.code


@pytest.mark.parametrize("case", CASES, ids=name)
def test_a_case_comes_out_as_its_file_says(case: Case) -> None:
    """Findings at the right lines, claims dropped for the right reasons, fixes."""
    outcome = run_case(case)
    assert outcome.reasons == case.dropped
    assert outcome.ending == case.ending
    kept = [
        (one.first_line + 1, one.end_line, one.severity, one.category)
        for one in outcome.findings
    ]
    reported = [(*one.lines, one.severity, one.category) for one in outcome.reported]
    assert kept == reported
    fixes = [one.fix is not None for one in outcome.findings]
    assert fixes == [one.fix == "passes" for one in outcome.reported]
    assert outcome.is_right


@pytest.mark.parametrize("case", CASES, ids=name)
def test_it_comes_out_alike_however_it_arrives(case: Case) -> None:
    """A character at a time, or all at once."""
    whole = run_case(case, n_chars=1_000_000)
    assert run_case(case, n_chars=1) == whole


@pytest.mark.parametrize("case", CASES, ids=name)
def test_every_finding_quotes_its_lines(case: Case) -> None:
    """The anchor is the file's own text, with evidence."""
    lines = [line.rstrip("\n") for line in split_lines(case.text())]
    for finding in run_case(case).findings:
        assert finding.quote.split("\n") == lines[finding.first_line : finding.end_line]
        assert finding.confidence > 0.7
        assert len(finding.evidence) >= 2


def test_the_corpus_has_what_it_should_have() -> None:
    """Enough of all kinds, and each file in one case."""
    n_clean = sum(not case.defects for case in CASES)
    assert len(CASES) - n_clean >= 30
    assert n_clean >= 15
    assert len({case.code.rpartition(".")[2] for case in CASES}) >= 13
    files = {
        path.relative_to(CORPUS).as_posix()
        for folder in ("defects", "clean", "answers")
        for path in (CORPUS / folder).iterdir()
    }
    assert files == {one for case in CASES for one in (case.code, case.answer)}
    reasons: Counter[DropReason] = Counter()
    for case in CASES:
        reasons.update(case.dropped)
    expected: set[DropReason] = {
        "incomplete",
        "unknown-file",
        "not-found",
        "out-of-scope",
        "duplicate",
        "style",
        "refuted",
    }
    assert set(reasons) == expected


def test_the_command_prints_what_came_of_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And succeeds, since all cases are correct."""
    monkeypatch.setattr(sys, "argv", ["reviews", "--cases"])
    assert reviews.main() == 0
    printed = capsys.readouterr().out
    assert "35 of 35 faults reported" in printed
    assert "defects/transfer.py" in printed
    assert "Not as it must be" not in printed
