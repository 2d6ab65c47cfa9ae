"""Plans and debugs that are cancelled, or whose server is killed, in each state."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec.structs import replace
from tests.e2e.conftest import Serve, Start
from tests.e2e.debug_session import OUTPUT, PRICE, debug_script, write_project
from tests.e2e.editor_document import Json
from tests.e2e.plan_session import (
    CART,
    Planning,
    plan_script,
    plan_settings,
    planning,
    write_shop,
)
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel

from redline.plans.states import PLAN_ENDS, PLAN_SUCCESSORS, WAITS_FOR_USER
from redline.settings.tree import StoreSettings
from redline.store.review_store import ReviewStore

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Interrupted(Planning):
    """What a test does in a folder whose test waits at a pipe."""

    def __init__(self, redline: Redline, folder: Path, pipe: Path) -> None:
        super().__init__(redline, folder)
        self._pipe = pipe

    @asynccontextmanager
    async def test_running(self) -> AsyncIterator[None]:
        """Wait until the test runs without the fix; it goes on at the end."""
        # Opening waits for the reader.
        pipe = await asyncio.to_thread(self._pipe.open, "w")
        try:
            yield
        finally:
            pipe.close()

    async def kill(self, model: ScriptedModel) -> None:
        """Kill the server, and wait until it is gone."""
        await self.redline.kill()
        model.forget()


Place = Callable[[ScriptedModel], Awaitable[Interrupted]]

RUNNER = f"""\
import sys
sys.path.insert(0, ".")
from shop.price import euros
if euros(250) != 2.5:
    with open(sys.argv[1]) as pipe:
        pipe.read()
    sys.exit({OUTPUT!r})
