"""Keys that an object of JSON, or a mapping of YAML, has twice."""

from __future__ import annotations

import json

from redline.checks.data_files.yaml_entries import yaml_entries


def double_json_key(text: str) -> str | None:
    """Return what is wrong with a document; None if it is read without a fault."""
    found: list[str] = []

    def read(pairs: list[tuple[str, object]]) -> None:
        keys = [key for key, _ in pairs]
        found.extend(key for key in dict.fromkeys(keys) if keys.count(key) > 1)

    try:
        json.loads(text, object_pairs_hook=read)
    except (ValueError, RecursionError):
        return None
    return f"the key `{found[0]}` is there twice" if found else None


def double_yaml_key(text: str) -> str | None:
    """Return the same of a document whose keys all have lines of their own."""
    seen: set[tuple[str, ...]] = set()
    for one in yaml_entries(text):
        if not one.key:
            continue
        place = (*one.path, one.key)
        if place in seen:
            return f"the key `{one.key}` is there twice"
        seen.add(place)
    return None
