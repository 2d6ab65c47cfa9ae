"""Reviews are stored as written, and taken over when their server is gone."""

from __future__ import annotations

import multiprocessing
import sqlite3
import threading
import time
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.conftest import replace_by_link

from redline.errors import StoreUnavailableError
from redline.findings.finding import (
    Claim,
    Dropped,
    Finding,
    FindingState,
    dismissal_of,
)
from redline.findings.review import Review, ReviewRequest
from redline.findings.scope import WorkingTree
from redline.settings.tree import StoreSettings
from redline.store.review_change import (
    GoneFinding,
    ReviewChange,
    StepsForgotten,
    StoredDismissal,
    StoredDrop,
    StoredState,
    stored_step,
)
from redline.store.review_store import ReviewStore

Open = Callable[..., ReviewStore]

HERE = "file:///here"
THERE = "file:///there"

REVIEW = Review(
    id="r1",
    request=ReviewRequest(target=WorkingTree(root=HERE), roots=(HERE,)),
    created_at=1_000_000.0,
)
STEP = stored_step("r1", "gather", ["text"], is_done=False)
FINDING = Finding(
    id="f1",
    review_id="r1",
    file="a.py",
    fingerprint="aa",
    first_line=0,
    end_line=1,
    quote="x = 1",
    severity="high",
    category="correctness",
    title="A fault",
    explanation="It is one.",
)
DISMISSAL = StoredDismissal(workspace=HERE, at=1.0, dismissal=dismissal_of(FINDING, ""))


def of_folder(review: Review, folder: str) -> Review:
    """The same review of another folder."""
    return replace(review, request=replace(review.request, roots=(folder,)))


@pytest.fixture
async def open_reviews(path: Path, messages: list[str]) -> AsyncIterator[Open]:
    """Open stores that are closed in the end."""
    stores: list[ReviewStore] = []

    def open_one(settings: StoreSettings | None = None, **options: str) -> ReviewStore:
        used = settings or StoreSettings(file=str(path))
        owner = options.get("owner")
        store = ReviewStore(lambda: used, on_trouble=messages.append, owner=owner)
        stores.append(store)
        return store

    yield open_one
    for store in stores:
        await store.aclose()


@pytest.mark.parametrize("is_in_memory", [False, True])
async def test_what_is_written_is_read(
    is_in_memory: bool, open_reviews: Open, path: Path
) -> None:
    store = open_reviews(StoreSettings(file=str(path), enabled=not is_in_memory))
    claim = Claim(
        file="a.py",
        quote="x",
        severity="low",
        category="time",
        title="Perhaps",
        explanation="",
    )
    dropped = Dropped(claim=claim, reason="style", detail="It is a matter of taste.")
    drop = StoredDrop(review_id="r1", n=0, dropped=dropped)
    await store.write(REVIEW, STEP, FINDING, drop, DISMISSAL)

    assert await store.review("r1") == REVIEW
    assert await store.steps("r1") == (STEP,)
    assert await store.findings("r1") == (replace(FINDING, state="dismissed"),)
    assert await store.drops("r1") == (dropped,)
    assert await store.dismissals(HERE) == (DISMISSAL.dismissal,)
    assert await store.dismissals(THERE) == ()
    assert await store.review("r2") is None


async def test_a_file_that_was_removed_is_made_again(
    open_reviews: Open, path: Path, remove: Callable[[Path], None], messages: list[str]
) -> None:
    """With our lock: nobody takes over what we run."""
    store = open_reviews(owner="a" * 16)
    await store.write(REVIEW)
    remove(path)
    later = replace(REVIEW, id="r2")
    await store.write(later, DISMISSAL)
    other = open_reviews(owner="b" * 16)
    assert await other.review("r2") == later
    assert await other.dismissals(HERE) == (DISMISSAL.dismissal,)
    assert await other.take_over([HERE]) == ()
    assert not messages


async def test_a_row_is_written_in_place_of_the_one_with_its_key(
    open_reviews: Open,
) -> None:
    store = open_reviews()
    other = replace(FINDING, id="f2", fingerprint="bb")
    await store.write(REVIEW, STEP, FINDING, other)
    done = replace(REVIEW, state="done", ended_at=2_000_000.0)
    verified = replace(FINDING, confidence=0.9)
    step = stored_step("r1", "gather", ["text"], is_done=True)
    await store.write(done, step, verified)

    assert await store.review("r1") == done
    assert await store.steps("r1") == (step,)
    assert await store.findings("r1") == (verified, other)


