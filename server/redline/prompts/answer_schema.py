"""The JSON schemas of answers, for providers that enforce one.

They are strict: every property is required and no other is allowed, as "Structured
Outputs" of the Responses API demands; an absent value is null.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import get_args

from redline.findings.finding import Category, Severity
from redline.findings.refutation import Verdict
from redline.prompts.message import JsonSchema


@cache
def findings_schema() -> JsonSchema:
    """Return the schema of an answer to `review_prompt`."""
    finding = _object(
        file=_text("The path as given."),
        quote=_text("One to five whole lines exactly as they are in the file."),
        severity=_one_of(get_args(Severity)),
        category=_one_of(get_args(Category)),
        title=_text("One line, at most 80 characters."),
        explanation=_text("What goes wrong, when, and why."),
        fix={
            "type": ["string", "null"],
            "description": "The new text of exactly the quoted lines, or null.",
        },
    )
    findings = {"type": "array", "items": finding}
    return JsonSchema(name="redline_findings", schema=_object(findings=findings))


@cache
def verdict_schema() -> JsonSchema:
    """Return the schema of an answer to `refute_prompt`: the reason comes before the
    verdict, so that a model thinks before it decides."""
    return JsonSchema(
        name="redline_verdict",
        schema=_object(
            reason=_text("One to three sentences."),
            verdict=_one_of(get_args(Verdict)),
        ),
    )


def _object(**properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(description: str) -> dict[str, object]:
    return {"type": "string", "description": description}


def _one_of(words: tuple[str, ...]) -> dict[str, object]:
    return {"type": "string", "enum": list(words)}
