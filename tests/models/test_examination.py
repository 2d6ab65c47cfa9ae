"""The doctor's requests to a model's server of any kind."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.e2e.server_process import clean_environment

from redline.errors import (
    AccessRefusedError,
    AuthenticationError,
    ModelError,
    ModelRejectedError,
    QuotaExhaustedError,
)
from redline.models.build import build_model
from redline.models.examination import ANSWER
from redline.models.formats.wire_formats import wire_format
from redline.models.interface import Probe
from redline.settings.tree import Api, ModelSettings

Route = tuple[int, bytes]
"""A status and a body."""

MODELS = json.dumps({"object": "list", "data": [{"id": "m"}, {"id": "n"}]}).encode()
NO_INPUT = (400, b'{"error": {"message": "Missing input.", "code": "missing"}}')
UNKNOWN = (404, b'{"error": {"message": "No such model", "code": "model_not_found"}}')
NO_DATABASE = (400, b'{"error": {"message": "No connected db.", "code": "400"}}')
"""How LiteLLM's proxy refuses an unknown key, whatever is requested."""
NOT_FOUND = (404, b'{"detail": "Not Found"}')

GOOD: dict[str, Route] = {
    "GET /v1/models": (200, MODELS),
    "POST /v1/responses": NO_INPUT,
}


class Server:
    """Answers by method and path; records the requests."""

    def __init__(self, routes: Mapping[str, Route]) -> None:
        self.asked: list[str] = []
        self.bodies: list[bytes] = []
        self._routes = routes

    async def answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        fields = dict(
            line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line
        )
        self.bodies.append(
            await reader.readexactly(int(fields.get("content-length", "0")))
        )
        what = " ".join(head.split(" ")[:2])
        self.asked.append(what)
        status, body = self._routes.get(what, NOT_FOUND)
        writer.write(
            f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n"
            f"Content-Type: {'text/html' if b'<' in body[:1] else 'text/plain'}\r\n"
            "Connection: close\r\n\r\n".encode()
            + body
        )
        writer.close()


@asynccontextmanager
async def serving(
    routes: Mapping[str, Route],
) -> AsyncIterator[tuple[Server, str]]:
    """Serve; gives the server and its base address."""
    server = Server(routes)
    listener = await asyncio.start_server(server.answer, "127.0.0.1", 0)
    async with listener:
        yield server, f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"


async def probe_of(
    routes: Mapping[str, Route], *, name: str = "m", path: str = "/v1/responses"
) -> tuple[Probe, Server]:
    async with serving(routes) as (server, base):
        settings = ModelSettings(api="responses-http", url=base + path, name=name)
        model = build_model("spark", settings, environ={})
        try:
            return await model.probe(), server
        finally:
            await model.aclose()


async def test_a_good_model_costs_nothing() -> None:
    """The only request has no input, and the least limit of tokens."""
    probe, server = await probe_of(GOOD)
    assert (probe.reachable, probe.error, probe.untried) == (True, None, (ANSWER,))
    assert probe.handshake_s
    assert server.asked == ["GET /v1/models", "POST /v1/responses"]
    body = json.loads(server.bodies[1])
    assert not body.get("input")
    assert body["max_output_tokens"] == 16


@pytest.mark.parametrize(
    ("change", "kind", "says"),
    [
        ({"GET /v1/models": (401, b"")}, AuthenticationError, "refused the key"),
        ({"POST /v1/responses": (401, b"")}, AuthenticationError, "refused the key"),
        ({"POST /v1/responses": (403, b"")}, AccessRefusedError, "status 403"),
        ({"POST /v1/responses": NOT_FOUND}, ModelRejectedError, "nothing at the path"),
        ({"POST /v1/responses": (405, b"")}, ModelRejectedError, "nothing at the path"),
        ({"POST /v1/responses": UNKNOWN}, ModelRejectedError, "No such model"),
        (
            {"GET /v1/models": NO_DATABASE, "POST /v1/responses": NO_DATABASE},
            AuthenticationError,
            "refuses every request alike (status 400): No connected db.",
        ),
        (
            {"POST /v1/responses": (200, b"<!doctype html><title>Sign in</title>")},
            ModelRejectedError,
            "web page",
        ),
        (
            {"POST /v1/responses": (402, b'{"error": "Top up."}')},
            QuotaExhaustedError,
            "Top up.",
        ),
    ],
)
async def test_what_is_wrong_is_found(
    change: dict[str, Route], kind: type[ModelError], says: str
) -> None:
    """By the server's own answers."""
    probe, _ = await probe_of({**GOOD, **change})
    assert type(probe.error) is kind
    assert says in str(probe.error)
    assert probe.handshake_s is None


