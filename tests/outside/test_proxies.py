"""The sample files for nginx, HAProxy and Caddy, each in front of two gateways."""

from __future__ import annotations

import asyncio
import os
import ssl
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest
import trustme
from tests.gateway.conftest import Client
from tests.gateway.team_process import TeamProcess, team_process
from tests.models.reader import ask
from tests.outside.conftest import KEY, Scripted, Spawn
from tests.outside.programs import ROOT, debian_program
from tests.outside.test_shared_store import SCRIPT, created, free_port
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from redline.models.build import build_model
from redline.settings.tree import KeySource, ModelSettings

DEPLOY = ROOT / "publishing" / "deploy"

HOST = "gateway.example.com"

IDS = [f"session-{number}" for number in range(24)]
"""So many that each of two gateways has some, wherever they are."""

LISTEN = 'behind_proxy = ["127.0.0.0/8"]'


class Proxied:
    """Two gateways behind a proxy."""

    def __init__(
        self, port: int, context: ssl.SSLContext, gateways: list[TeamProcess]
    ) -> None:
        self.gateways = gateways
        self._port = port
        self._context = context

    def http(self) -> httpx.AsyncClient:
        """Make an HTTP client of the proxy."""
        return httpx.AsyncClient(
            base_url=f"https://127.0.0.1:{self._port}/v1",
            headers={"Authorization": "Bearer ada", "Host": HOST},
            verify=self._context,
            timeout=60.0,
        )

    async def client(self, session_id: str) -> Client:
        """Connect a WebSocket through the proxy."""
        socket = await connect(
            f"wss://{HOST}/v1/responses",
            host="127.0.0.1",
            port=self._port,
            ssl=self._context,
            server_hostname=HOST,
            additional_headers={
                "Authorization": "Bearer ada",
                "x-session-id": session_id,
            },
        )
        return Client(socket)


async def nginx(spawn: Spawn, home: Path, config: str) -> Process:
    """Start nginx with a file for its folder `conf.d`."""
    (home / "redline.conf").write_text(config)
    user = "user root;" if os.geteuid() == 0 else ""
    (home / "nginx.conf").write_text(
        f"""
        daemon off; pid {home}/pid; error_log stderr; {user}
        events {{ }}
        http {{
            access_log off;
            client_body_temp_path {home}; proxy_temp_path {home};
            fastcgi_temp_path {home}; uwsgi_temp_path {home}; scgi_temp_path {home};
            include {home}/redline.conf;
        }}
        """
    )
    program = debian_program("nginx")
    return await spawn(program, "-p", home, "-c", home / "nginx.conf")


async def haproxy(spawn: Spawn, home: Path, config: str) -> Process:
    """Start HAProxy."""
    (home / "haproxy.cfg").write_text(config)
    return await spawn(debian_program("haproxy"), "-f", home / "haproxy.cfg")


async def caddy(spawn: Spawn, home: Path, config: str) -> Process:
    """Start Caddy, without its own port for changes of the configuration."""
    file = home / "Caddyfile"
    file.write_text("{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + config)
    program = debian_program("caddy")
    return await spawn(program, "run", "--adapter", "caddyfile", "--config", file)


PROXIES = {"nginx.conf": nginx, "haproxy.cfg": haproxy, "Caddyfile": caddy}


def adapted(name: str, home: Path, port: int, gateways: list[TeamProcess]) -> str:
    """Return a sample file with the ports and the certificate of the test."""
    text = (DEPLOY / name).read_text()
    own_port = {"Caddyfile": f"{HOST} {{"}.get(
        name, "443 ssl" if "nginx" in name else ":443 "
    )
    with_port = {
        "Caddyfile": f"{HOST}:{port} {{",
        "nginx.conf": f"127.0.0.1:{port} ssl",
        "haproxy.cfg": f"127.0.0.1:{port} ",
    }
    changes = {own_port: with_port[name]}
    for number, gateway in enumerate(gateways):
        changes[f"127.0.0.1:{7788 + number}"] = gateway.address
    for folder in ("/etc/ssl/", "/etc/haproxy/", "/etc/caddy/"):
        changes[folder] = f"{home}/"
    for old, new in changes.items():
        if not old.startswith("/etc/"):
            assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.fixture(params=PROXIES)
async def proxied(
    request: pytest.FixtureRequest, spawn: Spawn, gateway: Scripted, tmp_path: Path
) -> AsyncIterator[Proxied]:
    """Start two gateways behind each proxy in turn."""
    authority = trustme.CA()
    own = authority.issue_cert(HOST, "127.0.0.1")
    chain = own.cert_chain_pems[0]
    chain.write_to_path(str(tmp_path / "gateway.pem"))
    if request.param == "haproxy.cfg":
        own.private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "gateway.pem"))
    own.private_key_pem.write_to_path(str(tmp_path / "gateway.key"))
    context = ssl.create_default_context()
    authority.configure_trust(context)
    async with AsyncExitStack() as stack:
        behind = await gateway(SCRIPT)
        gateways = [
            await stack.enter_async_context(
                team_process(behind, tmp_path / f"{n}.toml", tables=LISTEN, key=KEY)
            )
            for n in range(2)
        ]
        port = free_port()
        config = adapted(request.param, tmp_path, port, gateways)
        process = await PROXIES[request.param](spawn, tmp_path, config)
        await listens(process, port)
        yield Proxied(port, context, gateways)


