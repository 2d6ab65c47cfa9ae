"""Plans in two windows: two editors with a server each, and one store of plans."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from tests.e2e.conftest import Serve, Start
from tests.e2e.plan_session import (
    CART,
    DOUBLED_CART,
    Planning,
    plan_script,
    start_planning,
    write_shop,
)
from tests.e2e.plan_tasks import write_edit
from tests.e2e.wire_editor import APPLY_EDIT, ignore

pytestmark = pytest.mark.asyncio(loop_scope="session")

Shop = Callable[..., Awaitable[Planning]]


@pytest_asyncio.fixture(loop_scope="session")
async def shop(start: Start, tmp_path: Path) -> Shop:
    """Start a window with its server in the shop: `shop(model)`."""
    folder = tmp_path / "shop"
    write_shop(folder)
    return partial(start_planning, start, folder)


async def test_two_windows_see_the_state_of_one_plan(shop: Shop, serve: Serve) -> None:
    """What runs in one is not run or cancelled in the other, nor applied twice."""
    model = await serve(plan_script())
    here = await shop(model)
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    other = await shop(model)
    assert (await other.state(plan_id))["state"] == "planned"
    hold = model.hold("Add the method doubled.", after=1)
    after = len(here.editor.heard)
    await here.editor.run_now("redline.runPlan", {"planId": plan_id})
    await hold.reached()
    for command in ("redline.runPlan", "redline.cancelPlan"):
        request = other.editor.run(command, {"planId": plan_id})
        error = await other.editor.error(request)
        assert error["message"].startswith("The plan is running")
    hold.release()
    assert (await here.settled(plan_id, after=after))["state"] == "ready"
    assert (await other.state(plan_id))["state"] == "ready"
    await here.apply(plan_id)
    (listed,) = (await other.editor.run_now("redline.plans", {}))["plans"]
    assert listed["state"] == "applied"
    request = other.editor.run("redline.applyPlan", {"planId": plan_id})
    error = await other.editor.error(request)
    assert error["message"].startswith("Another window applied the plan")


async def test_another_window_goes_on_with_a_plan_whose_server_was_killed(
    shop: Shop, serve: Serve
) -> None:
    """It has to do no more than look at it."""
    model = await serve(plan_script())
    here, other = await shop(model), await shop(model)
    plan_id = await here.plan()
    await here.settled(plan_id)
    hold = model.hold("Add the method doubled.", after=1)
    await here.editor.run_now("redline.runPlan", {"planId": plan_id})
    await hold.reached()
    assert (await other.state(plan_id))["state"] == "running"
    await here.redline.kill()
    hold.release()
    await other.state(plan_id)
    assert (await other.settled(plan_id))["state"] == "ready"


async def test_two_windows_run_one_plan_at_the_same_moment(
    shop: Shop, serve: Serve
) -> None:
    """One runs it; the other one says so, as does a second request in one window."""
    model = await serve(plan_script())
    windows = [await shop(model), await shop(model)]
    here, other = windows
    for window in windows:
        window.open("shop/price.py", "shop/cart.py")
    for runs in ((here, other), (other, here), (here, here)):
        model.entries.clear()
        plan_id = await here.plan()
        await here.settled(plan_id)
        assert (await other.state(plan_id))["state"] == "planned"
        asked = [
            (
                window,
                len(window.editor.heard),
                window.editor.run("redline.runPlan", {"planId": plan_id}),
            )
            for window in runs
        ]
        refused = []
        for window, after, request in asked:
            answer = await window.editor.answer(request)
            if "error" in answer:
                refused.append(answer["error"]["message"])
                continue
            ready = await window.settled(plan_id, after=after)
            assert ready["state"] == "ready", ready["message"]
        assert len(refused) == 1
        assert refused[0].startswith("The plan is ")
        assert sorted(task.instruction for task in model.tasks) == [
            "Add the method doubled.",
            "Sum the doubled prices.",
        ]


@pytest.mark.parametrize("is_open", [False, True])
async def test_a_plan_whose_files_are_unsaved_in_another_window(
    shop: Shop, serve: Serve, is_open: bool
) -> None:
    """Only that window can take it back, until it has saved them or is closed."""
    model = await serve(plan_script())
    here, other = await shop(model), await shop(model)
    other.editor.take_edit = write_edit
    if is_open:
        # It shows the texts from before the plan.
        other.open("shop/price.py", "shop/cart.py")
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    await here.run(plan_id)
    await here.editor.run_now("redline.applyPlan", {"planId": plan_id})
    assert here.editor.text(here.uri("shop/cart.py")) == DOUBLED_CART
    request = other.editor.run("redline.takeBack", {"planId": plan_id})
    error = await other.editor.error(request)
    assert "Another window applied the plan" in error["message"]
    assert "shop/cart.py" in error["message"]
    assert (await other.state(plan_id))["state"] == "applied"
    await here.editor.run_now("redline.takeBack", {"planId": plan_id})
    assert here.editor.text(here.uri("shop/cart.py")) == CART
    assert (await other.state(plan_id))["state"] == "rejected"


async def test_two_windows_apply_one_plan_at_the_same_moment(
    shop: Shop, serve: Serve
) -> None:
    """One applies it, and the other one says so; then one takes it back."""
    model = await serve(plan_script())
    here, other = await shop(model), await shop(model)
    for window in (here, other):
        window.editor.take_edit = write_edit
    plan_id = await here.plan()
    await here.settled(plan_id)
    await here.run(plan_id)
    assert (await other.state(plan_id))["state"] == "ready"
    for command, state in (("applyPlan", "applied"), ("takeBack", "rejected")):
        asked = [
            (window, window.editor.run(f"redline.{command}", {"planId": plan_id}))
            for window in (here, other)
        ]
        answers = [await window.editor.answer(request) for window, request in asked]
        (refused,) = [one["error"] for one in answers if "error" in one]
        assert "plan" in refused["message"]
        assert [one.get("error") for one in answers].count(None) == 1
        for window in (here, other):
            assert (await window.state(plan_id))["state"] == state
    edits = [len(one.editor.all_of(APPLY_EDIT)) for one in (here, other)]
    assert sum(edits) == 2


async def test_an_edit_in_one_window_keeps_the_plan_from_the_others(
    shop: Shop, serve: Serve
) -> None:
    """What they ask meanwhile is refused, so nothing that was answered is lost."""
    model = await serve(plan_script())
    here, other = await shop(model), await shop(model)
    for window in (here, other):
        window.editor.take_edit = write_edit
    plan_id = await here.plan()
    await here.settled(plan_id)
    await here.run(plan_id)
    (listed,) = (await other.editor.run_now("redline.plans", {}))["plans"]
    assert listed["state"] == "ready"
    here.editor.take_edit = ignore
    first = here.editor.run("redline.applyPlan", {"planId": plan_id})
    edit = await here.editor.hear(lambda one: one.get("method") == APPLY_EDIT)
    commands = "applyPlan takeBack runPlan planAgain rejectPlan cancelPlan"
    for command in commands.split():
        request = other.editor.run(f"redline.{command}", {"planId": plan_id})
        error = await other.editor.error(request)
        assert "its edit waits in the editor" in error["message"], command
    write_edit(here.editor, edit)
    assert (await here.editor.result(first))["state"] == "applied"
    assert (await other.state(plan_id))["state"] == "applied"
    assert not other.editor.all_of(APPLY_EDIT)
    await other.editor.run_now("redline.takeBack", {"planId": plan_id})
    assert (await here.state(plan_id))["state"] == "rejected"


async def test_a_plan_is_free_again_when_the_window_that_applies_it_is_killed(
    shop: Shop, serve: Serve
) -> None:
    """Until then it is refused elsewhere."""
    model = await serve(plan_script())
    here, other = await shop(model), await shop(model)
    plan_id = await here.plan()
    await here.settled(plan_id)
    await here.run(plan_id)
    here.editor.take_edit = ignore
    here.editor.run("redline.applyPlan", {"planId": plan_id})
    await here.editor.hear(lambda one: one.get("method") == APPLY_EDIT)
    request = other.editor.run("redline.applyPlan", {"planId": plan_id})
    error = await other.editor.error(request)
    assert "its edit waits in the editor" in error["message"]
    await here.redline.kill()
    other.open("shop/price.py", "shop/cart.py")
    assert (await other.apply(plan_id))["state"] == "applied"
