"""Users of a team's gateway who do their worst; `python -m` this module runs one.

They stand for other machines, so they take little processor time from the gateway:
their frames are written in advance, and they begin once their processes have started.
"""

from __future__ import annotations

import itertools
import os
import signal
import socket
import struct
import sys
import time
from asyncio.subprocess import PIPE, create_subprocess_exec
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from urllib.parse import urlsplit

HOSTILE = ("floods", "never-reads", "large-frames")
_N_LARGE = 20_000_000
_GAP_S = 0.002
"""Between two requests."""
_UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    "Sec-WebSocket-Version: 13\r\nAuthorization: Bearer {user}\r\n\r\n"
)


@dataclass
class Deeds:
    """What one of them has done so far."""

    n_messages: int = 0
    cpu_s: float = 0.0


@asynccontextmanager
async def hostile_users(url: str, deeds: dict[str, Deeds]) -> AsyncIterator[None]:
    """Run a process for each, and add to their deeds."""
    command = sys.executable, "-m", "benchmarks.hostile_users"
    processes = [
        await create_subprocess_exec(*command, kind, url, stdin=PIPE, stdout=PIPE)
        for kind in HOSTILE
    ]
    for process in processes:
        assert process.stdout is not None
        await process.stdout.readline()
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"begin\n")
    try:
        yield
    finally:
        for kind, process in zip(HOSTILE, processes, strict=True):
            process.terminate()
            n, seconds = (await process.communicate())[0].split()
            deeds[kind].n_messages += int(n)
            deeds[kind].cpu_s += float(seconds)


def misbehave(kind: str, url: str) -> None:
    """Do one's worst until SIGTERM; then print the messages and seconds used."""
    sent = itertools.count()
    frames = _frames(kind)
    print("ready", flush=True)
    sys.stdin.readline()
    began_s = time.process_time()

    def end(number: int, frame: FrameType | None) -> None:
        print(next(sent), time.process_time() - began_s, flush=True)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    while True:
        with suppress(OSError), _connected(url, kind) as connection:
            for each in itertools.cycle(frames):
                next(sent)
                connection.sendall(each)
                if kind == "floods":
                    with suppress(BlockingIOError):
                        connection.recv(1 << 16, socket.MSG_DONTWAIT)
                time.sleep(_GAP_S)
        time.sleep(0.1)


def _connected(url: str, user: str) -> socket.socket:
    parts = urlsplit(url)
    connection = socket.create_connection((parts.hostname, parts.port))
    upgrade = _UPGRADE.format(path=parts.path, host=parts.netloc, user=user)
    connection.sendall(upgrade.encode())
    connection.recv(1 << 16)
    return connection


def _frames(kind: str) -> list[bytes]:
    if kind == "large-frames":
        return [_frame(bytes(_N_LARGE))]
    request = (
        '{{"type":"response.create","model":"model","input":"long",'
        '"stream_id":"lane-{number}"}}'
    )
    return [_frame(request.format(number=number).encode()) for number in range(8)]


def _frame(text: bytes) -> bytes:
    """Frame a text, with a mask of zeros, which leaves it as it is (RFC 6455)."""
    n_bytes = len(text)
    head = (
        struct.pack("!BB", 0x81, 0x80 | n_bytes)
        if n_bytes < 126
        else struct.pack("!BBQ", 0x81, 0x80 | 127, n_bytes)
    )
    return head + bytes(4) + text


if __name__ == "__main__":
    misbehave(*sys.argv[1:])
