"""Which claims are shown, and why others are dropped."""

from __future__ import annotations

from typing import get_args

import pytest
from msgspec.structs import replace

from redline.findings.claim_judge import ClaimJudge
from redline.findings.finding import (
    Category,
    Claim,
    Dismissal,
    Dropped,
    DropReason,
    Finding,
    Severity,
)
from redline.findings.scope import ReviewedFile, ReviewScope, Span, WholeFiles

TEXT = """\
import os

def load(path):
    handle = open(path)
    return handle.read()

def save(path, text):
    handle = open(path)
    handle.write(text)

def noop():
    pass
"""

CLAIM = Claim(
    file="src/a.py",
    quote="    handle = open(path)\n    return handle.read()",
    severity="high",
    category="resource",
    title="The file stays open",
    explanation="Nobody closes `handle`.",
)


def scope(*spans: Span, path: str = "src/a.py", text: str = TEXT) -> ReviewScope:
    """A scope of one file; no spans: all of it."""
    file = ReviewedFile(
        path=path, uri="", language="python", text=text, spans=spans or ((0, 99),)
    )
    other = ReviewedFile(
        path="lib/b.py", uri="", language="python", text="x = 1\n", spans=((0, 1),)
    )
    target = WholeFiles(uris=())
    return ReviewScope(target=target, title="these files", files=(file, other))


def judge(*spans: Span, trusts_rules: bool = False) -> ClaimJudge:
    """A judge of one review."""
    return ClaimJudge(scope(*spans), review_id="r1", trusts_rules=trusts_rules)


def kept(verdict: Finding | Dropped) -> Finding:
    """Expect a finding."""
    assert isinstance(verdict, Finding), verdict
    return verdict


def reason(verdict: Finding | Dropped) -> DropReason:
    """Expect none."""
    assert isinstance(verdict, Dropped), verdict
    assert verdict.detail.endswith(".")
    return verdict.reason


def test_a_true_claim_is_a_finding_where_its_quote_is() -> None:
    """With the file's own text, whatever line the model names."""
    finding = kept(judge().judge(replace(CLAIM, line=99)))
    assert (finding.first_line, finding.end_line) == (3, 5)
    assert finding.quote == CLAIM.quote
    assert (finding.file, finding.review_id) == ("src/a.py", "r1")
    assert (finding.severity, finding.category) == ("high", "resource")
    assert finding.state == "open"
    assert finding.evidence == ("The quoted lines are in the file.",)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"quote": " \n"}, "incomplete"),
        ({"file": ""}, "incomplete"),
        ({"title": ""}, "incomplete"),
        ({"explanation": " "}, "incomplete"),
        ({"file": "src/other.py"}, "unknown-file"),
        ({"file": "b"}, "unknown-file"),
        ({"quote": "    handle = open(path, 'r')"}, "not-found"),
        ({"quote": "}"}, "not-found"),
        ({"quote": "import os"}, "out-of-scope"),
        ({"category": "style"}, "style"),
        ({"category": "Maintainability"}, "style"),
        ({"title": "Missing docstring", "explanation": "Add one."}, "style"),
        ({"title": "Variable naming", "explanation": "Unclear."}, "style"),
    ],
)
def test_a_claim_is_dropped_for_a_reason(
    change: dict[str, str], expected: DropReason
) -> None:
    """The first problem is the reason."""
    verdict = judge((2, 12)).judge(replace(CLAIM, **change))
    assert reason(verdict) == expected


@pytest.mark.parametrize(
    "file", ["./src/a.py", "b/src/a.py", "a.py", "`src/a.py`", "/home/x/src/a.py:4"]
)
def test_a_file_is_known_by_what_models_call_it(file: str) -> None:
    """Unless the name is ambiguous."""
    assert kept(judge().judge(replace(CLAIM, file=file))).file == "src/a.py"


def test_of_equal_places_the_one_in_question_is_meant() -> None:
    """Then the one nearest to the line that the model names."""
    quote = "    handle = open(path)"
    claim = replace(CLAIM, quote=quote)
    assert kept(judge((6, 9)).judge(claim)).first_line == 7
    assert kept(judge().judge(claim)).first_line == 3
    near = kept(judge().judge(replace(claim, line=9)))
    assert near.first_line == 7
    assert any("2 places" in sentence for sentence in near.evidence)