"""


@pytest_asyncio.fixture(loop_scope="session")
async def place(start: Start, tmp_path: Path) -> Place:
    """Start a server in a trusted folder whose test waits at a pipe."""
    folder = tmp_path / "shop"
    numbers = itertools.count()
    config = tmp_path / "config.toml"
    config.write_text(f"[trust]\nworkspaces = {json.dumps([str(folder)])}\n")

    async def place(model: ScriptedModel) -> Interrupted:
        # Another one for each server: a test of a killed one may still read.
        pipe = tmp_path / f"pipe{next(numbers)}"
        os.mkfifo(pipe)
        command = [sys.executable, "-c", RUNNER, str(pipe)]
        redline = await start(
            "--config",
            str(config),
            options=plan_settings(
                model,
                tmp_path / "kept" / "plans.sqlite3",
                test={"command": command, "timeout_s": 600},
            ),
            capabilities=planning(),
            workspaceFolders=[{"uri": folder.as_uri(), "name": "shop"}],
        )
        redline.says_paths = True
        return Interrupted(redline, folder, pipe)

    return place


async def start_plan(here: Planning, kind: str) -> str:
    """Start a plan or a debug."""
    if kind == "plan":
        return await here.plan()
    started = await here.editor.run_now("redline.debug", {"text": OUTPUT})
    plan_id: str = started["planId"]
    return plan_id


async def cancelled(here: Planning, plan_id: str, state: str) -> Json:
    """Cancel a plan in a state; return how it is then."""
    assert (await here.state(plan_id))["state"] == state
    done = await here.editor.run_now("redline.cancelPlan", {"planId": plan_id})
    assert done == {"cancelled": True}
    found = await here.state(plan_id)
    assert found["state"] == "cancelled"
    request = here.editor.run("redline.applyPlan", {"planId": plan_id})
    message = (await here.editor.error(request))["message"]
    assert "only a plan that is ready or held" in message
    return found


def asked(state: Json) -> set[str]:
    """Return the tiers whose prompts are counted, also those without an answer."""
    return {use["tier"] for use in state["usage"] if use["inputTokens"]}


async def test_a_plan_is_cancelled_in_each_state(place: Place, serve: Serve) -> None:
    """Nothing is changed, and requests without an answer are counted."""
    model = await serve(plan_script())
    here = await place(model)
    write_shop(here.folder)
    here.open("shop/price.py", "shop/cart.py")
    # Before the planner is asked.
    plan_id = await here.plan()
    await here.editor.run_now("redline.cancelPlan", {"planId": plan_id})
    assert (await here.state(plan_id))["state"] == "cancelled"
    for state, tiers in (
        ("planning", {"deep"}),
        ("planned", {"deep"}),
        ("running", {"deep", "fast"}),
        ("reviewing", {"deep", "fast"}),
        ("ready", {"deep", "fast"}),
    ):
        model.forget()
        hold = model.hold_model("deep", after=1) if state == "planning" else None
        plan_id = await start_plan(here, "plan")
        if state != "planning":
            await here.settled(plan_id)
        if state == "running":
            hold = model.hold_model("fast", after=1)
        elif state == "reviewing":
            hold = model.hold_model("deep", after=1)
        if state in ("running", "reviewing"):
            await here.editor.run_now("redline.runPlan", {"planId": plan_id})
        elif state == "ready":
            await here.run(plan_id)
        if hold is not None:
            await hold.reached()
        found = await cancelled(here, plan_id, state)
        assert asked(found) == tiers, state
        if hold is not None:
            hold.release()
    assert here.editor.text(here.uri("shop/cart.py")) == CART


async def test_a_debug_is_cancelled_in_each_state(place: Place, serve: Serve) -> None:
    """Also while the test runs."""
    model = await serve(debug_script())
    here = await place(model)
    write_project(here.folder)
    for state, tiers in (
        ("planning", {"deep"}),
        ("running", {"deep", "fast"}),
        ("joining", {"deep", "fast"}),
        ("reviewing", {"deep", "fast"}),
        ("ready", {"deep", "fast"}),
    ):
        model.forget()
        hold = None
        if state == "planning":
            hold = model.hold_model("deep", after=1)
        elif state == "running":
            hold = model.hold_model("fast", after=1)
        plan_id = await start_plan(here, "debug")
        if hold is None:
            async with here.test_running():
                if state == "joining":
                    found = await cancelled(here, plan_id, state)
                    assert asked(found) == tiers
                    continue
                if state == "reviewing":
                    hold = model.hold_model("deep", after=1)
        if hold is not None:
            await hold.reached()
        else:
            await here.settled(plan_id)
        found = await cancelled(here, plan_id, state)
        assert asked(found) == tiers, state
        if hold is not None:
            hold.release()
    price = (here.folder / "shop" / "price.py").read_text(encoding="utf-8")
    assert price == PRICE


async def test_a_debug_goes_on_after_a_kill_in_each_state(
    place: Place, serve: Serve
) -> None:
    """The fix is the same as without a kill, and proved."""
    model = await serve(debug_script())
    here = await place(model)
    write_project(here.folder)
    hold = model.hold_model("deep", after=1)
    plan_id = await start_plan(here, "debug")
    await hold.reached()
    await here.kill(model)
    hold.release()
    hold = model.hold("Divide by 100.", after=1)
    here = await place(model)
    await hold.reached()
    await here.kill(model)
    hold.release()
    here = await place(model)
    async with here.test_running():
        assert (await here.state(plan_id))["state"] == "joining"
        await here.kill(model)
    hold = model.hold_model("deep", after=1)
    here = await place(model)
    async with here.test_running():
        pass
    await hold.reached()
    assert (await here.state(plan_id))["state"] == "reviewing"
    await here.kill(model)
    hold.release()
    here = await place(model)
    async with here.test_running():
        pass
    ready = await here.settled(plan_id)
    assert (ready["state"], ready["proved"]) == ("ready", "green"), ready["message"]
    await here.kill(model)
    here = await place(model)
    assert (await here.state(plan_id))["proved"] == "green"
    here.open("shop/price.py")
    await here.apply(plan_id)
    text = here.editor.text(here.uri("shop/price.py"))
    assert text == PRICE.replace("/ 10\n", "/ 100\n")


async def test_stored_plans_of_each_state_go_on(
    place: Place, serve: Serve, tmp_path: Path
) -> None:
    """After a kill: what was at work ends as it would have, the rest stays."""
    model = await serve(plan_script())
    here = await place(model)
    write_shop(here.folder)
    plan_id = await here.plan()
    await here.settled(plan_id)
    await here.run(plan_id)
    await here.kill(model)
    settings = StoreSettings(file=str(tmp_path / "kept" / "plans.sqlite3"))
    store = ReviewStore(lambda: settings, owner="0" * 16)
    ready = await store.plan(plan_id)
    assert ready is not None
    planned = replace(ready, state="planned", steps=(), overlay=replace(ready.overlay))
    for state in PLAN_SUCCESSORS:
        is_early = state in ("queued", "gathering", "planning")
        record = replace(planned, plan=None) if is_early else ready
        ended_at = record.created_at if state in PLAN_ENDS else None
        await store.write(replace(record, id=state, state=state, ended_at=ended_at))
    await store.aclose()
    here = await place(model)
    for state in PLAN_SUCCESSORS:
        expected = state
        if state not in WAITS_FOR_USER | PLAN_ENDS:
            is_early = state in ("queued", "gathering", "planning")
            expected = "planned" if is_early else "ready"
        found = await here.state(state)
        if found["state"] != expected:
            found = await here.settled(state)
        assert found["state"] == expected, (state, found["message"])
