"""The header by which a balancer keeps a client on one worker of a gateway."""

from __future__ import annotations

import pytest
from tests.models.plain_server import Act, serving
from tests.models.reader import ask

from redline.models.build import build_model
from redline.settings.tree import Api, ModelSettings

SCHEMES: dict[Api, str] = {"responses-socket": "ws", "responses-http": "http"}

REFUSAL = Act(status=400, pieces=(b'{"error":{"message":"No."}}',))


async def session_ids(provider: str | None) -> list[str | None]:
    """Ask over a WebSocket and over HTTP; return the header of each request."""
    async with serving(REFUSAL) as server:
        for api, scheme in SCHEMES.items():
            settings = ModelSettings(
                provider=provider,
                api=api,
                url=f"{scheme}://127.0.0.1:{server.port}/v1/responses",
                name="m",
            )
            model = build_model("team", settings, environ={"REDLINE_GATEWAY_KEY": "k"})
            assert (await ask(model)).error is not None
            await model.aclose()
    kinds = {each.headers.get("upgrade") for each in server.asked}
    assert kinds == {"websocket", None}
    return [each.headers.get("x-session-id") for each in server.asked]


async def test_a_gateway_gets_the_id_of_the_process() -> None:
    first = await session_ids("redline-gateway")
    again = await session_ids("redline-gateway")
    (session_id,) = {*first, *again}
    assert session_id is not None
    assert len(session_id) == 32


@pytest.mark.parametrize("provider", ["openai", None])
async def test_no_other_provider_gets_it(provider: str | None) -> None:
    assert set(await session_ids(provider)) == {None}
