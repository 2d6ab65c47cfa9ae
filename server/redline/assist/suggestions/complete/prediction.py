"""Predicts the rest of a line from the lines around it, without a model."""

from __future__ import annotations

from redline.completion.place import Place
from redline.completion.predictor import predict
from redline.text.document import Document

_N_LINES = 4_000
"""Lines that are read."""


def predict_at(document: Document, line: int, place: Place) -> str:
    """Return the text to insert at a cursor; empty: none is likely."""
    first = max(0, line - _N_LINES)
    lines = document.lines_between(first, line)
    lines += document.lines_between(line + 1, first + _N_LINES)
    return predict(place.left, lines)