@pytest.mark.parametrize(
    ("said", "expected", "is_sure"),
    [
        ({"title": "save() reads the file"}, 7, True),
        ({"explanation": "`load` leaves it open"}, 3, True),
        ({"title": "load and save leave it open"}, 3, False),
        ({}, 3, False),
        ({"line": 8}, 7, True),
        ({"line": 7}, 7, False),
    ],
)
def test_among_equal_lines_the_named_function_is_meant(
    said: dict[str, str | int], expected: int, *, is_sure: bool
) -> None:
    """Where nothing decides, the place is a guess."""
    claim = replace(CLAIM, quote="    handle = open(path)", **said)
    finding = kept(judge().judge(claim))
    assert finding.first_line == expected
    assert finding.is_place_sure is is_sure


def test_equal_places_are_different_faults() -> None:
    """Each has its own id, in the same review and in later ones."""
    one = judge()
    claim = replace(CLAIM, quote="    handle = open(path)")
    first = kept(one.judge(replace(claim, line=4)))
    second = kept(one.judge(replace(claim, line=8)))
    assert first.id != second.id
    assert first.fingerprint != second.fingerprint


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"title": "A leak of descriptors"},
        {"quote": "    return handle.read()"},
        {"category": "correctness", "title": "File stays open"},
        {"category": "memory leak", "severity": "low", "title": "X"},
    ],
)
def test_the_same_again_is_a_duplicate(change: dict[str, str]) -> None:
    """The same kind of fault in lines that overlap, or the same words."""
    one = judge()
    kept(one.judge(CLAIM))
    assert reason(one.judge(replace(CLAIM, **change))) == "duplicate"


def test_another_fault_in_the_same_lines_is_another() -> None:
    """Its kind and its words differ."""
    one = judge()
    kept(one.judge(CLAIM))
    other = replace(CLAIM, category="security", title="Any path can be read")
    assert kept(one.judge(other)).category == "security"


def test_who_quotes_a_whole_file_has_not_said_all_of_it() -> None:
    """A fault of the same kind within a long quote is another."""
    one = judge()
    kept(one.judge(replace(CLAIM, quote=TEXT)))
    other = replace(CLAIM, quote="    handle.write(text)", title="Nothing is flushed")
    assert kept(one.judge(other)).first_line == 8
    shorter = replace(CLAIM, quote=TEXT.partition("\n")[2], title="Handles leak")
    assert reason(one.judge(shorter)) == "duplicate"


def test_the_same_words_of_the_next_line_are_the_same() -> None:
    """Models quote the cause in one claim and the effect in another."""
    one = judge()
    kept(one.judge(replace(CLAIM, quote="    handle = open(path)")))
    after = replace(CLAIM, quote="    return handle.read()")
    assert reason(one.judge(after)) == "duplicate"
    other = replace(after, title="Reads without a limit")
    assert kept(one.judge(other)).first_line == 4


def test_the_same_answer_again_gives_the_same() -> None:
    """Ids included, so storing them again changes nothing."""
    claims = [CLAIM, CLAIM, replace(CLAIM, quote="import os"), CLAIM]
    first, second = judge(), judge()
    assert [first.judge(one) for one in claims] == [second.judge(one) for one in claims]


def dismissal(finding: Finding) -> Dismissal:
    """The dismissal of a finding."""
    return Dismissal(
        fingerprint=finding.fingerprint,
        file=finding.file,
        category=finding.category,
        quote=finding.quote,
        reason="closed by the caller",
    )


@pytest.mark.parametrize(
    "change", [{}, {"quote": "    return handle.read()"}, {"title": "Other words"}]
)
def test_what_was_dismissed_does_not_come_back(change: dict[str, str]) -> None:
    """In a later review of code that was moved and indented differently."""
    known = dismissal(kept(judge().judge(CLAIM)))
    moved = "# New.\n" + TEXT.replace("    ", "\t")
    later = ClaimJudge(scope(text=moved), review_id="r2", dismissed=[known])
    claim = replace(CLAIM, **change)
    verdict = later.judge(replace(claim, quote=claim.quote.replace("    ", "\t")))
    assert reason(verdict) == "dismissed"
    assert isinstance(verdict, Dropped)
    assert "closed by the caller" in verdict.detail


