"""Reads the answer of a model that was asked to refute a finding."""

from __future__ import annotations

from typing import Literal

import msgspec

from redline.findings.loose_fields import Fields, text_of
from redline.findings.object_stream import ObjectStream

Verdict = Literal["upheld", "refuted", "unclear"]
"""`unclear`: the model cannot decide, or its answer cannot be read; the finding is
kept."""

_NAMES = {
    "verdict": "verdict",
    "result": "verdict",
    "decision": "verdict",
    "reason": "reason",
    "explanation": "reason",
    "rationale": "reason",
}
_VERDICTS: dict[str, Verdict] = {
    "upheld": "upheld",
    "real": "upheld",
    "confirmed": "upheld",
    "valid": "upheld",
    "refuted": "refuted",
    "invalid": "refuted",
    "unclear": "unclear",
    "uncertain": "unclear",
}


class Refutation(msgspec.Struct, frozen=True, kw_only=True):
    """The result of trying to refute a finding."""

    verdict: Verdict
    reason: str
    """A sentence or more; empty if none was given."""


def parse_refutation(answer: str) -> Refutation:
    """Parse an answer; `refuted` without a reason counts as `unclear`."""
    objects = ObjectStream(_NAMES, important=("verdict", "reason"), min_fields=1)
    verdicts = list(map(_read, [*objects.feed(answer), *objects.close()]))
    # A model that answers twice has corrected itself: the last answer counts.
    return verdicts[-1] if verdicts else Refutation(verdict="unclear", reason="")


def _read(fields: Fields) -> Refutation:
    reason = text_of(fields.get("reason")).strip()
    verdict = _VERDICTS.get(text_of(fields.get("verdict")).strip().lower(), "unclear")
    if verdict == "refuted" and not reason:
        verdict = "unclear"
    return Refutation(verdict=verdict, reason=reason)