def change(was: FindingState, state: FindingState, **of: str) -> StoredState:
    """A change of the finding's state."""
    where = {"review_id": "r1", "fingerprint": FINDING.fingerprint} | of
    return StoredState(**where, was=was, state=state)


@pytest.mark.parametrize(
    "theirs",
    [DISMISSAL, change("open", "fixed"), change("open", "stale")],
    ids=["dismissed", "fixed", "stale"],
)
async def test_a_review_keeps_the_state_that_another_server_has_stored(
    theirs: StoredDismissal | StoredState, open_reviews: Open
) -> None:
    """The server that runs the review writes the finding again."""
    ours, others = open_reviews(), open_reviews()
    elsewhere = replace(FINDING, review_id="r2")
    await ours.write(REVIEW, FINDING, of_folder(replace(REVIEW, id="r2"), THERE))
    await others.write(theirs)
    verified = replace(FINDING, confidence=0.9)
    await ours.write(verified, elsewhere)

    state = theirs.state if isinstance(theirs, StoredState) else "dismissed"
    assert await ours.findings("r1") == (replace(verified, state=state),)
    assert await ours.findings_of([HERE], [state]) == await ours.findings("r1")
    # It counts in its own folder only.
    assert await ours.findings("r2") == (elsewhere,)


@pytest.mark.parametrize(
    ("theirs", "ours", "state"),
    [
        # What only follows from the text gives way.
        (change("open", "fixed"), change("open", "stale"), "fixed"),
        (DISMISSAL, change("open", "stale"), "dismissed"),
        (DISMISSAL, change("open", "fixed"), "dismissed"),
        # A server that knows of the fix may find that its lines are gone again.
        (change("open", "fixed"), change("fixed", "open"), "open"),
        (change("open", "stale"), change("open", "fixed"), "fixed"),
        (change("open", "stale"), change("stale", "open"), "open"),
        (GoneFinding(review_id="r1", id="f1"), change("open", "stale"), None),
    ],
)
async def test_a_state_does_not_overwrite_what_a_user_did_elsewhere(
    theirs: ReviewChange,
    ours: StoredState,
    state: FindingState | None,
    open_reviews: Open,
) -> None:
    store, others = open_reviews(), open_reviews()
    await store.write(REVIEW, FINDING)
    await others.write(theirs)
    await store.write(ours)

    expected = {} if state is None else {FINDING.fingerprint: state}
    assert await store.states(HERE, [FINDING.fingerprint, "bb"]) == expected
    assert [one.state for one in await store.findings("r1")] == list(expected.values())


async def test_a_state_belongs_to_the_newest_finding_of_a_fault(
    open_reviews: Open,
) -> None:
    """Another server may show the earlier one."""
    store = open_reviews()
    again = replace(FINDING, review_id="r2", id="f2")
    await store.write(REVIEW, FINDING, replace(REVIEW, id="r2"), again)
    await store.write(change("open", "fixed"))
    assert await store.findings("r2") == (replace(again, state="fixed"),)
    assert await store.findings("r1") == (replace(FINDING, state="fixed"),)
    await store.write(DISMISSAL)
    assert await store.findings_of([HERE], ["open", "stale", "fixed"]) == ()


async def test_the_version_changes_when_another_server_writes(
    open_reviews: Open,
) -> None:
    ours, others = open_reviews(), open_reviews()
    await ours.write(REVIEW, FINDING)
    await others.review("r1")
    before = await ours.version()
    assert await ours.version() == before
    await others.write(DISMISSAL)
    assert await ours.version() != before


async def test_what_goes_is_gone(open_reviews: Open) -> None:
    store = open_reviews()
    await store.write(REVIEW, STEP, FINDING)
    await store.write(
        GoneFinding(review_id="r1", id="f1"), StepsForgotten(review_id="r1")
    )

    assert await store.findings("r1") == ()
    assert await store.steps("r1") == ()


