"""The splitter finds the same messages as the library, for any chunks."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runs import n_runs
from websockets.frames import Frame, Opcode

from redline.models.sockets.frame_splitter import FrameSplitter

MAX_BYTES = 70_000


def _whole_text(payload: bytes) -> Frame:
    return Frame(Opcode.TEXT, payload, fin=True)


FRAMES = st.one_of(
    st.binary(max_size=200).map(_whole_text),
    st.sampled_from([125, 126, 127, 65_535, 65_536]).map(
        lambda size: _whole_text(b"x" * size)
    ),
    st.builds(
        Frame,
        st.sampled_from([Opcode.TEXT, Opcode.CONT, Opcode.BINARY]),
        st.binary(max_size=130),
        fin=st.just(False),
    ),
    st.builds(
        Frame,
        st.sampled_from([Opcode.PING, Opcode.PONG, Opcode.CLOSE, Opcode.CONT]),
        st.binary(max_size=125),
        fin=st.just(True),
    ),
)


def _feed(splitter: FrameSplitter, data: bytes, cuts: list[int]) -> list[object]:
    pieces: list[object] = []
    for chunk in _cut(data, cuts):
        pieces += splitter.feed(chunk)
    return pieces


def _cut(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in pairwise(places)]


@settings(max_examples=n_runs(20), deadline=None)
@given(
    st.lists(FRAMES, max_size=6),
    st.lists(st.integers(0, 200_000), max_size=12),
)
def test_any_chunks_give_the_same_pieces(frames: list[Frame], cuts: list[int]) -> None:
    """Whole text messages come as payloads, other frames as they are, in order."""
    written = [frame.serialize(mask=False) for frame in frames]
    expected = [
        (True, bytes(frame.data))
        if frame.opcode is Opcode.TEXT and frame.fin
        else (False, data)
        for frame, data in zip(frames, written, strict=True)
    ]
    splitter = FrameSplitter(max_bytes=MAX_BYTES)
    assert _feed(splitter, b"".join(written), cuts) == expected


def test_byte_by_byte() -> None:
    """A frame that comes byte by byte is one message."""
    data = _whole_text(b"y" * 300).serialize(mask=False)
    splitter = FrameSplitter(max_bytes=MAX_BYTES)
    assert _feed(splitter, data, list(range(len(data)))) == [(True, b"y" * 300)]


def test_too_large_or_masked_is_the_librarys() -> None:
    """From an invalid frame on, the library gets all bytes and reports the error."""
    before = _whole_text(b"a").serialize(mask=False)
    for bad in (
        _whole_text(b"x" * (MAX_BYTES + 1)).serialize(mask=False),
        _whole_text(b"x").serialize(mask=True),
        b"\x81\x7f" + b"\xff" * 8,
    ):
        splitter = FrameSplitter(max_bytes=MAX_BYTES)
        pieces = list(splitter.feed(before + bad + before))
        assert pieces == [(True, b"a"), (False, bad + before)]
        assert list(splitter.feed(before)) == [(False, before)]


def test_giving_up_returns_the_rest() -> None:
    """What was kept of an unfinished frame is not lost when the library takes over."""
    data = _whole_text(b"abc").serialize(mask=False)
    splitter = FrameSplitter(max_bytes=MAX_BYTES)
    assert list(splitter.feed(data[:3])) == []
    assert splitter.give_up() == data[:3]
    assert list(splitter.feed(data[3:])) == [(False, data[3:])]
