"""A server that is killed loses nothing: real processes, SIGKILL, a real gateway."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.assist.review.killing import (
    Gateway,
    Result,
    begin,
    new_orders,
    run_to_end,
    serving,
    shown,
)
from tests.assist.review.reviewing_process import Orders
from tests.assist.review.seeded_workspace import SHOWN, script
from tests.runs import n_runs, stride

pytestmark = pytest.mark.timeout(600)

N_RANDOM = n_runs(3)
"""Random times of each kind."""

SEED = int(
    os.environ.get("REDLINE_FAULT_SEED", "0")
) or random.SystemRandom().randrange(1, 10**6)

KILLED = -signal.SIGKILL


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """Models that answer as fast as they can."""
    with serving(script(), tmp_path_factory.mktemp("gateway")) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def undisturbed(gateway: Gateway, tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The result of the review if no process is killed."""
    return run_to_end(new_orders(tmp_path_factory.mktemp("left-alone"), gateway.url))


def check_equal(result: Result, undisturbed: Result, orders: Orders) -> None:
    repeat = f"to repeat it: REDLINE_FAULT_SEED={SEED}"
    assert replace(result, n_writes=0) == replace(undisturbed, n_writes=0), repeat
    # Whatever was shown is there, or was taken back.
    seen = shown(orders)
    found = {what for kind, what in seen if kind == "finding"}
    gone = {what for kind, what in seen if kind == "gone"}
    assert found - gone == {finding["id"] for finding in result.findings}, repeat


def test_the_review_finds_what_is_there(undisturbed: Result) -> None:
    assert undisturbed.review["state"] == "done"
    assert tuple(one["title"] for one in undisturbed.findings) == SHOWN
    assert [bool(one["fix"]) for one in undisturbed.findings] == [False, True, True]
    reasons = [one["reason"] for one in undisturbed.dropped]
    assert reasons == ["not-found", "duplicate", "style", "refuted"]


@pytest.mark.parametrize(("keeps_background", "step"), [(True, 4), (False, 8)])
def test_killed_after_each_write(
    keeps_background: bool,
    step: int,
    gateway: Gateway,
    undisturbed: Result,
    tmp_path: Path,
) -> None:
    # How many writes there are depends on how the answer arrives.
    for n in range(1, 2 * undisturbed.n_writes, stride(step)):
        orders = new_orders(
            tmp_path / f"after-{n}",
            gateway.url,
            keeps_background=keeps_background,
            dies_after=n,
        )
        process = begin(orders)
        process.join()
        if process.exitcode == 0:
            break
        assert process.exitcode == KILLED
        check_equal(run_to_end(orders), undisturbed, orders)
    assert n > undisturbed.n_writes / 2


def test_killed_before_each_write_one_after_the_other(
    gateway: Gateway, undisturbed: Result, tmp_path: Path
) -> None:
    """One review, killed again and again, each time a little later."""
    orders = new_orders(tmp_path / "again", gateway.url)
    n_kills = 0
    for n in range(1, 2 * undisturbed.n_writes):
        process = begin(replace(orders, dies_after=n, dies_before=True))
        process.join()
        if process.exitcode == 0:
            break
        n_kills += 1
    assert n_kills > 3
    check_equal(run_to_end(orders), undisturbed, orders)


def test_an_answer_that_is_kept_is_asked_for_once(
    undisturbed: Result, tmp_path: Path
) -> None:
    """The provider continues while no client reads."""
    with serving(script(pace=400.0), tmp_path / "gateway") as gateway:
        run_to_end(new_orders(tmp_path / "left-alone", gateway.url))
        n_questions = gateway.n_questions
        orders = new_orders(tmp_path / "killed", gateway.url, dies_after_findings=1)
        process = begin(orders)
        process.join()
        assert process.exitcode == KILLED
        check_equal(
            run_to_end(replace(orders, dies_after_findings=None)), undisturbed, orders
        )
        assert gateway.n_questions == 2 * n_questions


def test_killed_at_random_times(undisturbed: Result, tmp_path: Path) -> None:
    random_ = random.Random(SEED)
    with serving(script(pace=400.0), tmp_path / "gateway") as gateway:
        for run in range(N_RANDOM):
            orders = new_orders(tmp_path / f"run-{run}", gateway.url)
            for _ in range(random_.randint(1, 3)):
                process = begin(orders)
                process.join(random_.uniform(0.0, 1.2))
                process.kill()
                process.join()
            check_equal(run_to_end(orders), undisturbed, orders)


def test_the_gateway_is_killed_too(undisturbed: Result, tmp_path: Path) -> None:
    """The stored responses are lost, so the question is asked again."""
    random_ = random.Random(SEED)
    with serving(script(pace=400.0), tmp_path / "gateway") as gateway:
        for run in range(N_RANDOM):
            orders = new_orders(
                tmp_path / f"run-{run}",
                gateway.url,
                keeps_background=random_.random() < 0.7,
                retries=20,
            )
            process = begin(orders)
            process.join(random_.uniform(0.0, 1.0))
            gateway.kill()
            if random_.random() < 0.5:
                process.kill()
                process.join()
            gateway.start()
            process.join()
            check_equal(run_to_end(orders), undisturbed, orders)
