"""The confidence of a finding, from verified evidence, never from a model's estimate.

The number is a scale to sort and filter by, not a measured frequency. It starts at even
odds for a model's claim whose quote was found; each verified fact multiplies the odds,
and a sentence describes it.
"""

from __future__ import annotations

from typing import assert_never

import msgspec
from msgspec.structs import replace

from redline.findings.finding import Finding, Fix
from redline.findings.quote import Likeness
from redline.findings.refutation import Refutation

_ODDS_OF_A_RULE = 19.0
"""Odds of a linter's finding: a rule is deterministic, and rarely wrong about code."""

_LIKENESS_FACTORS: dict[Likeness, float] = {
    "exact": 1.0,
    "trailing-blanks": 1.0,
    "indentation": 0.9,
    "marked": 0.8,
    "part": 0.7,
}
_SEVERAL_PLACES_FACTOR = 0.7
_UPHELD_FACTOR = 4.0
_FIXED_FACTOR = 1.5

_QUOTED: dict[Likeness, str] = {
    "exact": "The quoted lines are in the file.",
    "trailing-blanks": "The quoted lines are in the file, except for trailing blanks.",
    "indentation": "The quoted lines are in the file, except for blanks.",
    "marked": "The quoted lines are in the file, without the marks around them.",
    "part": "The quote is a part of these lines and of no others.",
}


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence for a finding, and the confidence that follows from it."""

    confidence: float
    """In [0, 1]."""
    evidence: tuple[str, ...]
    """A sentence for each verified fact."""


def assess_quote(likeness: Likeness, *, n_places: int, rule: str | None) -> Assessment:
    """Assess a claim whose quote was found.

    Args:
        likeness: How the quote matches the file.
        n_places: The number of reviewed places that it matches.
        rule: The linter's rule behind the claim; None: it is a model's.
    """
    odds = _LIKENESS_FACTORS[likeness] if rule is None else _ODDS_OF_A_RULE
    evidence = [_QUOTED[likeness]]
    if rule is not None:
        evidence.append(f"The linter's rule {rule} reports it.")
    elif n_places > 1:
        odds *= _SEVERAL_PLACES_FACTOR
        evidence.append(f"They are in {n_places} places; the one shown is a guess.")
    return Assessment(confidence=_share(odds), evidence=tuple(evidence))


def after_refutation(finding: Finding, refutation: Refutation) -> Finding:
    """Return a finding with the result of an attempt to refute it.

    Args:
        finding: The finding before.
        refutation: The result; callers drop a finding that is refuted.
    """
    match refutation.verdict:
        case "upheld":
            return _changed(
                finding, _UPHELD_FACTOR, "A second model could not refute it."
            )
        case "unclear":
            return _changed(finding, 1.0, "A second model could not decide.")
        case "refuted":
            return _changed(finding, 0.0, "A second model has refuted it.")
        case never:
            assert_never(never)


def after_fix(finding: Finding, fix: Fix) -> Finding:
    """Attach a fix that applied and passed the checks."""
    sentence = "A fix applies and passes the checks."
    return replace(_changed(finding, _FIXED_FACTOR, sentence), fix=fix)


def _changed(finding: Finding, factor: float, sentence: str) -> Finding:
    odds = finding.confidence / (1 - finding.confidence) * factor
    return replace(
        finding, confidence=_share(odds), evidence=(*finding.evidence, sentence)
    )


def _share(odds: float) -> float:
    return round(odds / (1 + odds), 3)
