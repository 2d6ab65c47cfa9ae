"""Any cutting of the stream gives the same bodies and the same error."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.lsp.jsonrpc.framing import FrameDecoder, frame

BODIES = st.lists(st.binary(max_size=60), max_size=6)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """Cut data at places, which may repeat and lie outside."""
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[a:b] for a, b in itertools.pairwise(edges)]


def decoded(chunks: list[bytes], **limits: int) -> tuple[list[bytes], str]:
    """Feed chunks to a new decoder; return the bodies and the error's text."""
    decoder = FrameDecoder(**limits)
    bodies = [body for chunk in chunks for body in decoder.feed(chunk)]
    return bodies, "" if decoder.error is None else str(decoder.error)


@given(bodies=BODIES, places=st.lists(st.integers(0, 10_000), max_size=20))
def test_what_is_framed_comes_out_however_it_is_cut(
    bodies: list[bytes], places: list[int]
) -> None:
    stream = b"".join(map(frame, bodies))
    assert decoded(cut(stream, places)) == (bodies, "")


@given(
    bodies=BODIES,
    rest=st.one_of(
        st.binary(max_size=40),
        st.sampled_from([b"Content-Length: x\r\n\r\n", b"\r\n", b"A: b\r\n\r\n{}"]),
    ),
    places=st.lists(st.integers(0, 10_000), max_size=20),
)
def test_garbage_gives_the_same_error_however_it_is_cut(
    bodies: list[bytes], rest: bytes, places: list[int]
) -> None:
    stream = b"".join(map(frame, bodies)) + rest
    whole = decoded([stream], max_header_bytes=64)
    assert whole[0][: len(bodies)] == bodies
    assert decoded(cut(stream, places), max_header_bytes=64) == whole
    assert decoded([bytes([b]) for b in stream], max_header_bytes=64) == whole


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: 2\r\n\r\n",
        b"content-length:2\r\n\r\n",
        b"CONTENT-LENGTH: \t2 \r\n\r\n",
        b"Content-Length: 0002\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
        b"Content-Length: 2\r\n\r\n",
        b"Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc;"
        b" charset=utf8\r\n\r\n",
        b"X-Anything: at all\r\nContent-Length: 2\r\n\r\n",
    ],
)
def test_a_legal_header_is_understood(header: bytes) -> None:
    assert decoded([header + b"{}" + header + b"[]"]) == ([b"{}", b"[]"], "")


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        (b"hello\r\n", "bytes that are no header field"),
        (b"\x00\x01\x02\n", "bytes that are no header field"),
        (b"Content-Length: 2\n\n{}", "bytes that are no header field"),
        (b"{}\n", "bytes that are no header field"),
        (b"\r\n", "without a Content-Length"),
        (b"Content-Type: x\r\n\r\n", "without a Content-Length"),
        (b"Content-Length: -1\r\n\r\n", "no number"),
        (b"Content-Length: 1e3\r\n\r\n", "no number"),
        (b"Content-Length:\r\n\r\n", "no number"),
        (b"Content-Length: 9999999999999999999\r\n\r\n", "no number"),
        (b"Content-Length: 101\r\n\r\n", "101 bytes; the limit is 100"),
        (b"x" * 200, "a header of over 200 bytes"),
        (b"X: y\r\n" * 40, "a header of over 200 bytes"),
    ],
)
def test_garbage_is_named_and_nothing_after_it_is_decoded(
    stream: bytes, message: str
) -> None:
    decoder = FrameDecoder(max_body_bytes=100, max_header_bytes=200)
    assert decoder.feed(frame(b"before") + stream + frame(b"behind")) == [b"before"]
    assert message in str(decoder.error)
    assert decoder.feed(frame(b"later")) == []


def test_a_stream_ends_well_only_between_messages() -> None:
    decoder = FrameDecoder()
    ends = []
    for byte in frame(b"{}"):
        ends.append(decoder.is_between_messages)
        decoder.feed(bytes([byte]))
    assert ends == [True] + [False] * (len(ends) - 1)
    assert decoder.is_between_messages


def test_a_large_message_in_many_chunks_is_put_together() -> None:
    body = bytes(range(256)) * 4096
    stream = frame(body) * 2
    chunks = [stream[i : i + 65536] for i in range(0, len(stream), 65536)]
    assert decoded(chunks) == ([body, body], "")
