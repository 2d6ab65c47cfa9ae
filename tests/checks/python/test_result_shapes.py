"""Results of Python's functions that callers take apart as before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.python.result_shapes import check_result_shapes

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

OLD = "»\ndef span(a):\n    return min(a), max(a)\n«\n\ndef use(a):\n    %s\n"
NEW = "def span(a):\n    return %s\n"


@pytest.mark.parametrize(
    ("new", "use"),
    [
        ('{"low": min(a)}', "low, high = span(a)"),
        ("min(a), max(a), sum(a)", "low, high = span(a)"),
        ("(min(a),)", "return span(a)[1]"),
        ('{"low": min(a)}', "return span(a)[0]"),
        ("(min(a),)", "low, high, *rest = span(a)"),
    ],
)
def test_misfits(new: str, use: str, make_candidate: MakeCandidate) -> None:
    """The message has the line of the caller."""
    found = list(check_result_shapes(make_candidate(OLD % use, NEW % new)))
    assert [one.rule for one in found] == ["phantom-parameter"]
    assert "line 5" in found[0].message


@pytest.mark.parametrize(
    ("new", "use"),
    [
        ("[min(a), max(a)]", "low, high = span(a)"),
        ("min(a), max(a), sum(a)", "low, *rest = span(a)"),
        ("min(a), max(a), sum(a)", "return span(a)[1]"),
        ("min(a), *a", "low, high = span(a)"),
        ("other(a)", "low, high = span(a)"),
        ('{"low": min(a)}', 'return span(a)["low"]'),
        ('{"low": min(a)}', "low, high = other.span(a)"),
    ],
)
def test_fits(new: str, use: str, make_candidate: MakeCandidate) -> None:
    """Callers that still fit, and results that are not known."""
    assert list(check_result_shapes(make_candidate(OLD % use, NEW % new))) == []
