"""Reviews from start to end: queueing, findings, and what is shown."""

from __future__ import annotations

import asyncio
import errno
import itertools
import logging
import os
import sqlite3
import threading
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
import pytest
from tests.assist.conftest import FakeTiers
from tests.assist.in_process import InThisProcess, related_in_this_process
from tests.assist.review.answering_model import (
    USAGE,
    AnsweringModel,
    claim,
    findings,
    verdict,
)
from tests.assist.review.git_project import GitProject

from redline import keys_in_use
from redline.assist.review.job.answer_reader import PartAnswer
from redline.assist.review.job.job_tools import JobTools
from redline.assist.review.reporting import report_of
from redline.assist.review.reviews import Reviews
from redline.errors import (
    AuthenticationError,
    ModelCutError,
    ModelRejectedError,
    ModelUnavailableError,
    ReviewStateError,
    UnknownReviewError,
)
from redline.findings.finding import Finding, FindingState
from redline.findings.review import Review, ReviewRequest
from redline.findings.scope import Selection, SinceReview, WholeFiles, WorkingTree
from redline.keys_in_use import note_key
from redline.settings.review_settings import ReviewSettings
from redline.settings.tree import Settings, StoreSettings
from redline.store import database
from redline.store.database import DAY_S
from redline.store.review_change import StoredStep
from redline.store.review_store import ReviewStore
from redline.store.task import LateTaskFacts, TaskUsage

WAIT_S = 20.0

CODE = """\
def share(total, n):
    return total / n


def first(names):
    return names[0]
"""

DIVIDES = claim("    return total / n", "It divides by zero")
EMPTY = claim("    return names[0]", "The list may be empty", severity="low")


