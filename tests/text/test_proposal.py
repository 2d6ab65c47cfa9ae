"""Proposals: a candidate's hunks, accepted or rejected one by one in any order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from redline.text.line_diff import apply_hunks, diff_lines
from redline.text.proposal import Proposal
from redline.text.streaming_diff import Hunk, StreamingDiff

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=8)


def proposal_of(old: list[str], new: list[str]) -> Proposal:
    diff = StreamingDiff(old)
    diff.feed(new)
    diff.finish()
    return proposal_in(diff, old)


def proposal_in(diff: StreamingDiff, old: list[str]) -> Proposal:
    return Proposal(
        old_lines=tuple(old),
        hunks=tuple(replace(hunk, state="settled") for hunk in diff.hunks),
    )


@given(old=LINES, new=LINES)
def test_accepting_everything_gives_the_new_lines(
    old: list[str], new: list[str]
) -> None:
    """A proposal is the diff, with ids of its own for each hunk."""
    proposal = proposal_of(old, new)
    assert proposal.old_lines == tuple(old)
    assert proposal.new_lines == new
    assert [(hunk.start, hunk.end, hunk.lines) for hunk in proposal.hunks] == [
        (hunk.start, hunk.end, hunk.lines) for hunk in diff_lines(old, new)
    ]
    assert len({hunk.id for hunk in proposal.hunks}) == len(proposal.hunks)
    assert {hunk.state for hunk in proposal.hunks} <= {"settled"}
    assert proposal.take(None) == proposal.hunks


@given(old=LINES, new=LINES, data=st.data())
def test_accepting_in_steps_is_accepting_at_once(
    old: list[str], new: list[str], data: st.DataObject
) -> None:
    """Whatever the order, and whatever is rejected in between."""
    whole = rest = proposal_of(old, new)
    wanted: set[int] = set()
    while rest.hunks:
        ids = {hunk.id for hunk in rest.hunks}
        some = data.draw(st.sets(st.sampled_from(sorted(ids)), min_size=1))
        if data.draw(st.booleans()):
            accepted = rest.take(some)
            landed = apply_hunks(rest.old_lines, accepted)
            rest = rest.after_accepting(accepted)
            assert rest.old_lines == tuple(landed)
            wanted |= some
        else:
            rest = rest.without(some)
        assert {hunk.id for hunk in rest.hunks} == ids - some
    at_once = apply_hunks(old, whole.take(wanted))
    assert list(rest.old_lines) == at_once
    assert rest.new_lines == at_once


@given(old=LINES, new=LINES, data=st.data())
def test_an_unfinished_diff_is_a_proposal_too(
    old: list[str], new: list[str], data: st.DataObject
) -> None:
    """The part already written can be accepted hunk by hunk as well."""
    diff = StreamingDiff(old)
    diff.feed(new[: data.draw(st.integers(0, len(new)))])
    proposal = proposal_in(diff, old)
    rest = proposal
    for hunk in proposal.hunks:
        rest = rest.after_accepting(rest.take([hunk.id]))
    assert rest.hunks == ()
    assert list(rest.old_lines) == proposal.new_lines


def test_hunks_are_taken_by_id() -> None:
    """In the order of their places; unknown ids are none."""
    one = Hunk(id=7, start=0, end=1, lines=(), state="settled")
    two = Hunk(id=3, start=2, end=2, lines=("x\n",), state="settled")
    proposal = Proposal(old_lines=("a\n", "b\n"), hunks=(one, two))
    assert proposal.take([3, 7, 99]) == (one, two)
    assert proposal.take([]) == ()
    assert proposal.without([99]) == proposal
    rest = proposal.after_accepting([one])
    assert rest == Proposal(
        old_lines=("b\n",),
        hunks=(Hunk(id=3, start=1, end=1, lines=("x\n",), state="settled"),),
    )


@given(old=LINES, new=LINES, typed=LINES)
def test_what_the_user_did_not_change_is_kept(
    old: list[str], new: list[str], typed: list[str]
) -> None:
    """A hunk stays exactly if its lines do; what is typed is never changed by one."""
    proposal = proposal_of(old, new)
    changes = diff_lines(old, typed)
    rest = proposal.after_typing(changes)
    assert rest.old_lines == tuple(typed)
    kept = {hunk.id: hunk for hunk in rest.hunks}
    for hunk in proposal.hunks:
        is_changed = any(c.start < hunk.end and hunk.start < c.end for c in changes)
        assert (hunk.id in kept) == (not is_changed)
        if not is_changed:
            moved = kept[hunk.id]
            assert moved.lines == hunk.lines
            assert typed[moved.start : moved.end] == old[hunk.start : hunk.end]
    starts = [hunk.start for hunk in rest.hunks]
    assert starts == sorted(starts)
