"""Reduces a JSON Schema to the keywords that a provider takes.

A provider refuses a schema with a keyword that it does not know. What is left out is
only not enforced: readers check every answer themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

_BASE = frozenset(
    {
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "format",
        "items",
        "properties",
        "required",
        "title",
        "type",
    }
)

ANTHROPIC_KEYWORDS = _BASE | {"allOf", "const", "default"}
"""What `output_config.format` takes (platform.claude.com, "Structured outputs"): no
limits of numbers, lengths or sizes."""

GEMINI_KEYWORDS = _BASE | {
    "$anchor",
    "$id",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "prefixItems",
    "propertyOrdering",
}
"""What `responseJsonSchema` takes (google-genai 3.4, types.py)."""

_MAPS = frozenset({"properties", "$defs"})
"""Keywords whose value maps names to schemas."""

_LISTS = frozenset({"anyOf", "allOf", "prefixItems"})
_SCHEMAS = frozenset({"items", "additionalProperties"})


def schema_subset(
    schema: Mapping[str, object], keywords: Set[str]
) -> dict[str, object]:
    """Return the schema without what a provider does not take.

    A `const` becomes an `enum` of one value, and `oneOf` becomes `anyOf`, where the
    provider takes only these.
    """
    found: dict[str, object] = {}
    for name, value in _renamed(schema, keywords):
        if name in keywords:
            found[name] = _reduced(name, value, keywords)
    return found


def _renamed(
    schema: Mapping[str, object], keywords: Set[str]
) -> list[tuple[str, object]]:
    pairs: list[tuple[str, object]] = []
    for name, value in schema.items():
        if name == "const" and name not in keywords:
            pairs.append(("enum", [value]))
        elif name == "oneOf" and name not in keywords:
            pairs.append(("anyOf", value))
        else:
            pairs.append((name, value))
    return pairs


def _reduced(name: str, value: object, keywords: Set[str]) -> object:
    if name in _MAPS and isinstance(value, Mapping):
        return {key: _schema(each, keywords) for key, each in value.items()}
    if name in _LISTS and isinstance(value, list | tuple):
        return [_schema(each, keywords) for each in value]
    if name in _SCHEMAS:
        return _schema(value, keywords)
    return value


def _schema(value: object, keywords: Set[str]) -> object:
    """Reduce a schema; `true` and `false` are schemas too."""
    return schema_subset(value, keywords) if isinstance(value, Mapping) else value
