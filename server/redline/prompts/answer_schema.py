"""The JSON schemas of answers, for providers that hold a model to one.

They are strict: every property is required and no other is allowed, as "Structured
Outputs" of the Responses API asks; what may be missing is null.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSchema:
    """What goes into `text.format` with `type: json_schema` and `strict: true`."""

    name: str
    """Letters, digits, `_` and `-`, 64 at most."""
    schema_json: str
    """The JSON schema as JSON."""


def findings_schema() -> AnswerSchema:
    """Of an answer to `review_prompt`."""
    raise NotImplementedError


def verdict_schema() -> AnswerSchema:
    """Of an answer to `refute_prompt`."""
    raise NotImplementedError
