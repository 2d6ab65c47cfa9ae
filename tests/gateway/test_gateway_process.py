"""The real command: how it starts, and that it always ends."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import socket
import ssl
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import pytest
import trustme
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from redline.gateway.limits.accounts import key_sha256

Spawn = Callable[..., Awaitable[Process]]

COMMAND = [sys.executable, "-m", "redline", "gateway"]


@pytest.fixture
async def spawn() -> AsyncIterator[Spawn]:
    """Start gateways; afterwards none is left."""
    started: list[Process] = []

    async def start_one(
        *args: str, token: str | None = "test-token", n_files: int | None = None
    ) -> Process:
        env = dict(os.environ)
        env.pop("REDLINE_GATEWAY_TOKEN", None)
        if token is not None:
            env["REDLINE_GATEWAY_TOKEN"] = token
        command = COMMAND
        if n_files is not None:
            limited = f'ulimit -n {n_files}; exec "$@"'
            command = ["sh", "-c", limited, "sh", *COMMAND]
        process = await asyncio.create_subprocess_exec(
            *command, *args, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=env
        )
        started.append(process)
        return process

    yield start_one
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def announced(process: Process) -> str:
    assert process.stdout is not None
    line = json.loads(await process.stdout.readline())
    assert line["pid"] == process.pid
    url: str = line["url"]
    assert url.startswith("ws://127.0.0.1:")
    assert url.endswith("/v1/responses")
    return url


async def begin(url: str, token: str = "test-token") -> ClientConnection:
    """Connect, and begin a long answer."""
    client = await connect(url, additional_headers={"Authorization": f"Bearer {token}"})
    request = {"type": "response.create", "model": "m", "input": "x"}
    await client.send(json.dumps(request))
    assert json.loads(await client.recv())["type"] == "response.created"
    return client


async def ended(client: ClientConnection) -> None:
    """Read to the end of the connection, however it ends."""
    with suppress(ConnectionClosed):
        while True:
            await client.recv()


async def test_it_says_where_it_listens_and_ends_with_its_parent(spawn: Spawn) -> None:
    """Also while an answer is running; nothing is written to standard error."""
    process = await spawn("--announce", "--parent-stdin", "--tokens-per-s", "2")
    client = await begin(await announced(process))
    assert process.stdin is not None
    process.stdin.close()
    assert await process.wait() == 0
    await ended(client)
    assert process.stderr is not None
    assert await process.stderr.read() == b""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_cleanly(spawn: Spawn, number: int) -> None:
    process = await spawn("--announce", "--tokens-per-s", "2")
    client = await begin(await announced(process))
    process.send_signal(number)
    assert await process.wait() == 0
    await ended(client)
    assert process.stderr is not None
    assert await process.stderr.read() == b""


@pytest.mark.parametrize("is_socket", [True, False])
async def test_a_client_that_goes_leaves_no_word(
    spawn: Spawn, tmp_path: Path, is_socket: bool
) -> None:
    """Many writes in one iteration of the loop fail, and none is logged."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"otherwise": {"text": "word " * 5_000}}))
    process = await spawn("--announce", "--engine=script", f"--script={script}")
    url = await announced(process)
    for _ in range(3):
        await leave_at_once(urlsplit(url), is_socket=is_socket)
    # A gateway that answers this one has done with the others.
    (await begin(url)).transport.abort()
    process.send_signal(signal.SIGTERM)
    assert process.stderr is not None
    assert await process.stderr.read() == b""


async def test_a_record_overwrites_nothing(spawn: Spawn, tmp_path: Path) -> None:
    """Neither a file of the user nor what a link leads to."""
    mine, link = tmp_path / "mine.txt", tmp_path / "link"
    mine.write_text("mine")
    link.symlink_to(mine)
    for path in (mine, link):
        process = await spawn("--announce", f"--record={path}")
        assert await process.wait() != 0
        assert process.stderr is not None
        assert b"File exists" in await process.stderr.read()
    assert mine.read_text() == "mine"


async def test_silent_connections_do_not_use_up_the_files(spawn: Spawn) -> None:
    """Those over the limit are dropped; a client is answered once others have gone."""
    process = await spawn("--announce", n_files=128)
    url = urlsplit(await announced(process))
    silent = [await asyncio.open_connection(url.hostname, url.port) for _ in range(300)]
    # At most half of the files are connections.
    dropped = [asyncio.ensure_future(gone(reader)) for reader, _ in silent]
    for each in itertools.islice(asyncio.as_completed(dropped), 300 - 64):
        await each
    for _, writer in silent:
        writer.transport.abort()
    await asyncio.gather(*dropped)
    (await begin(url.geturl())).transport.abort()
    process.send_signal(signal.SIGTERM)
    assert process.stderr is not None
    assert await process.stderr.read() == b""


async def gone(reader: asyncio.StreamReader) -> None:
    """Wait for the end of a connection, however it ends."""
    with suppress(ConnectionError):
        assert await reader.read() == b""