async def listens(process: Process, port: int) -> None:
    """Wait until a port is open."""
    while True:
        assert process.returncode is None, await process.communicate()
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except ConnectionRefusedError:
            await asyncio.sleep(0.05)
            continue
        writer.close()
        await writer.wait_closed()
        return


BUFFERING = """
server {{
    listen 127.0.0.1:{port};
    location / {{
        proxy_pass {address};
        proxy_ignore_headers X-Accel-Buffering;
    }}
}}
"""


async def test_a_proxy_that_holds_answers_back(
    spawn: Spawn, gateway: Scripted, tmp_path: Path
) -> None:
    """By nginx's defaults, which the gateway's header changes; it is recognized."""
    paced = {"text": "word " * 300, "tokens_per_s": 200}
    behind = await gateway({"otherwise": paced}, "--requests-per-minute", "0")
    port = free_port()
    address = behind.http_url.removesuffix("/v1")
    config = BUFFERING.format(port=port, address=address)
    await listens(await nginx(spawn, tmp_path, config), port)
    settings = ModelSettings(
        api="responses-http",
        url=f"http://127.0.0.1:{port}/v1/responses",
        name="m",
        key=KeySource(env="OUTSIDE_KEY"),
    )
    model = build_model("m", settings, environ={"OUTSIDE_KEY": KEY})
    for _ in range(3):
        assert model.status().advice == ""
        assert (await ask(model)).reason == "completed"
    assert "proxy_buffering off" in model.status().advice
    await model.aclose()


async def test_a_proxy_passes_everything_on(proxied: Proxied) -> None:
    """Sockets, streams as they are written, and a client to one gateway."""
    client = await proxied.client("a")
    events = await client.answer(model="coder")
    assert events[-1]["type"] == "response.completed"
    await client.socket.close()
    async with proxied.http() as http:
        body = {"model": "coder", "input": "for ever", "stream": True}
        async with http.stream("POST", "/responses", json=body) as stream:
            async for line in stream.aiter_lines():
                if "output_text.delta" in line:
                    break
            else:
                raise AssertionError("nothing came before the end")
        stored = {}
        for session_id in IDS:
            http.headers["x-session-id"] = session_id
            stored[session_id] = await created(http, "hi", store=True)
        for session_id, response in stored.items():
            http.headers["x-session-id"] = session_id
            found = await http.get(f"/responses/{response['id']}")
            assert found.json() == response
        direct = proxied.gateways[0].http()
        async with direct:
            statuses = {
                (await direct.get(f"/responses/{response['id']}")).status_code
                for response in stored.values()
            }
        assert statuses == {200, 404}


async def test_a_drain_behind_a_proxy(proxied: Proxied) -> None:
    """No answer is lost, and its clients reach the other gateway."""
    clients = {each: await proxied.client(each) for each in IDS}
    busy = [clients[each] for each in IDS[:4]]
    for client in busy:
        await client.create("slowly", model="coder")
    for client in busy:
        await client.until("response.output_text.delta")
    proxied.gateways[0].terminate()
    for client in busy:
        await client.until("response.completed")
    assert await proxied.gateways[0].ended() == 0
    n_moved = 0
    for session_id, client in clients.items():
        if await answers(client):
            continue
        n_moved += 1
        assert await answers(await proxied.client(session_id))
    assert 0 < n_moved < len(IDS)


async def answers(client: Client) -> bool:
    """Whether a socket is open and of a gateway that answers."""
    try:
        end = (await client.answer(model="coder"))[-1]
    except ConnectionClosed:
        return False
    return bool(end["type"] == "response.completed")
