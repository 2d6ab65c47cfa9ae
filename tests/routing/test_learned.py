"""The learned score: reproducible, small, and of the same features as the code."""

from __future__ import annotations

import pytest
from benchmarks.routing_weights import FOLDER, MAX_BYTES, encoded, read_tasks, trained
from tests.routing.conftest import MakeTask

from redline.routing.boundary import Reading
from redline.routing.features import layout
from redline.routing.learned import FILE, guards, shipped_weights, tier_signal


def test_the_weights_are_for_the_features_of_this_version() -> None:
    assert shipped_weights().layout == layout()


def test_the_weights_are_small() -> None:
    assert FILE.stat().st_size <= MAX_BYTES


def test_the_same_tasks_give_the_same_weights() -> None:
    tasks = read_tasks(FOLDER / "author-1.jsonl")[:60]

    assert encoded(trained(tasks, epochs=2)) == encoded(trained(tasks, epochs=2))


def test_the_words_of_a_task_decide(task: MakeTask) -> None:
    """After training on tasks of two kinds, each is recognized, with its reason."""
    tasks = read_tasks(FOLDER / "author-1.jsonl")
    few = [t for t in tasks if t.tier != "standard"][:120]
    made = trained(few)
    right = [
        (tier_signal(each, made).weight <= 0.4) == (each.tier == "fast") for each in few
    ]

    assert sum(right) >= 0.95 * len(few)


@pytest.mark.parametrize(
    ("instruction", "level"), [("add a docstring", "fast"), ("find the race", "deep")]
)
def test_a_reason_names_the_words(task: MakeTask, instruction: str, level: str) -> None:
    signal = tier_signal(task(instruction=instruction), shipped_weights())

    assert f"“{instruction.split()[-1]}”" in signal.reason
    assert signal.reason.endswith(f"for {level}.")


def test_an_empty_task_has_a_score_and_no_guard(task: MakeTask) -> None:
    empty = task(instruction="", path="", language="", code="")

    assert 0 <= tier_signal(empty, shipped_weights()).weight <= 1
    assert guards(empty, Reading.of(empty), {}, shipped_weights()) == []


def test_a_boundary_that_is_not_in_use_is_not_reported(task: MakeTask) -> None:
    guarded = task(code="def can_edit(user): return user.role in EDITORS")

    assert guards(guarded, Reading.of(guarded), {}, shipped_weights()) == []