def test_only_what_was_dismissed_is() -> None:
    """The same fault elsewhere and another fault there are shown."""
    claim = replace(CLAIM, quote="    handle = open(path)", line=4)
    known = dismissal(kept(judge().judge(claim)))
    later = ClaimJudge(scope(), review_id="r2", dismissed=[known])
    assert reason(later.judge(claim)) == "dismissed"
    assert kept(later.judge(replace(claim, line=8))).first_line == 7
    other = replace(claim, category="security", title="Any path can be read")
    assert kept(later.judge(other)).first_line == 3


def test_changed_code_is_judged_anew() -> None:
    """A dismissal applies only to the same code."""
    known = dismissal(kept(judge().judge(CLAIM)))
    text = TEXT.replace("return handle.read()", "return handle.read(10)")
    later = ClaimJudge(scope(text=text), review_id="r2", dismissed=[known])
    assert kept(later.judge(replace(CLAIM, quote="    return handle.read(10)")))


def test_a_linter_is_believed_what_a_model_is_not() -> None:
    """Its rules are named, and several in one line are several findings."""
    claim = replace(CLAIM, rule="SIM115", category="resource")
    assert kept(judge().judge(claim)).rule is None
    linter = judge(trusts_rules=True)
    first = kept(linter.judge(claim))
    assert first.rule == "SIM115"
    assert first.confidence > 0.9
    second = kept(linter.judge(replace(claim, rule="S108", title="Unused import")))
    assert second.id != first.id
    assert reason(linter.judge(claim)) == "duplicate"


def test_a_dismissed_rule_stays_dismissed() -> None:
    """And the other rules of the line do not."""
    claim = replace(CLAIM, rule="SIM115")
    known = dismissal(kept(judge(trusts_rules=True).judge(claim)))
    later = ClaimJudge(scope(), review_id="r2", dismissed=[known], trusts_rules=True)
    assert reason(later.judge(claim)) == "dismissed"
    assert kept(later.judge(replace(claim, rule="S108")))


@pytest.mark.parametrize(
    ("word", "severity"),
    [
        ("Critical", "critical"),
        ("P0", "critical"),
        ("major", "high"),
        ("warning", "medium"),
        ("nitpick", "medium"),
        ("", "medium"),
        ("Info", "low"),
    ],
)
def test_severities_are_from_the_list(word: str, severity: Severity) -> None:
    """Whatever the model says."""
    assert kept(judge().judge(replace(CLAIM, severity=word))).severity == severity


@pytest.mark.parametrize(
    ("word", "category"),
    [
        *((word, word) for word in get_args(Category)),
        ("Race condition", "concurrency"),
        ("thread-safety", "concurrency"),
        ("SQL injection", "security"),
        ("authentication", "security"),
        ("Information disclosure", "security"),
        ("Path traversal", "security"),
        ("clock", "time"),
        ("Error Handling", "error-handling"),
        ("exceptions", "error-handling"),
        ("memory leak", "resource"),
        ("data corruption", "data-loss"),
        ("timezone", "time"),
        ("test coverage", "testing"),
        ("inefficiency", "performance"),
        ("logic bug", "correctness"),
        ("", "correctness"),
    ],
)
def test_categories_are_from_the_list(word: str, category: Category) -> None:
    """Whatever the model says."""
    assert kept(judge().judge(replace(CLAIM, category=word))).category == category


def test_a_fault_that_sounds_like_style_is_kept_if_it_says_what_goes_wrong() -> None:
    """Style is dropped, faults are not."""
    claim = replace(
        CLAIM,
        title="Naming hides the builtin `open`",
        explanation="The second call fails with a TypeError.",
    )
    assert kept(judge().judge(claim))


def test_what_is_shown_is_bounded_and_harmless() -> None:
    """No control characters, one line, an end."""
    claim = replace(
        CLAIM, title="**A\n\x1b[31mleak.**" + "x" * 500, explanation="y\u202e" * 9_000
    )
    finding = kept(judge().judge(claim))
    assert finding.title.startswith("A [31mleak")
    assert len(finding.title) <= 120
    assert len(finding.explanation) <= 4_000
    assert "\u202e" not in finding.explanation
