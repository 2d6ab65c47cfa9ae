"""How sure a finding is, from what was verified, never from what a model says of it.

The number is a scale to sort and filter by, no measured frequency. It starts at even
odds for a claim of a model whose quote was found, and each thing that is verified
multiplies the odds; the sentences say what that was.
"""

from __future__ import annotations

from typing import assert_never

import msgspec
from msgspec.structs import replace

from redline.findings.finding import Finding, Fix
from redline.findings.quote import Likeness
from redline.findings.refutation import Refutation

_ODDS_OF_A_RULE = 19.0
"""Of what a linter says: a rule is deterministic, and rarely wrong about code."""

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
    "trailing-blanks": "The quoted lines are in the file but for blanks at their ends.",
    "indentation": "The quoted lines are in the file but for blanks.",
    "marked": "The quoted lines are in the file, without the marks around them.",
    "part": "The quote is a part of these lines and of no others.",
}


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """What was verified, and what it comes to."""

    confidence: float
    """In [0, 1]."""
    evidence: tuple[str, ...]
    """A sentence for each thing that was verified."""


def assess_quote(likeness: Likeness, *, n_places: int, rule: str | None) -> Assessment:
    """Assess a claim whose quote was found.

    Args:
        likeness: How it agrees with the file.
        n_places: In how many places in question it stands.
        rule: The linter's rule that says so; None: a model does.
    """
    odds = _LIKENESS_FACTORS[likeness] if rule is None else _ODDS_OF_A_RULE
    evidence = [_QUOTED[likeness]]
    if rule is not None:
        evidence.append(f"The linter's rule {rule} says so.")
    elif n_places > 1:
        odds *= _SEVERAL_PLACES_FACTOR
        evidence.append(f"They stand in {n_places} places; which is meant is a guess.")
    return Assessment(confidence=_share(odds), evidence=tuple(evidence))


def after_refutation(finding: Finding, refutation: Refutation) -> Finding:
    """Take note that somebody tried to refute a finding, and did not.

    Args:
        finding: As it was before.
        refutation: Not one that refutes it: such a finding is dropped.
    """
    match refutation.verdict:
        case "upheld":
            return _changed(
                finding, _UPHELD_FACTOR, "A second model tried to refute it, in vain."
            )
        case "unclear":
            return _changed(finding, 1.0, "A second model could not tell.")
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
