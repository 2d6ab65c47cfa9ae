"""What a provider stores is deleted, also if Redline ends meanwhile."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio
from tests.assist.review.seeded_workspace import write_workspace
from tests.e2e.conftest import Begin, OpenPlanning, Serve, Start
from tests.e2e.plan_session import (
    Planning,
    plan_script,
    start_planning,
    write_shop,
)
from tests.e2e.review_session import Reviewing, reviewing, settings_of
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import WAIT_S

pytestmark = pytest.mark.asyncio(loop_scope="session")

Shop = Callable[[ScriptedModel], Awaitable[Planning]]


@pytest_asyncio.fixture(loop_scope="session")
async def shop(start: Start, tmp_path: Path) -> Shop:
    """Start servers in the shop, whose models store their answers."""
    folder = tmp_path / "shop"
    write_shop(folder)

    def shop(model: ScriptedModel) -> Awaitable[Planning]:
        models = settings_of(model)["models"]
        return start_planning(start, folder, model, models=models)

    return shop


@pytest.fixture
def shared_shop(open_planning: OpenPlanning, tmp_path: Path) -> Shop:
    """Open the shop in a server that tests share."""
    folder = tmp_path / "shop"
    write_shop(folder)

    def open_shop(model: ScriptedModel) -> Awaitable[Planning]:
        return open_planning(folder, model, models=settings_of(model)["models"])

    return open_shop


def deleted(model: ScriptedModel) -> Callable[[], bool]:
    """Whether an answer was cancelled and then deleted."""

    def is_deleted() -> bool:
        for method, path in model.calls:
            cancel = ("POST", f"{path}/cancel")
            if method == "DELETE" and cancel in model.calls:
                return True
        return False

    return is_deleted


async def begun(here: Reviewing, model: ScriptedModel) -> str:
    """Start a review, and wait until the provider stores its answer."""
    hold = model.hold_model("deep", after=60)
    here.open()
    review_id = await here.review()
    await hold.reached()
    await here.published(lambda found: found)
    return review_id


async def test_a_cancelled_answer_is_deleted_by_the_next_server(
    begin: Begin, reviewers: ScriptedModel
) -> None:
    """The first one is killed before the provider has answered it."""
    here = await begin()
    review_id = await begun(here, reviewers)
    reviewers.may_call.clear()
    cancelled = await here.editor.run_now(
        "redline.cancelReview", {"reviewId": review_id}
    )
    assert cancelled == {"cancelled": True}
    await here.redline.kill()
    reviewers.may_call.set()
    await begin()
    await reviewers.until(deleted(reviewers))


@pytest.mark.parametrize("enabled", [True, False])
async def test_the_end_of_a_server_deletes_what_no_other_resumes(
    start: Start, reviewers: ScriptedModel, tmp_path: Path, enabled: bool
) -> None:
    """With a store the next server goes on with the answer."""
    folder = tmp_path / "project"
    write_workspace(folder)
    store = {"enabled": enabled, "file": str(tmp_path / "kept" / "reviews.sqlite3")}
    redline = await start(
        options={**settings_of(reviewers, tmp_path / "unused"), "store": store},
        capabilities=reviewing(),
        workspaceFolders=[{"uri": folder.as_uri(), "name": "project"}],
    )
    here = Reviewing(redline, folder)
    await begun(here, reviewers)
    await redline.end()
    assert deleted(reviewers)() is not enabled


async def stored(file: Path) -> None:
    """Wait until the id of an answer is stored, which is a moment after it came."""
    names = "SELECT name FROM review_steps WHERE name LIKE 'unwanted answer %'"
    async with asyncio.timeout(WAIT_S):
        with closing(sqlite3.connect(file)) as connection:
            while not connection.execute(names).fetchall():  # noqa: ASYNC110 - another process writes it.
                await asyncio.sleep(0.01)


async def planning_begun(here: Planning, model: ScriptedModel) -> str:
    """Start a plan, and wait until the provider stores its answer."""
    hold = model.hold_model("deep", after=1)
    plan_id = await here.plan()
    await hold.reached()
    return plan_id


async def review_begun(here: Planning, model: ScriptedModel) -> str:
    """Run a plan, and wait until the provider stores the answer of its review."""
    plan_id = await here.plan()
    await here.settled(plan_id)
    await model.until(lambda: bool(model.calls))
    hold = model.hold_model("deep", after=1)
    await here.editor.run_now("redline.runPlan", {"planId": plan_id})
    await hold.reached()
    return plan_id


@pytest.mark.parametrize("begun", [planning_begun, review_begun])
@pytest.mark.parametrize("is_killed", [False, True])
async def test_the_end_of_a_server_deletes_an_answer_of_a_plan(
    begun: Callable[[Planning, ScriptedModel], Awaitable[str]],
    is_killed: bool,
    shop: Shop,
    serve: Serve,
) -> None:
    """Or the next one does, which goes on with the plan."""
    model = await serve(plan_script())
    here = await shop(model)
    await begun(here, model)
    assert not deleted(model)()
    if not is_killed:
        await here.redline.end()
        assert deleted(model)()
        return
    await stored(here.folder.parent / "kept" / "plans.sqlite3")
    await here.redline.kill()
    model.forget()
    await shop(model)
    await model.until(deleted(model))


@pytest.mark.parametrize("begun", [planning_begun, review_begun])
async def test_a_cancel_deletes_an_answer_of_a_plan(
    begun: Callable[[Planning, ScriptedModel], Awaitable[str]],
    shared_shop: Shop,
    serve: Serve,
) -> None:
    """By the same server."""
    model = await serve(plan_script())
    here = await shared_shop(model)
    plan_id = await begun(here, model)
    assert not deleted(model)()
    await here.editor.run_now("redline.cancelPlan", {"planId": plan_id})
    await model.until(deleted(model))


async def test_the_answers_of_a_plan_are_deleted_when_they_were_read(
    shared_shop: Shop, serve: Serve
) -> None:
    """Those of the planning and of the review; what has ended is not cancelled."""
    model = await serve(plan_script())
    here = await shared_shop(model)
    plan_id = await here.plan()
    await here.settled(plan_id)
    assert (await here.run(plan_id))["state"] == "ready"
    await model.until(lambda: len(model.calls) == 2)
    assert {method for method, _ in model.calls} == {"DELETE"}


async def test_what_the_provider_did_not_delete_is_deleted_by_the_next_server(
    shop: Shop, serve: Serve
) -> None:
    """The plan itself waits for the user, so nobody goes on with it."""
    model = await serve(plan_script())
    here = await shop(model)
    model.may_call.clear()
    plan_id = await here.plan()
    assert (await here.settled(plan_id))["state"] == "planned"
    await here.redline.kill()
    model.may_call.set()
    await shop(model)
    await model.until(lambda: any(method == "DELETE" for method, _ in model.calls))


async def test_an_answer_whose_id_came_after_the_cancel_is_deleted(
    shared_shop: Shop, serve: Serve
) -> None:
    """The provider answers the request only then."""
    model = await serve(plan_script())
    here = await shared_shop(model)
    hold = model.hold_model("deep", after=0)
    plan_id = await here.plan()
    await hold.reached()
    await here.editor.run_now("redline.cancelPlan", {"planId": plan_id})
    hold.release()
    await model.until(deleted(model))
