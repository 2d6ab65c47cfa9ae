"""A proposal that is accepted, turned down and redirected while it is written."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from redline.text.line_diff import LineHunk, apply_hunks, diff_lines
from redline.text.live_proposal import LiveProposal
from redline.text.proposal import ProposedHunk
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
        lines = draw(st.lists(st.sampled_from([*LINES, "new\n", "newer\n"]), max_size=3))
        new[start:end] = lines
    if draw(st.integers(0, 5)) == 0:
        start = draw(st.integers(0, len(new)))
        new = new[start:] + new[:start]
    return new


@st.composite
def texts(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    old = draw(olds())
    return old, draw(news(old))


def _changes(hunks: Sequence[Hunk | ProposedHunk]) -> list[LineHunk]:
    return [LineHunk(start=h.start, end=h.end, lines=h.lines) for h in hunks]


def _plain(hunks: Sequence[Hunk | LineHunk | ProposedHunk]) -> list[Plain]:
    return [(hunk.start, hunk.end, hunk.lines) for hunk in hunks]


def _proposed(hunk: Hunk) -> ProposedHunk:
    return ProposedHunk(id=hunk.id, start=hunk.start, end=hunk.end, lines=hunk.lines)


def _is_continued(known: Plain, hunk: Hunk) -> bool:
    start, end, lines = known
    return (
        hunk.start == start
        and hunk.end >= end
        and hunk.lines[: len(lines)] == lines
    )


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
        self.live = LiveProposal(old)
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
            self.live.old_lines, first_id=self.live.next_id, carried=self.carried
        )
        self.is_finished = False
        self._take_text(new)
        moved = {hunk.id: _plain([hunk])[0] for hunk in self.carried}
        self.reader.start_over(self.live.hunks, moved)
        assert _plain(self.live.hunks) == _plain(self.carried)

    def _some_settled(self, data: st.DataObject) -> list[ProposedHunk]:
        settled = self.live.settled()
        ids = data.draw(st.sets(st.sampled_from([hunk.id for hunk in settled])))
        painted = {hunk.id: hunk for hunk in self.live.hunks}
        chosen = self.live.settled(ids)
        assert {hunk.id for hunk in chosen} == ids
        for hunk in chosen:
            assert hunk == _proposed(painted[hunk.id]), "it is what is shown"
        return list(chosen)

    def _start_over(self, before: Sequence[Hunk], done: Sequence[ProposedHunk]) -> None:
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
        assert all(hunk.id < self.live.next_id for hunk in painted)

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
            painted == self.written[:n] + _tail(self.old, carried, at)
            for n in range(len(self.written) + 1)
            for at in range(len(self.old) + 1)
        )

    @invariant()
    def the_end_is_the_minimal_diff(self) -> None:
        if self.is_finished:
            assert _plain(self.live.hunks) == _plain(diff_lines(self.old, self.written))
            assert self.live.proposal().new_lines == self.written


def _tail(old: Sequence[str], hunks: Sequence[Hunk], at: int) -> list[str]:
    """The old lines from one on, with the hunks that start there or later."""
    changes = [
        LineHunk(start=h.start - at, end=h.end - at, lines=h.lines)
        for h in hunks
        if h.start >= at
    ]
    return apply_hunks(old[at:], changes)


TestLiveProposalMachine = LiveProposalMachine.TestCase
TestLiveProposalMachine.settings = settings(
    max_examples=300, stateful_step_count=25, deadline=None
)
