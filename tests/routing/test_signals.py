"""Each signal looks at one thing, and says in words what it saw."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import pytest
from tests.routing.conftest import MakeTask

from redline.routing.boundary import Reading
from redline.routing.signals import Signal, signals
from redline.routing.task import Kind

Look = Callable[..., dict[str, Signal]]


@pytest.fixture
def look(task: MakeTask) -> Look:
    """Return the signals of a task by name."""

    def make(**given: object) -> dict[str, Signal]:
        looked_at = task(**given)
        return {s.name: s for s in signals(looked_at, Reading.of(looked_at))}

    return make


def weight(found: dict[str, Signal]) -> float:
    return sum(signal.weight for signal in found.values())


def test_a_plain_task_is_only_of_its_kind(look: Look) -> None:
    assert set(look()) == {"kind"}


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_has_a_weight(look: Look, kind: Kind) -> None:
    assert 0 < look(kind=kind)["kind"].weight <= 0.7
    assert look(kind="docstring")["kind"].weight <= look(kind=kind)["kind"].weight
    assert look(kind=kind)["kind"].weight <= look(kind="review")["kind"].weight


@pytest.mark.parametrize(
    ("given", "name", "said"),
    [
        ({"n_lines": 1}, "size", "1 line."),
        ({"n_lines": 120}, "size", "120 lines."),
        ({"n_lines": 9_999}, "size", "9999 lines."),
        ({"files": ("a.py", "b.py")}, "files", "3 files"),
        ({"code": "with self._lock:\n    await x\n" * 9}, "concurrency", "lock, await"),
        ({"code": "go func() {}()\n" * 9}, "concurrency", "go func"),
        ({"surroundings": "Mutex<State>"}, "concurrency", "mutex"),
        ({"instruction": "share it between threads"}, "concurrency", "thread"),
        ({"instruction": "why is it wrong", "kind": "fix"}, "debugging", "why"),
        ({"instruction": "find out why"}, "debugging", "why"),
        ({"instruction": "imported but unused", "kind": "fix"}, "debugging", "unused"),
        ({"instruction": "a flaky test"}, "elusive", "flaky"),
        ({"instruction": "rename it"}, "words", "rename"),
        ({"instruction": "make it faster"}, "words", "faster"),
        ({"instruction": "redesign it"}, "system", "redesign"),
        ({"instruction": "a, b, c, d and e"}, "requirements", "5 things"),
        ({"kind": "types"}, "verification", "at a glance"),
        ({"kind": "simplify"}, "verification", "compared"),
    ],
)
def test_what_a_signal_sees(
    look: Look, given: dict[str, object], name: str, said: str
) -> None:
    assert said in look(**given)[name].reason


@pytest.mark.parametrize(
    ("easier", "harder"),
    [
        ({"n_lines": 3}, {"n_lines": 30}),
        ({"n_lines": 30}, {"n_lines": 300}),
        ({"n_lines": 300}, {"n_lines": 3_000}),
        ({"files": ("a",)}, {"files": ("a", "b", "c")}),
        ({"code": "await x\n" * 9}, {"code": "await x, lock, atomic\n" * 9}),
        ({"instruction": "rename"}, {"instruction": "make it faster"}),
        ({"instruction": "make it faster"}, {"instruction": "redesign it"}),
        (
            {"instruction": "unused variable", "kind": "fix"},
            {"instruction": "it is broken", "kind": "fix"},
        ),
        (
            {"instruction": "it is broken", "kind": "fix"},
            {"instruction": "it is sometimes broken", "kind": "fix"},
        ),
        ({"kind": "simplify", "n_lines": 40}, {"kind": "simplify", "n_lines": 41}),
    ],
)
def test_what_weighs_more(
    look: Look, easier: dict[str, object], harder: dict[str, object]
) -> None:
    assert weight(look(**easier)) < weight(look(**harder))


@pytest.mark.parametrize("kind", ["docstring", "explain"])
def test_what_changes_nothing_that_runs_stays_small(look: Look, kind: Kind) -> None:
    """However large and concurrent the code is."""
    hard = {"code": "lock atomic thread\n" * 99, "instruction": "say why it hangs"}

    assert weight(look(kind=kind, **hard)) == weight(look(kind=kind))


def test_the_file_itself_counts_once(look: Look) -> None:
    assert "files" not in look(path="a.py", files=("a.py",))


def test_an_easy_word_counts_where_the_order_is(look: Look) -> None:
    """Further back it is what the task is about."""
    assert "words" not in look(instruction="let the user who is here see each comment")
