"""A proposal that is accepted, turned down and redirected while it is written."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from tests.runs import n_runs

from redline.text.line_diff import LineHunk, apply_hunks, diff_lines
from redline.text.live_proposal import LiveProposal
from redline.text.streaming_diff import Hunk, StreamingDiff, Update

LINES = [f"{letter}_line\n" for letter in "abcdef"] + ["\n", "crlf\r\n", "cut"]

Plain = tuple[int, int, tuple[str, ...]]


@st.composite
def olds(draw: st.DrawFn) -> list[str]:
    """Draw a text with enough lines that stand only once for hunks to settle."""
    old = draw(st.lists(st.sampled_from(LINES), max_size=12))
    for n in range(draw(st.integers(0, 24))):
        old.insert(draw(st.integers(0, len(old))), f"{n}_only\n")
    return old


@st.composite
def news(draw: st.DrawFn, old: Sequence[str]) -> list[str]:
    """Draw a text made of another by a few changes, or of its parts."""
    new = list(old)
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(new)))
        end = min(len(new), start + draw(st.integers(0, 3)))
        lines = draw(
            st.lists(st.sampled_from([*LINES, "new\n", "newer\n"]), max_size=3)
        )
        new[start:end] = lines
    if draw(st.integers(0, 5)) == 0:
        start = draw(st.integers(0, len(new)))
        new = new[start:] + new[:start]
    return new


@st.composite
def texts(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    old = draw(olds())
    return old, draw(news(old))


def _changes(hunks: Sequence[Hunk]) -> list[LineHunk]:
    return [LineHunk(start=h.start, end=h.end, lines=h.lines) for h in hunks]


def _plain(hunks: Sequence[LineHunk]) -> list[Plain]:
    return [(hunk.start, hunk.end, hunk.lines) for hunk in hunks]


def _is_continued(known: Plain, hunk: Hunk) -> bool:
    start, end, lines = known
    return hunk.start == start and hunk.end >= end and hunk.lines[: len(lines)] == lines


class _Reader:
    """A client: a dictionary of hunks, and what it may rely on."""

    def __init__(self, hunks: Sequence[Hunk]) -> None:
        self.hunks = {hunk.id: hunk for hunk in hunks}
        self.gone: set[int] = set()

    def take(self, update: Update) -> None:
        for hunk_id in update.removed:
            del self.hunks[hunk_id]
            self.gone.add(hunk_id)
        for hunk in update.hunks:
            assert hunk.id not in self.gone
            known = self.hunks.get(hunk.id)
            if known is not None:
                assert known.state == "growing"
                assert _is_continued(_plain([known])[0], hunk)
            self.hunks[hunk.id] = hunk

    def start_over(self, hunks: Sequence[Hunk], moved: dict[int, Plain]) -> None:
        """Take a whole state.

        Args:
            hunks: Everything that is painted.
            moved: Where what was painted is now, by its id; without what is over.
        """
        for hunk in hunks:
            assert hunk.id not in self.gone
            if hunk.id in self.hunks:
                assert _is_continued(moved[hunk.id], hunk)
        looks = {look: hunk_id for hunk_id, look in moved.items()}
        for hunk, look in zip(hunks, _plain(hunks), strict=True):
            assert looks.get(look, hunk.id) == hunk.id, "what looks the same is it"
        ids = {hunk.id for hunk in hunks}
        self.gone |= set(self.hunks) - ids
        self.hunks = {hunk.id: hunk for hunk in hunks}


class LiveProposalMachine(RuleBasedStateMachine):
    """A model that writes and a reader who does not wait, against plain reasoning.

    Plain reasoning is: the document's lines, the model's lines, of which some are
    replaced by the document's where the reader said so, and what was painted when the
    last text was begun.
    """

    @initialize(data=st.data(), old=olds())
    def begin(self, data: st.DataObject, old: list[str]) -> None:
        self.old = old
        self.carried: list[Hunk] = []
        self.new_id = itertools.count().__next__
        self.live = LiveProposal(old, new_id=self.new_id)
        self.reader = _Reader(())
        self.is_finished = False
        self._take_text(data.draw(news(old)))

    def _take_text(self, new: list[str]) -> None:
        self.left = list(new)
        self.written: list[str] = []

    @precondition(lambda self: self.left)
    @rule(n_lines=st.integers(1, 12))
    def feed(self, n_lines: int) -> None:
        lines, self.left = self.left[:n_lines], self.left[n_lines:]
        self.written += lines
        self.reader.take(self.live.feed(lines))

    @precondition(lambda self: not self.left and not self.is_finished)
    @rule()
    def finish(self) -> None:
        self.is_finished = True
        self.reader.take(self.live.finish())

    @precondition(lambda self: self.live.settled())
    @rule(data=st.data(), n_later=st.integers(0, 3))
    def accept(self, data: st.DataObject, n_later: int) -> None:
        """Hunks are sent, lines come meanwhile, the hunks are in the document."""
        chosen = self._some_settled(data)
        if n_later and self.left:
            self.feed(n_later)
        before = self.live.hunks
        self.old = apply_hunks(self.old, _changes(chosen))
        self.live.accept(chosen)
        self._start_over(before, chosen)

    @precondition(lambda self: self.live.settled())
    @rule(data=st.data())
    def reject(self, data: st.DataObject) -> None:
        before = self.live.hunks
        chosen = self._some_settled(data)
        own = self.live.proposal().hunks
        for hunk in reversed(chosen):
            above = [each for each in own if each.start < hunk.start]
            start = len(apply_hunks(self.old[: hunk.start], _changes(above)))
            end = start + len(hunk.lines)
            assert tuple(self.written[start:end]) == hunk.lines
            self.written[start:end] = self.old[hunk.start : hunk.end]
        self.live.reject(chosen)
        self.carried = []
        done = {hunk.id for hunk in chosen}
        moved = {h.id: _plain([h])[0] for h in before if h.id not in done}
        self.reader.start_over(self.live.hunks, moved)
        assert not done & set(self.reader.hunks)

    @rule(data=st.data(), is_same=st.booleans())
    def redirect(self, data: st.DataObject, is_same: bool) -> None:
        """Another text, or the same once more, is begun for the same old lines."""
        new = [*self.written, *self.left]
        if not is_same:
            new = data.draw(news(new))
        self.carried = list(self.live.hunks)
        self.live = LiveProposal(
            self.live.old_lines, new_id=self.new_id, carried=self.carried
        )
        self.is_finished = False
        self._take_text(new)
        moved = {hunk.id: _plain([hunk])[0] for hunk in self.carried}
        self.reader.start_over(self.live.hunks, moved)
        assert _plain(self.live.hunks) == _plain(self.carried)

    def _some_settled(self, data: st.DataObject) -> list[Hunk]:
        settled = self.live.settled()
        ids = data.draw(st.sets(st.sampled_from([hunk.id for hunk in settled])))
        painted = {hunk.id: hunk for hunk in self.live.hunks}
        chosen = self.live.settled(ids)
        assert {hunk.id for hunk in chosen} == ids
        for hunk in chosen:
            assert hunk == painted[hunk.id], "it is what is shown"
        return list(chosen)

    def _start_over(self, before: Sequence[Hunk], done: Sequence[Hunk]) -> None:
        moved = {}
        for hunk in before:
            above = [each for each in done if each.end <= hunk.start]
            shift = sum(len(each.lines) - (each.end - each.start) for each in above)
            moved[hunk.id] = (hunk.start + shift, hunk.end + shift, hunk.lines)
        self.carried = []
        self.reader.start_over(self.live.hunks, moved)

    @invariant()
    def what_is_painted_is_what_the_reader_has(self) -> None:
        painted = self.live.hunks
        in_order = sorted(self.reader.hunks.values(), key=lambda h: (h.start, h.end))
        assert in_order == list(painted)
        assert len({hunk.id for hunk in painted}) == len(painted)

    @invariant()
    def the_texts_are_the_right_ones(self) -> None:
        assert self.live.old_lines == tuple(self.old)
        assert self.live.written == self.written

    @invariant()
    def painted_hunks_are_apart(self) -> None:
        for one, other in zip(self.live.hunks, self.live.hunks[1:], strict=False):
            assert one.end <= other.start
            assert one.start < other.start

    @invariant()
    def what_is_proposed_is_a_new_head_and_an_old_tail(self) -> None:
        proposed = self.live.proposal()
        assert proposed.old_lines == tuple(self.old)
        heads = range(len(self.written), max(-1, len(self.written) - 5), -1)
        assert any(
            proposed.new_lines == self.written[:n] + self.old[at:]
            for n in heads
            for at in range(len(self.old) + 1)
        )

    @invariant()
    def what_is_painted_is_a_new_head_and_a_carried_tail(self) -> None:
        painted = apply_hunks(self.old, _changes(self.live.hunks))
        carried = self.carried or self.live.hunks
        assert any(
            painted == self.written[:n] + _tail(self.old, carried[n_passed:], at)
            for n in range(len(self.written) + 1)
            for n_passed in range(len(carried) + 1)
            for at in range(len(self.old) + 1)
            if all(hunk.start >= at for hunk in carried[n_passed:])
        )

    @invariant()
    def the_end_is_the_minimal_diff(self) -> None:
        if self.is_finished:
            assert _plain(self.live.hunks) == _plain(diff_lines(self.old, self.written))
            assert self.live.proposal().new_lines == self.written


def _tail(old: Sequence[str], hunks: Sequence[Hunk], at: int) -> list[str]:
    """The old lines from one on, with hunks that start there or later."""
    changes = [
        LineHunk(start=h.start - at, end=h.end - at, lines=h.lines) for h in hunks
    ]
    return apply_hunks(old[at:], changes)


TestLiveProposalMachine = LiveProposalMachine.TestCase
TestLiveProposalMachine.settings = settings(
    max_examples=n_runs(30), stateful_step_count=20, deadline=None
)


def _is_corrected(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether a diff takes hunks away, or changes one that the new text has passed."""
    diff = StreamingDiff(old)
    passed: set[Plain] = set()
    for line in [*new, None]:
        update = diff.finish() if line is None else diff.feed([line])
        hunks = set(_plain(diff.hunks))
        if update.removed or not passed <= hunks:
            return True
        passed = {hunk for hunk in hunks if hunk[0] < diff.n_passed}
    return False