async def test_of_a_fault_that_was_found_twice_the_newest_counts(
    open_reviews: Open,
) -> None:
    store = open_reviews()
    again = replace(FINDING, review_id="r2", id="f2")
    elsewhere = replace(FINDING, review_id="r3", id="f3")
    await store.write(
        REVIEW,
        FINDING,
        replace(REVIEW, id="r2"),
        again,
        of_folder(replace(REVIEW, id="r3"), THERE),
        elsewhere,
    )

    assert await store.findings_of([HERE], ["open", "stale"]) == (again,)
    assert await store.findings_of([HERE, THERE], ["open"]) == (elsewhere,)
    await store.write(DISMISSAL)
    assert await store.findings_of([HERE], ["open", "stale"]) == ()
    assert await store.findings_of([], ["open"]) == ()


async def test_a_fault_that_is_gone_from_the_newest_review_is_gone(
    open_reviews: Open,
) -> None:
    store = open_reviews()
    again = replace(FINDING, review_id="r2", id="f2")
    other = replace(FINDING, id="f3", fingerprint="bb")
    await store.write(REVIEW, FINDING, other, replace(REVIEW, id="r2"), again)
    await store.write(GoneFinding(review_id="r2", id="f2"))

    assert await store.findings_of([HERE], ["open"]) == (other,)
    # It is still what the earlier review has found.
    assert [one.id for one in await store.findings("r1")] == ["f1", "f3"]


async def test_the_newest_review_of_the_same_text_is_found(
    open_reviews: Open,
) -> None:
    store = open_reviews()
    done = replace(REVIEW, fingerprint="text", state="done", ended_at=2.0)
    later = replace(done, id="r2")
    await store.write(done, later, replace(done, id="r3", state="failed"))

    assert await store.last_done(HERE, "text") == later
    assert await store.last_done(HERE, "other") is None
    assert await store.last_done(THERE, "text") is None
    found = await store.newest([HERE], limit=2)
    assert [review.id for review in found] == ["r2", "r3"]


async def test_all_changes_are_written_or_none(open_reviews: Open) -> None:
    store = open_reviews()
    # A row that cannot be: the column must not be null.
    broken = replace(FINDING, state=None)
    with pytest.raises(StoreUnavailableError):
        await store.write(REVIEW, broken)

    assert await store.review("r1") is None
    await store.write(REVIEW)
    assert await store.review("r1") == REVIEW


async def test_nobody_takes_a_review_whose_server_is_there(
    open_reviews: Open,
) -> None:
    ours, others = open_reviews(owner="ours"), open_reviews(owner="others")
    await ours.write(REVIEW)

    assert await others.take_over([HERE]) == ()
    assert await ours.take_over([HERE]) == ()


async def test_a_review_whose_server_has_ended_is_taken_once(
    open_reviews: Open, path: Path
) -> None:
    ours, others = open_reviews(owner="ours"), open_reviews(owner="others")
    third = open_reviews(owner="third")
    over = replace(REVIEW, id="r2", state="done", ended_at=3.0)
    elsewhere = of_folder(replace(REVIEW, id="r3"), THERE)
    await ours.write(REVIEW, over, elsewhere)
    await ours.aclose()

    assert await others.take_over([HERE]) == (REVIEW,)
    assert await others.take_over([HERE]) == ()
    assert await third.take_over([HERE]) == ()
    # The same server's, but of another folder.
    assert await third.take_over([THERE]) == (elsewhere,)


def _hold(path: Path, has_written: Event) -> None:
    import asyncio

    async def write() -> None:
        store = ReviewStore(lambda: StoreSettings(file=str(path)), owner="killed")
        await store.write(REVIEW)
        has_written.set()
        await asyncio.Event().wait()

    asyncio.run(write())


