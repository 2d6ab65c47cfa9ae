"""The tier of a task, and the reasons for it."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.routing.conftest import MakeTask

from redline.routing.route import Tier, revised, route
from redline.routing.rules import NAMES
from redline.routing.task import Kind, Task
from redline.settings.tree import BoundarySettings, RoutingSettings

DEFAULT = RoutingSettings()
GUARDED = {"code": "verify_password(given, stored)\n" * 10}
TASKS = st.builds(
    Task,
    instruction=st.text(),
    path=st.text(),
    language=st.sampled_from(["python", "go", "css", "sql", ""]),
    code=st.text(),
    surroundings=st.text(),
    files=st.lists(st.text(), max_size=3).map(tuple),
    n_lines=st.none() | st.integers(min_value=0, max_value=10**6),
    kind=st.sampled_from(get_args(Kind)),
)


def test_a_small_edit_is_the_fast_tiers(task: MakeTask) -> None:
    chosen = route(task(instruction="rename x to y"), settings=DEFAULT, asked=None)

    assert chosen.tier == "fast"
    assert chosen.reasons[0].endswith("is at most 0.4.")
    assert any(each.startswith("“rename” and") for each in chosen.reasons)
    assert chosen.boundaries == ()


@pytest.mark.parametrize(
    ("above_fast", "above_standard", "tier"),
    [(0.0, 0.1, "fast"), (-0.01, 0.1, "standard"), (-0.02, -0.01, "deep")],
)
def test_thresholds_are_settings(
    task: MakeTask, above_fast: float, above_standard: float, tier: Tier
) -> None:
    """A score that equals one is still below it."""
    score = route(task(), settings=DEFAULT, asked=None).score
    settings = RoutingSettings(
        fast_below=round(score + above_fast, 2),
        standard_below=round(score + above_standard, 2),
    )

    assert route(task(), settings=settings, asked=None).tier == tier


@pytest.mark.parametrize("tier", get_args(Tier))
def test_the_tier_that_was_asked_for_wins(task: MakeTask, tier: Tier) -> None:
    """And the reason says that it was asked for."""
    chosen = route(task(), settings=DEFAULT, asked=tier)

    assert chosen.tier == tier
    assert chosen.reasons[0] == f"You asked for {tier}."


def test_the_user_chooses_the_model(task: MakeTask) -> None:
    """By its name, unless it fills the fast tier alone and the task is guarded."""
    chosen = route(task(), settings=DEFAULT, asked="fast", model="quick")
    guarded = route(task(**GUARDED), settings=DEFAULT, asked="fast", model="quick")
    better = route(task(**GUARDED), settings=DEFAULT, asked="standard", model="best")

    assert (chosen.tier, chosen.model, chosen.is_named) == ("fast", "quick", True)
    assert chosen.reasons[0] == "You asked for quick."
    assert (guarded.tier, guarded.model) == ("standard", None)
    assert guarded.reasons[0] == (
        "You asked for quick, but this is never the fast tier's alone."
    )
    assert (better.tier, better.model) == ("standard", "best")


@pytest.mark.parametrize(
    ("asked", "tier"),
    [
        (None, "standard"),
        ("fast", "standard"),
        ("standard", "standard"),
        ("deep", "deep"),
    ],
)
def test_nothing_over_a_boundary_is_the_fast_tiers(
    task: MakeTask, asked: Tier | None, tier: Tier
) -> None:
    """Not even if it was asked for; the reasons say so."""
    chosen = route(task(**GUARDED), settings=DEFAULT, asked=asked)

    assert chosen.tier == tier
    assert chosen.boundaries == ("authentication",)
    assert "It touches authentication" in chosen.reasons[1]
    if asked == "fast":
        assert "never the fast tier's alone" in chosen.reasons[0]


def test_a_hard_task_over_a_boundary_goes_as_high_as_it_needs(task: MakeTask) -> None:
    hard = task(**GUARDED, instruction="find the race", kind="review")

    assert route(hard, settings=DEFAULT, asked=None).tier == "deep"


def test_work_across_services_is_a_boundary_and_weighs(task: MakeTask) -> None:
    files = tuple(f"services/s{n}/x.go" for n in range(3))
    off = RoutingSettings(boundaries_off=("services",))

    chosen = route(task(files=files), settings=DEFAULT, asked=None)
    switched_off = route(task(files=files), settings=off, asked=None)

    assert chosen.boundaries == ("services",)
    assert chosen.tier != "fast"
    assert switched_off.boundaries == ()
    assert switched_off.score < chosen.score


def test_the_users_own_services_boundary_is_the_same_one(task: MakeTask) -> None:
    """It is named once, however many rules find it."""
    own = RoutingSettings(boundaries={"services": BoundarySettings(paths=("proto/",))})
    files = tuple(f"services/s{n}/x.go" for n in range(3))

    chosen = route(task(path="proto/a.proto", files=files), settings=own, asked=None)

    assert chosen.boundaries == ("services",)


def test_a_boundary_that_is_switched_off_guards_nothing(task: MakeTask) -> None:
    off = RoutingSettings(boundaries_off=NAMES)

    assert route(task(**GUARDED), settings=off, asked="fast").tier == "fast"


@given(TASKS, st.sampled_from([None, *get_args(Tier)]))
def test_every_task_has_a_route(task: Task, asked: Tier | None) -> None:
    """The same each time, its score in [0, 1], and never fast over a boundary."""
    chosen = route(task, settings=DEFAULT, asked=asked)

    assert chosen == route(task, settings=DEFAULT, asked=asked)
    assert 0 <= chosen.score <= 1
    assert chosen.reasons
    assert all(reason.endswith(".") for reason in chosen.reasons)
    assert not (chosen.boundaries and chosen.tier == "fast")
    assert asked in (None, chosen.tier) or (asked == "fast" and chosen.boundaries)


MEMBERS = {
    "path": "src/projects/members.py",
    "code": "def can_edit(user, project):\n"
    "    return user.role in project.editors or user.is_owner\n",
}


@pytest.mark.parametrize("instruction", ["use a set here", "make it shorter"])
def test_a_guard_by_what_the_code_does_needs_no_dangerous_word(
    task: MakeTask, instruction: str
) -> None:
    """The instruction is innocent."""
    guarded = task(instruction=instruction, **MEMBERS)

    chosen = route(guarded, settings=DEFAULT, asked=None)

    assert chosen.tier != "fast"
    assert chosen.boundaries == ("permissions",)


@pytest.mark.parametrize("instruction", ["add a docstring", "add a comment"])
def test_guarded_code_does_not_guard_what_changes_nothing(
    task: MakeTask, instruction: str
) -> None:
    """The reasons say what was found."""
    chosen = route(
        task(instruction=instruction, **MEMBERS), settings=DEFAULT, asked=None
    )

    assert (chosen.tier, chosen.boundaries) == ("fast", ())
    (reason,) = (each for each in chosen.reasons if "permissions" in each)
    assert reason.startswith("It seems to change nothing there: ")


def test_a_boundary_that_an_opinion_drops_says_so(task: MakeTask) -> None:
    """It is no reason any more, but what was found is still shown."""
    settings = RoutingSettings()
    login = "def login(user, password):\n    return check(user, password)\n"
    before = route(
        task(instruction="accept longer ones", code=login),
        settings=settings,
        asked=None,
    )
    after = before
    for _ in range(4):
        after = revised(
            after, "fast", is_guarded=False, reliability=0.9, settings=settings
        )
    assert before.boundaries
    assert not after.boundaries
    assert before.guard_reasons
    assert not after.guard_reasons
    for reason in before.guard_reasons:
        assert reason not in after.reasons
        assert f"It seems to change nothing there: {reason}" in after.reasons


def test_the_users_own_boundary_guards_every_edit(task: MakeTask) -> None:
    """However harmless its instruction is."""
    own = RoutingSettings(boundaries={"members": BoundarySettings(paths=("members",))})
    harmless = task(instruction="add a docstring", **MEMBERS)

    chosen = route(harmless, settings=own, asked=None)

    assert (chosen.tier, chosen.boundaries) == ("standard", ("members",))


@given(TASKS)
def test_more_lines_are_never_easier(task: Task) -> None:
    sizes = (0, 6, 7, 15, 40, 100, 300, 1_000, 10**6)
    scores = [
        route(
            Task(
                instruction=task.instruction,
                path=task.path,
                language=task.language,
                code=task.code,
                n_lines=n_lines,
                kind=task.kind,
            ),
            settings=DEFAULT,
            asked=None,
        ).score
        for n_lines in sizes
    ]

    assert scores == sorted(scores)
