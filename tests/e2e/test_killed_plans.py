"""Plans whose server is killed while an edit of them is under way."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from tests.e2e.conftest import Serve, Start
from tests.e2e.editor_document import Json
from tests.e2e.plan_session import (
    CART,
    DOUBLED_CART,
    DOUBLED_PRICE,
    PRICE,
    Planning,
    plan_script,
    start_planning,
    write_shop,
)
from tests.e2e.wire_editor import WireEditor, refuse, take

pytestmark = pytest.mark.asyncio(loop_scope="session")

Shop = Callable[..., Awaitable[Planning]]

DOUBLED = {"shop/cart.py": DOUBLED_CART, "shop/price.py": DOUBLED_PRICE}


@pytest_asyncio.fixture(loop_scope="session")
async def shop(start: Start, tmp_path: Path) -> Shop:
    """Start servers in the shop."""
    folder = tmp_path / "shop"
    write_shop(folder)
    return partial(start_planning, start, folder)


@pytest.fixture
def locker(tmp_path: Path) -> Iterator[Callable[[], None]]:
    """Keep servers from writing to the store until the test ends or locks it again."""
    (tmp_path / "kept").mkdir()
    kept = tmp_path / "kept" / "plans.sqlite3"
    with closing(sqlite3.connect(kept, isolation_level=None)) as connection:

        def lock_or_free() -> None:
            held = connection.in_transaction
            connection.execute("ROLLBACK" if held else "BEGIN IMMEDIATE")

        yield lock_or_free


async def ready(here: Planning) -> str:
    """Return the id of a plan that can be applied."""
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    assert (await here.run(plan_id))["state"] == "ready"
    return plan_id


async def applied_and_killed(
    here: Planning,
    plan_id: str,
    locker: Callable[[], None],
    take_edit: Callable[[WireEditor, Json], None],
) -> None:
    """Apply a plan, have the store fail when the edit comes, and kill the server."""

    def lock_and_take(editor: WireEditor, request: Json) -> None:
        locker()
        take_edit(editor, request)

    here.editor.take_edit = lock_and_take
    request = here.editor.run("redline.applyPlan", {"planId": plan_id})
    await here.editor.error(request)
    await here.redline.kill()
    locker()


async def test_an_edit_that_could_not_be_recorded_is_taken_back_after_a_kill(
    shop: Shop, serve: Serve, locker: Callable[[], None]
) -> None:
    """The editor shows it, and has not saved it."""
    model = await serve(plan_script())
    here = await shop(model)
    plan_id = await ready(here)
    await applied_and_killed(here, plan_id, locker, take)
    again = await shop(model)
    assert (await again.state(plan_id))["state"] == "ready"
    for path, text in DOUBLED.items():
        assert here.editor.text(here.uri(path)) == text
        again.editor.open(again.uri(path), text)
    assert (await again.state(plan_id))["state"] == "applied"
    await again.editor.run_now("redline.takeBack", {"planId": plan_id})
    assert again.editor.text(again.uri("shop/cart.py")) == CART
    assert again.editor.text(again.uri("shop/price.py")) == PRICE
    assert (await again.state(plan_id))["state"] == "rejected"


async def test_a_plan_that_was_not_saved_is_applied_again(
    shop: Shop, serve: Serve
) -> None:
    """The editor and the server have ended with the applied texts in its buffers."""
    model = await serve(plan_script())
    here = await shop(model)
    plan_id = await ready(here)
    assert (await here.apply(plan_id))["state"] == "applied"
    await here.redline.kill()
    again = await shop(model)
    again.open("shop/price.py", "shop/cart.py")
    assert (await again.apply(plan_id))["state"] == "applied"
    for path, text in DOUBLED.items():
        assert again.editor.text(again.uri(path)) == text
    request = again.editor.run("redline.applyPlan", {"planId": plan_id})
    message = (await again.editor.error(request))["message"]
    assert "no file is as it was before" in message
    await again.editor.run_now("redline.takeBack", {"planId": plan_id})
    assert again.editor.text(again.uri("shop/cart.py")) == CART


async def test_an_edit_that_the_editor_declined_is_not_taken_back_after_a_kill(
    shop: Shop, serve: Serve, locker: Callable[[], None]
) -> None:
    """The plan still waits, and can be applied."""
    model = await serve(plan_script())
    here = await shop(model)
    plan_id = await ready(here)
    await applied_and_killed(here, plan_id, locker, refuse)
    again = await shop(model)
    again.open("shop/price.py", "shop/cart.py")
    request = again.editor.run("redline.takeBack", {"planId": plan_id})
    assert "nothing of it is applied" in (await again.editor.error(request))["message"]
    assert (await again.apply(plan_id))["state"] == "applied"
    for path, text in DOUBLED.items():
        assert again.editor.text(again.uri(path)) == text
    await again.editor.run_now("redline.takeBack", {"planId": plan_id})
    assert again.editor.text(again.uri("shop/cart.py")) == CART
