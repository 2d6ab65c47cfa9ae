"""Selects the candidates that the Python rules check."""

from __future__ import annotations

from redline.checks.candidate import CheckedEdit
from redline.syntax.language import Language


def is_python(candidate: CheckedEdit) -> bool:
    """Whether a candidate is a Python file."""
    return candidate.grammar is Language.PYTHON
