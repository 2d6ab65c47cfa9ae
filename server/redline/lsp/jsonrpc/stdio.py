"""LSP over standard input and output.

The two streams are reserved first: file descriptor 1 becomes standard error, so that a
stray `print` or a C library cannot break the protocol, and descriptor 0 becomes empty,
so that no child process can read from it.
"""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from redline.lsp.jsonrpc.loop_io import LoopStream
from redline.lsp.jsonrpc.thread_io import ThreadReader, ThreadWriter
from redline.lsp.jsonrpc.transport import Transport


def claim_stdio() -> tuple[int, int]:
    """Reserve standard input and output; return new descriptors for them.

    Children do not inherit them.
    """
    reading, writing = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDWR)
    os.dup2(empty, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # Started without standard error.
        os.dup2(empty, 1)
    os.close(empty)
    return reading, writing


@asynccontextmanager
async def over_descriptors(
    transport: Transport, reading: int, writing: int
) -> AsyncIterator[None]:
    """Run the transport over two open descriptors, which it then owns."""
    if _is_one_socket(reading, writing):
        await _open_socket(transport, reading, writing)
        yield
        return
    await _open_writer(transport, writing)
    if not _is_pollable(reading):
        ThreadReader(transport, reading).start()
        yield
        return
    pipe = os.fdopen(reading, "rb", buffering=0)
    reader, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: LoopStream(transport), pipe
    )
    try:
        yield
    finally:
        reader.close()


async def _open_socket(transport: Transport, reading: int, writing: int) -> None:
    """Open one socket for both, as inetd and socat pass it: it is polled only once."""
    os.close(writing)
    connection = socket.socket(fileno=reading)
    connection.setblocking(False)
    _, stream = await asyncio.get_running_loop().create_connection(
        lambda: LoopStream(transport), sock=connection
    )
    transport.open(stream)


async def _open_writer(transport: Transport, writing: int) -> None:
    if not _is_pollable(writing):
        writer = ThreadWriter(transport, writing)
        writer.start()
        transport.open(writer)
        return
    pipe = os.fdopen(writing, "wb", buffering=0)
    _, stream = await asyncio.get_running_loop().connect_write_pipe(
        lambda: LoopStream(transport), pipe
    )
    transport.open(stream)


def _is_one_socket(reading: int, writing: int) -> bool:
    is_socket = stat.S_ISSOCK(os.fstat(reading).st_mode)
    return is_socket and os.path.sameopenfile(reading, writing)


def _is_pollable(fd: int) -> bool:
    # A terminal could be polled too, but that would make it non-blocking for other
    # processes; /dev/null cannot (epoll fails with EPERM).
    mode = os.fstat(fd).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))
