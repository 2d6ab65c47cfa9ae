"""TLS with a private authority, and the way through a proxy, for both carriers."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
import trustme
from tests.models.reader import Build, Serve, ask

from redline.errors import InsecureEndpointError, ModelUnavailableError
from redline.models.build import build_model
from redline.settings.tree import Api, LimitSettings, ModelSettings

pytestmark = pytest.mark.parametrize("api", ["responses-socket", "responses-http"])

SCHEMES = {"responses-socket": "wss", "responses-http": "https"}


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """Return a certificate authority that nobody trusts by default."""
    return trustme.CA()


@pytest.fixture(scope="module")
def ca_file(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of the authority's certificate."""
    path: Path = tmp_path_factory.mktemp("ca") / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


@pytest.fixture(scope="module")
def context(authority: trustme.CA) -> ssl.SSLContext:
    """Return a server's TLS set-up for this machine and for `model.test`."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1", "model.test").configure_cert(made)
    return made


class Proxy:
    """A CONNECT proxy that leads everything to one port of this machine."""

    def __init__(self, port: int) -> None:
        self.targets: list[bytes] = []
        self.has_authorization = False
        self.refuses = False
        self._to_port = port
        self._tasks: set[asyncio.Task[None]] = set()

    async def listen(self) -> str:
        """Listen; return the proxy's address."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()
        return f"http://user:pass@{host}:{port}"

    async def aclose(self) -> None:
        """Close; connections have been closed by their ends."""
        self._server.close()
        await asyncio.gather(*self._tasks)

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        head = await reader.readuntil(b"\r\n\r\n")
        self.targets.append(head.split(b" ")[1])
        self.has_authorization = b"proxy-authorization:" in head.lower()
        if self.refuses:
            writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            writer.close()
            return
        inner_reader, inner_writer = await asyncio.open_connection(
            "127.0.0.1", self._to_port
        )
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await asyncio.gather(_relay(reader, inner_writer), _relay(inner_reader, writer))


async def _relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


@pytest.fixture
async def proxies(serve: object) -> AsyncIterator[list[Proxy]]:
    """Close proxies after the models and before the servers."""
    made: list[Proxy] = []
    yield made
    for proxy in made:
        await proxy.aclose()


async def test_private_authority(
    serve: Serve, build: Build, api: Api, context: ssl.SSLContext, ca_file: str
) -> None:
    """With `ca_file` a server of one's own authority is trusted."""
    server = await serve(listens=False)
    await server.listen(context=context)
    assert (await ask(build(server, api=api, ca_file=ca_file))).text == "Hello"


async def test_stop_over_tls(
    serve: Serve, build: Build, api: Api, context: ssl.SSLContext, ca_file: str
) -> None:
    """A stop is seen through TLS as well."""
    server = await serve(listens=False)
    await server.listen(context=context)
    model = build(server, api=api, ca_file=ca_file)
    await model.warm()
    assert (await ask(model)).text == "Hello"
    await model.aclose()
    await server.until(lambda server: server.n_open == 0)


async def test_unknown_authority(
    serve: Serve, build: Build, api: Api, context: ssl.SSLContext
) -> None:
    """Without it nothing is sent, and the error names the setting."""
    server = await serve(listens=False)
    await server.listen(context=context)
    reading = await ask(build(server, api=api))
    assert type(reading.error) is ModelUnavailableError
    assert "not trusted" in str(reading.error)
    assert "ca_file" in reading.error.remedy
    assert server.n_upgrades + server.n_posts == 0


async def test_plain_text_server_behind_a_tls_address(
    serve: Serve, build: Build, api: Api
) -> None:
    """A server that does not speak TLS is reported as such."""
    server = await serve()
    url = f"{SCHEMES[api]}://127.0.0.1:{server.port}/v1/responses"
    reading = await ask(build(server, api=api, url=url))
    assert type(reading.error) is ModelUnavailableError
    assert "TLS" in str(reading.error)


async def test_plain_text_to_another_machine(api: Api) -> None:
    """A plain-text address elsewhere is never called: every generation says why."""
    scheme = SCHEMES[api].removesuffix("s")
    settings = ModelSettings(api=api, url=f"{scheme}://model.test/v1", name="m")
    model = build_model("spark", settings, LimitSettings(), environ={})
    await model.warm()
    model.activity()
    reading = await ask(model)
    assert type(reading.error) is InsecureEndpointError
    assert type((await model.probe()).error) is InsecureEndpointError
    assert model.status().state == "down"
    assert model.describe().label == "spark"
    await model.aclose()


async def test_through_a_proxy(
    serve: Serve,
    build: Build,
    api: Api,
    context: ssl.SSLContext,
    ca_file: str,
    proxies: list[Proxy],
) -> None:
    """Everything goes through the proxy that the environment names, TLS inside."""
    server = await serve(listens=False)
    await server.listen(context=context)
    proxy = Proxy(server.port)
    proxies.append(proxy)
    environ = {"HTTPS_PROXY": await proxy.listen()}
    url = f"{SCHEMES[api]}://model.test/v1/responses"
    model = build(server, api=api, url=url, ca_file=ca_file, environ=environ)
    assert (await ask(model)).text == "Hello"
    assert set(proxy.targets) == {b"model.test:443"}
    assert proxy.has_authorization
    await model.aclose()


async def test_proxy_that_refuses(
    serve: Serve, build: Build, api: Api, proxies: list[Proxy]
) -> None:
    """A proxy's refusal is distinguished from the server's."""
    server = await serve()
    proxy = Proxy(server.port)
    proxies.append(proxy)
    proxy.refuses = True
    model = build(
        server,
        api=api,
        url=f"{SCHEMES[api]}://model.test/v1/responses",
        proxy=await proxy.listen(),
    )
    reading = await ask(model)
    assert type(reading.error) is ModelUnavailableError
    assert "proxy refused" in str(reading.error)
    assert "pass" not in str(reading.error)
    assert server.n_upgrades + server.n_posts == 0
    await model.aclose()


async def test_socks_proxy_without_support(
    serve: Serve, build: Build, api: Api
) -> None:
    """A SOCKS proxy needs an extra, and the error says which."""
    model = build(
        await serve(),
        api=api,
        url=f"{SCHEMES[api]}://model.test/v1/responses",
        proxy="socks5://127.0.0.1:9",
    )
    reading = await ask(model)
    assert type(reading.error) is ModelUnavailableError
    assert "redline-ls[socks]" in reading.error.remedy
