"""Reads the answer of a model that was asked to refute a finding."""

from __future__ import annotations

from typing import Literal

import msgspec

Verdict = Literal["upheld", "refuted", "unclear"]
"""`unclear`: the model cannot tell, or its answer cannot be read; nothing is dropped
for it."""


class Refutation(msgspec.Struct, frozen=True, kw_only=True):
    """What came of trying to refute a finding."""

    verdict: Verdict
    reason: str
    """A sentence or more; empty if none was given."""


def parse_refutation(answer: str) -> Refutation:
    """Read an answer; a finding is refuted only by one that says so and says why."""
    raise NotImplementedError
