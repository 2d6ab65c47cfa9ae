"""Servers that are killed as soon as they have answered: what was answered is there."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from tests.assist.review.seeded_workspace import STOCK
from tests.e2e.conftest import Begin, Serve, Start
from tests.e2e.editor_document import Json, lines
from tests.e2e.redline_session import settings_for
from tests.e2e.review_session import FIXED_LINE, INDEX, TITLES, Reviewing
from tests.e2e.scripted_model import ScriptedModel
from tests.store.conftest import replace_by_link

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

N_KILLS = 5
LOCKED_S = 0.3
"""How long the store is locked for a request that is answered before it is stored."""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The file that all servers of a test use."""
    return tmp_path / "kept" / "reviews.sqlite3"


@contextmanager
def locked(store: Path) -> Iterator[None]:
    """Keep every server from writing for the time of the block."""
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


async def killed_after(
    here: Reviewing, store: Path, command: str, arguments: Json
) -> Json:
    """Run a command, and kill the server as soon as the answer is there.

    The store is locked at first: what is answered nevertheless is not stored.
    """
    with locked(store):
        request_id = here.editor.run(command, arguments)
        answer = asyncio.create_task(here.editor.answer(request_id))
        await asyncio.wait({answer}, timeout=LOCKED_S)
        if answer.done():
            await here.redline.kill()
    said = await answer
    await here.redline.kill()
    # What was not stored in time is refused, which promises nothing.
    assert "result" in said, said
    result: Json = said["result"]
    return result


async def test_a_review_is_there_once_its_id_is(begin: Begin) -> None:
    """The first request of a server also creates the file and opens it."""
    ids = []
    for _ in range(N_KILLS):
        here = await begin()
        ids.append(await here.review())
        await here.redline.kill()
    here = await begin()
    listed = await here.editor.run_now("redline.reviews", {})
    assert {one["reviewId"] for one in listed["reviews"]} >= set(ids)


async def test_a_review_is_answered_after_it_is_stored(
    begin: Begin, store: Path
) -> None:
    here = await begin()
    await here.editor.run_now("redline.reviews", {})
    started = await killed_after(here, store, "redline.deepReview", {"uri": here.uri})
    here = await begin()
    listed = await here.editor.run_now("redline.reviews", {})
    assert started["reviewId"] in {one["reviewId"] for one in listed["reviews"]}


async def test_a_cancelled_review_stays_cancelled(
    begin: Begin, store: Path, reviewers: ScriptedModel
) -> None:
    here = await begin()
    hold = reviewers.hold_model("deep", after=60)
    here.open()
    review_id = await here.review()
    await hold.reached()
    await here.published(lambda found: found)
    done = await killed_after(
        here, store, "redline.cancelReview", {"reviewId": review_id}
    )
    assert done == {"cancelled": True}
    hold.release()
    here = await begin()
    listed = await here.editor.run_now("redline.reviews", {"reviewId": review_id})
    (review,) = listed["reviews"]
    assert review["state"] == "cancelled"


async def test_a_dismissal_is_there(begin: Begin, store: Path) -> None:
    here = await begin()
    await here.reviewed()
    finding = await here.finding(INDEX)
    asked = {"findingId": finding["id"]}
    await killed_after(here, store, "redline.dismiss", asked)
    here = await begin()
    listed = await here.editor.run_now("redline.reviews", {})
    assert finding["id"] not in {one["id"] for one in listed["findings"]}
    assert listed["findings"]


async def test_a_fix_that_was_applied_is_known(begin: Begin, store: Path) -> None:
    here = await begin()
    await here.reviewed()
    finding = await here.finding(INDEX)
    asked = {"findingId": finding["id"]}
    done = await killed_after(here, store, "redline.applyFix", asked)
    assert done["applied"] == [finding["id"]]
    assert state_of(store, finding) == "fixed"


def state_of(store: Path, finding: Json) -> str:
    """Read the stored state of a finding."""
    with closing(sqlite3.connect(store)) as connection:
        asked = "SELECT state FROM findings WHERE id = ?"
        ((state,),) = connection.execute(asked, (finding["id"],))
        return str(state)


async def test_a_fix_that_was_accepted_is_known(begin: Begin, store: Path) -> None:
    here = await begin()
    await here.reviewed()
    finding = await here.finding(INDEX)
    asked = {"findingId": finding["id"], "apply": "preview"}
    done = await here.editor.run_now("redline.applyFix", asked)
    session = {"sessionId": done["offered"]["sessionId"]}
    done = await killed_after(here, store, "redline.accept", session)
    assert done["outcome"] == "accepted"
    assert state_of(store, finding) == "fixed"


