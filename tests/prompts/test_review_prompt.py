"""The form of a review's answer."""

from __future__ import annotations

from typing import get_args

import pytest
from jsonschema import Draft202012Validator

from redline.findings.answer_stream import FindingStream
from redline.findings.finding import Category
from redline.findings.refutation import Verdict
from redline.prompts.answer_schema import findings_schema, verdict_schema
from redline.prompts.message import JsonSchema


@pytest.mark.parametrize("form", [findings_schema(), verdict_schema()])
def test_a_schema_is_strict_all_the_way_down(form: JsonSchema) -> None:
    """Providers refuse one that is not."""
    Draft202012Validator.check_schema(dict(form.schema))
    objects = [form.schema]
    while objects:
        schema = objects.pop()
        if schema.get("type") == "object":
            properties = schema["properties"]
            assert isinstance(properties, dict)
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(properties)
            objects += properties.values()
        elif schema.get("type") == "array":
            items = schema["items"]
            assert isinstance(items, dict)
            objects.append(items)


def test_what_the_schema_allows_is_what_is_read() -> None:
    """Every property of a finding reaches the claim."""
    answer = (
        '{"findings": [{"file": "a", "quote": "b", "severity": "high", "category":'
        ' "time", "title": "c", "explanation": "d", "fix": null}]}'
    )
    stream = FindingStream()
    (claim,) = stream.feed(answer)
    assert (claim.file, claim.quote, claim.severity) == ("a", "b", "high")
    assert (claim.category, claim.title, claim.explanation) == ("time", "c", "d")
    assert claim.fix is None


def test_the_words_of_the_schema_are_the_fixed_lists() -> None:
    """A model cannot choose an unknown word."""
    text = str(findings_schema().schema) + str(verdict_schema().schema)
    assert all(f"'{word}'" in text for word in get_args(Category) + get_args(Verdict))
