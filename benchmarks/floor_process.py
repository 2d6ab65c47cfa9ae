"""The floors: the smallest programs that read and write the same number of bytes.

Run as a process of its own, without site packages and without an event loop, by

    floor_process.py echo N_IN N_OUT
        read N_IN bytes from standard input, write N_OUT to standard output, again and
        again;
    floor_process.py to-socket PORT N_IN N_OUT
        read N_IN bytes from standard input, send a WebSocket message of N_OUT bytes;
    floor_process.py from-socket PORT
        write what the WebSocket receives to standard output, unchanged;
    floor_process.py drop-socket PORT N_IN N_OUT
        read N_IN bytes from standard input, drop the WebSocket, write N_OUT bytes to
        standard output, and connect again.

Reads no message and decodes nothing. Ends when standard input ends.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import sys
from collections.abc import Callable

_READ_BYTES = 65_536
_UPGRADE = (
    b"GET /v1/responses HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


def echo(n_in: int, n_out: int) -> None:
    """Answer on standard output."""
    answer = b" " * n_out
    while _read(n_in):
        os.write(1, answer)


def to_socket(port: int, n_in: int, n_out: int) -> None:
    """Answer on a WebSocket."""
    frame = _frame(b" " * n_out)
    connection = _connect(port)
    while _read(n_in):
        connection.sendall(frame)


def from_socket(port: int) -> None:
    """Pass on what comes."""
    connection = _connect(port)
    while True:
        ready, _, _ = select.select([connection.fileno(), 0], [], [])
        if 0 in ready:
            return
        data = memoryview(connection.recv(_READ_BYTES))
        while data:
            data = data[os.write(1, data) :]


def drop_socket(port: int, n_in: int, n_out: int) -> None:
    """Drop the WebSocket, and answer on standard output."""
    answer = b" " * n_out
    connection = _connect(port)
    while _read(n_in):
        _drop(connection)
        os.write(1, answer)
        connection = _connect(port)


def _read(n_bytes: int) -> bool:
    """Read so many bytes; False at the end of the input."""
    while n_bytes:
        data = os.read(0, min(n_bytes, _READ_BYTES))
        if not data:
            return False
        n_bytes -= len(data)
    return True


def _connect(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(_UPGRADE)
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += connection.recv(1)
    return connection


def _drop(connection: socket.socket) -> None:
    # As asyncio's `abort` does: with a reset where unread bytes wait.
    connection.close()


def _frame(payload: bytes) -> bytes:
    """One masked text message (RFC 6455 section 5.2); the mask is zero."""
    n_bytes = len(payload)
    if n_bytes < 126:
        head = struct.pack("!BB", 0x81, 0x80 | n_bytes)
    elif n_bytes < 65_536:
        head = struct.pack("!BBH", 0x81, 0x80 | 126, n_bytes)
    else:
        head = struct.pack("!BBQ", 0x81, 0x80 | 127, n_bytes)
    return head + bytes(4) + payload


if __name__ == "__main__":
    _modes: dict[str, Callable[..., None]] = {
        "echo": echo,
        "to-socket": to_socket,
        "from-socket": from_socket,
        "drop-socket": drop_socket,
    }
    _modes[sys.argv[1]](*map(int, sys.argv[2:]))