@given(texts(), st.integers(0, 40), st.booleans())
@settings(max_examples=n_runs(30), deadline=None)
def test_what_comes_again_is_never_taken_away(
    text: tuple[list[str], list[str]], n_written: int, is_finished: bool
) -> None:
    """The same text once more: where the diff corrects nothing, nothing is removed."""
    old, new = text
    assume(not _is_corrected(old, new))
    new_id = itertools.count().__next__
    first = LiveProposal(old, new_id=new_id)
    first.feed(new if is_finished else new[:n_written])
    if is_finished:
        first.finish()
    again = LiveProposal(old, new_id=new_id, carried=first.hunks)
    updates = [again.feed([line]) for line in new] + [again.finish()]
    assert _plain(again.hunks) == _plain(diff_lines(old, new))
    ends = {hunk.id: hunk for hunk in again.hunks}
    for hunk, look in zip(first.hunks, _plain(first.hunks), strict=True):
        if look in _plain(again.hunks):
            assert _plain([ends[hunk.id]]) == [look]
            assert not any(hunk.id in update.removed for update in updates)


@given(texts(), st.data())
@settings(max_examples=n_runs(30), deadline=None)
def test_any_chunking_gives_the_same(
    text: tuple[list[str], list[str]], data: st.DataObject
) -> None:
    """Whatever is carried, and however the lines come, what is proposed is the same."""
    old, new = text
    carried = StreamingDiff(old)
    carried.feed(data.draw(news(new)))
    whole, lines = (
        LiveProposal(old, new_id=itertools.count(100).__next__, carried=carried.hunks)
        for _ in range(2)
    )
    at = data.draw(st.integers(0, len(new)))
    whole.feed(new[:at])
    for line in new[:at]:
        lines.feed([line])
    assert _plain(whole.proposal().hunks) == _plain(lines.proposal().hunks)
    for live in (whole, lines):
        live.feed(new[at:])
        live.finish()
    assert _plain(whole.hunks) == _plain(lines.hunks)


