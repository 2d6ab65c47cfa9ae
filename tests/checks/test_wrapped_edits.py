"""Edits of people in the forms of models: read exactly, or held."""

from __future__ import annotations

import pytest
from benchmarks.human_edits import read_edits
from benchmarks.wrapped_edits import FORMS, judged

EDITS = read_edits()[3:200:16]

RIGHT = {
    "command",
    "fence-glued",
    "markers",
    "token-after-glued-fence",
    "fence-in-fence",
    "fence-not-opened",
    "square-tag",
    "token-after-fence",
    "token-inside",
    "token-then-dialogue",
    "numbers-bar",
    "numbers-colon",
}
"""Forms that are read exactly in all of these edits."""


@pytest.mark.parametrize("form", sorted(FORMS.keys() - {"apology"}))
def test_a_right_text_comes_out_right_or_is_held(form: str) -> None:
    """None of them is wrong without a problem."""
    counts = judged(EDITS, {form: FORMS[form]})
    assert counts.total() > 2
    assert counts[form, "silent"] == 0
    if form in RIGHT:
        assert counts[form, "exact"] == counts.total()