async def test_a_list_that_is_refused_otherwise_says_nothing_of_the_key() -> None:
    """Some servers have none, and answer it as they like."""
    odd = (400, b'{"error": {"message": "Unknown route."}}')
    probe, _ = await probe_of({**GOOD, "GET /v1/models": odd})
    assert (probe.reachable, probe.error) == (True, None)


async def test_a_base_address_is_no_endpoint() -> None:
    """It has a list of models, but no path takes a request."""
    probe, _ = await probe_of(GOOD, path="/v1")
    assert "nothing at the path" in str(probe.error)
    assert probe.error
    assert "`url`" in probe.error.remedy


@pytest.mark.parametrize("answer", [UNKNOWN, NOT_FOUND, (405, b"")])
async def test_a_name_that_is_not_listed(answer: Route) -> None:
    """The names that are listed are shown."""
    probe, _ = await probe_of({**GOOD, "GET /v1/models/x%2Fy": answer}, name="x/y")
    assert str(probe.error) == (
        "The server of model spark (x/y at 127.0.0.1) does not list x/y; it lists m, n."
    )


async def test_another_name_for_a_model_is_none_the_worse() -> None:
    """Some servers list fewer names than they know."""
    routes = {**GOOD, "GET /v1/models/latest": (200, b'{"id": "latest"}')}
    probe, _ = await probe_of(routes, name="latest")
    assert probe.error is None


@pytest.mark.parametrize(
    "models", [NOT_FOUND, (403, b""), (200, b"<html>"), (200, b"{}"), (200, b"\xff")]
)
async def test_without_a_list_the_name_is_untried(models: Route) -> None:
    """And it is said."""
    probe, _ = await probe_of({**GOOD, "GET /v1/models": models})
    assert probe.error is None
    assert any("name" in one for one in probe.untried)


@pytest.mark.parametrize("status", [429, 500])
async def test_an_endpoint_that_says_nothing_of_use_is_untried(status: int) -> None:
    """The result is neither good nor bad."""
    probe, _ = await probe_of({**GOOD, "POST /v1/responses": (status, b"")})
    assert probe.error is None
    assert any(str(status) in one for one in probe.untried)


@pytest.mark.parametrize(
    ("routes", "edit", "says"),
    [
        ({**GOOD, "POST /v1/responses": (401, b"")}, str, "refused the key"),
        (GOOD, lambda config: config.replace("/responses", ""), "nothing at the path"),
        (GOOD, lambda config: config.replace("/v1/", "/v9/"), "nothing at the path"),
        (GOOD, lambda config: config.replace('"m"', '"x"'), "does not list x"),
    ],
    ids=["key", "base", "path", "name"],
)
async def test_the_doctor_ends_with_one(
    tmp_path: Path, routes: dict[str, Route], edit: Callable[[str], str], says: str
) -> None:
    """As a real process, which an editor's user runs."""
    async with serving(routes) as (_, base):
        code, said = await doctor(tmp_path, base, edit)
    assert says in said
    assert code == 1


async def test_the_doctor_says_what_it_did_not_try(tmp_path: Path) -> None:
    """A working model has not generated anything."""
    async with serving(GOOD) as (_, base):
        code, said = await doctor(tmp_path, base, str)
    assert f"not tried: {ANSWER}" in said
    assert code == 0


async def doctor(home: Path, base: str, edit: Callable[[str], str]) -> tuple[int, str]:
    """Run it on settings with one model."""
    config = home / "config.toml"
    config.write_text(
        edit(
            f'[models.spark]\napi = "responses-http"\nurl = "{base}/v1/responses"\n'
            'name = "m"\n'
        )
    )
    # In a thread: the loop of a test may end before it has heard of a child's end.
    done = await asyncio.to_thread(
        subprocess.run,
        (sys.executable, "-m", "redline", "doctor", "--config", str(config)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        cwd=home,
        env=clean_environment(home),
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout.decode()


@pytest.mark.parametrize(
    ("api", "path", "name", "line"),
    [
        ("anthropic", "/v1/messages", "alias", "GET https://h/v1/models/alias"),
        ("gemini", "/v1beta", "alias", "GET https://h/v1beta/models/alias"),
        ("ollama", "", "qwen", "POST https://h/api/show"),
        ("fim", "/v1/completions", "a/b", "GET https://h/v1/models/a%2Fb"),
        ("chat-completions", "/v1/chat/completions", "m", "GET https://h/v1/models/m"),
    ],
)
def test_a_model_is_asked_for_by_its_own_address(
    api: Api, path: str, name: str, line: str
) -> None:
    """Not behind the query of the list; Ollama completes a name by its tag."""
    settings = ModelSettings(api=api, url=f"https://h{path}", name=name)
    shown = wire_format("spark", settings, url=settings.url).show()
    assert shown is not None
    assert f"{shown.method} {shown.url}" == line