class FollowerLog:
    """Records what followers are shown."""

    def __init__(self) -> None:
        self.reviews: dict[str, Review] = {}
        self.states: list[tuple[str, str]] = []
        self.percentages: list[int] = []
        self.findings: dict[str, Finding] = {}
        self._has_news = asyncio.Event()

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until a condition holds for what is shown."""
        async with asyncio.timeout(WAIT_S):
            while not is_so():
                self._has_news.clear()
                await self._has_news.wait()

    def review_changed(self, review: Review) -> None:
        if (review.id, review.state) not in self.states[-1:]:
            self.states.append((review.id, review.state))
        self.percentages.append(review.percentage)
        self.reviews[review.id] = review
        self._has_news.set()

    def finding_changed(self, review: Review, finding: Finding) -> None:
        self.findings[finding.id] = finding
        self._has_news.set()

    def finding_gone(self, review: Review, finding_id: str) -> None:
        self.findings.pop(finding_id, None)

    @property
    def titles(self) -> list[str]:
        """The titles of the shown findings."""
        return [finding.title for finding in self.findings.values()]


class HeldStore(ReviewStore):
    """Waits before it stores the end of a review, as for a slow disk."""

    def __init__(
        self, harness: ReviewHarness, settings: Callable[[], StoreSettings]
    ) -> None:
        super().__init__(settings, on_trouble=harness.troubles.append)
        self._harness = harness

    async def end(self, review: Review, *steps: StoredStep) -> None:
        self._harness.is_ending.set()
        await self._harness.may_end.wait()
        await super().end(review, *steps)


class ReviewHarness:
    """A workspace with one file, three models, and a server's reviews."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "workspace"
        self.folder.mkdir(exist_ok=True)
        self.file = self.folder / "a.py"
        self.file.write_text(CODE)
        self.deep = AnsweringModel(
            label="deep", answer=lambda prompt: findings(DIVIDES, EMPTY)
        )
        self.standard = AnsweringModel(
            label="standard", answer=lambda prompt: verdict("upheld")
        )
        self.fast = AnsweringModel(label="fast", answer=lambda prompt: "")
        self.settings = Settings()
        self.now = 1_000_000.0
        self.keep_days = 365
        self.troubles: list[str] = []
        self.recorded: list[TaskUsage] = []
        self.is_ending = asyncio.Event()
        self.may_end = asyncio.Event()
        """Cleared while the end of a review cannot be stored."""
        self.may_end.set()
        self._store = folder / "store" / "redline.sqlite3"
        self._open: list[Reviews] = []
        self._numbers = itertools.count(1)
        self.screen = FollowerLog()
        self.reviews = self.new_server()

    def new_server(self) -> Reviews:
        """Start another server on the same workspace; `screen` follows it."""
        tiers = FakeTiers(self.deep)
        tiers.models = {"fast": self.fast, "standard": self.standard}
        self.tools = JobTools(
            tiers=tiers,
            settings=lambda: self.settings,
            documents=dict,
            cache_key="key",
            now=lambda: self.now,
            random=lambda: 0.0,
            parser=InThisProcess(),
            related=related_in_this_process,
        )
        store = HeldStore(
            self,
            lambda: StoreSettings(file=str(self._store), keep_days=self.keep_days),
        )
        reviews = Reviews(
            self.tools,
            store,
            ledger=self,
            new_id=lambda: f"r{next(self._numbers)}",
            look_s=0.01,
            hear_s=0.01,
        )
        self.screen = FollowerLog()
        reviews.follow(self.screen)
        self._open.append(reviews)
        return reviews

    def record(self, task: TaskUsage) -> None:
        """Record the usage of a review."""
        self.recorded.append(task)

    async def settled(self) -> None:
        """Everything is stored at once."""

    def update(self, task_id: str, later: LateTaskFacts) -> None:
        """Do nothing: a review is recorded once, when it has ended."""
        raise AssertionError(task_id)

    def configure(self, **fields: object) -> None:
        """Change settings of reviews."""
        review = msgspec.convert(
            msgspec.to_builtins(self.settings.review) | fields, ReviewSettings
        )
        self.settings = msgspec.structs.replace(self.settings, review=review)

    def request(self, **fields: object) -> ReviewRequest:
        """Return a request to review the file."""
        base = ReviewRequest(
            target=WholeFiles(uris=(self.file.as_uri(),)),
            roots=(self.folder.as_uri(),),
        )
        return msgspec.structs.replace(base, **fields)

    async def start(self, **fields: object) -> str:
        """Start a review of the file."""
        return await self.reviews.start(self.request(**fields))

    async def review(self, **fields: object) -> Review:
        """Review the file to its end."""
        async with asyncio.timeout(WAIT_S):
            return await self.reviews.wait(await self.start(**fields))

    async def end(self, review_id: str) -> Review:
        """Wait for the end of a review."""
        async with asyncio.timeout(WAIT_S):
            return await self.reviews.wait(review_id)

    async def stored(
        self, review_id: str, step: str, is_so: Callable[[PartAnswer], bool]
    ) -> None:
        """Wait until the progress of a part is stored."""
        store = ReviewStore(lambda: StoreSettings(file=str(self._store)))
        async with asyncio.timeout(WAIT_S):
            while not any(
                row.name == step and is_so(row.outcome(PartAnswer))
                for row in await store.steps(review_id)
            ):
                pass
        await store.aclose()

    def damage_steps(self, body: bytes) -> None:
        """Replace the stored outcomes of steps."""
        with closing(sqlite3.connect(self._store)) as connection, connection:
            connection.execute("UPDATE review_steps SET body = ?", (body,))

    def damage_reviews(self) -> None:
        """Make the stored reviews unreadable."""
        with closing(sqlite3.connect(self._store)) as connection, connection:
            connection.execute("UPDATE reviews SET body = x'7b'")

    @contextmanager
    def locked_store(self) -> Iterator[None]:
        """Lock the store's file as another program would."""
        with closing(sqlite3.connect(self._store, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield

    async def aclose(self) -> None:
        """Close all servers; no generation may be left."""
        for reviews in self._open:
            await reviews.aclose()
        for model in (self.deep, self.standard, self.fast):
            assert model.n_running == 0


@pytest.fixture
def make_harness(tmp_path: Path) -> Callable[[], ReviewHarness]:
    """Create the harness of a test and its file."""
    return lambda: ReviewHarness(tmp_path)


@pytest.fixture
async def harness(
    make_harness: Callable[[], ReviewHarness],
) -> AsyncIterator[ReviewHarness]:
    """A harness that is closed after the test."""
    harness = make_harness()
    yield harness
    await harness.aclose()


@pytest.fixture
def no_folder(tmp_path: Path) -> Path:
    """Put a file where the store's folder should be."""
    (tmp_path / "store").write_text("a file")
    return tmp_path


async def test_a_review_goes_through_its_states(harness: ReviewHarness) -> None:
    review = await harness.review()

    assert [state for _, state in harness.screen.states] == [
        "queued",
        "gathering",
        "reviewing",
        "verifying",
        "done",
    ]
    assert harness.screen.percentages == sorted(harness.screen.percentages)
    assert (review.percentage, review.message) == (100, "")
    assert (review.n_findings, review.n_dropped) == (2, 0)
    assert harness.screen.titles == ["It divides by zero", "The list may be empty"]
    assert all(f.confidence > 0.5 for f in harness.screen.findings.values())


async def test_what_is_refuted_is_taken_back_with_the_reason(
    harness: ReviewHarness,
) -> None:
    harness.standard.answer = lambda prompt: verdict(
        "refuted" if "It divides by zero" in prompt else "upheld", "It is never zero."
    )
    review = await harness.review()

    assert harness.screen.titles == ["The list may be empty"]
    reviewed = await harness.reviews.reviewed(review.id)
    assert [f.title for f in reviewed.findings] == ["The list may be empty"]
    (dropped,) = reviewed.dropped
    assert (dropped.reason, dropped.detail) == ("refuted", "It is never zero.")


async def test_a_fix_is_attached_only_if_it_passes(harness: ReviewHarness) -> None:
    def write(prompt: str) -> str:
        is_first = "It divides by zero" in prompt
        return "    return total / n if n else 0" if is_first else "    return (names"

    harness.fast.answer = write
    await harness.review()

    fixes = [f.fix and f.fix.new_text for f in harness.screen.findings.values()]
    assert sorted(fixes, key=str) == ["    return total / n if n else 0", None]
    # The second try included what was wrong with the first.
    assert sum("names[0]" in prompt for prompt in harness.fast.prompts) >= 2


@pytest.mark.parametrize("by", ["deep", "fast"])
async def test_a_fix_with_a_key_in_use_is_not_shown(
    harness: ReviewHarness, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    """Whichever model repeats it; it is not sent to another one either."""
    monkeypatch.setattr(keys_in_use, "_known", keys_in_use._KnownKeys())
    note_key("b1946ac92492d2347c6235b4d2611184")
    fixed = "    return names and 'b1946ac92492d2347c6235b4d2611184'"
    own = claim("    return names[0]", fix=fixed if by == "deep" else None)
    harness.deep.answer = lambda prompt: findings(own)
    harness.fast.answer = lambda prompt: f"{fixed}\n" if by == "fast" else ""
    await harness.review()

    (finding,) = harness.screen.findings.values()
    assert finding.fix is None
    assert not any("b1946ac92492" in prompt for prompt in harness.fast.prompts)


async def test_the_reviewers_own_fix_is_checked_first(harness: ReviewHarness) -> None:
    own = claim("    return names[0]", fix="    return names[0] if names else None")
    harness.deep.answer = lambda prompt: findings(own)
    await harness.review()

    (finding,) = harness.screen.findings.values()
    assert finding.fix is not None
    assert finding.fix.new_text == "    return names[0] if names else None"
    assert "syntax" in finding.fix.checks
    assert harness.fast.prompts == []


async def test_lines_that_may_be_others_are_not_fixed(harness: ReviewHarness) -> None:
    """The quote is there twice, and nothing says which is meant."""
    harness.file.write_text("def f():\n    pass\n\n\ndef g():\n    pass\n")
    harness.deep.answer = lambda prompt: findings(
        claim("    pass", fix="    return 1"),
    )
    await harness.review()
    (finding,) = harness.screen.findings.values()
    assert finding.fix is None
    assert harness.fast.prompts == []


async def test_only_so_many_are_worked_on_at_a_time(harness: ReviewHarness) -> None:
    harness.configure(parallel=2)
    harness.deep.answer = lambda prompt: None
    ids = [await harness.start(is_forced=True) for _ in range(5)]
    generation = await harness.deep.generation(1)
    states = {review.id: review.state for review in harness.reviews.reviews()}
    assert [states[name] for name in ids[2:]] == ["queued"] * 3
    assert len(harness.deep.generations) == 2

    generation.reply(findings())
    await harness.deep.generation(2)
    assert len(harness.deep.generations) == 3
    for n in (0, 2, 3, 4):
        (await harness.deep.generation(n)).reply(findings())
    for name in ids:
        assert (await harness.end(name)).state == "done"


async def test_findings_are_shown_while_the_rest_is_written(
    harness: ReviewHarness,
) -> None:
    harness.deep.answer = lambda prompt: None
    started = await harness.start()
    generation = await harness.deep.generation()
    answer = findings(DIVIDES, EMPTY)
    at = answer.index("}, {") + 1
    generation.write(answer[:at])
    await harness.screen.until(lambda: bool(harness.screen.findings))
    assert harness.screen.titles == ["It divides by zero"]
    generation.reply(answer[at:])
    assert (await harness.end(started)).n_findings == 2


async def test_a_review_that_waits_is_cancelled(harness: ReviewHarness) -> None:
    harness.configure(parallel=1)
    harness.deep.answer = lambda prompt: None
    first, second = await harness.start(), await harness.start(is_forced=True)

    assert await harness.reviews.cancel(second)
    assert (await harness.end(second)).state == "cancelled"
    (await harness.deep.generation()).reply(findings())
    assert (await harness.end(first)).state == "done"
    assert not await harness.reviews.cancel(first)
    assert len(harness.deep.generations) == 1


async def test_a_review_is_cancelled_as_soon_as_it_is_resumed(
    harness: ReviewHarness,
) -> None:
    """Before the first step of its task."""
    harness.deep.answer = lambda prompt: None
    started = await harness.start()
    await harness.deep.generation()
    await harness.reviews.aclose()
    harness.reviews = harness.new_server()
    await harness.reviews.resume([harness.folder.as_uri()])

    assert await harness.reviews.cancel(started)
    assert harness.reviews.review(started).state == "cancelled"
    assert not harness.reviews.running


@pytest.mark.parametrize("n_cancels", [1, 2])
async def test_a_cancel_while_the_end_of_a_failed_review_is_stored(
    harness: ReviewHarness, n_cancels: int
) -> None:
    """It is too late: the failure is stored and shown."""
    harness.deep.answer = lambda prompt: None
    started = await harness.start()
    generation = await harness.deep.generation()
    harness.may_end.clear()
    generation.fail(AuthenticationError("The key is wrong."))
    async with asyncio.timeout(WAIT_S):
        await harness.is_ending.wait()
    loop = asyncio.get_running_loop()
    cancels = []
    for _ in range(n_cancels):
        cancels.append(loop.create_task(harness.reviews.cancel(started)))
        await asyncio.sleep(0)
    harness.may_end.set()
    assert (await harness.end(started)).state == "failed"
    assert not any(await asyncio.gather(*cancels))
    assert await harness.new_server().resume([harness.folder.as_uri()]) == ()


async def test_a_review_that_runs_is_cancelled_at_its_provider_too(
    harness: ReviewHarness,
) -> None:
    harness.deep.keeps_background = True
    harness.deep.answer = lambda prompt: None
    started = await harness.start()
    generation = await harness.deep.generation()
    assert generation.request.on_begun is not None
    generation.request.on_begun("resp_1")

    assert await harness.reviews.cancel(started)
    review = await harness.end(started)
    assert review.state == "cancelled"
    async with asyncio.timeout(WAIT_S):
        await harness.deep.was_called_off.wait()
    assert harness.deep.cancelled == ["resp_1"]
    await harness.reviews.aclose()
    assert harness.deep.forgotten == ["resp_1"]
    assert harness.deep.n_running == 0
    # Nobody goes on with it.
    assert await harness.new_server().resume([harness.folder.as_uri()]) == ()
    assert harness.screen.states == []


@pytest.mark.parametrize("tier", ["standard", "fast"])
async def test_what_refuting_and_fixing_took_is_counted_when_it_is_cancelled(
    tier: str, harness: ReviewHarness
) -> None:
    harness.deep.answer = lambda prompt: findings(DIVIDES)
    asked = harness.standard if tier == "standard" else harness.fast
    asked.answer = lambda prompt: None
    started = await harness.start()
    generation = await asked.generation()
    before = harness.reviews.review(started)
    generation.write("x" * 400)
    assert generation.request.on_begun is not None
    generation.request.on_begun("resp_1")
    assert await harness.reviews.cancel(started)

    assert before.state == "verifying"
    (task,) = harness.recorded
    n_others = 1 if tier == "standard" else 2
    assert task.outcome == "stopped"
    assert task.tokens.input_n_tokens > n_others * USAGE.input_n_tokens


async def test_the_same_text_is_not_reviewed_twice(harness: ReviewHarness) -> None:
    first = await harness.review()
    second = await harness.review()

    assert second.state == "done"
    assert second.same_as == first.id
    assert second.message.startswith("Nothing has changed")
    assert (second.cost, second.n_findings) == (0.0, 2)
    assert len(harness.deep.prompts) == 1
    reviewed = await harness.reviews.reviewed(second.id)
    assert len(reviewed.findings) == 2
    third = await harness.review()
    assert third.same_as == first.id

    forced = await harness.review(is_forced=True)
    assert forced.same_as is None
    assert len(harness.deep.prompts) == 2


@pytest.mark.parametrize("state", ["fixed", "stale"])
async def test_what_was_fixed_and_is_back_stands_again(
    state: FindingState, harness: ReviewHarness
) -> None:
    """The text is that of the first review again."""
    first = await harness.review()
    for finding in tuple(harness.screen.findings.values()):
        await harness.reviews.set_state(finding, state)
    await harness.reviews.aclose()

    harness.reviews = harness.new_server()
    second = await harness.review()
    assert second.same_as == first.id
    assert harness.screen.titles == ["It divides by zero", "The list may be empty"]
    reviewed = await harness.reviews.reviewed(second.id)
    assert [finding.state for finding in reviewed.findings] == ["open", "open"]
    # What is shown can be dismissed, and the next start shows neither again.
    for finding in tuple(harness.screen.findings.values()):
        await harness.reviews.dismiss(finding)
    assert await harness.new_server().resume([harness.folder.as_uri()]) == ()


async def test_what_was_fixed_is_known_to_the_next_server(
    harness: ReviewHarness,
) -> None:
    """Its fix may be undone, also while no server runs."""
    await harness.review()
    fixed, _ = harness.screen.findings.values()
    await harness.reviews.set_state(fixed, "fixed")
    await harness.reviews.aclose()
    known = await harness.new_server().resume([harness.folder.as_uri()])
    assert {one.title: one.state for one in known} == {
        "It divides by zero": "fixed",
        "The list may be empty": "open",
    }


async def test_what_a_later_review_saw_dismissed_stays_dismissed(
    harness: ReviewHarness,
) -> None:
    """Also in an earlier version of the text."""
    await harness.review()
    harness.file.write_text(f"# New.\n{CODE}")
    await harness.review()
    dismissed = next(iter(harness.screen.findings.values()))
    await harness.reviews.dismiss(dismissed, "It is never zero.")

    harness.file.write_text(CODE)
    third = await harness.review()
    assert third.same_as is not None
    reviewed = await harness.reviews.reviewed(third.id)
    states = {finding.title: finding.state for finding in reviewed.findings}
    assert states == {
        "It divides by zero": "dismissed",
        "The list may be empty": "open",
    }
    known = await harness.new_server().resume([harness.folder.as_uri()])
    assert [finding.title for finding in known] == ["The list may be empty"]


async def test_a_text_whose_findings_were_removed_is_reviewed_again(
    harness: ReviewHarness,
) -> None:
    """Their review is older than the one that refers to it."""
    harness.keep_days = 1
    await harness.review()
    harness.now += 0.9 * DAY_S
    await harness.review()
    other = WholeFiles(uris=((harness.folder / "no.py").as_uri(),))
    for days in (0.9, 1.1):
        harness.now += days * DAY_S
        await harness.review(target=other)
    await harness.reviews.aclose()

    harness.reviews = harness.new_server()
    await harness.reviews.resume([harness.folder.as_uri()])
    review = await harness.review()
    assert review.same_as is None
    assert len((await harness.reviews.reviewed(review.id)).findings) == 2


async def test_a_changed_text_is_reviewed_and_shown_once(
    harness: ReviewHarness,
) -> None:
    await harness.review()
    harness.file.write_text(f"# New.\n{CODE}")
    second = await harness.review()

    assert second.same_as is None
    # The same two faults, in place of those of the first review.
    assert harness.screen.titles == ["It divides by zero", "The list may be empty"]
    assert {f.review_id for f in harness.screen.findings.values()} == {second.id}


async def test_what_is_dismissed_does_not_come_back(harness: ReviewHarness) -> None:
    await harness.review()
    finding = next(iter(harness.screen.findings.values()))
    dismissed = await harness.reviews.dismiss(finding, "It is never zero.")
    assert dismissed.state == "dismissed"
    await harness.reviews.aclose()

    harness.reviews = harness.new_server()
    known = await harness.reviews.resume([harness.folder.as_uri()])
    assert [f.title for f in known] == ["The list may be empty"]
    review = await harness.review(is_forced=True)
    assert harness.screen.titles == ["The list may be empty"]
    reviewed = await harness.reviews.reviewed(review.id)
    (dropped,) = reviewed.dropped
    assert dropped.reason == "dismissed"
    assert "It is never zero." in dropped.detail


async def test_a_state_set_while_it_is_verified_stays(harness: ReviewHarness) -> None:
    harness.standard.answer = lambda prompt: None
    started = await harness.start()
    await harness.standard.generation(1)
    first = next(iter(harness.screen.findings.values()))
    await harness.reviews.set_state(first, "stale")
    for generation in harness.standard.generations:
        generation.reply(verdict("upheld"))
    await harness.end(started)

    states = {f.title: f.state for f in harness.screen.findings.values()}
    assert states == {"It divides by zero": "stale", "The list may be empty": "open"}
    reviewed = await harness.reviews.reviewed(started)
    assert [f.state for f in reviewed.findings] == ["stale", "open"]


async def test_what_happens_in_one_window_is_heard_in_the_others(
    harness: ReviewHarness,
) -> None:
    """Every window is a server of its own, and none is started again."""
    await harness.review()
    first, theirs = harness.reviews, harness.screen
    other = harness.new_server()
    divides, empty = await other.resume([harness.folder.as_uri()])

    await first.dismiss(divides)
    screen = harness.screen
    await screen.until(lambda: divides.id in screen.findings)
    assert screen.findings[divides.id].state == "dismissed"
    await first.set_state(empty, "fixed")
    await screen.until(lambda: empty.id in screen.findings)
    fixed = screen.findings[empty.id]
    assert fixed.state == "fixed"
    # The other one finds the fixed lines back in its text, and the first one hears it.
    await first.resume([harness.folder.as_uri()])
    await other.set_state(fixed, "open")
    await theirs.until(lambda: theirs.findings[empty.id].state == "open")


async def test_the_findings_of_one_window_are_listed_in_the_others(
    harness: ReviewHarness,
) -> None:
    """Once its review has ended: until then some are withdrawn."""
    first = harness.reviews
    other = harness.new_server()
    screen = harness.screen
    assert await other.resume([harness.folder.as_uri()]) == ()
    started = await first.start(harness.request())
    async with asyncio.timeout(WAIT_S):
        await first.wait(started)
    await screen.until(lambda: len(screen.findings) == 2)
    assert sorted(screen.titles) == ["It divides by zero", "The list may be empty"]
    assert other.review(started).state == "done"
    again = await first.start(harness.request(is_forced=True))
    await screen.until(
        lambda: {one.review_id for one in screen.findings.values()} == {again}
    )
    # What is shown can be dismissed there.
    await other.dismiss(next(iter(screen.findings.values())))


async def test_a_finding_of_a_renamed_file_is_there_after_a_restart(
    harness: ReviewHarness,
) -> None:
    """Under the new name, with the state that a user has given it."""
    await harness.review()
    divides, empty = harness.screen.findings.values()
    new_uri = f"{harness.folder.as_uri()}/new.py"
    fixed = await harness.reviews.set_state(divides, "fixed")
    for finding in (fixed, empty):
        await harness.reviews.store_place(msgspec.structs.replace(finding, uri=new_uri))
    await harness.reviews.aclose()
    found = await harness.new_server().resume([harness.folder.as_uri()])
    assert {one.uri for one in found} == {new_uri}
    assert {one.id: one.state for one in found} == {
        divides.id: "fixed",
        empty.id: "open",
    }


async def test_what_another_window_fixed_stays_fixed_while_it_is_verified(
    harness: ReviewHarness,
) -> None:
    harness.standard.answer = lambda prompt: None
    started = await harness.start()
    await harness.standard.generation(1)
    ours, screen = harness.reviews, harness.screen
    other = harness.new_server()
    known = await other.resume([harness.folder.as_uri()])
    await other.set_state(known[0], "fixed")
    await other.dismiss(known[1])
    for generation in harness.standard.generations:
        generation.reply(verdict("upheld"))
    async with asyncio.timeout(WAIT_S):
        await ours.wait(started)

    reviewed = await ours.reviewed(started)
    assert [one.state for one in reviewed.findings] == ["fixed", "dismissed"]
    assert len(screen.findings) == 2


async def test_a_model_that_cannot_answer_fails_the_review(
    harness: ReviewHarness,
) -> None:
    harness.deep.answer = lambda prompt: AuthenticationError("The key was refused.")
    review = await harness.review()

    assert review.state == "failed"
    assert review.message.startswith("The key was refused. Check the model's key")
    harness.deep.answer = lambda prompt: findings(DIVIDES)
    assert (await harness.review()).n_findings == 1


async def test_a_part_without_an_answer_is_listed(harness: ReviewHarness) -> None:
    other = harness.folder / "b.py"
    other.write_text("x = 1\n" * 1000)
    harness.configure(part_tokens=1_000, retries=0)
    harness.deep.answer = lambda prompt: (
        findings(DIVIDES)
        if "total / n" in prompt
        else ModelRejectedError("It is too long.")
    )
    target = WholeFiles(uris=(harness.file.as_uri(), other.as_uri()))
    review = await harness.review(target=target)

    assert review.state == "done"
    assert review.n_findings == 1
    reasons = {left.path: left.reason for left in review.left_out}
    assert "It is too long." in reasons["b.py"]
    # What is missing may be there next time.
    assert (await harness.review(target=target)).same_as is None


async def test_an_answer_that_is_cut_is_listed(harness: ReviewHarness) -> None:
    harness.deep.answer = lambda prompt: findings(DIVIDES)[:-3]
    review = await harness.review()

    assert review.state == "done"
    assert review.is_partial
    assert "cut short" in review.left_out[0].reason


async def test_a_review_of_which_nothing_could_be_read_has_failed(
    harness: ReviewHarness,
) -> None:
    harness.deep.answer = lambda prompt: "I like this code."
    review = await harness.review()

    assert review.state == "failed"
    assert "could not be read, so nothing was reviewed" in review.message
    (left,) = review.left_out
    assert (left.path, left.by_rule) == ("a.py", False)


async def test_a_part_that_could_not_be_read_is_listed(harness: ReviewHarness) -> None:
    other = harness.folder / "b.py"
    other.write_text("x = 1\n" * 1000)
    harness.configure(part_tokens=1_000)
    harness.deep.answer = lambda prompt: (
        findings(DIVIDES) if "total / n" in prompt else "I like this code."
    )
    target = WholeFiles(uris=(harness.file.as_uri(), other.as_uri()))
    review = await harness.review(target=target)

    assert (review.state, review.n_findings) == ("done", 1)
    assert review.is_partial
    assert {one.path for one in review.left_out} == {"b.py"}
    assert "could not be read" in review.left_out[0].reason


async def test_what_was_left_out_is_left_out_of_the_same_text_again(
    harness: ReviewHarness,
) -> None:
    """The limit of parts is the same, so the earlier review is reused."""
    other = harness.folder / "b.py"
    other.write_text("x = 1\n" * 1000)
    harness.configure(part_tokens=1_000, max_parts=1)
    target = WholeFiles(uris=(harness.file.as_uri(), other.as_uri()))
    first = await harness.review(target=target)
    again = await harness.review(target=target)

    assert first.is_partial
    assert again.same_as == first.id
    assert again.is_partial
    assert again.left_out == first.left_out


async def test_only_the_worst_are_shown(harness: ReviewHarness) -> None:
    harness.configure(max_findings=1)
    harness.deep.answer = lambda prompt: findings(EMPTY, DIVIDES)
    review = await harness.review()

    assert harness.screen.titles == ["It divides by zero"]
    reviewed = await harness.reviews.reviewed(review.id)
    assert [drop.reason for drop in reviewed.dropped] == ["too-many"]
    assert review.n_dropped == 1


async def test_a_limit_of_cost_is_kept(harness: ReviewHarness) -> None:
    for model in (harness.deep, harness.standard, harness.fast):
        model.prices = (1_000.0, 1_000.0)
    review = await harness.review(max_cost=1.0)

    # The one question to the deep model takes two dollars.
    assert review.cost == pytest.approx(2.0)
    assert review.n_findings == 2
    assert (harness.standard.prompts, harness.fast.prompts) == ([], [])
    assert review.message == (
        "The cost limit was reached, so no model tried to refute 2 findings and no "
        "model wrote a fix for 2 findings."
    )
    assert review.is_partial
    free = await harness.review(is_forced=True)
    assert free.cost is not None
    assert free.cost > 2.0


async def test_a_limit_that_scouts_reach_is_kept(harness: ReviewHarness) -> None:
    """The report lists what was not read and what was not refuted."""
    harness.configure(scouts=1)
    for name in ("b", "c"):
        caller = f"from a import share\n\n\ndef {name}():\n    return share(1, 0)\n"
        (harness.folder / f"{name}.py").write_text(caller)
    for model in (harness.deep, harness.standard, harness.fast):
        model.prices = (1_000.0, 1_000.0)
    harness.fast.answer = lambda prompt: "5: n is zero here."
    review = await harness.review(max_cost=1.0)

    assert (len(harness.fast.prompts), harness.deep.prompts) == (1, [])
    assert review.cost == pytest.approx(2.0)
    assert "no scout read 1 related place." in review.message
    assert [(one.path, one.reason) for one in review.left_out] == [
        ("a.py", "the cost limit was reached")
    ]
    assert review.is_partial


async def test_a_fix_is_not_tried_again_beyond_the_limit(
    harness: ReviewHarness,
) -> None:
    harness.configure(refute=False)
    for model in (harness.deep, harness.standard, harness.fast):
        model.prices = (1_000.0, 1_000.0)
    harness.deep.answer = lambda prompt: findings(DIVIDES)
    harness.fast.answer = lambda prompt: "    return (total"
    review = await harness.review(max_cost=3.0)

    assert len(harness.fast.prompts) == 1
    assert review.cost == pytest.approx(4.0)
    assert "no model wrote a fix for 1 finding." in review.message


async def test_beyond_the_limit_an_answer_that_was_cut_is_not_asked_for_anew(
    harness: ReviewHarness,
) -> None:
    harness.configure(refute=False, fixes=False)
    for model in (harness.deep, harness.standard, harness.fast):
        model.prices = (1_000.0, 1_000.0)
    harness.deep.answer = lambda prompt: None
    started = await harness.start(max_cost=0.1)
    generation = await harness.deep.generation()
    generation.write(findings(DIVIDES, EMPTY)[:-20])
    generation.fail(ModelCutError("It was cut.", retry_after_s=0.0))
    review = await harness.end(started)

    assert len(harness.deep.generations) == 1
    assert review.left_out[0].reason == (
        "the model did not answer: It was cut. It was not asked again, as the cost "
        "limit was reached."
    )
    assert review.cost is not None
    assert review.cost > 0.1


async def test_an_answer_that_is_kept_is_read_to_its_end_beyond_the_limit(
    harness: ReviewHarness,
) -> None:
    """It is paid for in any case."""
    harness.configure(refute=False, fixes=False)
    for model in (harness.deep, harness.standard, harness.fast):
        model.prices = (1_000.0, 1_000.0)
    harness.deep.keeps_background = True
    harness.deep.answer = lambda prompt: None
    started = await harness.start(max_cost=0.01)
    generation = await harness.deep.generation()
    generation.response_id = "resp_1"
    answer = findings(DIVIDES, EMPTY)
    at = answer.index("}") + 1
    generation.write(answer[:at])
    await harness.screen.until(lambda: bool(harness.screen.findings))
    await harness.reviews.aclose()

    harness.reviews = harness.new_server()
    await harness.reviews.resume([harness.folder.as_uri()])
    resumed = await harness.deep.generation(1)
    resumed.write(answer[at:])
    resumed.finish(usage=USAGE)
    review = await harness.end(started)
    assert review.n_findings == 2
    assert review.cost == pytest.approx(2.0)
    assert [name for name, *_ in harness.deep.resumed] == ["resp_1"]


async def test_what_an_answer_is_called_is_stored_before_anything_else(
    harness: ReviewHarness,
) -> None:
    """A kill before that would pay twice, so it does not wait for the lock."""
    harness.configure(refute=False, fixes=False)
    harness.deep.keeps_background = True
    harness.deep.answer = lambda prompt: None
    started = await harness.start()
    generation = await harness.deep.generation()
    async with harness.tools.turn:
        assert generation.request.on_begun is not None
        generation.request.on_begun("resp_1")
        await harness.stored(started, "part 0", lambda heard: "resp_1" in str(heard))
        await harness.reviews.aclose()

    harness.reviews = harness.new_server()
    await harness.reviews.resume([harness.folder.as_uri()])
    (await harness.deep.generation(1)).reply(findings(DIVIDES))
    assert (await harness.end(started)).n_findings == 1
    assert [name for name, *_ in harness.deep.resumed] == ["resp_1"]


async def test_what_an_earlier_server_spent_counts_before_anybody_is_asked(
    harness: ReviewHarness,
) -> None:
    harness.configure(fixes=False)
    for model in (harness.deep, harness.standard, harness.fast):
        model.prices = (1_000.0, 1_000.0)
    # The first of the two is not seen to before the server ends, the second is.
    harness.standard.answer = lambda prompt: (
        None if "It divides by zero" in prompt else verdict("refuted")
    )
    started = await harness.start(max_cost=3.0)
    await harness.screen.until(lambda: harness.screen.titles == ["It divides by zero"])
    await harness.reviews.aclose()
    asked = len(harness.standard.prompts)

    harness.reviews = harness.new_server()
    await harness.reviews.resume([harness.folder.as_uri()])
    review = await harness.end(started)
    assert len(harness.standard.prompts) == asked
    assert review.cost == pytest.approx(4.0)
    assert "no model tried to refute 1 finding." in review.message


async def test_what_a_review_took_is_recorded_once(harness: ReviewHarness) -> None:
    for model in (harness.deep, harness.standard, harness.fast):
        model.prices = (1_000.0, 1_000.0)
    review = await harness.review()
    again = await harness.review()

    first, second = harness.recorded
    assert (first.id, first.kind, first.outcome) == (review.id, "review", "shown")
    assert (first.tier, first.model) == ("deep", "deep")
    # One answer of the deep model, two verdicts, and a fix for each that is none.
    assert first.tokens.output_n_tokens == 5_000
    assert first.cost == review.cost == pytest.approx(10.0)
    assert (second.id, second.cost) == (again.id, 0.0)


async def test_what_was_written_for_nothing_is_counted(harness: ReviewHarness) -> None:
    """No provider reports its cost, so it is estimated; for a cancelled review, too."""
    harness.deep.prices = (1_000.0, 1_000.0)
    harness.deep.answer = lambda prompt: None
    started = await harness.start()
    half = findings(DIVIDES, EMPTY)[:-20]
    (await harness.deep.generation()).write(half)
    await harness.screen.until(lambda: harness.screen.titles != [])
    assert await harness.reviews.cancel(started)
    review = await harness.end(started)
    await harness.reviews.aclose()

    (task,) = harness.recorded
    assert task.outcome == "stopped"
    n_sent = len(harness.deep.prompts[0]) // 4
    assert task.tokens.input_n_tokens == pytest.approx(n_sent, abs=2)
    assert task.tokens.output_n_tokens == len(half) // 4
    assert task.tokens.wasted_n_tokens == len(half) // 4
    assert task.cost == review.cost
    assert task.cost is not None
    assert task.cost > 0


async def test_a_cut_answer_and_the_one_after_it_are_both_counted(
    harness: ReviewHarness,
) -> None:
    harness.configure(retries=1, refute=False, fixes=False)
    harness.deep.prices = (1_000.0, 1_000.0)
    harness.deep.answer = lambda prompt: None
    started = await harness.start()
    first = await harness.deep.generation(0)
    first.write(findings(DIVIDES, EMPTY)[:-20])
    first.fail(ModelCutError("cut", retry_after_s=0.0))
    second = await harness.deep.generation(1)
    second.write(findings())
    second.finish(usage=USAGE)
    review = await harness.end(started)

    assert review.cost is not None
    assert review.cost > 2.0
    (task,) = harness.recorded
    assert task.tokens.wasted_n_tokens > 0
    assert task.tokens.output_n_tokens == 1_000 + task.tokens.wasted_n_tokens


async def test_what_a_provider_does_not_count_is_estimated(
    harness: ReviewHarness,
) -> None:
    for model in (harness.deep, harness.standard, harness.fast):
        model.prices = (1_000.0, 1_000.0)
    harness.deep.answer = lambda prompt: None
    started = await harness.start()
    (await harness.deep.generation()).reply(findings())
    review = await harness.end(started)

    assert review.cost is not None
    assert review.cost > len(harness.deep.prompts[0]) / 4_000 - 0.01


async def test_a_review_that_nobody_answered_took_nothing(
    harness: ReviewHarness,
) -> None:
    harness.configure(retries=1)
    harness.deep.prices = (1_000.0, 1_000.0)
    harness.deep.refuses = ModelUnavailableError("nobody", retry_after_s=0.0)
    review = await harness.review()

    assert (review.state, review.cost) == ("failed", 0.0)


async def test_a_limit_that_could_not_be_kept_is_refused(
    harness: ReviewHarness,
) -> None:
    review = await harness.review(max_cost=1.0)

    assert review.state == "failed"
    assert "price of model deep is not known" in review.message
    assert harness.deep.prompts == []


async def test_rules_are_neither_refuted_nor_asked_twice(
    harness: ReviewHarness,
) -> None:
    for model in (harness.deep, harness.standard, harness.fast):
        model.is_model = False
    fixed = claim("    return names[0]", fix="    return names[:1]", rule="B999")
    harness.deep.answer = lambda prompt: findings(fixed)
    review = await harness.review()

    assert not review.has_model
    (finding,) = harness.screen.findings.values()
    assert finding.rule == "B999"
    assert finding.fix is not None
    assert (harness.standard.prompts, harness.fast.prompts) == ([], [])


async def test_secrets_are_hidden_from_every_model(harness: ReviewHarness) -> None:
    key = "AKIAIOSFODNN7EXAMPLQ"
    harness.file.write_text(
        f'KEY = "{key}"\n{CODE}def open_it():\n    return connect("{key}")\n'
    )

    def answer(prompt: str) -> str:
        at = prompt.index("    return connect(")
        return findings(claim(prompt[at : prompt.index("\n", at)]))

    harness.deep.answer = answer
    await harness.review()

    (finding,) = harness.screen.findings.values()
    assert finding.quote == f'    return connect("{key}")'
    prompts = [*harness.deep.prompts, *harness.standard.prompts, *harness.fast.prompts]
    assert len(prompts) >= 3
    assert not any(key in each for each in prompts)


async def test_a_secret_in_the_name_of_a_file_is_hidden(
    harness: ReviewHarness,
) -> None:
    """A finding that names the file by its placeholder is about that file."""
    key = "AKIAIOSFODNN7EXAMPLQ"
    harness.file = harness.file.rename(harness.folder / f"{key}.py")
    harness.file.write_text(f"import os\n{CODE}")
    harness.deep.answer = lambda prompt: findings(
        DIVIDES | {"file": "REDLINE_SECRET_000000.py"}
    )
    await harness.review()

    (finding,) = harness.screen.findings.values()
    assert finding.file == f"{key}.py"
    prompts = [*harness.deep.prompts, *harness.standard.prompts, *harness.fast.prompts]
    assert len(prompts) >= 3
    assert not any(key in each for each in prompts)


async def test_a_review_goes_on_in_the_next_server(harness: ReviewHarness) -> None:
    harness.standard.answer = lambda prompt: None
    started = await harness.start()
    await harness.standard.generation()
    await harness.reviews.aclose()
    assert harness.standard.n_running == 0

    harness.standard.answer = lambda prompt: verdict("upheld")
    harness.reviews = harness.new_server()
    known = await harness.reviews.resume([harness.folder.as_uri()])
    assert [f.title for f in known] == ["It divides by zero", "The list may be empty"]
    assert (await harness.end(started)).state == "done"
    assert len(harness.deep.prompts) == 1


@pytest.mark.parametrize(
    "body",
    [b"no zip", zlib.compress(msgspec.msgpack.encode(["another", "type"]))],
    ids=["damaged", "of another type"],
)
async def test_a_review_whose_steps_cannot_be_read_begins_again(
    body: bytes, harness: ReviewHarness
) -> None:
    harness.standard.answer = lambda prompt: None
    started = await harness.start()
    await harness.standard.generation()
    await harness.reviews.aclose()
    harness.damage_steps(body)

    harness.standard.answer = lambda prompt: verdict("upheld")
    harness.reviews = harness.new_server()
    known = await harness.reviews.resume([harness.folder.as_uri()])
    review = await harness.end(started)
    assert (review.state, review.n_findings) == ("done", 2)
    reviewed = await harness.reviews.reviewed(started)
    assert [one.id for one in reviewed.findings] == [one.id for one in known]
    assert len(harness.deep.prompts) == 2


async def test_findings_of_a_review_that_is_not_listed_any_more(
    harness: ReviewHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shown finding can be dismissed, however old it is."""
    await harness.review()
    await harness.reviews.aclose()
    monkeypatch.setattr("redline.assist.review.reviews.N_REMEMBERED", 0)
    harness.reviews = harness.new_server()
    known = await harness.reviews.resume([harness.folder.as_uri()])
    dismissed = await harness.reviews.dismiss(known[0], "It is never zero.")
    assert dismissed.state == "dismissed"


async def test_findings_of_a_review_that_cannot_be_read_are_not_shown(
    harness: ReviewHarness,
) -> None:
    """They could not be dismissed, and the text is reviewed again."""
    await harness.review()
    harness.damage_reviews()
    harness.reviews = harness.new_server()
    assert await harness.reviews.resume([harness.folder.as_uri()]) == ()
    assert harness.reviews.reviews() == ()

    review = await harness.review()
    assert (review.state, review.same_as, review.n_findings) == ("done", None, 2)
    (trouble,) = harness.troubles
    assert "cannot be read" in trouble


async def test_another_server_goes_on_when_one_ends(harness: ReviewHarness) -> None:
    harness.deep.answer = lambda prompt: None
    started = await harness.start()
    await harness.deep.generation()
    first, other = harness.reviews, harness.new_server()
    harness.reviews = other
    assert await other.resume([harness.folder.as_uri()]) == ()
    assert [state for _, state in harness.screen.states] == []

    harness.deep.answer = lambda prompt: findings(DIVIDES)
    ended = asyncio.create_task(harness.end(started))
    await first.aclose()
    assert (await ended).state == "done"
    assert harness.screen.titles == ["It divides by zero"]


@pytest.mark.parametrize("was_found", [False, True])
async def test_a_review_goes_on_though_its_text_was_reviewed_meanwhile(
    was_found: bool, harness: ReviewHarness
) -> None:
    """Whether it was interrupted while reviewing, or while verifying its findings."""
    waiting = harness.standard if was_found else harness.deep
    answer, waiting.answer = waiting.answer, lambda prompt: None
    started = await harness.start()
    await waiting.generation()
    first, other = harness.reviews, harness.new_server()
    harness.reviews = other
    await other.resume([harness.folder.as_uri()])
    waiting.answer = answer
    assert (await harness.review()).state == "done"

    ended = asyncio.create_task(harness.end(started))
    await first.aclose()
    review = await ended
    assert (review.state, review.message, review.n_findings) == ("done", "", 2)
    reviewed = await other.reviewed(started)
    assert [finding.state for finding in reviewed.findings] == ["open", "open"]
    # Each fault is shown once.
    known = await harness.new_server().resume([harness.folder.as_uri()])
    assert sorted(f.title for f in known) == [
        "It divides by zero",
        "The list may be empty",
    ]


async def test_a_locked_store_does_not_end_the_watch_over_other_servers(
    harness: ReviewHarness,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A review whose server ends after the lock is gone is taken over all the same."""
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.01)
    harness.deep.answer = lambda prompt: None
    started = await harness.start()
    await harness.deep.generation()
    first, other = harness.reviews, harness.new_server()
    harness.reviews = other
    await other.resume([harness.folder.as_uri()])

    was_locked = asyncio.Event()

    def watch(record: logging.LogRecord) -> bool:
        if "is locked by another program" in record.getMessage():
            was_locked.set()
        return True

    caplog.handler.addFilter(watch)
    with harness.locked_store(), caplog.at_level(logging.INFO):
        async with asyncio.timeout(WAIT_S):
            await was_locked.wait()

    harness.deep.answer = lambda prompt: findings(DIVIDES)
    ended = asyncio.create_task(harness.end(started))
    await first.aclose()
    assert (await ended).state == "done"


async def test_a_review_of_another_server_is_told_as_it_stands(
    harness: ReviewHarness,
) -> None:
    """Not its state from when this server started."""
    harness.deep.answer = lambda prompt: None
    started = await harness.start()
    await harness.deep.generation()
    other = harness.new_server()
    await other.resume([harness.folder.as_uri()])
    await other.refresh()
    assert [review.state for review in other.reviews()] == ["reviewing"]
    with pytest.raises(ReviewStateError, match="reviewing in another window"):
        await other.cancel(started)
    early = await other.reviewed(started)
    assert (early.review.state, early.findings) == ("reviewing", ())

    (await harness.deep.generation()).reply(findings(DIVIDES))
    await harness.end(started)
    late = await other.reviewed(started)
    assert (late.review.state, len(late.findings)) == ("done", 1)
    await other.refresh()
    assert other.reviews() == (late.review,)
    assert not await other.cancel(started)
    # Whose server says itself how it went.
    assert harness.screen.states == []


async def test_a_review_of_a_terminal_does_not_go_on_in_an_editor(
    harness: ReviewHarness,
) -> None:
    harness.deep.answer = lambda prompt: None
    started = await harness.start(origin="terminal")
    await harness.deep.generation()
    await harness.reviews.aclose()

    harness.reviews = harness.new_server()
    await harness.reviews.resume([harness.folder.as_uri()])
    review = harness.reviews.review(started)
    assert review.state == "failed"
    assert "that ran it ended" in review.message
    assert len(harness.deep.generations) == 1


async def test_where_nothing_can_be_kept_reviews_work(
    no_folder: Path, harness: ReviewHarness
) -> None:
    review = await harness.review()

    assert (review.state, review.n_findings) == ("done", 2)
    assert len(harness.troubles) == 1
    assert harness.troubles[0].startswith("Reviews are not stored for now")


@pytest.mark.parametrize("how", ["close", "cancel"])
async def test_git_and_its_child_processes_end_with_their_review(
    harness: ReviewHarness,
    project: GitProject,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
) -> None:
    """All of them hold the pipe open, whose end is read when the last one ends."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    stuck = tmp_path / "bin" / "git"
    stuck.parent.mkdir()
    stuck.write_text(f"#!/bin/sh\nexec 3>'{pipe}'\nsleep 60 &\necho up >&3\nwait\n")
    stuck.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stuck.parent}:/usr/bin:/bin")
    started = await harness.start(
        target=WorkingTree(root=project.uri), roots=(project.uri,)
    )
    async with asyncio.timeout(WAIT_S):
        with await asyncio.to_thread(pipe.open) as reader:
            assert await asyncio.to_thread(reader.readline) == "up\n"
            if how == "close":
                await harness.reviews.aclose()
            else:
                assert await harness.reviews.cancel(started)
            assert await asyncio.to_thread(reader.read) == ""


async def test_nothing_to_review_is_said(
    harness: ReviewHarness, project: GitProject
) -> None:
    project.commit(a=CODE)
    review = await harness.review(
        target=WorkingTree(root=project.uri), roots=(project.uri,)
    )

    assert review.state == "done"
    assert review.message == "There is nothing to review."
    assert harness.deep.prompts == []


async def test_what_cannot_be_reviewed_is_said(harness: ReviewHarness) -> None:
    gone = WholeFiles(uris=((harness.folder / "gone.py").as_uri(),))
    review = await harness.review(target=gone)

    assert review.state == "failed"
    assert "gone.py" in review.message


async def test_a_report_has_all_of_it(harness: ReviewHarness) -> None:
    harness.deep.answer = lambda prompt: findings(DIVIDES, claim("    gone()"))
    started = await harness.start()
    report = report_of(await harness.reviews.reviewed(started))
    assert (report.state, report.seconds) == ("running", None)
    await harness.end(started)
    report = report_of(await harness.reviews.reviewed(started))

    assert (report.state, report.seconds) == ("done", 0.0)
    assert report.scope == "all of a.py"
    assert [finding.title for finding in report.findings] == ["It divides by zero"]
    assert [drop.reason for drop in report.dropped] == ["not-found"]
    assert report.models["reviewing"] == "deep"


async def test_a_clock_that_is_set_back_takes_no_time(harness: ReviewHarness) -> None:
    def answer(prompt: str) -> str:
        harness.now -= 3_600.0
        return findings(DIVIDES)

    harness.deep.answer = answer
    review = await harness.review()
    report = report_of(await harness.reviews.reviewed(review.id))
    assert (report.state, report.seconds) == ("done", 0.0)


async def test_a_fault_of_our_own_ends_the_review(
    harness: ReviewHarness, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(prompt: str) -> str:
        raise LookupError("a bug")

    harness.deep.answer = fail
    review = await harness.review()

    assert review.state == "failed"
    assert "internal error of Redline" in review.message
    await harness.reviews.aclose()
    assert f"task review {review.id} failed" in caplog.text


async def test_a_review_fails_while_no_thread_can_be_started(
    harness: ReviewHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    await harness.reviews.resume(())  # Its thread is that of the store.
    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", fail)
        review = await harness.review()
    assert review.state == "failed"
    assert "starts no more processes or threads" in review.message
    assert (await harness.reviews.reviewed(review.id)).review.state == "failed"
    assert (await harness.review()).state == "done"


async def test_a_review_fails_while_no_process_can_be_started(
    harness: ReviewHarness,
) -> None:
    def fail(prompt: str) -> str:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    answer, harness.deep.answer = harness.deep.answer, fail
    review = await harness.review()
    assert review.state == "failed"
    assert "starts no more processes or threads" in review.message

    harness.deep.answer = answer
    assert (await harness.review()).state == "done"


@pytest.mark.parametrize("review_id", ["r9", "\ud83d"])
async def test_an_unknown_review_is_said(
    harness: ReviewHarness, review_id: str
) -> None:
    with pytest.raises(UnknownReviewError):
        harness.reviews.review(review_id)
    with pytest.raises(UnknownReviewError):
        await harness.reviews.reviewed(review_id)
    with pytest.raises(UnknownReviewError):
        await harness.reviews.cancel(review_id)


async def test_only_what_changed_since_the_last_review(
    make_harness: Callable[[], ReviewHarness],
) -> None:
    """Also after a commit and a restart; what was not reviewed counts as changed."""
    harness = make_harness()
    project = GitProject(harness.folder)
    harness.file.unlink()
    project.commit(b="x = 1\n")
    target = SinceReview(root=harness.folder.as_uri())
    harness.file.write_text(CODE)
    first = await harness.review(target=target)
    assert first.scope == "what has changed since the last review"
    assert "names[0]" in harness.deep.prompts[-1]

    n_asked = len(harness.deep.prompts)
    again = await harness.review(target=target)
    assert again.message == "Nothing has changed since the last review."
    assert len(harness.deep.prompts) == n_asked

    # Lines alone do not count as a review of their file.
    lines = Selection(uri=harness.file.as_uri(), first_line=0, end_line=1)
    await harness.review(target=lines, is_forced=True)
    harness.file.write_text(CODE.replace("total / n", "total / (n or 1)"))
    project.commit()
    harness.reviews = harness.new_server()
    await harness.reviews.resume([harness.folder.as_uri()])
    harness.deep.answer = lambda prompt: findings(DIVIDES, EMPTY)
    last = await harness.review(target=target)
    assert last.state == "done"
    # The model sees the whole file, and only the changed line is reviewed.
    assert harness.screen.titles == []
    assert last.n_dropped == 2
    await harness.aclose()
