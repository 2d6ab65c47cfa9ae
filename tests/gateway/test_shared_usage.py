"""Limits of users that hold for all workers together; without processes."""

from __future__ import annotations

import asyncio

from redline.gateway.config import GatewayConfig
from redline.gateway.drain import Drain
from redline.gateway.engines.upstream import UpstreamEngine
from redline.gateway.limits.accounts import Accounts, UserSettings, key_sha256
from redline.gateway.limits.turns import Schedule, Turn, Turns
from redline.gateway.metrics import Metrics
from redline.gateway.processes.shared_usage import (
    RelayedUsage,
    SharedUsage,
    Usage,
    UserUsage,
)
from redline.gateway.recording import Recorder
from redline.gateway.service import Service


def accounts() -> Accounts:
    """Ada with limits over times."""
    return Accounts(
        [
            UserSettings(
                name="ada",
                key_sha256=key_sha256("ada"),
                requests_per_minute=2,
                tokens_per_day=100,
            )
        ]
    )


def turn() -> Turn:
    """Return a request of Ada, of which two may run."""
    return Turn(user="ada", model="m", kind="edit", n_tokens=1, user_running=2)


async def test_only_changes_are_reported() -> None:
    """Amounts since the last report, and what runs now."""
    users, turns = accounts(), Turns(lambda _: None, queue_s=60.0)
    shared = SharedUsage(users, turns)
    assert shared.changes() == {}
    (ada,) = users
    ada.count_request(0.0)
    async with turns.turn(turn(), queued=None, is_patient=False):
        assert turns.changed.is_set()
        assert shared.changes() == {"ada": UserUsage(n_requests=1, n_running=1)}
        assert shared.changes() == {}
    ada.count_tokens(7)
    assert shared.changes() == {"ada": UserUsage(n_tokens=7)}


async def test_a_request_is_reported_although_it_has_no_turn() -> None:
    """One that only warms up, or is refused for what it asks."""
    users, turns = accounts(), Turns(lambda _: None, queue_s=60.0)
    service = Service(
        UpstreamEngine(()), GatewayConfig(), Recorder(), turns, Drain(), Metrics()
    )
    reports: asyncio.Queue[Usage] = asyncio.Queue()
    reporting = asyncio.create_task(
        SharedUsage(users, turns).report(reports.put_nowait)
    )
    (ada,) = users
    assert service.count_request(ada) is None
    assert await reports.get() == {"ada": UserUsage(n_requests=1)}
    reporting.cancel()


def test_refused_requests_are_not_reported() -> None:
    users = accounts()
    (ada,) = users
    assert [ada.count_request(0.0) is None for _ in range(3)] == [True, True, False]
    assert ada.total_requests == 2


async def test_what_is_used_elsewhere_counts() -> None:
    users, turns = accounts(), Turns(lambda _: None, queue_s=60.0)
    shared = SharedUsage(users, turns)
    shared.apply({"ada": UserUsage(n_requests=2, n_tokens=60, n_running=1)})
    (ada,) = users
    assert turns.n_running("ada") == 1
    assert turns.n_running_here("ada") == 0
    assert shared.changes() == {}
    shared.apply({"ada": UserUsage(n_requests=100), "unknown": UserUsage(n_running=3)})
    assert ada.count_request(0.0) is not None
    assert turns.n_running("ada") == 0


async def test_a_user_who_was_removed_runs_nothing() -> None:
    """Also if a user of the same name comes with another key."""
    users, turns = accounts(), Turns(lambda _: None, queue_s=60.0)
    shared = SharedUsage(users, turns)
    (ada,) = users
    async with turns.turn(turn(), queued=None, is_patient=False):
        for _ in range(2):
            ada.count_request(0.0)
        shared.changes()
        users.replace([])
        assert shared.changes() == {"ada": UserUsage()}
    users.replace([UserSettings(name="ada", key_sha256=key_sha256("another"))])
    (ada,) = users
    ada.count_request(0.0)
    assert shared.changes() == {"ada": UserUsage(n_requests=1)}


def test_what_runs_elsewhere_takes_places() -> None:
    schedule = Schedule(lambda _: None)
    schedule.run_elsewhere({"ada": 1})
    turns = [turn(), turn()]
    for each in turns:
        schedule.add(each)
    assert schedule.grant() == turns[:1]
    schedule.run_elsewhere({"ada": 0})
    assert schedule.grant() == turns[1:]


def test_each_worker_hears_of_the_others() -> None:
    relayed = RelayedUsage(accounts())
    for pid, n_running in ((1, 3), (2, 5)):
        relayed.take(pid, {"ada": UserUsage(n_running=n_running)})
    said = {"ada": UserUsage(n_requests=4, n_tokens=9, n_running=5)}
    assert relayed.for_worker(1, said) == {"ada": UserUsage(4, 9, 5)}
    assert relayed.for_worker(3, said) == {"ada": UserUsage(4, 9, 8)}
    assert relayed.for_new_worker(3) == {"ada": UserUsage(0, 0, 8)}


def test_a_new_worker_hears_what_is_used() -> None:
    """Also what was used in one that has ended, and not what was long ago."""
    users = accounts()
    relayed = RelayedUsage(users)
    relayed.take(1, {"ada": UserUsage(n_requests=1, n_tokens=60, n_running=1)})
    relayed.end(1)
    relayed.take(2, {"ada": UserUsage(n_requests=1)})
    assert relayed.for_new_worker(3) == {"ada": UserUsage(2, 60)}
    users.replace([])
    assert relayed.for_new_worker(3) == {}


def test_what_ran_in_a_worker_that_has_ended_is_forgotten() -> None:
    relayed = RelayedUsage(accounts())
    relayed.take(1, {"ada": UserUsage(n_running=3)})
    ended = relayed.end(1)
    assert relayed.for_worker(2, ended) == {"ada": UserUsage()}
    assert relayed.end(1) == {}
