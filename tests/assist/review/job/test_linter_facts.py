"""Linter messages about a scope."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.assist.review.job.brief import MAX_FACTS, linter_facts
from redline.checks import ruff
from redline.findings.scope import ReviewedFile, ReviewScope, Span, WholeFiles
from redline.prompts.redaction import SecretTable

_TEXT = "import os\n\n\ndef f(a=[]):\n    return missing\n"


def _scope(
    text: str = _TEXT,
    *,
    path: str = "a.py",
    language: str = "python",
    spans: tuple[Span, ...] | None = None,
) -> ReviewScope:
    file = ReviewedFile(
        path=path,
        uri=f"file:///{path}",
        language=language,
        text=text,
        spans=spans or ((0, text.count("\n")),),
    )
    return ReviewScope(
        target=WholeFiles(uris=(file.uri,)), title="all of it", files=(file,)
    )


def test_ruff_tells_of_faults_and_not_of_style() -> None:
    """An unused import is not a fault."""
    facts = linter_facts(_scope())
    assert [(one.line, one.linter, one.rule) for one in facts] == [
        (3, "ruff", "B006"),
        (4, "ruff", "F821"),
    ]
    assert "mutable" in facts[0].message


def test_only_lines_in_question_count() -> None:
    """Messages about other lines are dropped."""
    assert [one.rule for one in linter_facts(_scope(spans=((4, 5),)))] == ["F821"]


def test_other_languages_have_no_linter() -> None:
    """The editor's language counts, not only the name."""
    assert linter_facts(_scope(path="a.js", language="javascript")) == ()
    assert linter_facts(_scope(path="a.py", language="jinja")) == ()


def test_the_number_is_bounded() -> None:
    """A file full of faults does not fill the prompt."""
    assert len(linter_facts(_scope("missing()\n" * 200))) == MAX_FACTS


def test_without_ruff_there_are_no_facts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The review continues."""
    monkeypatch.setattr(ruff, "ruff_program", lambda: str(tmp_path / "gone"))
    assert linter_facts(_scope()) == ()


def test_a_secret_that_a_message_quotes_is_hidden() -> None:
    """The message is sent to a model."""
    secret = "correct-horse-battery-staple"
    text = f'ROLES = {{"{secret}": 1, "{secret}": 2}}\n'
    (shown,) = linter_facts(_scope(text))
    assert secret in shown.message
    (hidden,) = linter_facts(_scope(text), table=SecretTable(secrets=(secret,)))
    assert secret not in hidden.message


def test_a_secret_in_the_name_of_a_file_is_hidden() -> None:
    """The path is sent with the message."""
    secret = "AKIAIOSFODNN7EXAMPLQ"
    facts = linter_facts(_scope(path=f"{secret}.py"))
    assert facts
    assert {fact.path for fact in facts} == {"REDLINE_SECRET_000000.py"}
