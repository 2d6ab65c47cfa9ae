"""The learned score: reproducible, small, and of the same features as the code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from benchmarks.routing_weights import (
    FOLDER,
    MAX_BYTES,
    LabelledTask,
    encoded,
    read_tasks,
    trained,
)
from tests.routing.conftest import MakeTask

from redline.routing.boundary import Reading
from redline.routing.features import guard_features, layout
from redline.routing.learned import FILE, likely_boundaries, shipped_weights
from redline.routing.route import route
from redline.settings.tree import RoutingSettings

DEFAULT = RoutingSettings()


def test_the_weights_are_for_the_features_of_this_version() -> None:
    assert shipped_weights().layout == layout()


def test_the_weights_are_small() -> None:
    assert FILE.stat().st_size <= MAX_BYTES


def some(n_tasks: int) -> Mapping[str, Sequence[LabelledTask]]:
    """Return the first tasks of two authors."""
    return {
        name: read_tasks(FOLDER / f"{name}.jsonl")[:n_tasks]
        for name in ("author-1", "author-3")
    }


def test_the_same_tasks_give_the_same_weights() -> None:
    tasks = some(30)

    assert encoded(trained(tasks, epochs=2)) == encoded(trained(tasks, epochs=2))


def test_what_was_trained_on_is_recognized() -> None:
    """Of two kinds of tasks, nearly all."""
    few = {
        name: [task for task in tasks if task.tier != "standard"]
        for name, tasks in some(90).items()
    }
    made = trained(few)
    right = [
        (route(each, settings=DEFAULT, asked=None, weights=made).estimate.deep < 0)
        == (each.tier == "fast")
        for tasks in few.values()
        for each in tasks
    ]

    assert sum(right) >= 0.95 * len(right)


@pytest.mark.parametrize(
    ("instruction", "level"),
    [("add a docstring", "fast"), ("find the deadlock", "deep")],
)
def test_a_reason_names_the_words(task: MakeTask, instruction: str, level: str) -> None:
    chosen = route(task(instruction=instruction), settings=DEFAULT, asked=None)
    (reason,) = (each for each in chosen.reasons if each.endswith(f"for {level}."))

    assert f"“{instruction.split()[-1]}”" in reason


def test_an_empty_task_has_a_score_and_no_guard(task: MakeTask) -> None:
    empty = task(instruction="", path="", language="", code="")
    chosen = route(empty, settings=DEFAULT, asked=None)

    assert 0 <= chosen.score <= 1
    assert chosen.boundaries == ()


def test_a_boundary_that_is_not_in_use_is_not_reported(task: MakeTask) -> None:
    guarded = task(code="def can_edit(user): return user.role in EDITORS")
    code = guard_features(guarded, Reading.of(guarded))

    assert likely_boundaries(shipped_weights(), code, {}) == []
