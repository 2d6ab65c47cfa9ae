"""One write per iteration of the loop, a bounded queue, and one report of the end."""

from __future__ import annotations

import asyncio

import pytest

from redline.lsp.jsonrpc.framing import frame
from redline.lsp.jsonrpc.transport import Transport


class Pipe:
    """An editor's input that accepts nothing until the test says so."""

    def __init__(self) -> None:
        self.writes: list[bytes] = []
        self.n_unsent = 0
        self.is_stuck = False

    def write(self, data: bytes) -> None:
        self.writes.append(data)
        if self.is_stuck:
            self.n_unsent += len(data)

    async def aclose(self) -> None:
        if self.is_stuck:
            await asyncio.Event().wait()


class Ears:
    """Collects what a transport passes on."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.reasons: list[str] = []

    def receive(self, body: bytes) -> None:
        self.bodies.append(body)

    def editor_gone(self, reason: str) -> None:
        self.reasons.append(reason)


def opened(transport: Transport) -> tuple[Pipe, Ears]:
    """Put both ends to a transport."""
    pipe, ears = Pipe(), Ears()
    transport.attach(ears)
    transport.open(pipe)
    return pipe, ears


async def test_the_messages_of_one_turn_are_one_write() -> None:
    transport = Transport()
    pipe, _ = opened(transport)
    transport.send(b"1")
    transport.send(b"22")
    assert pipe.writes == []
    await asyncio.sleep(0)
    transport.send(b"3")
    await asyncio.sleep(0)
    assert pipe.writes == [frame(b"1") + frame(b"22"), frame(b"3")]


async def test_answers_of_one_read_are_one_write_at_its_end() -> None:
    """They wait for no further turn of the event loop."""
    transport = Transport()

    class Echo(Ears):
        def receive(self, body: bytes) -> None:
            transport.send(body)
            assert pipe.writes == []

    pipe, _ = opened(transport)
    transport.attach(Echo())
    transport.data_received(frame(b"1") + frame(b"22"))
    assert pipe.writes == [frame(b"1") + frame(b"22")]


async def test_what_is_unsent_at_the_close_goes_out() -> None:
    transport = Transport()
    pipe, ears = opened(transport)
    transport.send(b"last words")
    await transport.aclose()
    await transport.aclose()
    transport.send(b"too late")
    await asyncio.sleep(0)
    assert pipe.writes == [frame(b"last words")]
    assert ears.reasons == []


async def test_a_slow_editor_is_congested_until_it_reads() -> None:
    transport = Transport(congested_bytes=100)
    pipe, _ = opened(transport)
    pipe.is_stuck = True
    transport.send(b"x" * 60)
    assert not transport.is_congested
    transport.send(b"x" * 60)
    assert transport.is_congested
    await asyncio.sleep(0)
    assert transport.is_congested
    pipe.n_unsent = 0
    assert not transport.is_congested


async def test_an_editor_that_never_reads_is_gone_at_the_limit() -> None:
    transport = Transport(max_unsent_bytes=1000)
    pipe, ears = opened(transport)
    pipe.is_stuck = True
    for _ in range(1000):
        transport.send(b"x" * 60)
        await asyncio.sleep(0)
    assert pipe.n_unsent < 1200
    assert len(ears.reasons) == 1
    assert "stopped reading" in ears.reasons[0]


async def test_one_long_message_does_not_count_as_gone() -> None:
    transport = Transport(max_unsent_bytes=1000)
    pipe, ears = opened(transport)
    pipe.is_stuck = True
    transport.send(b"x" * 5000)
    await asyncio.sleep(0)
    assert ears.reasons == []
    transport.send(b"x")
    assert len(ears.reasons) == 1


async def test_a_close_does_not_wait_for_an_editor_that_never_reads(
    caplog: pytest.LogCaptureFixture,
) -> None:
    transport = Transport(close_limit_s=0)
    pipe, _ = opened(transport)
    pipe.is_stuck = True
    transport.send(b"x")
    await transport.aclose()
    assert "did not read our last messages" in caplog.text


async def test_after_garbage_nothing_is_read_but_answers_still_go_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    transport = Transport()
    pipe, ears = opened(transport)
    transport.data_received(frame(b"1") + b"garbage\r\n" + frame(b"2"))
    transport.data_received(frame(b"3"))
    transport.lost("and then closed")
    transport.send(b"answer to 1")
    await asyncio.sleep(0)
    assert ears.bodies == [b"1"]
    assert ears.reasons == ["the editor's stream is broken"]
    assert pipe.writes == [frame(b"answer to 1")]
    assert "no header field" in caplog.text
