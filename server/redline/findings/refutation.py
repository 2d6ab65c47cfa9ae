"""Reads the answer of a model that was asked to refute a finding."""

from __future__ import annotations

from typing import Literal

import msgspec

from redline.findings.loose_fields import Fields, text_of
from redline.findings.object_stream import ObjectStream

Verdict = Literal["upheld", "refuted", "unclear"]
"""`unclear`: the model cannot tell, or its answer cannot be read; nothing is dropped
for it."""

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
    """What came of trying to refute a finding."""

    verdict: Verdict
    reason: str
    """A sentence or more; empty if none was given."""


def parse_refutation(answer: str) -> Refutation:
    """Read an answer; a finding is refuted only by one that says so and says why."""
    objects = ObjectStream(_NAMES, important=("verdict", "reason"), min_fields=1)
    said = list(map(_read, [*objects.feed(answer), *objects.close()]))
    # A model that answers twice has thought again in between: the last one counts.
    return said[-1] if said else Refutation(verdict="unclear", reason="")


def _read(fields: Fields) -> Refutation:
    reason = text_of(fields.get("reason")).strip()
    verdict = _VERDICTS.get(text_of(fields.get("verdict")).strip().lower(), "unclear")
    if verdict == "refuted" and not reason:
        verdict = "unclear"
    return Refutation(verdict=verdict, reason=reason)
