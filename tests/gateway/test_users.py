"""Several users: their keys, and that none sees what is another's."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from ipaddress import ip_network

import httpx
import pytest
from tests.gateway.conftest import Gateway
from tests.gateway.test_upstream import CHAT, text_of
from tests.models.plain_server import Act, PlainServer, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus

from redline.gateway.app import create_app
from redline.gateway.config import GatewayConfig
from redline.gateway.engines.script import Script, ScriptEngine
from redline.gateway.engines.upstream import Upstream, UpstreamEngine
from redline.gateway.limits.accounts import Accounts, UserSettings, key_sha256
from redline.models.build import build_model
from redline.settings.tree import ModelSettings

Start = Callable[..., Awaitable[Gateway]]


def user(name: str) -> UserSettings:
    """A user whose key is the name."""
    return UserSettings(name=name, key_sha256=key_sha256(name))


def bearer(name: str) -> dict[str, str]:
    """The header of a user."""
    return {"Authorization": f"Bearer {name}"}


@pytest.fixture
def accounts() -> Accounts:
    """Ada and Bob."""
    return Accounts([user("ada"), user("bob")])


@pytest.mark.parametrize("is_background", [False, True])
async def test_the_ids_of_others_do_not_exist(
    start: Start, accounts: Accounts, is_background: bool
) -> None:
    """Whatever is done with them, in the same words as for unknown ids."""
    gateway = await start(accounts=accounts)
    body = {"model": "m", "input": "hi", "background": is_background}
    async with (
        gateway.http(**bearer("ada")) as ada,
        gateway.http(**bearer("bob")) as bob,
    ):
        mine = (await ada.post("/responses", json=body)).json()["id"]

        async def statuses(http: httpx.AsyncClient, response_id: str) -> list[int]:
            path = f"/responses/{response_id}"
            more = {"model": "m", "input": "on", "previous_response_id": response_id}
            answers = [
                await http.get(path),
                await http.get(path + "?stream=true"),
                await http.get(path + "/input_items"),
                await http.post(path + "/cancel"),
                await http.delete(path),
                await http.post("/responses", json=more),
            ]
            assert not any(mine in answer.text for answer in answers if http is not bob)
            return [answer.status_code for answer in answers]

        assert await statuses(bob, mine) == await statuses(ada, "resp_unknown")
        assert (await ada.get(f"/responses/{mine}")).status_code == 200
    client = await gateway.client(**bearer("bob"))
    (error,) = await client.answer(previous_response_id=mine)
    assert error["error"]["code"] == "previous_response_not_found"


async def test_a_key_that_is_revoked_ends_its_sockets(
    start: Start, accounts: Accounts
) -> None:
    """At once, with the reason; nobody else notices."""
    gateway = await start(accounts=accounts)
    ada, bob = [await gateway.client(**bearer(name)) for name in ("ada", "bob")]
    accounts.replace([user("bob")])
    error = await ada.event()
    assert error["error"]["code"] == "invalid_api_key"
    with pytest.raises(ConnectionClosed):
        await ada.event()
    assert (await bob.answer())[-1]["type"] == "response.completed"
    with pytest.raises(InvalidStatus) as refused:
        await gateway.client(**bearer("ada"))
    assert refused.value.response.status_code == 401


async def test_a_used_name_does_not_reach_the_responses_of_before(
    start: Start, accounts: Accounts
) -> None:
    """Another person may have it now; the name with its old key reaches them again."""
    gateway = await start(accounts=accounts)
    body = {"model": "m", "input": "hi"}
    async with gateway.http(**bearer("ada")) as http:
        path = f"/responses/{(await http.post('/responses', json=body)).json()['id']}"
        assert (await http.get(path)).status_code == 200
        accounts.replace([UserSettings(name="ada", key_sha256=key_sha256("new"))])
        async with gateway.http(**bearer("new")) as other:
            assert (await other.get(path)).status_code == 404
        accounts.replace([user("ada")])
        assert (await http.get(path)).status_code == 200


@pytest.mark.parametrize(
    ("peer", "status"),
    [
        ("10.1.2.3", 200),
        ("::ffff:10.1.2.3", 200),
        ("::1", 200),
        ("11.1.2.3", 403),
        ("::ffff:11.1.2.3", 403),
        ("::2", 403),
    ],
)
async def test_a_proxy_is_known_by_each_form_of_its_address(
    accounts: Accounts, peer: str, status: int
) -> None:
    """A socket for both versions of IP shows IPv4 addresses as IPv6 ones."""
    networks = (ip_network("10.0.0.0/8"), ip_network("::1/128"))
    config = GatewayConfig(token="", any_host=True, trusted_peers=networks)
    app = create_app(ScriptEngine(Script()), config, accounts=accounts)
    transport = httpx.ASGITransport(app, client=(peer, 1))
    async with httpx.AsyncClient(transport=transport, headers=bearer("ada")) as http:
        answer = await http.get("http://gateway/v1/models")
    assert answer.status_code == status


async def test_only_the_proxy_may_connect(start: Start, accounts: Accounts) -> None:
    gateway = await start(
        accounts=accounts, any_host=True, trusted_peers=(ip_network("10.0.0.0/8"),)
    )
    async with gateway.http(**bearer("ada")) as http:
        assert (await http.get("/models")).status_code == 403
    gateway = await start(
        accounts=accounts, any_host=True, trusted_peers=(ip_network("127.0.0.0/8"),)
    )
    through_proxy = {"Host": "redline.example.com"}
    async with gateway.http(**bearer("ada"), **through_proxy) as http:
        assert (await http.get("/models")).status_code == 200
        # A page in a browser is refused there too.
        page = await http.get("/models", headers={"Origin": "https://example.com"})
        assert page.status_code == 403


def upstream(name: str, server: PlainServer, fallback: str | None = None) -> Upstream:
    """An upstream of a server."""
    settings = ModelSettings(api=CHAT.api, url=server.base + CHAT.path, name="m")
    model = build_model(name, settings, environ={})
    return Upstream(name=name, model=model, fallback=fallback)


@pytest.mark.parametrize(
    ("first", "is_passed_on"),
    [
        (Act(status=500), True),
        (Act(status=401), True),
        (Act(status=429), True),
        (Act(pieces=(CHAT.error,)), True),
        (Act(status=400), False),
        (Act(pieces=(CHAT.answer[0],), then="abort"), False),
    ],
)
async def test_the_second_upstream(
    start: Start, first: Act, is_passed_on: bool
) -> None:
    """It answers if the first fails before any text, unless the request is wrong."""
    async with serving(first) as bad, serving(Act(pieces=CHAT.answer)) as good:
        engine = UpstreamEngine(
            [upstream("coder", bad, fallback="second"), upstream("second", good)]
        )
        client = await (await start(engine)).client()
        events = await client.answer(model="coder")
        await engine.aclose()
    assert bool(good.asked) == is_passed_on
    assert (text_of(events) == "Hello") == is_passed_on


async def test_an_answer_is_completed_by_an_upstream_that_was_replaced(
    start: Start,
) -> None:
    held = Act(pieces=CHAT.answer[:1], then="hold")
    async with serving(held) as old, serving(Act(pieces=CHAT.answer)) as new:
        engine = UpstreamEngine([upstream("coder", old)])
        gateway = await start(engine)
        client = await gateway.client()
        await client.create(model="coder", stream_id="a")
        await client.until("response.output_text.delta")
        engine.replace([upstream("coder", new)])
        other = await gateway.client()
        assert text_of(await other.answer(model="coder")) == "Hello"
        assert not old.gone.is_set()
        client.socket.transport.abort()
        await old.gone.wait()
        await engine.aclose()


async def test_models_are_listed(start: Start, accounts: Accounts) -> None:
    async with serving(Act(pieces=CHAT.answer)) as server:
        engine = UpstreamEngine([upstream("coder", server)])
        gateway = await start(engine, accounts=accounts)
        async with gateway.http(**bearer("ada")) as http:
            listed = json.loads((await http.get("/models")).text)
        await engine.aclose()
    assert [model["id"] for model in listed["data"]] == ["coder"]


async def test_each_user_has_a_prompt_cache(start: Start, accounts: Accounts) -> None:
    """Of a server that can separate them; a salt says nothing of the key."""
    async with serving(Act(pieces=CHAT.answer)) as server:
        url = f"{server.base}/v1/chat/completions"
        settings = ModelSettings(
            provider="vllm", api="chat-completions", url=url, name="m"
        )
        model = build_model("coder", settings, environ={})
        engine = UpstreamEngine([Upstream(name="coder", model=model)])
        gateway = await start(engine, accounts=accounts)
        for name in ("ada", "bob", "ada"):
            client = await gateway.client(**bearer(name))
            await client.answer(model="coder")
        await engine.aclose()
    first, second, third = [
        json.loads(each.body)["cache_salt"] for each in server.asked
    ]
    assert first == third != second
    assert len(first) == 64
    assert first != key_sha256("ada")