CODE = [f"line {n}\n" for n in range(30)]
CARRIED = Hunk(id=7, start=3, end=5, lines=("A\n", "B\n"), state="settled")
LATER = Hunk(id=9, start=20, end=20, lines=("new\n",), state="growing")

STORIES: list[tuple[str, list[int | str], list[str]]] = [
    (
        "it comes again",
        [0, 1, 2, "A\n", "B\n", 5, 6],
        ["7: 3-5 AB"] * 7,
    ),
    (
        "it comes again and more",
        [0, 1, 2, "A\n", "B\n", "C\n", 5],
        ["7: 3-5 AB"] * 5 + ["10: 3-3 ABC", "10: 3-5 ABC"],
    ),
    (
        "something else comes",
        [0, 1, 2, "A\n", "X\n", 5, 6],
        ["7: 3-5 AB"] * 4 + ["10: 3-3 AX", "10: 3-5 AX", "10: 3-5 AX"],
    ),
    (
        "the old lines come",
        [0, 1, 2, 3, 4],
        ["7: 3-5 AB"] * 3 + ["", ""],
    ),
    (
        "only its beginning comes",
        [0, 1, 2, "A\n", 5, 6],
        ["7: 3-5 AB"] * 4 + ["10: 3-5 A"] * 2,
    ),
]


