"""Findings follow their lines in changing, closed and unopened files."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any  # What work returns is its own concern.

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runs import n_runs

from redline.assist.editor.workspace import Workspace
from redline.assist.review.shown.shown_findings import FindingView, ShownFindings
from redline.errors import StoreUnavailableError, UnknownReviewError
from redline.findings.finding import Finding, FindingState, Fix
from redline.findings.quote import places
from redline.findings.review import Review, ReviewRequest
from redline.findings.scope import WholeFiles
from redline.text.document import ContentChange
from redline.text.lines import split_lines
from redline.text.position import Position, Range
from redline.text.uri import FileRename

WAIT_S = 60.0

TEXT = "def f(x):\n    y = x\n\n    return y\n\n\ndef g(x):\n    return f(x)\n"
URI = "file:///project/a.py"
REVIEW = Review(
    id="r1", request=ReviewRequest(target=WholeFiles(uris=(URI,))), created_at=0.0
)


def finding(
    quote: str, first: int, *, uri: str = URI, state: FindingState = "open"
) -> Finding:
    """A finding that quotes some lines."""
    return Finding(
        id=f"{first}",
        review_id=REVIEW.id,
        file="a.py",
        uri=uri,
        fingerprint=f"f{first}",
        first_line=first,
        end_line=first + len(quote.split("\n")),
        quote=quote,
        severity="high",
        category="correctness",
        title="Wrong",
        explanation="It is wrong.",
        state=state,
    )


RETURN_Y = finding("    return y", 3)


class ShownHarness:
    """A workspace, its shown findings, and the notifications about them."""

    def __init__(self) -> None:
        self.workspace = Workspace()
        self.stored: list[tuple[str, FindingState]] = []
        self.stored_places: list[str] = []
        self.shown_uris: list[str] = []
        self.has_news = asyncio.Event()
        self.is_broken = False
        self.shown = ShownFindings(self.workspace, self, self._changed)

    async def set_state(self, finding: Finding, state: FindingState) -> Finding:
        if self.is_broken:
            raise StoreUnavailableError("The disk is full.")
        self.stored.append((finding.id, state))
        finding = msgspec.structs.replace(finding, state=state)
        self.shown.finding_changed(REVIEW, finding)
        return finding

    async def store_place(self, finding: Finding) -> None:
        self.stored_places.append(finding.uri)
        self.has_news.set()

    def open(self, text: str = TEXT, uri: str = URI) -> None:
        self.workspace.open(uri, "python", 1, text)

    def edit(self, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        where = Range(Position(*start), Position(*end))
        version = self.workspace.document(URI).version + 1
        self.workspace.change(URI, version, [ContentChange(range=where, text=text)])

    async def views(self, uri: str = URI) -> tuple[FindingView, ...]:
        await self.shown.settle(uri)
        return self.shown.in_file(uri)

    async def places(self, uri: str = URI) -> list[tuple[int, int, int]]:
        """The first line and the character range of each finding."""
        return [
            (one.range.start.line, one.range.start.character, one.range.end.character)
            for one in await self.views(uri)
        ]

    def _changed(self, uri: str) -> None:
        self.shown_uris.append(uri)
        self.has_news.set()


@pytest.fixture
async def harness() -> AsyncIterator[ShownHarness]:
    harness = ShownHarness()
    yield harness
    await harness.shown.aclose()


async def test_a_finding_is_shown_where_its_lines_stand(harness: ShownHarness) -> None:
    harness.open("# new\n" + TEXT)
    harness.shown.finding_changed(REVIEW, RETURN_Y)
    assert await harness.places() == [(4, 4, 12)]
    assert harness.shown_uris == [URI]


async def test_it_is_told_a_moment_later_by_itself(harness: ShownHarness) -> None:
    harness.shown.load([RETURN_Y])
    harness.open()
    async with asyncio.timeout(10):
        await harness.has_news.wait()
    assert len(harness.shown.in_file(URI)) == 1


async def test_a_fix_is_there_as_soon_as_it_is_found(harness: ShownHarness) -> None:
    """The menu may be opened when a review has just ended."""
    harness.open()
    harness.shown.load([RETURN_Y])
    await harness.views()
    fix = Fix(new_text="    return x", checks=())
    fixed = msgspec.structs.replace(RETURN_Y, fix=fix)
    harness.shown.finding_changed(REVIEW, fixed)
    (view,) = harness.shown.in_file(URI)
    assert view.finding.fix == fix
    assert [one.finding.fix for one in harness.shown.of_review(REVIEW.id)] == [fix]


async def test_it_moves_turns_stale_and_comes_back(harness: ShownHarness) -> None:
    """Each state is stored."""
    harness.open()
    harness.shown.load([RETURN_Y])
    assert await harness.places() == [(3, 4, 12)]
    harness.edit((0, 0), (0, 0), "import os\n")
    assert await harness.places() == [(4, 4, 12)]
    harness.edit((4, 12), (4, 12), "z")
    assert await harness.places() == []
    assert harness.stored == [("3", "stale")]
    harness.edit((4, 12), (4, 13), "")
    assert await harness.places() == [(4, 4, 12)]
    assert harness.stored == [("3", "stale"), ("3", "open")]


async def test_a_state_that_cannot_be_stored_is_shown_all_the_same(
    harness: ShownHarness,
) -> None:
    harness.open()
    harness.shown.load([RETURN_Y])
    await harness.views()
    harness.is_broken = True
    harness.edit((3, 12), (3, 12), "z")
    assert await harness.places() == []


async def test_what_was_stale_and_stands_again_is_open(harness: ShownHarness) -> None:
    harness.open()
    harness.shown.load([msgspec.structs.replace(RETURN_Y, state="stale")])
    assert await harness.places() == [(3, 4, 12)]
    assert harness.stored == [("3", "open")]


async def test_a_dismissed_one_is_shown_no_more(harness: ShownHarness) -> None:
    harness.open()
    harness.shown.load([RETURN_Y, finding("    return f(x)", 7)])
    await harness.views()
    gone = msgspec.structs.replace(RETURN_Y, state="dismissed")
    harness.shown.finding_changed(REVIEW, gone)
    assert await harness.places() == [(7, 4, 15)]
    harness.shown.finding_gone(REVIEW, "7")
    harness.shown.finding_gone(REVIEW, "7")
    assert await harness.places() == []
    assert harness.shown.uris == ()
    with pytest.raises(UnknownReviewError):
        harness.shown.shown("7")


async def test_a_fixed_one_is_open_again_when_the_fix_is_undone(
    harness: ShownHarness,
) -> None:
    harness.open()
    harness.shown.load([RETURN_Y])
    await harness.views()
    # The new lines hold the old one.
    harness.edit((3, 0), (3, 0), "    if y:\n    ")
    harness.shown.fix_applied("3", "    if y:\n        return y")
    assert await harness.places() == []
    assert harness.stored == [("3", "fixed")]
    harness.edit((3, 0), (4, 4), "")
    assert await harness.places() == [(3, 4, 12)]
    assert harness.stored == [("3", "fixed"), ("3", "open")]


@pytest.mark.parametrize("is_open", [True, False])
async def test_one_that_an_earlier_run_fixed_is_open_again_when_the_fix_is_undone(
    harness: ShownHarness, tmp_path: Path, *, is_open: bool
) -> None:
    """The new lines hold the old one, which is in the text all the time."""
    file = tmp_path / "a.py"
    uri = file.as_uri()
    file.write_text(TEXT.replace("    return y", "    if y:\n        return y"))
    if is_open:
        harness.open(file.read_text(), uri)
    fix = Fix(new_text="    if y:\n        return y\n")
    fixed = finding("    return y", 3, uri=uri, state="fixed")
    harness.shown.load([msgspec.structs.replace(fixed, fix=fix)])
    assert await harness.places(uri) == []
    (view,) = harness.shown.views()
    assert view.finding.state == "fixed"
    assert harness.stored == []
    file.write_text(TEXT)
    if is_open:
        harness.workspace.close(uri)
    harness.shown.files_changed()
    assert await harness.places(uri) == [(3, 4, 12)]
    assert harness.stored == [("3", "open")]


async def test_one_that_another_window_fixed_is_hidden_until_its_lines_return(
    harness: ShownHarness,
) -> None:
    """The other window has not saved its text yet."""
    harness.open()
    harness.shown.load([RETURN_Y])
    assert len(await harness.views()) == 1
    fixed = msgspec.structs.replace(RETURN_Y, state="fixed")
    harness.shown.finding_changed(REVIEW, fixed)
    assert await harness.views() == ()

    # The other window saves, and this one reads the file again.
    harness.edit((3, 4), (3, 12), "return x")
    assert await harness.views() == ()
    harness.edit((3, 4), (3, 12), "return y")
    assert len(await harness.views()) == 1
    assert harness.stored == [("3", "open")]


async def test_one_that_another_window_opens_again_is_judged_by_the_text(
    harness: ShownHarness,
) -> None:
    harness.open()
    harness.shown.load([RETURN_Y])
    await harness.views()
    for state in ("fixed", "open"):
        heard = msgspec.structs.replace(RETURN_Y, state=state)
        harness.shown.finding_changed(REVIEW, heard)
    assert len(await harness.views()) == 1
    assert harness.stored == []


async def test_a_fix_that_deletes_is_undone_too(harness: ShownHarness) -> None:
    harness.open()
    harness.shown.load([RETURN_Y])
    await harness.views()
    harness.edit((3, 0), (4, 0), "")
    harness.shown.fix_applied("3", "")
    assert await harness.places() == []
    harness.edit((3, 0), (3, 0), "    return y\n")
    assert await harness.places() == [(3, 4, 12)]


async def test_files_that_are_not_open_are_looked_at_on_disk(
    harness: ShownHarness, tmp_path: Path
) -> None:
    file = tmp_path / "a.py"
    file.write_text("# é\r\n" + TEXT.replace("\n", "\r\n"), newline="")
    uri = file.as_uri()
    harness.shown.load([finding("    return y", 3, uri=uri)])
    assert await harness.places(uri) == [(4, 4, 12)]
    file.write_text("\n" + TEXT)
    harness.shown.files_changed()
    assert await harness.places(uri) == [(4, 4, 12)]
    file.write_text("nothing")
    harness.shown.files_changed()
    assert await harness.places(uri) == []
    file.unlink()
    harness.shown.files_changed()
    assert await harness.places(uri) == []
    harness.open(TEXT, uri)
    assert await harness.places(uri) == [(3, 4, 12)]
    file.write_text("\n\n" + TEXT)
    harness.workspace.close(uri)
    assert await harness.places(uri) == [(5, 4, 12)]


class SlowThreads(ThreadPoolExecutor):
    """Begins work when it may, as on a busy machine."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked = asyncio.Event()
        self.may_work = threading.Event()

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.is_asked.set()
        return super().submit(lambda: self.may_work.wait() and fn(*args, **kwargs))


