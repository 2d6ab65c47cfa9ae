"""Tags of an article."""

from __future__ import annotations


def with_tag(tag: str, tags: list[str] = []) -> list[str]:
    """Return tags with one more."""
    tags.append(tag)
    return tags