async def test_a_killed_server_is_gone_at_once(open_reviews: Open, path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    has_written = context.Event()
    process = context.Process(target=_hold, args=(path, has_written))
    process.start()
    try:
        assert has_written.wait(60)
        store = open_reviews(owner="ours")
        assert await store.take_over([HERE]) == ()
    finally:
        process.kill()
        process.join()

    assert await store.take_over([HERE]) == (REVIEW,)


async def test_no_lock_is_left_behind(open_reviews: Open, path: Path) -> None:
    ours, others = open_reviews(owner="ours"), open_reviews(owner="others")
    await ours.write(REVIEW)
    await others.take_over([HERE])
    await ours.aclose()
    await others.take_over([HERE])
    await others.aclose()

    assert [file.name for file in path.parent.iterdir()] == [path.name]


async def test_old_reviews_are_forgotten_and_dismissals_are_not(
    open_reviews: Open,
) -> None:
    store = open_reviews()
    year = 366 * 86_400.0
    old = replace(REVIEW, state="done", ended_at=REVIEW.created_at)
    new = replace(REVIEW, id="r2", created_at=REVIEW.created_at + year)
    newer = replace(new, id="r3", created_at=new.created_at + 2 * 86_400.0)
    await store.write(old, FINDING, STEP, new, newer, DISMISSAL)
    await store.take_over([HERE])

    assert await store.review("r1") is None
    assert await store.findings("r1") == ()
    assert await store.steps("r1") == ()
    assert await store.review("r2") == new
    assert await store.dismissals(HERE) == (DISMISSAL.dismissal,)


@pytest.mark.parametrize("jump_days", [-400, 400, 4_000])
async def test_no_review_is_lost_by_a_wrong_clock(
    open_reviews: Open, monkeypatch: pytest.MonkeyPatch, jump_days: int
) -> None:
    """Set back or forward for a day: all reviews stay, in the order of their making."""
    now = time.time()
    store = open_reviews()
    ages = {"r1": -300.0, "r2": -2.0, "r3": float(jump_days), "r4": 0.0, "r5": 1.5}
    for name, days in ages.items():
        at = now + days * 86_400.0
        monkeypatch.setattr(time, "time", lambda at=at: at)
        await store.write(
            replace(REVIEW, id=name, created_at=at, ended_at=at, state="done")
        )
        await store.take_over([HERE])
    reviews = await store.newest([HERE], limit=10)
    assert [review.id for review in reviews] == list(ages)


@pytest.fixture
def damaged(path: Path) -> Path:
    """A file that is not a database."""
    path.parent.mkdir()
    path.write_bytes(b"no database, but some text that is long enough")
    return path


async def test_a_file_that_is_damaged_is_left_alone(
    damaged: Path, open_reviews: Open
) -> None:
    store = open_reviews()
    await store.write(REVIEW)

    assert await store.review("r1") == REVIEW
    path = damaged
    with path.open("rb") as file:
        assert file.read(11) == b"no database"
    with closing(sqlite3.connect(path.with_stem("redline-2"))) as connection:
        assert connection.execute("SELECT id FROM reviews").fetchall() == [("r1",)]


@pytest.mark.parametrize("body", [b"{", "[]", b"\xff", b'{"id": "\xff"}', 5, ""])
async def test_rows_that_cannot_be_read_are_left_out_and_reported_once(
    body: object, open_reviews: Open, path: Path, messages: list[str]
) -> None:
    store = open_reviews()
    done = replace(REVIEW, state="done", fingerprint="text", ended_at=2.0)
    later, other = replace(done, id="r2"), replace(FINDING, id="f2", fingerprint="cc")
    dismissal = replace(DISMISSAL.dismissal, fingerprint="bb")
    both = (DISMISSAL, StoredDismissal(workspace=HERE, at=2.0, dismissal=dismissal))
    await store.write(done, FINDING, other, later, *both)
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, which in (
            ("reviews", "id = 'r2'"),
            ("findings", "id = 'f1'"),
            ("dismissals", "fingerprint = 'aa'"),
        ):
            connection.execute(f"UPDATE {table} SET body = ? WHERE {which}", (body,))

    assert await store.newest([HERE], limit=9) == (done,)
    assert await store.review("r2") is None
    assert await store.last_done(HERE, "text") is None
    assert await store.findings("r1") == (other,)
    assert await store.findings_of([HERE], ["open"]) == (other,)
    assert await store.dismissals(HERE) == (dismissal,)
    assert await store.take_over([HERE]) == ()
    (message,) = messages
    assert f"in {path} cannot be read" in message


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("body", b""),
        ("body", b"no zip"),
        ("body", STEP.body[:-1]),
        ("body", zlib.compress(b"\xc1")),
        ("body", "text"),
        ("body", 5),
        ("name", b"\xff"),
        ("name", 5),
        ("is_done", "yes"),
    ],
    ids=lambda value: repr(value)[:9],
)
async def test_steps_that_cannot_be_read_are_taken_again(
    column: str,
    value: object,
    open_reviews: Open,
    path: Path,
    messages: list[str],
) -> None:
    store = open_reviews()
    await store.write(REVIEW, STEP, stored_step("r1", "brief", 1, is_done=True))
    overwrite_gathering(path, column, value)
    steps = await store.steps("r1")
    if column == "body":
        assert steps == ()
        (message,) = messages
        assert f"in {path} cannot be read" in message
    else:
        assert {step.name for step in steps} >= {"brief"}
        assert messages == []