async def test_settling_waits_for_a_search_that_has_begun(
    harness: ShownHarness, tmp_path: Path
) -> None:
    """A list that is requested meanwhile has the newest findings."""
    file = tmp_path / "a.py"
    file.write_text(TEXT)
    threads = SlowThreads()
    asyncio.get_running_loop().set_default_executor(threads)
    known = finding("    return y", 3, uri=file.as_uri())
    harness.shown.load([known])
    async with asyncio.timeout(WAIT_S):
        await threads.is_asked.wait()
    settled = asyncio.create_task(harness.shown.settle_all())
    await asyncio.sleep(0)
    threads.may_work.set()
    await settled
    assert [view.finding for view in harness.shown.views()] == [known]


async def test_an_unreadable_place_has_no_findings(harness: ShownHarness) -> None:
    harness.shown.load([finding("a", 0, uri="untitled:1")])
    assert await harness.places("untitled:1") == []
    harness.open("a", "untitled:1")
    assert await harness.places("untitled:1") == [(0, 0, 1)]


async def test_the_editors_own_spelling_of_a_uri_counts(harness: ShownHarness) -> None:
    harness.shown.load([finding("    return y", 3, uri="file:///project/%61.py")])
    harness.open()
    assert await harness.places() == [(3, 4, 12)]
    assert harness.shown.uris == (URI,)
    assert harness.shown.uri_of("3") == URI


