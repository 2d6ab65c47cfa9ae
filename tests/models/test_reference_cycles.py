"""An answer leaves nothing that only the garbage collector can free.

What is left lives until the next full collection, which stops the event loop for as
long as it takes to go through all objects of the process.
"""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest
from tests.models.formats import FORMATS, Format
from tests.models.model_server import Reply
from tests.models.plain_server import Act, serving
from tests.models.reader import Build, Serve, read, request_for, until

from redline.models.build import build_model
from redline.models.interface import Generation, Model
from redline.settings.tree import KeySource, LimitSettings, ModelSettings

HI = request_for("hi")


@pytest.fixture(autouse=True)
def _without_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


async def generation_of(model: Model, *, n_events: int) -> weakref.ref[Generation]:
    """Read the events of a generation, at most so many; return what may be gone."""
    async with asyncio.timeout(30), model.start(HI) as generation:
        for _ in range(n_events):
            if await anext(aiter(generation), None) is None:
                break
        return weakref.ref(generation)


def http_model(base: str, wire: Format) -> Model:
    """Build a model of a server."""
    settings = ModelSettings(
        api=wire.api, url=base + wire.path, name="m", key=KeySource(env="KEY")
    )
    environ = {"KEY": "secret-key-1234"}
    return build_model("spark", settings, LimitSettings(), environ=environ)


@pytest.mark.parametrize("wire", FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize("is_whole", [False, True], ids=["stopped", "whole"])
async def test_an_answer_over_http(wire: Format, *, is_whole: bool) -> None:
    """In each format, to its end and left early."""
    begun = Act(pieces=wire.answer[: wire.n_before_end], then="hold")
    async with serving(Act(pieces=wire.answer) if is_whole else begun) as server:
        model = http_model(server.base, wire)
        generation = await generation_of(model, n_events=1_000 if is_whole else 1)
        await until(lambda: generation() is None)
        await model.aclose()


@pytest.mark.parametrize("n_events", [1, 1_000], ids=["stopped", "whole"])
async def test_an_answer_on_a_lane(serve: Serve, build: Build, n_events: int) -> None:
    """The connection lives on, and knows of it no more."""

    async def script(reply: Reply) -> None:
        reply.send({"type": "response.output_text.delta", "delta": "a"})
        reply.send({"type": "response.completed", "response": {"id": "r"}})

    model = build(await serve(script))
    generation = await generation_of(model, n_events=n_events)
    await until(lambda: generation() is None)
    async with model.start(HI) as again:
        assert (await read(again)).reason == "completed"
