"""The HTTP client imports nothing late and decodes nothing that is compressed."""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
import trustme
from tests.models.model_server import answer_events
from tests.models.reader import ask

from redline.errors import (
    AuthenticationError,
    ModelError,
    ModelServerError,
    ModelStalledError,
)
from redline.models.build import build_model
from redline.models.formats.http_request import HttpRequest
from redline.models.http.http_client import HttpClient, LoopbackClient
from redline.models.interface import Model
from redline.models.model_address import parse_model_address
from redline.settings.tree import LimitSettings, ModelSettings

_FIRST_REQUEST = """
import asyncio, sys
import httpx
from redline.models.http.http_client import load

load()
client = httpx.AsyncClient()


async def answer(reader, writer):
    await reader.readuntil(b"\\r\\n\\r\\n")
    writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
    await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    before = set(sys.modules)
    response = await client.get(f"http://127.0.0.1:{port}/")
    assert response.text == "ok"
    print(*sorted(set(sys.modules) - before))
    await client.aclose()
    server.close()


asyncio.run(main())
"""


def test_the_first_request_imports_nothing() -> None:
    """An import on the loop would delay keystrokes."""
    done = subprocess.run(
        [sys.executable, "-c", _FIRST_REQUEST],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_the_command_line_of_httpx_is_not_loaded() -> None:
    """It would load click, pygments and rich, which are installed beside it."""
    code = "import sys, redline.models.http.http_client; print(*sys.modules)"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    loaded = {name.split(".")[0] for name in output.split()}
    assert "httpx" in loaded
    assert not loaded & {"click", "pygments", "rich"}


Answer = tuple[int, dict[str, str], bytes]
"""A status, headers and a body."""

EVENTS = b"".join(
    b"data: %b\n\n" % json.dumps(event).encode()
    for event in answer_events("resp_1", ["Hello"])
)


@asynccontextmanager
async def answering(answer_to: Callable[[bytes], Answer]) -> AsyncIterator[Model]:
    """Serve what a function returns for the head of a request; yield a model of it."""

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        (length,) = [
            line.split(b":")[1]
            for line in request.lower().split(b"\r\n")
            if line.startswith(b"content-length")
        ] or [b"0"]
        await reader.readexactly(int(length))
        status, headers, body = answer_to(request)
        fields = {"Content-Length": str(len(body)), "Connection": "close", **headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        writer.write(f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body)
        writer.close()

    listener = await asyncio.start_server(answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1/responses"
    settings = ModelSettings(api="responses-http", url=url, name="m")
    model = build_model("spark", settings, LimitSettings(), environ={})
    async with listener:
        try:
            yield model
        finally:
            await model.aclose()


async def test_no_compression_is_requested() -> None:
    """A server that compresses for clients that accept it sends plain text."""

    def answer_to(request: bytes) -> Answer:
        if b"gzip" in request:
            return 200, {"Content-Encoding": "gzip"}, gzip.compress(EVENTS)
        return 200, {"Content-Encoding": "identity"}, EVENTS

    async with answering(answer_to) as model:
        reading = await ask(model)
    assert (reading.text, reading.error) == ("Hello", None)


async def test_no_cookie_is_sent_back() -> None:
    heads: list[bytes] = []

    def answer_to(request: bytes) -> Answer:
        heads.append(request.lower())
        return 200, {"Set-Cookie": "a=b; Path=/"}, EVENTS

    async with answering(answer_to) as model:
        for _ in range(2):
            assert (await ask(model)).text == "Hello"
    assert len(heads) >= 2
    assert not [head for head in heads if b"\r\ncookie:" in head]


async def test_a_server_on_this_machine_gets_no_cookie_back() -> None:
    heads: list[bytes] = []

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).lower())
        writer.write(
            b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\n"
            b"Content-Length: 2\r\nConnection: close\r\n\r\nok"
        )
        writer.close()

    listener = await asyncio.start_server(answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/"
    client = LoopbackClient()
    async with listener:
        for _ in range(2):
            assert await client.get(url, max_bytes=10) == b"ok"
        await client.aclose()
    assert len(heads) == 2
    assert not [head for head in heads if b"\r\ncookie:" in head]


@pytest.mark.parametrize(
    ("status", "kind", "says"),
    [
        (200, ModelServerError, "compressed its answer"),
        (401, AuthenticationError, "refused the key"),
    ],
)
async def test_compressed_answer_is_not_decoded(
    status: int, kind: type[ModelError], says: str
) -> None:
    """It could be of any size; the status still counts."""

    def answer_to(request: bytes) -> Answer:
        return status, {"Content-Encoding": "gzip"}, gzip.compress(EVENTS)

    async with answering(answer_to) as model:
        reading = await ask(model)
        probe = await model.probe()
    assert reading.text == ""
    assert type(reading.error) is kind
    assert says in str(reading.error)
    assert (probe.error is None) == (status == 200)


@pytest.mark.parametrize(
    ("head", "more"),
    [
        (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nX: ", b"x"),
        (b"HTTP/1.1 500 Oops\r\nContent-Length: 1000000\r\n\r\n", b"x"),
    ],
)
async def test_a_short_answer_that_does_not_end(head: bytes, more: bytes) -> None:
    """Something comes all the time, so no silence ends it."""

    is_gone = asyncio.Event()

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with suppress(ConnectionError):
            writer.write(head)
            while not writer.is_closing():
                writer.write(more)
                await writer.drain()
                await asyncio.sleep(0.01)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        is_gone.set()

    listener = await asyncio.start_server(answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1/models"
    limits = LimitSettings(connect_s=0.1, first_delta_s=0.2, stall_s=0.2)
    model = ModelSettings(api="chat-completions", url=url, name="m")
    client = HttpClient(parse_model_address("m", model, environ={}), limits, model="m")
    async with listener:
        with pytest.raises(ModelStalledError):
            await client.ask(HttpRequest(method="GET", url=url), {})
        await client.aclose()
        async with asyncio.timeout(60):
            await is_gone.wait()


@pytest.mark.parametrize("has_tls", [False, True])
@pytest.mark.parametrize(
    ("behind", "n_connections"), [("an answer", 2), ("a byte", 2), ("nothing", 1)]
)
async def test_bytes_behind_an_answer_are_no_other_answer(
    behind: str, n_connections: int, tmp_path: Path, *, has_tls: bool
) -> None:
    """They may be those of another user; a connection without them is kept."""
    handling: list[asyncio.Task[None] | None] = []
    other = b"".join(
        b"data: %b\n\n" % json.dumps(event).encode()
        for event in answer_events("resp_2", ["Other"])
    )
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
    more = {"an answer": head % len(other) + other, "a byte": b"x", "nothing": b""}

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        handling.append(asyncio.current_task())
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                length = request.lower().split(b"content-length:")[1].split()[0]
                await reader.readexactly(int(length))
                writer.write(head % len(EVENTS) + EVENTS)
                writer.write(more[behind])
        writer.close()

    context = None
    if has_tls:
        authority = trustme.CA()
        authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(context)
    listener = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    host = f"127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    settings = ModelSettings(
        api="responses-http",
        url=f"http{'s' * has_tls}://{host}/v1/responses",
        name="m",
        ca_file=str(tmp_path / "ca.pem") if has_tls else None,
    )
    model = build_model("spark", settings, LimitSettings(), environ={})
    async with listener:
        texts = [(await ask(model)).text for _ in range(2)]
        await model.aclose()
        async with asyncio.timeout(60):
            await asyncio.gather(*filter(None, handling))
    assert (texts, len(handling)) == (["Hello", "Hello"], n_connections)
