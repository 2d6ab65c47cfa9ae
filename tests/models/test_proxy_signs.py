"""What is taken for a proxy that cuts connections, or holds answers back."""

from __future__ import annotations

from functools import partial

import pytest
from msgspec.structs import replace
from tests.models.model_server import ModelServer, Reply
from tests.models.reader import BuildSocket, Serve, ask

from redline.models.proxy_signs import Arrival, ProxySigns

CUT = "Connections to model m are cut after about 60 s."
HELD = "Answers of model m do not arrive as they are written"


@pytest.mark.parametrize(
    ("lives_s", "is_sign"),
    [
        ([60.0, 60.4, 59.1], True),
        ([3.0, 60.0, 60.4, 59.1], True),
        ([60.0, 60.4], False),
        ([60.0, 60.4, 90.0], False),
        ([60.0, 58.0, 60.4, 5.0], False),
        ([2.0, 2.0, 2.0], False),
    ],
)
def test_cuts(lives_s: list[float], is_sign: bool) -> None:
    """Three in a row at the same age, which is no age of a failing server."""
    signs = ProxySigns("m")
    for lived_s in lives_s:
        signs.note_cut(lived_s)
    assert signs.advice.startswith(CUT) == is_sign
    assert "proxy_read_timeout" in signs.advice or not is_sign


AT_ONCE = Arrival(wait_s=4.0, spread_s=0.01, n_bytes=60_000, n_breaks=0)
STREAMED = Arrival(wait_s=0.2, spread_s=2.0, n_bytes=60_000, n_breaks=0)
SHORT = Arrival(wait_s=4.0, spread_s=0.0, n_bytes=100, n_breaks=0)
IN_PARTS = Arrival(wait_s=0.2, spread_s=2.0, n_bytes=9_000, n_breaks=3)


@pytest.mark.parametrize(
    ("arrivals", "is_sign"),
    [
        ([AT_ONCE] * 3, True),
        ([IN_PARTS] * 3, True),
        ([AT_ONCE, IN_PARTS, SHORT, AT_ONCE], True),
        ([AT_ONCE] * 2, False),
        ([AT_ONCE, AT_ONCE, STREAMED, AT_ONCE], False),
        ([replace(AT_ONCE, spread_s=0.5)] * 3, False),
        ([replace(AT_ONCE, wait_s=0.5)] * 3, False),
        ([replace(AT_ONCE, n_bytes=9_000)] * 3, False),
        ([replace(IN_PARTS, n_breaks=2)] * 3, False),
        ([SHORT] * 9, False),
    ],
)
def test_answers_that_are_held_back(arrivals: list[Arrival], is_sign: bool) -> None:
    """Three in a row that come at once, or break off in the middle of lines."""
    signs = ProxySigns("m")
    for arrival in arrivals:
        signs.note_answer(arrival)
    assert signs.advice.startswith(HELD) == is_sign
    assert "proxy_buffering" in signs.advice or not is_sign


def test_advice_ends_when_answers_are_streamed_again() -> None:
    signs = ProxySigns("m")
    for arrival in [AT_ONCE] * 3:
        signs.note_answer(arrival)
    signs.note_answer(STREAMED)
    assert signs.advice == ""


def has_upgrades(n_wanted: int, server: ModelServer) -> bool:
    return server.n_upgrades == n_wanted


async def test_sockets_that_are_cut(serve: Serve, build_socket: BuildSocket) -> None:
    """Only if the server's side ends them without a word; a stop does not count."""

    async def answer(reply: Reply) -> None:
        reply.answer("ok")

    server: ModelServer = await serve(answer)
    model, _ = build_socket(server, n_sockets=1, refill_s=0.0, proxy_life_s=0.0)
    for number in range(1, 4):
        await ask(model)
        assert model.status().advice == ""
        server.replies[-1].cut()
        await server.until(partial(has_upgrades, number + 1))
    await ask(model)
    assert model.status().advice.startswith("Connections to model spark are cut")
