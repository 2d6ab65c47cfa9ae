"""The corpus of reviews: files, scripted answers about them, and the expected results.

`tests/data/reviews/README.md` describes it.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

import msgspec

from redline.findings.answer_stream import Ending
from redline.findings.finding import Category, DropReason, Severity
from redline.findings.scope import ReviewedFile, ReviewScope, WholeFiles
from redline.text.lines import split_lines

CORPUS = Path(__file__).parents[1] / "tests" / "data" / "reviews"

FixOutcome = Literal["none", "passes", "fails"]

_UPHELD = '{"reason": "The fault remains.", "verdict": "upheld"}'


class Defect(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One seeded fault."""

    lines: tuple[int, int]
    """First and last, counted from 1."""
    severity: Severity
    category: Category
    fix: FixOutcome
    """The expected result of the fix that the answer proposes."""
    is_reported: bool = True
    """Whether the answer reports it before the answer is cut off."""


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file and the answer about it."""

    code: str
    """The file, in the corpus."""
    answer: str
    """The file with the answer, in the corpus."""
    shape: str
    """The style of the answer, in a word."""
    ending: Ending
    scope: tuple[int, int] | None = None
    """First and last line in question, counted from 1; None: all."""
    dropped: dict[DropReason, int] = {}
    defects: tuple[Defect, ...] = ()
    refutations: dict[str, str] = {}
    """The answers of the refuting model, by the title of the claim."""

    @property
    def path(self) -> str:
        """The path of the file in the review."""
        return f"src/{Path(self.code).name}"

    def text(self) -> str:
        """Read the file."""
        return (CORPUS / self.code).read_text("utf-8")

    def answer_text(self) -> str:
        """Read the answer."""
        return (CORPUS / self.answer).read_text("utf-8")

    def refutation(self, title: str) -> str:
        """Return the refuting model's answer about a claim."""
        return self.refutations.get(title, _UPHELD)


class _Cases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    case: tuple[Case, ...]


def load_cases() -> tuple[Case, ...]:
    """Read the corpus."""
    written = tomllib.loads((CORPUS / "cases.toml").read_text("utf-8"))
    return msgspec.convert(written, _Cases).case


def scope_of(case: Case) -> ReviewScope:
    """Return what is reviewed in a case."""
    text = case.text()
    first, last = case.scope or (1, len(split_lines(text)))
    file = ReviewedFile(
        path=case.path, uri="", language="", text=text, spans=((first - 1, last),)
    )
    return ReviewScope(target=WholeFiles(uris=()), title=case.path, files=(file,))