async def leave_at_once(url: SplitResult, *, is_socket: bool) -> None:
    """Request an answer, and drop the connection when it begins."""
    request = {"type": "response.create", "model": "m", "input": "x", "stream": True}
    if is_socket:
        client = await begin(url.geturl())
        client.transport.abort()
        return
    body = json.dumps(request).encode()
    head = (
        f"POST {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\n"
        f"Authorization: Bearer test-token\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    writer.write(head.encode() + body)
    assert b"200" in await reader.readline()
    writer.transport.abort()


async def test_it_cannot_outlive_a_parent_that_is_killed(tmp_path: Path) -> None:
    """The parent has no chance to clean up: it is killed while it waits."""
    parent = tmp_path / "parent.py"
    parent.write_text(
        "import subprocess, sys, time\n"
        "child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)\n"
        "child.wait()\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(parent),
        *COMMAND,
        "--announce",
        "--parent-stdin",
        stdin=PIPE,
        stdout=PIPE,
        env=os.environ | {"REDLINE_GATEWAY_TOKEN": "test-token"},
    )
    assert process.stdout is not None
    line = json.loads(await process.stdout.readline())
    assert line["pid"] != process.pid
    client = await begin(line["url"])
    process.kill()
    await process.wait()
    # The child has the other end of this pipe: it ends when the child does.
    assert await process.stdout.read() == b""
    await ended(client)


async def test_a_token_is_made_and_shown_once(spawn: Spawn) -> None:
    process = await spawn("--parent-stdin", token=None)
    assert process.stdout is not None
    assert process.stderr is not None
    url = (await process.stdout.readline()).decode().strip()
    shown = (await process.stderr.readline()).decode().strip()
    token = shown.removeprefix("token (shown once): ")
    assert token != shown
    client = await begin(url, token)
    client.transport.abort()


async def test_the_token_can_have_another_variable(
    spawn: Spawn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "another")
    process = await spawn("--announce", "--token-env", "MY_TOKEN", token=None)
    client = await begin(await announced(process), "another")
    client.transport.abort()


async def test_a_script_answers_and_a_record_is_kept(
    spawn: Spawn, tmp_path: Path
) -> None:
    script, record = tmp_path / "script.toml", tmp_path / "record.jsonl"
    script.write_text('[otherwise]\ntext = "scripted"\n')
    process = await spawn(
        "--announce",
        "--engine=script",
        f"--script={script}",
        f"--record={record}",
    )
    client = await begin(await announced(process))
    while json.loads(await client.recv())["type"] != "response.completed":
        continue
    await client.close()
    process.terminate()
    await process.wait()
    entries = [json.loads(line) for line in record.read_text().splitlines()]
    kinds = [entry["kind"] for entry in entries]
    assert kinds[:2] == ["opened", "create"]
    assert kinds[-2:] == ["ended", "closed"]
    assert entries[1]["n_chars"] > 0
    assert not any("body" in entry for entry in entries)


async def test_tls(spawn: Spawn, tmp_path: Path) -> None:
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    certificate.private_key_pem.write_to_path(tmp_path / "key.pem")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    process = await spawn(
        "--announce",
        f"--tls-cert={tmp_path / 'cert.pem'}",
        f"--tls-key={tmp_path / 'key.pem'}",
    )
    assert process.stdout is not None
    url = json.loads(await process.stdout.readline())["url"]
    assert url.startswith("wss://")
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    client = await connect(
        url,
        additional_headers={"Authorization": "Bearer test-token"},
        ssl=trusting,
    )
    await client.close()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--host", "0.0.0.0"], "loopback only"),
        (["--host", "example.com"], "loopback only"),
        (["--engine", "script"], "needs --script"),
        (["--engine", "script", "--script", "nowhere.toml"], "nowhere.toml"),
        (["--tls-cert", "nowhere.pem"], "nowhere.pem"),
    ],
)
async def test_what_does_not_work_is_said_in_one_line(
    spawn: Spawn, args: list[str], said: str
) -> None:
    process = await spawn(*args)
    _, errors = await process.communicate()
    assert process.returncode != 0
    (line,) = errors.decode().splitlines()
    assert said in line


async def test_a_port_that_is_taken_is_said_in_one_line(spawn: Spawn) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = await spawn("--port", str(taken.getsockname()[1]))
        _, errors = await process.communicate()
    assert process.returncode == 1
    assert len(errors.decode().splitlines()) == 1


async def test_a_configuration_is_read_again(spawn: Spawn, tmp_path: Path) -> None:
    """On SIGHUP; one with errors is reported and changes nothing."""
    path = tmp_path / "gateway.toml"
    upstream = '[upstreams.coder]\nprovider = "ollama"\nname = "m"\n'
    users = {
        name: f'[[users]]\nname = "{name}"\nkey_sha256 = "{key_sha256(name)}"\n'
        for name in ("ada", "bob")
    }
    path.write_text(f"listen.port = 0\n{upstream}{users['ada']}")
    process = await spawn("--config", str(path), "--announce")
    url = await announced(process)
    log = process.stderr
    assert log is not None

    async def reload_until(words: bytes) -> None:
        process.send_signal(signal.SIGHUP)
        while words not in await log.readline():
            continue

    ada = await connect(url, additional_headers={"Authorization": "Bearer ada"})
    path.write_text("[listen")
    await reload_until(b"stays in force")
    await ada.send('{"type":"response.create","model":"other","input":"x"}')
    assert json.loads(await ada.recv())["type"] == "response.created"
    path.write_text(f"listen.port = 0\n{upstream}{users['bob']}")
    await reload_until(b"is in force")
    await ended(ada)
    bob = await connect(url, additional_headers={"Authorization": "Bearer bob"})
    await bob.close()
    process.send_signal(signal.SIGTERM)
    assert await process.wait() == 0