@pytest.mark.parametrize(
    ("new", "expected"), [pytest.param(*story[1:], id=story[0]) for story in STORIES]
)
def test_what_becomes_of_a_carried_hunk(
    new: list[int | str], expected: list[str]
) -> None:
    """A number is that old line; after each one what is painted above line 20."""
    live = LiveProposal(
        CODE, new_id=itertools.count(10).__next__, carried=[CARRIED, LATER]
    )
    reader = _Reader(live.hunks)
    seen = []
    for line in new:
        reader.take(live.feed([CODE[line] if isinstance(line, int) else line]))
        assert sorted(reader.hunks) == sorted(hunk.id for hunk in live.hunks)
        assert 9 in reader.hunks, "what the text has not reached stays"
        seen.append(
            " ".join(
                f"{h.id}: {h.start}-{h.end} {''.join(h.lines)}".replace("\n", "")
                for h in live.hunks
                if h.start < 20
            )
        )
    assert seen == expected
    reader.take(live.finish())
    assert 9 not in reader.hunks


def test_what_is_stopped_is_offered_as_far_as_it_is_written() -> None:
    """The beginning that hides behind a carried hunk has an id of its own."""
    live = LiveProposal(
        CODE, new_id=itertools.count(10).__next__, carried=[CARRIED, LATER]
    )
    live.feed([*CODE[:3], "A\n"])
    (hunk,) = live.proposal().hunks
    assert (hunk.start, hunk.end, hunk.lines) == (3, 3, ("A\n",))
    assert hunk.id not in (7, 9)
    # Carrying on shows the carried hunk as before.
    update = live.feed(["B\n", *CODE[5:7]])
    assert update.removed == ()
    assert [(h.id, h.start, h.end) for h in update.hunks] == [(7, 3, 5)]


def test_an_offer_can_be_carried() -> None:
    """A follow-up on an offer, from which hunks were taken, carries the rest."""
    offered = [Hunk(id=4, start=2, end=3, lines=("X\n",), state="settled")]
    live = LiveProposal(CODE, new_id=itertools.count(10).__next__, carried=offered)
    assert _plain(live.hunks) == _plain(offered)
    assert live.settled() == ()
    live.feed([*CODE[:2], "X\n", *CODE[3:]])
    assert [hunk.id for hunk in live.settled()] == [4]
