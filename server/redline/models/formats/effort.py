"""The efforts that switch thinking off, in the words that settings may use."""

from __future__ import annotations

EFFORT_OFF = frozenset({"none", "off", "disabled"})
"""Thinking is off as far as the model allows it."""
