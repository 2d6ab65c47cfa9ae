"""What holds for every model that speaks Responses events, whatever carries them."""

from __future__ import annotations

import pytest
from tests.models.reader import Build, Serve, ask

from redline.models.interface import Usage
from redline.settings.tree import Api

APIS: tuple[Api, ...] = ("responses-socket", "responses-http")


@pytest.mark.parametrize("api", APIS)
async def test_answer_arrives_whole(serve: Serve, build: Build, api: Api) -> None:
    """Deltas add up to the answer, and the finish carries id and usage."""
    server = await serve()
    reading = await ask(build(server, api=api))
    assert reading.text == "Hello"
    assert reading.finish is not None
    assert reading.finish.reason == "completed"
    assert reading.finish.response_id == "resp_1"
    assert reading.finish.usage == Usage(
        input_n_tokens=12, cached_n_tokens=8, output_n_tokens=3, reasoning_n_tokens=1
    )
