"""Counting what a document holds on to, for tests that look for leaks."""

from __future__ import annotations

from redline.text.document import Document


def n_anchors_of(document: Document) -> int:
    """Count the anchors that follow a document's changes."""
    return len(document._anchors)
