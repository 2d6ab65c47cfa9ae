"""A schema is sent with the keywords that a provider takes, and no others."""

from __future__ import annotations

import pytest

from redline.models.formats.schema_subset import (
    ANTHROPIC_KEYWORDS,
    GEMINI_KEYWORDS,
    schema_subset,
)
from redline.prompts.answer_schema import findings_schema, verdict_schema


@pytest.mark.parametrize("keywords", [ANTHROPIC_KEYWORDS, GEMINI_KEYWORDS])
def test_our_own_schemas_are_taken_whole(keywords: frozenset[str]) -> None:
    """Nothing that we ask for is lost at either provider."""
    for schema in (findings_schema(), verdict_schema()):
        assert schema_subset(schema.schema, keywords) == schema.schema


def test_keywords_are_left_out_at_every_depth() -> None:
    """Names of properties that look like keywords stay."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "pattern": "^a", "minLength": 1},
            "list": {"type": "array", "maxItems": 9, "items": {"maximum": 3}},
            "kind": {"oneOf": [{"const": 1, "minimum": 0}, {"type": "null"}]},
        },
        "additionalProperties": False,
        "$defs": {"a": {"type": "string", "maxLength": 4}},
    }
    assert schema_subset(schema, GEMINI_KEYWORDS) == {
        "type": "object",
        "properties": {
            "pattern": {"type": "string"},
            "list": {"type": "array", "maxItems": 9, "items": {"maximum": 3}},
            "kind": {"anyOf": [{"enum": [1], "minimum": 0}, {"type": "null"}]},
        },
        "additionalProperties": False,
        "$defs": {"a": {"type": "string"}},
    }
    reduced = schema_subset(schema, ANTHROPIC_KEYWORDS)
    assert reduced["properties"] == {
        "pattern": {"type": "string"},
        "list": {"type": "array", "items": {}},
        "kind": {"anyOf": [{"const": 1}, {"type": "null"}]},
    }
