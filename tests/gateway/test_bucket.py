"""The bucket of requests, by a clock that the test controls."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from redline.gateway.limits.bucket import Bucket


def test_a_minutes_requests_may_come_at_once() -> None:
    limit = Bucket(3)
    assert [limit.take(0.0) for _ in range(4)] == [0.0, 0.0, 0.0, 20.0]


def test_after_the_time_it_names_a_request_is_let_in() -> None:
    limit = Bucket(60)
    for _ in range(60):
        limit.take(5.0)
    wait_s = limit.take(5.25)
    assert wait_s == 0.75
    assert limit.take(5.25 + wait_s) == 0.0
    assert limit.take(5.25 + wait_s) > 0.0


def test_none_is_no_limit() -> None:
    limit = Bucket(None)
    assert all(limit.take(0.0) == 0.0 for _ in range(1000))
    assert limit.used(0.0) is None


def test_what_is_used_comes_back_evenly() -> None:
    limit = Bucket(60)
    assert limit.used(0.0) == 0
    limit.spend(90)
    assert limit.used(1.0) == 89
    assert limit.used(31.0) == 59
    assert limit.used(1000.0) == 0


def test_a_clock_that_goes_back_gives_nothing() -> None:
    limit = Bucket(1)
    limit.take(100.0)
    assert limit.take(0.0) == 60.0


@given(
    st.integers(1, 50),
    st.lists(st.floats(0.0, 10.0), min_size=1, max_size=200),
)
def test_no_minute_has_more_than_twice_its_requests(
    per_minute: int, gaps: list[float]
) -> None:
    """A full bucket and its refill."""
    limit, now = Bucket(per_minute), 0.0
    let_in: list[float] = []
    for gap in gaps:
        now += gap
        if limit.take(now) == 0.0:
            let_in.append(now)
    for begin in let_in:
        n_in_minute = sum(begin <= each < begin + 60 for each in let_in)
        assert n_in_minute <= 2 * per_minute
