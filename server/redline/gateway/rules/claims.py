"""The answer of a review by rule, in the format that a review prompt asks for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

import msgspec

from redline.findings.finding import Claim, Severity


def answer_with(claims: Iterable[Claim]) -> str:
    """Return the findings as JSON, the most severe first."""
    order = get_args(Severity)
    ordered = sorted(claims, key=lambda claim: order.index(claim.severity))
    return msgspec.json.encode({"findings": ordered}).decode()