async def test_findings_of_one_review_are_found_together(harness: ShownHarness) -> None:
    harness.open()
    harness.shown.load([RETURN_Y, finding("    return f(x)", 7)])
    await harness.views()
    views = harness.shown.of_review(REVIEW.id)
    assert [one.finding.id for one in views] == ["3", "7"]
    assert harness.shown.of_review("other") == ()


_place = st.tuples(st.integers(0, 9), st.integers(0, 12))
_text = st.sampled_from(
    ("x", "", "\n", "    return y\n", "    y = x\n\n    return y\n", "def g(x):\n")
)


@settings(max_examples=n_runs(20), deadline=None)
@given(st.lists(st.tuples(_place, _place, _text), min_size=10, max_size=10))
def test_after_500_edits_they_are_where_a_search_finds_them(
    edits: list[tuple[tuple[int, int], tuple[int, int], str]],
) -> None:
    asyncio.run(_follow(edits))


async def _follow(edits: list[tuple[tuple[int, int], tuple[int, int], str]]) -> None:
    harness = ShownHarness()
    harness.open()
    quotes = ("def f(x):", "    y = x\n\n    return y", "    return f(x)")
    lines = split_lines(TEXT)
    for quote in quotes:
        first, *_ = places(quote, lines)
        harness.shown.load([finding(quote, first.start)])
    await harness.views()
    for start, end, text in edits:
        harness.edit(start, end, text)
        views = {one.finding.quote: one for one in await harness.views()}
        lines = list(harness.workspace.document(URI).snapshot().lines)
        for quote in quotes:
            starts = [span.start for span in places(quote, lines)]
            assert bool(starts) == (quote in views)
            assert quote not in views or views[quote].range.start.line in starts
    await harness.shown.aclose()


