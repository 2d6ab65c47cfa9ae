"""What two windows know of one plan, and which of them may change it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from redline.assist.plan.application import AppliedFile, PlanApplication
from redline.assist.plan.plan_records import PlanRecords
from redline.errors import PlanStateError
from redline.plans.overlay import Overlay
from redline.plans.record import PlanRecord, PlanRequest, SentEdit
from redline.settings.tree import StoreSettings
from redline.store import database
from redline.store.review_store import ReviewStore
from redline.text.document import Snapshot
from redline.text.position import Encoding

PLAN = PlanRecord(
    id="p1",
    request=PlanRequest(instruction="Add prices.", roots=("file:///shop",)),
    created_at=1.0,
    state="ready",
)

A_PY = AppliedFile(
    path="a.py",
    uri="file:///shop/a.py",
    snapshot=Snapshot(
        uri="file:///shop/a.py",
        version=0,
        language_id="",
        lines=("",),
        encoding=Encoding.UTF_32,
    ),
    edits=(),
    before="a\n",
    after="b\n",
)

NewStore = Callable[[], ReviewStore]


@pytest.fixture
async def new_store(tmp_path: Path) -> AsyncIterator[NewStore]:
    """Open the one file of plans for a further server."""
    settings = StoreSettings(file=str(tmp_path / "plans.sqlite3"))
    stores: list[ReviewStore] = []

    def open_it() -> ReviewStore:
        stores.append(ReviewStore(lambda: settings))
        return stores[-1]

    yield open_it
    for store in stores:
        await store.aclose()


async def records(store: ReviewStore) -> PlanRecords:
    """Return the plan as a window has it."""
    window = PlanRecords(store, now=lambda: 2.0, is_at_work=lambda _: False)
    stored = await store.plan(PLAN.id)
    assert stored is not None
    window.put(stored)
    return window


async def test_what_comes_with_an_edit_of_another_window_names_it(
    new_store: NewStore,
) -> None:
    """Also if the plan was read before that edit."""
    store = new_store()
    await store.write(PLAN)
    here, other = await records(store), await records(new_store())
    async with here.edit(PLAN.id):
        for state in ("rejected", "cancelled", "running", "gathering"):
            with pytest.raises(PlanStateError, match="waits in the editor"):
                await other.claim(PLAN.id, state=state)
        with pytest.raises(PlanStateError, match="waits in the editor"):
            async with other.edit(PLAN.id):
                pass
    other.put(here.plan(PLAN.id))
    assert (await other.claim(PLAN.id, state="rejected")).state == "rejected"
    with pytest.raises(PlanStateError, match="The plan is rejected: another window"):
        await here.claim(PLAN.id, state="cancelled")


async def test_a_plan_that_was_rejected_before_its_edit_was_seen_stays_rejected(
    new_store: NewStore,
) -> None:
    """What has landed can be taken back."""
    store = new_store()
    await store.write(PLAN)
    here = await records(store)
    await here.claim(PLAN.id, state="rejected", message="Rejected.")
    landed = Overlay(base={"a.py": "a\n"}, texts={"a.py": "b\n"})
    await here.change(PLAN.id, sent=SentEdit(landed=landed))
    after = await here.applied(PLAN.id, PlanApplication(files=(A_PY,)))
    assert (after.state, after.message) == ("rejected", "Rejected.")
    assert after.landed == landed
    assert after.sent == SentEdit()


async def test_each_file_is_landed_in_the_window_that_applied_it(
    new_store: NewStore,
) -> None:
    """Two windows may apply parts of one plan."""
    store = new_store()
    await store.write(PLAN)
    here, other = await records(store), await records(new_store())
    await here.applied(PLAN.id, PlanApplication(files=(A_PY,)))
    stored = await store.plan(PLAN.id)
    assert stored is not None
    other.put(stored)
    b_py = replace(A_PY, path="b.py", uri="file:///b.py")
    both = await other.applied(PLAN.id, PlanApplication(files=(b_py,)))
    paths = ("a.py", "b.py")
    assert await here.landed_elsewhere(both, paths) == ["b.py"]
    assert await other.landed_elsewhere(both, paths) == ["a.py"]


async def test_a_request_that_comes_as_an_edit_ends_leaves_its_mark(
    new_store: NewStore,
) -> None:
    """Else another window could claim the plan, and lose that to our own write."""
    store = new_store()
    await store.write(PLAN)
    here = await records(store)
    async with here.edit(PLAN.id) as marked:
        request = asyncio.create_task(here.released(marked))
    assert await request == marked
    assert await store.plan(PLAN.id) == PLAN
    # A mark that could not be removed then is removed by the next request.
    await store.write(marked)
    assert await here.released(marked) == PLAN
    assert await store.plan(PLAN.id) == PLAN


async def test_what_could_not_be_stored_is_stored_again_without_a_request(
    new_store: NewStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As soon as the store can be written."""
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.01)
    store = new_store()
    await store.write(PLAN)
    here = PlanRecords(store, now=lambda: 2.0, is_at_work=lambda _: False, again_s=0.01)
    here.put(PLAN)
    with closing(
        sqlite3.connect(tmp_path / "plans.sqlite3", isolation_level=None)
    ) as locker:
        locker.execute("BEGIN IMMEDIATE")
        await here.end(PLAN.id, "cancelled", "")
        assert here.unstored == {PLAN.id}
        assert await store.plan(PLAN.id) == PLAN
        locker.execute("ROLLBACK")
    async with asyncio.timeout(10):
        while here.unstored:  # noqa: ASYNC110 - there is no event to wait for.
            await asyncio.sleep(0)
    stored = await store.plan(PLAN.id)
    assert stored is not None
    assert stored.state == "cancelled"
    await here.aclose()
