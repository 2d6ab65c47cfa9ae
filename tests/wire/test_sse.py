"""The decoder reads the data of events, whatever the line ends and the chunks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.errors import RemoteProtocolError
from redline.wire.sse import SseDecoder


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"data: a\n\n", [b"a"]),
        (b"data:a\n\n", [b"a"]),
        (b"data:  a\n\n", [b" a"]),
        (b"data: a\ndata: b\n\n", [b"a\nb"]),
        (b"event: x\nid: 1\nretry: 5\ndata: a\n\n", [b"a"]),
        (b": comment\n\ndata: a\n\n", [b"a"]),
        (b"data: a\r\n\r\ndata: b\r\rdata: c\n\n", [b"a", b"b", b"c"]),
        (b"data\n\n", [b""]),
        (b"event: x\n\n", []),
        (b"data: a\n", []),
        (b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
        ("data: é\u2028\x0c\x85\n\n".encode(), ["é\u2028\x0c\x85".encode()]),
        (b"", []),
    ],
)
def test_events(stream: bytes, expected: list[bytes]) -> None:
    """Only LF, CR LF and CR end a line; only the data field is read."""
    assert SseDecoder().feed(stream) == expected
    decoder = SseDecoder()
    one_by_one = [
        event
        for index in range(len(stream))
        for event in decoder.feed(stream[index:][:1])
    ]
    # A CR at the very end may still become a CR LF.
    assert one_by_one == expected or stream.endswith(b"\r")


LINES = st.sampled_from(
    [b"data: a", b"data: \xc3\xa9", b"event: x", b"", b":", b"data"]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


@given(
    st.lists(st.tuples(LINES, ENDS), max_size=20),
    st.lists(st.integers(0, 200), max_size=10),
)
def test_any_chunks_give_the_same_events(
    lines: list[tuple[bytes, bytes]], cuts: list[int]
) -> None:
    """Where the bytes are cut does not matter."""
    stream = b"".join(line + end for line, end in lines) + b"data: end\n\n"
    places = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    decoder = SseDecoder()
    found = []
    for start, end in pairwise(places):
        found += decoder.feed(stream[start:end])
    assert found == SseDecoder().feed(stream)


@pytest.mark.parametrize("stream", [b"data: " + b"x" * 200, b"data: x\n" * 200])
def test_event_has_a_bound(stream: bytes) -> None:
    """Neither a line nor a list of lines can grow without end."""
    decoder = SseDecoder(max_event_bytes=100)

    def feed_all() -> None:
        for byte in stream:
            decoder.feed(bytes([byte]))

    with pytest.raises(RemoteProtocolError):
        feed_all()


def test_bound_is_for_one_event() -> None:
    """A long stream of small events has no end."""
    decoder = SseDecoder(max_event_bytes=100)
    assert len(decoder.feed(b"data: x\n\n" * 1_000)) == 1_000
    assert len(decoder.feed(b"data: x\n\n" * 1_000)) == 1_000