async def test_a_fix_that_cannot_be_stored_is_an_error_and_stored_later(
    begin: Begin, store: Path
) -> None:
    here = await begin()
    await here.reviewed()
    finding = await here.finding(INDEX)
    with locked(store):
        request = here.editor.run("redline.applyFix", {"findingId": finding["id"]})
        refused = await here.editor.error(request)
    assert refused["message"].startswith("The fix is applied, but that could not be")
    assert refused["data"]["cause"] == "store-busy"
    assert FIXED_LINE in here.editor.text(here.uri)
    await here.editor.run_now("redline.reviews", {})
    await here.redline.kill()
    assert state_of(store, finding) == "fixed"


@pytest_asyncio.fixture(loop_scope="session")
async def editing(start: Start, serve: Serve, store: Path, tmp_path: Path) -> Reviewing:
    """A server that counts edits in the store, with an open document."""
    model = await serve(Script(otherwise=ScriptReply(text="x = 2\n")))
    options = {**settings_for(model), "store": {"file": str(store)}}
    redline = await start(options=options)
    await redline.editor.hear(
        lambda m: (
            m.get("method") == "redline/status" and m["params"]["costToday"] is not None
        )
    )
    await redline.editor.run_now("redline.stats", {})
    here = Reviewing(redline, tmp_path)
    here.editor.open(here.uri, STOCK)
    return here


def counted(store: Path, where: str) -> int:
    """Count the stored tasks of a kind."""
    with closing(sqlite3.connect(store)) as connection:
        found = connection.execute(f"SELECT count(*) FROM tasks WHERE {where}")
        return int(found.fetchone()[0])


EDIT: Json = {"range": lines(0, 1), "instruction": "improve it"}


async def test_the_usage_of_an_edit_is_there(editing: Reviewing, store: Path) -> None:
    """Also that of an edit that is answered while the file is locked."""
    done = await killed_after(
        editing, store, "redline.edit", {"uri": editing.uri, **EDIT}
    )
    assert done["outcome"] == "applied"
    assert counted(store, "true") == 1


@pytest.mark.parametrize(
    ("command", "column"),
    [("redline.reject", "rejected_at"), ("redline.accept", "accepted_at")],
)
async def test_the_answer_to_an_offer_is_there(
    editing: Reviewing, store: Path, command: str, column: str
) -> None:
    asked = {"uri": editing.uri, **EDIT, "apply": "preview", "sessionId": "s"}
    await editing.editor.run_now("redline.edit", asked)
    await killed_after(editing, store, command, {"sessionId": "s"})
    assert counted(store, f"{column} IS NOT NULL") == 1


async def test_a_store_that_was_locked_at_first_is_used_later(
    begin: Begin, store: Path
) -> None:
    """A server that begins meanwhile does not keep reviews in its memory instead."""
    here = await begin()
    await here.reviewed()
    await here.redline.kill()
    here = await begin()
    with locked(store):
        refused = await here.editor.error(
            here.editor.run("redline.deepReview", {"uri": here.uri})
        )
        assert refused["data"]["cause"] == "store-busy"
    # What was stored before is shown after all, and what is answered is stored.
    await here.editor.run_now("redline.reviews", {})
    await here.shown(TITLES)
    finding = await here.finding(INDEX)
    await here.editor.run_now("redline.dismiss", {"findingId": finding["id"]})
    started = await here.review(uri=here.uri, force=True)
    await here.redline.kill()
    here = await begin()
    listed = await here.editor.run_now("redline.reviews", {})
    assert started in {one["reviewId"] for one in listed["reviews"]}
    assert finding["id"] not in {one["id"] for one in listed["findings"]}


async def test_a_store_that_a_link_replaces_is_refused_until_it_is_back(
    begin: Begin, store: Path
) -> None:
    """The next start refuses the link, and so would not find what is behind it."""
    here = await begin()
    await here.reviewed()
    finding = await here.finding(INDEX)
    elsewhere = replace_by_link(store)
    dismissed = {"findingId": finding["id"]}
    for command, arguments in (
        ("redline.dismiss", dismissed),
        ("redline.deepReview", {"uri": here.uri, "force": True}),
        ("redline.plan", {"uri": here.uri, "instruction": "improve it"}),
    ):
        refused = await here.editor.error(here.editor.run(command, arguments))
        assert "it is a symbolic link" in refused["message"]
    await here.redline.kill()
    # Also for who opens it at its new place, without the log at the old one.
    assert state_of(elsewhere, finding) == "open"

    elsewhere.replace(store)
    here = await begin()
    assert await here.finding(INDEX) == finding