async def test_a_step_that_would_fill_the_memory_is_taken_again(
    open_reviews: Open, path: Path, messages: list[str]
) -> None:
    store = open_reviews()
    await store.write(REVIEW, STEP)
    overwrite_gathering(path, "body", zlib.compress(bytes(101_000_000), level=1))
    assert await store.steps("r1") == ()
    (message,) = messages
    assert f"in {path} cannot be read" in message


def overwrite_gathering(path: Path, column: str, value: object) -> None:
    """Damage the stored step "gather"."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            f"UPDATE review_steps SET {column} = ? WHERE name = 'gather'", (value,)
        )


@pytest.mark.parametrize("owner", [b"\xff\xfe", "../../home", "", 5, "a\0b"])
async def test_an_owner_that_is_none_fails_nothing(
    owner: object, open_reviews: Open, path: Path
) -> None:
    """It would become part of a path."""
    store, other = open_reviews(), open_reviews(owner="other")
    await store.write(REVIEW, replace(REVIEW, id="r2"))
    await store.aclose()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE reviews SET owner = ? WHERE id = 'r1'", (owner,))

    taken = await other.take_over([HERE])
    assert {review.id for review in taken} >= {"r2"}
    assert not await other.are_elsewhere([HERE])
    assert not [file for file in path.parent.iterdir() if "home" in file.name]


async def test_a_closed_store_says_so(open_reviews: Open) -> None:
    store = open_reviews()
    await store.aclose()
    await store.aclose()

    with pytest.raises(StoreUnavailableError, match="closed"):
        await store.write(REVIEW)


async def test_what_no_thread_could_write_is_not_written_later(
    open_reviews: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    store = open_reviews()
    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", fail)
        with pytest.raises(StoreUnavailableError, match="no more processes or threads"):
            await store.write(REVIEW)
    assert await store.review(REVIEW.id) is None


async def test_a_folder_that_cannot_be_written(
    open_reviews: Open, path: Path, messages: list[str]
) -> None:
    """Reviews are in memory then, and the user is notified once."""
    path.parent.write_text("a file, where a folder should be")
    store = open_reviews()
    await store.write(REVIEW)
    await store.write(FINDING)

    assert await store.review("r1") == REVIEW
    (message,) = messages
    assert message.startswith("Reviews are not stored for now: ")


async def test_a_file_that_can_be_used_again_is_used(path: Path) -> None:
    """What was written meanwhile is in it, beside what was there before."""
    before = ReviewStore(lambda: StoreSettings(file=str(path)))
    earlier = replace(FINDING, review_id="r0", id="f0")
    await before.write(replace(REVIEW, id="r0", state="done", ended_at=2.0), earlier)
    await before.aclose()
    path.parent.rename(path.parent.with_name("away"))
    path.parent.write_text("a file, where a folder should be")

    troubles: list[str] = []
    recovered: list[str] = []
    store = ReviewStore(
        lambda: StoreSettings(file=str(path)),
        on_trouble=troubles.append,
        on_recovery=recovered.append,
        retry_s=0.0,
    )
    other = replace(FINDING, id="f2", fingerprint="bb", confidence=0.9)
    await store.write(REVIEW, STEP, FINDING, other)
    await store.write(DISMISSAL)
    assert await store.review("r0") is None
    assert (len(troubles), recovered) == (1, [])

    path.parent.unlink()
    path.parent.with_name("away").rename(path.parent)
    assert await store.review("r0") is not None
    assert recovered == troubles
    await store.aclose()

    after = ReviewStore(lambda: StoreSettings(file=str(path)))
    assert await after.take_over([HERE]) == (REVIEW,)
    assert await after.steps("r1") == (STEP,)
    assert await after.findings_of([HERE], ["open"]) == (other,)
    assert await after.dismissals(HERE) == (DISMISSAL.dismissal,)
    await after.aclose()


async def test_a_file_is_not_tried_at_every_call(path: Path) -> None:
    path.parent.write_text("a file, where a folder should be")
    recovered: list[str] = []
    store = ReviewStore(
        lambda: StoreSettings(file=str(path)), on_recovery=recovered.append
    )
    await store.write(REVIEW)
    path.parent.unlink()
    assert await store.review("r1") == REVIEW
    await store.aclose()
    assert recovered == []


def copy_main_file(path: Path, copy: Path) -> None:
    copy.write_bytes(path.read_bytes())


def without_log(path: Path) -> None:
    for end in ("-wal", "-shm"):
        path.with_name(f"{path.name}{end}").unlink()


async def test_what_is_written_without_a_log_that_others_find_is_in_the_file(
    path: Path, tmp_path: Path
) -> None:
    """The log that is in use ends with the process, which may be killed."""
    store = ReviewStore(lambda: StoreSettings(file=str(path)))
    await store.write(REVIEW, FINDING)
    without_log(path)
    await store.write(DISMISSAL)
    # What the next process would read.
    copy = tmp_path / "copy" / "reviews.sqlite3"
    copy.parent.mkdir()
    copy_main_file(path, copy)
    after = ReviewStore(lambda: StoreSettings(file=str(copy)))
    assert await after.review("r1") == REVIEW
    assert await after.dismissals(HERE) == (DISMISSAL.dismissal,)
    await after.aclose()
    await store.aclose()


async def test_a_link_in_place_of_the_file_is_refused_until_the_file_is_back(
    path: Path, tmp_path: Path
) -> None:
    """The next start would refuse it."""
    store = ReviewStore(lambda: StoreSettings(file=str(path)))
    other = ReviewStore(lambda: StoreSettings(file=str(path)))
    await store.write(REVIEW, FINDING)
    await other.version()
    elsewhere = replace_by_link(path)
    with pytest.raises(StoreUnavailableError, match="it is a symbolic link"):
        await store.write(DISMISSAL)
    # The other one still uses the log.
    copy = tmp_path / "copy.sqlite3"
    copy_main_file(elsewhere, copy)
    after = ReviewStore(lambda: StoreSettings(file=str(copy)))
    assert await after.review("r1") == REVIEW
    await after.aclose()

    elsewhere.replace(path)
    await store.write(DISMISSAL)
    assert await store.dismissals(HERE) == (DISMISSAL.dismissal,)
    assert await store.review("r1") == REVIEW
    await store.aclose()
    await other.aclose()


def content(path: Path) -> tuple[bytes, bytes]:
    return path.read_bytes(), path.with_name(f"{path.name}-wal").read_bytes()


async def test_a_store_that_is_switched_off_is_not_written_any_more(
    path: Path,
) -> None:
    """What it held, and runs, can be used until the server ends."""
    used = [StoreSettings(file=str(path))]
    store = ReviewStore(lambda: used[-1])
    other = ReviewStore(lambda: used[0])
    await other.write(replace(REVIEW, id="r2"))
    await store.write(REVIEW, FINDING)
    await other.take_over([HERE])
    before = content(path)
    used.append(StoreSettings(file=str(path), enabled=False))
    await store.write(STEP, DISMISSAL)
    assert await store.review("r1") == REVIEW
    assert [one.state for one in await store.findings("r1")] == ["dismissed"]
    # Another server runs this one.
    assert await store.review("r2") is None
    assert content(path) == before
    assert await other.take_over([HERE]) == ()
    await store.aclose()
    await other.aclose()


async def test_another_file_has_what_was_stored_before(path: Path) -> None:
    """An acknowledged dismissal, also after a restart."""
    used = [StoreSettings(file=str(path))]
    store = ReviewStore(lambda: used[-1])
    await store.write(REVIEW, FINDING, DISMISSAL)
    used.append(StoreSettings(file=str(path.with_name("other.sqlite3"))))
    await store.write(STEP)
    await store.aclose()
    again = ReviewStore(lambda: used[-1])
    assert [one.state for one in await again.findings("r1")] == ["dismissed"]
    assert [one.name for one in await again.steps("r1")] == ["gather"]
    await again.aclose()


async def test_a_file_that_is_left_is_named_if_it_has_work_of_a_killed_server(
    path: Path, messages: list[str]
) -> None:
    """A server that is alive moves its own work."""
    used = [StoreSettings(file=str(path))]
    alive = ReviewStore(lambda: used[0])
    await alive.write(replace(REVIEW, id="r3"))
    killed = ReviewStore(lambda: used[0])
    await killed.write(replace(REVIEW, id="r2"))
    await killed.aclose()
    store = ReviewStore(lambda: used[-1], on_trouble=messages.append)
    await store.write(REVIEW)
    used.append(StoreSettings(file=str(path.with_name("other.sqlite3"))))
    assert await store.review("r1") == REVIEW
    assert await store.review("r2") is None
    await store.aclose()
    await alive.aclose()
    (message,) = messages
    assert message.startswith("Unfinished reviews or plans")
    assert f"stay in {path} (1)." in message


@pytest.mark.parametrize("is_done", [False, True])
@pytest.mark.parametrize("is_enabled", [False, True])
async def test_a_file_is_used_again_after_another_or_none(
    path: Path, messages: list[str], is_enabled: bool, is_done: bool
) -> None:
    """With what was stored meanwhile, also while a review runs."""
    file = StoreSettings(file=str(path))
    other = StoreSettings(file=str(path.with_name("2.sqlite3")), enabled=is_enabled)
    used = [file]
    store = ReviewStore(lambda: used[-1], on_trouble=messages.append)
    await store.write(replace(REVIEW, ended_at=2_000_000.0) if is_done else REVIEW)
    for n in range(3):
        used.append(other)
        await store.write(replace(FINDING, id=f"f{n}", fingerprint=f"f{n}"))
        used.append(file)
        assert len(await store.findings("r1")) == n + 1
    assert messages == []
    await store.aclose()
    assert list(path.parent.glob("*.lock")) == []
    again = ReviewStore(lambda: file)
    assert [one.id for one in await again.findings("r1")] == ["f0", "f1", "f2"]
    await again.aclose()


async def test_a_file_that_is_left_is_closed_unless_a_review_runs(path: Path) -> None:
    """The lock of a file shows that it is open."""
    used = [StoreSettings(file=str(path))]
    store = ReviewStore(lambda: used[-1])
    await store.write(replace(REVIEW, ended_at=2_000_000.0))
    for n in range(3):
        used.append(StoreSettings(file=str(path.with_name(f"{n}.sqlite3"))))
        await store.review("r1")
        assert [one.name[:9] for one in path.parent.glob("*.lock")] == [f"{n}.sqlite3"]
    await store.write(replace(REVIEW, id="r2"))
    used.append(StoreSettings(file=str(path.with_name("9.sqlite3"))))
    await store.review("r1")
    locked = sorted(one.name[:9] for one in path.parent.glob("*.lock"))
    assert locked == ["2.sqlite3", "9.sqlite3"]
    await store.aclose()


async def test_another_file_that_cannot_be_used_is_none(
    path: Path, tmp_path: Path, messages: list[str]
) -> None:
    """The one before is not written in its place."""
    used = [StoreSettings(file=str(path))]
    store = ReviewStore(lambda: used[-1], on_trouble=messages.append)
    await store.write(REVIEW)
    (tmp_path / "a-file").write_text("")
    used.append(StoreSettings(file=str(tmp_path / "a-file" / "other.sqlite3")))
    await store.write(FINDING)
    assert [one.id for one in await store.findings("r1")] == ["f1"]
    assert any("not stored for now" in one for one in messages)
    await store.aclose()
    again = ReviewStore(lambda: used[0])
    assert await again.findings("r1") == ()
    await again.aclose()


async def test_after_an_error_of_the_disk_the_file_is_opened_again(
    open_reviews: Open, path: Path, messages: list[str]
) -> None:
    """The limit of a file's size fails writing, as a full disk does."""
    resource = pytest.importorskip("resource")
    store, other = open_reviews(), open_reviews()
    await store.write(REVIEW)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, before[1]))
    try:
        with pytest.raises(StoreUnavailableError, match="cannot be used"):
            await store.write(STEP, replace(FINDING, explanation="long" * 5_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    await store.write(FINDING)
    assert await store.findings("r1") == (FINDING,)
    assert await store.steps("r1") == ()
    # It still runs its review.
    assert await other.take_over([HERE]) == ()
    assert messages == []
