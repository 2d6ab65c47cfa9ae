"""An indexer that does not get through a file is replaced by one without it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from redline.assist.context.indexer_link import COMMAND, IndexerLink
from redline.assist.context.messages import FromIndexer, Roots, Scanned

STUCK = """
import sys, time
import msgspec
from redline.assist.context.messages import HEAD, ReadingFile, Scanned
from redline.assist.context.messages import ToIndexer, encode
from redline.process_limits import limited_time
source = sys.stdin.buffer
(n_bytes,) = HEAD.unpack(source.read(HEAD.size))
roots = msgspec.msgpack.decode(source.read(n_bytes), type=ToIndexer)
left = [uri for uri in roots.uris if uri not in roots.without]
message = ReadingFile(uri=left[0]) if left else Scanned(n_files=0)
sys.stdout.buffer.write(encode(message))
sys.stdout.buffer.flush()
with limited_time(0.1):
    while left:
        pass
source.read()
"""
"""It hangs forever on each root that it was not asked to skip."""


class Server:
    """What the server's side of an indexer hears."""

    def __init__(self, code: str | None, *uris: str) -> None:
        """Run `code` in place of the indexer, or the indexer itself."""
        self.said: list[FromIndexer] = []
        self.has_ended = asyncio.Event()
        self.is_scanned = asyncio.Event()
        self.uris = uris
        self.link = IndexerLink(
            on_message=self.hear,
            on_start=self.begin,
            on_end=self.has_ended.set,
            command=COMMAND if code is None else (sys.executable, "-c", code),
        )

    def begin(self) -> None:
        self.link.say(Roots(uris=self.uris, without=self.link.endless))

    def hear(self, message: FromIndexer) -> None:
        self.said.append(message)
        if isinstance(message, Scanned):
            self.is_scanned.set()


async def test_a_file_without_an_end_is_left_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is named once, and the rest is read."""
    server = Server(STUCK, "file:///a.py", "file:///b.py")
    server.link.start()
    await server.is_scanned.wait()
    assert server.link.endless == {"file:///a.py", "file:///b.py"}
    messages = [one for one in caplog.messages if "is left out" in one]
    assert len(messages) == 2
    assert not server.has_ended.is_set()
    await server.link.aclose()


async def test_too_many_of_them_are_the_end() -> None:
    """The processor belongs to the user."""
    server = Server(STUCK, *(f"file:///{number}.py" for number in range(9)))
    server.link.start()
    await server.has_ended.wait()
    assert server.link.is_gone
    assert len(server.link.endless) == 3
    await server.link.aclose()


async def test_a_file_that_takes_too_much_memory_is_left_out(tmp_path: Path) -> None:
    """The parser of C# takes gigabytes for this; the process gets one."""
    (tmp_path / "fine.py").write_text("def f(): pass\n")
    hostile = tmp_path / "tags.cs"
    hostile.write_text("<a " * 66_000)
    server = Server(None, tmp_path.as_uri())
    server.link.start()
    await server.is_scanned.wait()
    assert server.link.endless == {hostile.as_uri()}
    assert not server.has_ended.is_set()
    await server.link.aclose()


async def test_one_that_fails_is_reported() -> None:
    """So that no caller waits for what it would have read."""
    server = Server("raise SystemExit(1)")
    server.link.start()
    await server.has_ended.wait()
    assert server.link.endless == frozenset()
    await server.link.aclose()
