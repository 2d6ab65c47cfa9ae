"""Bytes pass over pipes, files, sockets and TCP, in order and completely."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from redline.errors import InvalidArgumentsError
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.framing import FrameDecoder, frame
from redline.lsp.jsonrpc.stdio import over_descriptors
from redline.lsp.jsonrpc.tcp import one_editor
from redline.lsp.jsonrpc.transport import Transport
from redline.lsp.start.serving import serve_tcp


class Echo:
    """Sends every message back."""

    def __init__(self) -> None:
        self.transport = Transport()
        self.transport.attach(self)
        self.gone = asyncio.Event()
        self.reasons: list[str] = []

    def receive(self, body: bytes) -> None:
        self.transport.send(body)

    def editor_gone(self, reason: str) -> None:
        self.reasons.append(reason)
        self.gone.set()

    async def until_gone(self) -> None:
        """Wait for the editor's end, then close ours."""
        async with asyncio.timeout(10):
            await self.gone.wait()
            await self.transport.aclose()


BODIES = [b"1", b"x" * 300_000, b"", b"3"]
STREAM = b"".join(map(frame, BODIES))


def unframed(data: bytes) -> list[bytes]:
    """Return the bodies of a stream."""
    return FrameDecoder().feed(data)


async def exchange(reader: Callable[[], bytes], write: Callable[[], object]) -> bytes:
    """Write and read in threads, as an editor with blocking pipes does."""
    async with asyncio.timeout(10):
        _, data = await asyncio.gather(
            asyncio.to_thread(write), asyncio.to_thread(reader)
        )
    return data


def read_all(fd: int) -> bytes:
    """Read to the end and close."""
    with os.fdopen(fd, "rb") as stream:
        return stream.read()


def write_all(fd: int) -> None:
    """Write the test's stream and close."""
    with os.fdopen(fd, "wb") as stream:
        stream.write(STREAM)


async def test_over_pipes() -> None:
    echo = Echo()
    (their_in, our_out), (our_in, their_out) = os.pipe(), os.pipe()

    async def serve() -> None:
        async with over_descriptors(echo.transport, our_in, our_out):
            await echo.until_gone()

    serving = asyncio.ensure_future(serve())
    data = await exchange(lambda: read_all(their_in), lambda: write_all(their_out))
    await serving
    assert unframed(data) == BODIES
    assert echo.reasons == ["the editor closed the stream"]


async def test_over_files(tmp_path: Path) -> None:
    echo = Echo()
    said, heard = tmp_path / "said", tmp_path / "heard"
    said.write_bytes(STREAM)
    our_in = os.open(said, os.O_RDONLY)
    our_out = os.open(heard, os.O_WRONLY | os.O_CREAT)
    async with over_descriptors(echo.transport, our_in, our_out):
        await echo.until_gone()
    assert unframed(heard.read_bytes()) == BODIES
    assert echo.reasons == ["the editor closed the stream"]
    os.close(our_in)
    os.close(our_out)


async def test_over_files_that_fail(tmp_path: Path) -> None:
    echo = Echo()
    place = tmp_path / "file"
    place.write_bytes(STREAM)
    # Each the wrong way round: nothing can be read, nothing can be written.
    our_in = os.open(place, os.O_WRONLY)
    our_out = os.open(place, os.O_RDONLY)
    async with over_descriptors(echo.transport, our_in, our_out):
        echo.transport.send(b"nobody gets this")
        await echo.until_gone()
    assert len(echo.reasons) == 1
    assert "Bad file descriptor" in echo.reasons[0]
    os.close(our_in)
    os.close(our_out)


def talk(connection: socket.socket) -> bytes:
    """Write the test's stream, end it, and read to the end."""
    with connection:
        connection.sendall(STREAM[:10])
        connection.sendall(STREAM[10:])
        data = b""
        while len(data) < len(STREAM):
            data += connection.recv(65536)
        return data


async def test_over_one_socket_for_both_directions() -> None:
    echo = Echo()
    ours, theirs = socket.socketpair()
    our_in, our_out = os.dup(ours.fileno()), os.dup(ours.fileno())
    ours.close()
    async with over_descriptors(echo.transport, our_in, our_out):
        data = await asyncio.to_thread(talk, theirs)
        await echo.until_gone()
    assert unframed(data) == BODIES


async def test_an_editor_that_closes_its_input_is_gone() -> None:
    echo = Echo()
    (their_in, our_out), (our_in, their_out) = os.pipe(), os.pipe()
    async with over_descriptors(echo.transport, our_in, our_out):
        os.close(their_in)
        await echo.until_gone()
    assert len(echo.reasons) == 1
    os.close(their_out)


