"""The replay of typing, which drives the real completions."""

from __future__ import annotations

import pytest
from benchmarks.completion import replay, sources
from benchmarks.oracle import Rates


@pytest.mark.parametrize("user", ["types on", "accepts", "reader"])
def test_a_model_that_is_right(user: str) -> None:
    """Few requests serve all keys, and nothing shown is wrong."""
    (source,) = sources(700)
    rates = Rates(right=1.0, fault=0.0)
    seen = replay(source, "Redline", user, rates, typos=0.0, seed=1)
    assert seen.n_keys + seen.n_saved <= seen.n_chars
    assert 0 < seen.n_requests < seen.n_chars / 10
    assert seen.n_wrong == 0
    assert seen.n_agreed <= seen.n_covered <= seen.n_keys
    assert seen.n_replaced == 0
    assert (seen.n_saved > 0) == (user != "types on")


def test_typos_and_faults_leave_the_text_alone() -> None:
    """The document is what was typed, after every key."""
    (source,) = sources(500)
    rates = Rates(right=0.7, fault=0.05)
    seen = replay(source, "Redline", "types on", rates, typos=0.05, seed=2)
    assert seen.n_covered < seen.n_keys
    assert seen.n_requests > 0


def test_a_run_depends_on_its_seed() -> None:
    """The same seed gives the same figures."""
    (source,) = sources(300)
    runs = [
        replay(source, "debounce 75 ms, cancel", "accepts", Rates(), typos=0.0, seed=3)
        for _ in range(2)
    ]
    assert runs[0] == runs[1]
