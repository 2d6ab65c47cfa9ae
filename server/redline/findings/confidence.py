"""How sure a finding is, from what was verified, never from what a model says of it."""

from __future__ import annotations

import msgspec

from redline.findings.quote import Likeness
from redline.findings.refutation import Refutation


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """What was verified of a finding so far."""

    likeness: Likeness = "exact"
    n_places: int = 1
    """In how many places the quote stands."""
    rule: str | None = None
    """The linter's rule that says the same of the same lines."""
    n_reports: int = 1
    """How many answers reported it, each not knowing of the others."""
    refutation: Refutation | None = None
    """None: nobody has tried yet."""
    fix_passed: bool | None = None
    """Whether a fix applied and passed the checks; None: there was none to try."""


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """What it comes to."""

    confidence: float
    """In [0, 1]."""
    evidence: tuple[str, ...]
    """A sentence for each thing that was verified."""


def assess(verified: Verified) -> Assessment:
    """Say how sure a finding is, and why."""
    raise NotImplementedError