async def test_findings_of_a_removed_folder_are_hidden_until_it_is_added_again(
    harness: ShownHarness,
) -> None:
    """Those of a folder inside it stay, if that is open by itself."""
    inner = "file:///project/inner"
    uri = f"{inner}/a.py"
    roots = ("file:///project", inner)
    harness.workspace.change_roots(added=roots, removed=())
    harness.shown.roots_changed()
    harness.open()
    harness.open(uri=uri)
    findings = [RETURN_Y, finding("    y = x", 1, uri=uri)]
    harness.shown.load(findings)
    assert len(await harness.views()) == len(await harness.views(uri)) == 1

    harness.workspace.change_roots(added=(), removed=roots[:1])
    harness.shown.roots_changed()
    harness.shown.finding_changed(REVIEW, RETURN_Y)
    assert await harness.views() == ()
    assert harness.shown_uris[-1] == URI
    assert len(await harness.views(uri)) == 1
    with pytest.raises(UnknownReviewError):
        harness.shown.shown(RETURN_Y.id)

    harness.workspace.change_roots(added=roots[:1], removed=())
    harness.shown.roots_changed()
    harness.shown.load(findings)
    assert len(await harness.views()) == len(await harness.views(uri)) == 1


@pytest.mark.parametrize("is_closed_first", [True, False])
async def test_findings_follow_a_renamed_folder(
    harness: ShownHarness, *, is_closed_first: bool
) -> None:
    """Also if the file was closed and could not be found before the rename is known."""
    new = "file:///other/a.py"
    harness.open()
    harness.shown.load([RETURN_Y])
    assert len(await harness.views()) == 1
    rename = [FileRename("file:///project", "file:///other")]
    if is_closed_first:
        harness.workspace.close(URI)
        assert await harness.views() == ()
        harness.open(uri=new)
        harness.shown.files_renamed(rename)
    else:
        harness.shown.files_renamed(rename)
        harness.workspace.close(URI)
        harness.open(uri=new)
    assert await harness.places(new) == [(3, 4, 12)]
    assert await harness.views() == ()
    assert harness.shown.uris == (new,)
    async with asyncio.timeout(WAIT_S):
        while not harness.stored_places:
            harness.has_news.clear()
            await harness.has_news.wait()
    assert harness.stored_places == [new]