# TCP -----------------------------------------------------------------------------


async def test_over_tcp_for_one_editor_only() -> None:
    echo = Echo()
    ports: list[int] = []
    async with one_editor(echo.transport, "127.0.0.1", 0, ports.append):
        connection = await asyncio.to_thread(
            socket.create_connection, ("127.0.0.1", ports[0])
        )
        data = await asyncio.to_thread(talk, connection)
        assert unframed(data) == BODIES
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", ports[0])
        await echo.until_gone()


HTTP = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 300\r\n\r\n" + frame(
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
)
"""What a web page can have a browser send."""


@pytest.mark.parametrize(
    "pieces",
    [
        (HTTP,),
        tuple(HTTP[i : i + 1] for i in range(len(HTTP))),
        (b"\x16\x03\x01\x02\x00",),
        (b"\r\n" + HTTP,),
        (b"Content-Length" * 1_000,),
        (b"",),
    ],
    ids=["http", "bytes", "tls", "blank", "endless", "nothing"],
)
async def test_what_does_not_speak_lsp_is_closed_and_an_editor_served(
    pieces: tuple[bytes, ...], caplog: pytest.LogCaptureFixture
) -> None:
    echo = Echo()
    ports: list[int] = []
    async with one_editor(echo.transport, "127.0.0.1", 0, ports.append):
        async with asyncio.timeout(10):
            reader, writer = await asyncio.open_connection("127.0.0.1", ports[0])
            for piece in pieces:
                writer.write(piece)
                await asyncio.sleep(0)  # So that pieces arrive alone.
            if piece:
                with suppress(ConnectionResetError):
                    assert await reader.read() == b""
            writer.close()
        connection = await asyncio.to_thread(
            socket.create_connection, ("127.0.0.1", ports[0])
        )
        data = await asyncio.to_thread(talk, connection)
        assert unframed(data) == BODIES
        logged = [r for r in caplog.records if r.name.startswith("redline")]
        assert len(logged) == (1 if piece else 0)
        await echo.until_gone()


async def test_a_header_in_pieces_is_one_of_an_editor() -> None:
    echo = Echo()
    ports: list[int] = []
    async with one_editor(echo.transport, "127.0.0.1", 0, ports.append):
        reader, writer = await asyncio.open_connection("127.0.0.1", ports[0])
        async with asyncio.timeout(10):
            for byte in frame(b"hello"):
                writer.write(bytes([byte]))
                await asyncio.sleep(0)
            assert await reader.readexactly(len(frame(b"hello"))) == frame(b"hello")
        writer.close()
        await echo.until_gone()


async def test_other_connections_end_once_an_editor_is_served() -> None:
    echo = Echo()
    ports: list[int] = []
    async with one_editor(echo.transport, "127.0.0.1", 0, ports.append):
        async with asyncio.timeout(10):
            silent, other = await asyncio.open_connection("127.0.0.1", ports[0])
            reader, writer = await asyncio.open_connection("127.0.0.1", ports[0])
            writer.write(frame(b"hello"))
            assert await reader.readexactly(len(frame(b"hello")))
            with suppress(ConnectionResetError):
                assert await silent.read() == b""
        other.close()
        writer.close()
        await echo.until_gone()


@pytest.mark.parametrize("host", ["0.0.0.0", "", "::", "10.0.0.1", "example.org"])
async def test_tcp_is_for_this_machine_only(host: str) -> None:
    with pytest.raises(InvalidArgumentsError, match="on this machine only"):
        async with one_editor(Transport(), host, 0, lambda port: None):
            pass


async def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidArgumentsError, match=f"127.0.0.1:{port}"):
            async with one_editor(Transport(), "127.0.0.1", port, lambda port: None):
                pass


async def test_a_server_over_tcp_ends_with_its_editor() -> None:
    opened: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def build(transport: Transport) -> Endpoint:
        endpoint = Endpoint(transport.send)
        endpoint.on_request_now("initialize", dict, lambda _: {"capabilities": {}})
        return endpoint

    serving = asyncio.ensure_future(serve_tcp(build, "127.0.0.1", 0, opened.set_result))
    reader, writer = await asyncio.open_connection("127.0.0.1", await opened)
    for body in (
        b'{"id":1,"method":"initialize","params":{}}',
        b'{"id":2,"method":"shutdown"}',
        b'{"method":"exit"}',
    ):
        writer.write(frame(body))
    async with asyncio.timeout(10):
        data = await reader.read()
        assert await serving == 0
    assert [b'"id":%d' % n in body for n, body in enumerate(unframed(data), 1)] == [
        True,
        True,
    ]
    writer.close()
    await writer.wait_closed()
