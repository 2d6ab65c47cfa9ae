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
from redline.plans.plan import StepKind
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


@cache
def plan_schema() -> JsonSchema:
    """Return the schema of an answer to `plan_prompt`."""
    return JsonSchema(name="redline_plan", schema=_object(**_plan_properties()))


def debug_schema() -> JsonSchema:
    """Return the schema of an answer to `debug_prompt`: a cause, and a plan."""
    evidence = _object(
        file=_text("The path."),
        quote=_text("One to three lines, exactly as they are in the file."),
    )
    return JsonSchema(
        name="redline_debug",
        schema=_object(
            cause=_text("Two to four sentences."),
            evidence={"type": "array", "items": evidence},
            confidence=_one_of(("high", "medium", "low")),
            **_plan_properties(),
        ),
    )


def _plan_properties() -> dict[str, Mapping[str, object]]:
    contract = _object(
        name=_text("Qualified in its file."),
        file=_text("The path."),
        signature=_text("The source up to the body, with types and defaults."),
        raises=_texts(),
    )
    step = _object(
        id=_text("s1, s2, ..."),
        file=_text("The path."),
        do=_one_of(get_args(StepKind)),
        where=_object(symbol=_text_or_null("The definition to edit, qualified.")),
        quote=_text_or_null("One line of the place, exactly as it is in the file."),
        to=_text_or_null("The new path of a renamed file."),
        instruction=_text("What to do there, completely."),
        reads=_texts(),
        gives=_texts(),
        uses=_texts(),
        after=_texts(),
    )
    return {
        "summary": _text("One or two sentences."),
        "assumptions": _texts(),
        "questions": _texts(),
        "contracts": {"type": "array", "items": contract},
        "steps": {"type": "array", "items": step},
        "tests": _texts(),
    }


def _texts() -> dict[str, object]:
    return {"type": "array", "items": {"type": "string"}}


def _text_or_null(description: str) -> dict[str, object]:
    return {"type": ["string", "null"], "description": description}


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
