"""A review as Markdown, JSON and SARIF."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec.structs import replace

from redline.findings.finding import (
    Claim,
    Dropped,
    DropReason,
    Finding,
    Fix,
    Severity,
)
from redline.findings.report import (
    NO_MODEL,
    ReportState,
    ReviewReport,
    markdown_report,
    worst_first,
)
from redline.findings.report_json import json_report
from redline.findings.sarif import sarif_report
from redline.findings.scope import LeftOutFile

SCHEMA = Path(__file__).parents[1] / "data" / "sarif" / "sarif-schema-2.1.0.json"

FINDING = Finding(
    id="f1",
    review_id="r1",
    file="src/a b.py",
    fingerprint="0123456789abcdef",
    first_line=3,
    end_line=5,
    quote="    handle = open(path)\n    return handle.read()",
    severity="medium",
    category="resource",
    title="The file stays open",
    explanation="Nobody closes `handle`.\n\nSo descriptors run out.",
    fix=Fix(new_text="    return path.read_text()", checks=("syntax",)),
    confidence=0.857,
    evidence=("The quoted lines are in the file.",),
)
WORSE = replace(
    FINDING,
    id="f2",
    fingerprint="f" * 16,
    severity="critical",
    category="security",
    title="Any path is read",
    first_line=10,
    end_line=11,
    fix=None,
)
CLAIM = Claim(
    file="x.py",
    quote="gone",
    severity="low",
    category="time",
    title="An invention",
    explanation="None.",
)
REPORT = ReviewReport(
    review_id="r1",
    state="done",
    scope="the working tree",
    created_at=1_700_000_000,
    seconds=42.4,
    models={"reviewing": "deep-1", "refuting": "standard-1"},
    cost=0.123,
    findings=(FINDING, WORSE),
    dropped=(Dropped(claim=CLAIM, reason="not-found", detail="It is not there."),),
    left_out=(LeftOutFile(path="app.key", reason="it is of a kind that holds keys"),),
)


def tokens(markdown: str) -> list[Token]:
    """Parse as CommonMark does, HTML included."""
    found: list[Token] = []
    for token in MarkdownIt("commonmark").parse(markdown):
        found += [token, *(token.children or [])]
    return found


def test_the_worst_comes_first_with_its_code_its_fix_and_what_was_verified() -> None:
    """With everything known about a finding."""
    text = markdown_report(REPORT)
    assert text.index("## 1. Any path is read") < text.index(
        "## 2. The file stays open"
    )
    assert "**2 findings**: 1 critical, 1 medium. 1 with a fix" in text
    assert "**medium**, resource, `src/a b.py:4`" in text
    assert "> So descriptors run out." in text
    assert "-    handle = open(path)\n" in text
    assert "+    return path.read_text()\n" in text
    assert "Confidence 86%. The quoted lines are in the file." in text
    assert "reviewing by `deep-1`, refuting by `standard-1`, 42 s, $0.12," in text


def test_places_are_links_where_an_address_is_known() -> None:
    """Also of dismissed findings; without one they stay code alone."""
    dismissed = replace(FINDING, state="dismissed")
    report = replace(REPORT, findings=(WORSE, dismissed))
    text = markdown_report(report, lambda one: "/a%20b.py#L4" * (one == dismissed))
    hrefs = [one.attrs["href"] for one in tokens(text) if one.type == "link_open"]
    assert hrefs == ["/a%20b.py#L4"]
    assert "([`src/a b.py:4`](/a%20b.py#L4))" in text
    assert ", `src/a b.py:11`" in text


def test_what_is_not_shown_is_listed() -> None:
    """Files with the reason, claims by theirs."""
    text = markdown_report(REPORT)
    assert "- `app.key`: it is of a kind that holds keys" in text
    assert (
        "1 with a quote that is not in the file:\n\n- An invention: It is not there."
        in text
    )


@pytest.mark.parametrize("reason", get_args(DropReason))
def test_every_reason_has_its_words(reason: DropReason) -> None:
    """In the report."""
    dropped = (Dropped(claim=CLAIM, reason=reason, detail="So."),)
    report = replace(REPORT, dropped=dropped)
    assert "Claims that are not shown" in markdown_report(report)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("done", "**No findings.**"),
        ("running", "is running"),
        ("cancelled", "was cancelled"),
        ("failed", "failed"),
    ],
)
def test_the_outcome_is_said(state: ReportState, words: str) -> None:
    """And "no findings" only if everything was reviewed."""
    report = replace(REPORT, state=state, findings=(), message="The model is away.")
    text = markdown_report(report)
    assert words in text
    assert "> The model is away." in text
    assert ("No findings" in text) == (state == "done")


def test_it_is_said_that_no_model_took_part() -> None:
    """And how to configure one."""
    assert NO_MODEL in markdown_report(replace(REPORT, has_model=False))
    assert NO_MODEL not in markdown_report(REPORT)


def test_a_dismissed_finding_is_listed_and_not_counted() -> None:
    """It stays dismissed."""
    report = replace(REPORT, findings=(replace(FINDING, state="dismissed"), WORSE))
    text = markdown_report(report)
    assert "**1 finding**: 1 critical." in text
    assert "## Dismissed\n\n- The file stays open" in text


def test_a_long_quote_is_cut_and_says_so() -> None:
    """All of it is in the editor."""
    long = replace(FINDING, quote="\n".join(f"line {n}" for n in range(50)), fix=None)
    text = markdown_report(replace(REPORT, findings=(long,)))
    assert "line 39" in text
    assert "line 40" not in text
    assert "And 10 more lines." in text


def test_a_report_of_little_says_little() -> None:
    """No empty headings, no facts that are not known."""
    report = ReviewReport(review_id="r1", state="done", scope="a.py")
    assert markdown_report(report) == (
        "# Review of a.py\n\n**No findings.**\n\nreview `r1`.\n"
    )
    # One that has failed before it was known what it is about.
    assert markdown_report(replace(report, scope="")).startswith("# Review\n")
    (run,) = sarif(report)["runs"]
    assert "endTimeUtc" not in run["invocations"][0]


EVIL = st.lists(
    st.sampled_from(
        [
            "[run](command:x)", "[a]: command:x", "<command:x>", "![i](http://x/i.png)",
            "<script>", "<img src=x onerror=y>", "```", "````", "~~~", "`", "\n",
            "\n\n", "# H", "- ", "> ",
            "<!--", "</p>", "]", "(", "|", "    ", "a", "\x1b[2J", "\x9b2J",
            "\u202e", "[ref][a]", "***", "<details>", "<!DOCTYPE", "<?php", "&colon;",
        ]
    )
).map("".join)  # fmt: skip


@given(EVIL, EVIL, EVIL, EVIL, EVIL)
def test_no_text_can_do_anything(
    title: str, explanation: str, code: str, name: str, more: str
) -> None:
    """No command links, images, headings or blocks that are not ours."""
    finding = replace(
        FINDING,
        title=title,
        explanation=explanation,
        quote=code,
        file=name,
        fix=Fix(new_text=more),
        rule=name or None,
    )
    claim = replace(CLAIM, title=more)
    report = replace(
        REPORT,
        scope=name,
        message=more,
        models={"reviewing": name},
        findings=(finding, WORSE),
        dropped=(Dropped(claim=claim, reason="style", detail=title),),
        left_out=(LeftOutFile(path=name, reason=title),),
    )
    found = tokens(markdown_report(report))
    ours = [one for one in found if one.type == "heading_open" and one.level == 0]
    assert [one.tag for one in ours] == ["h1", "h2", "h2", "h2", "h2"]
    assert not [one for one in found if one.type == "image"]
    for one in found:
        if one.type == "link_open":
            assert str(one.attrs["href"]).startswith(("http://", "https://"))
    assert "\x1b" not in markdown_report(report)
    for page in (json_report(report), sarif_report(report, version="1")):
        assert page.replace("\n", "").isprintable()


def test_the_json_has_what_the_reference_says() -> None:
    """Lines counted from 1, the worst first."""
    report = json.loads(json_report(REPORT))
    assert list(report) == [
        "version", "reviewId", "state", "partial", "scope", "message", "seconds",
        "cost", "models", "hasModel", "counts", "findings", "dropped", "leftOut",
    ]  # fmt: skip
    assert report["counts"] == {"critical": 1, "high": 0, "medium": 1, "low": 0}
    worst, other = report["findings"]
    assert worst["fix"] is None
    assert (other["firstLine"], other["lastLine"]) == (4, 5)
    assert other["fix"] == {
        "newText": "    return path.read_text()",
        "checks": ["syntax"],
    }
    assert report["dropped"][0]["reason"] == "not-found"
    assert report["leftOut"][0]["path"] == "app.key"


def test_the_reference_names_every_field_of_the_json() -> None:
    """And no other document is needed to read it."""
    reference = (
        Path(__file__).parents[2] / "docs" / "reference" / "findings.md"
    ).read_text("utf-8")
    report = json.loads(json_report(REPORT))
    names = {
        *report,
        *report["findings"][1],
        *report["findings"][1]["fix"],
        *report["dropped"][0],
        *report["leftOut"][0],
    }
    assert [name for name in names if f"`{name}`" not in reference] == []


def test_a_review_that_is_not_complete_never_looks_clean() -> None:
    """In every format, also where nothing was found."""
    missed = LeftOutFile(path="b.py", reason="the model's answer could not be read")
    report = replace(REPORT, findings=(), is_partial=True, left_out=(missed,))
    page = markdown_report(report)
    assert "**The review is not complete**" in page
    assert "**No findings.**" not in page
    assert "`b.py`: the model's answer could not be read" in page
    assert json.loads(json_report(report))["partial"] is True
    (invocation,) = sarif(report)["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][-1]["level"] == "error"


def sarif(report: ReviewReport) -> Any:  # JSON of any shape.
    """Write a log and validate it against the schema."""
    log = json.loads(sarif_report(report, version="1.2.3"))
    schema = json.loads(SCHEMA.read_text("utf-8"))
    Draft7Validator.check_schema(schema)
    problems = list(Draft7Validator(schema).iter_errors(log))
    assert problems == []
    return log


@pytest.mark.parametrize("created_at", [3e11, 1e300, -1e300])
def test_a_log_is_valid_whatever_the_clock_said(created_at: float) -> None:
    (run,) = sarif(replace(REPORT, created_at=created_at))["runs"]
    (invocation,) = run["invocations"]
    assert invocation["startTimeUtc"] == "9999-12-31T23:59:59Z"


@pytest.mark.parametrize("state", get_args(ReportState))
def test_a_log_is_valid_whatever_the_outcome(state: ReportState) -> None:
    """With findings and without."""
    for findings in ((), REPORT.findings):
        report = replace(REPORT, state=state, findings=findings, message="Why.")
        (run,) = sarif(report)["runs"]
        (invocation,) = run["invocations"]
        assert invocation["executionSuccessful"] == (state == "done")
        assert invocation["startTimeUtc"] == "2023-11-14T22:13:20Z"
        paragraphs = [
            one["message"]["text"] for one in invocation["toolExecutionNotifications"]
        ]
        assert paragraphs[0] == "Why."
        assert "app.key" in paragraphs[1]


def test_a_result_is_where_the_finding_is() -> None:
    """With the fix as a replacement of its lines."""
    (run,) = sarif(REPORT)["runs"]
    worst, other = run["results"]
    rules = run["tool"]["driver"]["rules"]
    assert rules[worst["ruleIndex"]]["id"] == worst["ruleId"] == "redline/security"
    assert (worst["level"], other["level"]) == ("error", "warning")
    place = other["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "src/a%20b.py"
    region = place["region"]
    assert (region["startLine"], region["startColumn"]) == (4, 1)
    last_line = "    return handle.read()"
    assert (region["endLine"], region["endColumn"]) == (5, len(last_line) + 1)
    assert other["partialFingerprints"] == {"redlineFault/v1": "0123456789abcdef"}
    (replacement,) = other["fixes"][0]["artifactChanges"][0]["replacements"]
    assert replacement["deletedRegion"] == {
        "startLine": 4,
        "startColumn": 1,
        "endLine": 5,
        "endColumn": len("    return handle.read()") + 1,
    }
    assert replacement["insertedContent"]["text"] == "    return path.read_text()"


def test_a_rule_has_all_that_code_scanning_asks_for() -> None:
    """GitHub calls the descriptions and the help required, and not to be empty."""
    linted = replace(FINDING, rule="SIM115", title="Use a context manager")
    (run,) = sarif(replace(REPORT, findings=(FINDING, linted)))["runs"]
    for rule in run["tool"]["driver"]["rules"]:
        for name in ("shortDescription", "fullDescription", "help"):
            assert 0 < len(rule[name]["text"]) <= 1_024


def test_a_message_is_only_text() -> None:
    """No placeholders, and no links that a viewer would follow."""
    evil = replace(FINDING, title="{0} [x](command:y)", explanation="a[0](b)")
    (run,) = sarif(replace(REPORT, findings=(evil,)))["runs"]
    message = run["results"][0]["message"]["text"]
    assert message == "{{0}} [x] (command:y)\n\na[0] (b)"


def test_removed_lines_go_with_their_end() -> None:
    """Else an empty line would stay."""
    gone = replace(FINDING, fix=Fix(new_text=""))
    (run,) = sarif(replace(REPORT, findings=(gone,)))["runs"]
    change = run["results"][0]["fixes"][0]["artifactChanges"][0]
    region = change["replacements"][0]["deletedRegion"]
    assert (region["endLine"], region["endColumn"]) == (6, 1)


def test_states_are_told_in_the_log() -> None:
    """Dismissed findings are suppressed; fixed and stale ones are left out."""
    rule = replace(FINDING, id="f3", rule="SIM115", state="dismissed")
    fixed, stale = (replace(FINDING, state=state) for state in ("fixed", "stale"))
    (run,) = sarif(replace(REPORT, findings=(rule, fixed, stale)))["runs"]
    (result,) = run["results"]
    assert result["suppressions"] == [{"kind": "external"}]
    assert result["ruleId"] == "SIM115"


@pytest.mark.parametrize("severity", get_args(Severity))
def test_every_severity_has_its_level(severity: Severity) -> None:
    """So that no finding is lost."""
    found = replace(WORSE, severity=severity)
    (run,) = sarif(replace(REPORT, findings=(found,)))["runs"]
    assert run["results"][0]["level"] in ("error", "warning", "note")


def test_findings_are_ordered_by_what_matters() -> None:
    """Severity, then confidence, then place."""
    sure = replace(FINDING, id="f3", confidence=0.9)
    below = replace(FINDING, id="f4", first_line=9)
    ordered = worst_first([below, FINDING, sure, WORSE])
    assert [one.id for one in ordered] == ["f2", "f3", "f1", "f4"]
