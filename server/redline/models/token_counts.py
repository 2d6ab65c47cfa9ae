"""Reads the token counts of an answer, in whatever object a provider puts them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from redline.wire.failure import UNREADABLE

_MAX_COUNT = 2**53
"""No answer has so many tokens: such a number is not a count."""


def read_counts(raw: msgspec.Raw | bytes) -> dict[str, int]:
    """Read an object of counts; never fails.

    Returns:
        The counts by name; those of an inner object have its name and a dot in front.
        What is not a count is left out.
    """
    try:
        # Any: each value is checked below.
        fields = msgspec.json.decode(raw, type=dict[str, Any])
    except UNREADABLE:
        return {}
    counts = _counts(fields)
    for name, value in fields.items():
        if isinstance(value, Mapping):
            counts |= {f"{name}.{key}": n for key, n in _counts(value).items()}
    return counts


def _counts(fields: Mapping[str, Any]) -> dict[str, int]:
    return {
        name: value
        for name, value in fields.items()
        if type(value) is int and 0 <= value <= _MAX_COUNT
    }
