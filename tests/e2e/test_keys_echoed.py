"""A provider repeats the key in its errors: no process of ours passes it on."""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.e2e.editor_document import Json, lines
from tests.e2e.redline_session import kill, settings_for, start_redline
from tests.e2e.server_process import clean_environment
from tests.e2e.wire_editor import WAIT_S
from tests.models.model_server import Behaviour, ModelServer, Reply, echo_key

from redline.keys_in_use import PART_CHARS

pytestmark = pytest.mark.asyncio(loop_scope="session")

_CLAIMS = base64.urlsafe_b64encode(b'{"sub":"4711","name":"A. Nobody"}').decode()

KEYS = {
    "plain": "correct-horse-battery-staple",
    "hex": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "uuid": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "jwt": f"eyJhbGciOiJIUzI1NiJ9.{_CLAIMS.rstrip('=')}.dBjftJeZ4CVPmB92K27uhbUJU1p1r",
    "google": "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
    "mistral": "Zq3vN8xLw2RtY6uKp0SdFgHjKlMnBvC7",
    "openai": "sk-proj-Ab12Cd34Ef56Gh78Ij90",
    "quoted": 'p"a/s\\s+w%o=r&d<1>2',
}

_APIS = ("responses-socket", "responses-http")


async def _echo_in_an_event(reply: Reply) -> None:
    """Take the key, and repeat it in an error of the answer."""
    error = echo_key(reply.peer.server.authorizations[-1])
    reply.send({"type": "error", "status": 400, "error": error})


@pytest_asyncio.fixture(loop_scope="session")
async def servers() -> AsyncIterator[list[ModelServer]]:
    """One that answers 401, and one that answers with an error event."""
    refusing = ModelServer(_echo_in_an_event, Behaviour(key="another"))
    failing = ModelServer(_echo_in_an_event, Behaviour())
    for server in (refusing, failing):
        await server.listen()
    yield [refusing, failing]
    for server in (refusing, failing):
        await server.aclose()


def environment() -> dict[str, str]:
    """Where the keys come from."""
    return {f"KEY_{shape.upper()}": key for shape, key in KEYS.items()}


def leaked(text: str) -> list[str]:
    """The shapes of keys of which a part is in a text."""
    return [
        shape
        for shape, key in KEYS.items()
        for form in (key, json.dumps(key)[1:-1])
        if any(
            form[at : at + PART_CHARS] in text
            for at in range(len(form) - PART_CHARS + 1)
        )
    ]


def written_below(folder: Path) -> str:
    """Everything in the files below a folder: logs and stores among them."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert any(path.suffix == ".log" for path in files)
    return "".join(path.read_bytes().decode("latin-1") for path in files)


def url_of(server: ModelServer, api: str) -> str:
    return server.url if api == "responses-socket" else server.http_url


async def test_the_language_server(tmp_path: Path, servers: list[ModelServer]) -> None:
    """Not in a message, the log, standard error or the store."""
    store = {"store": {"file": str(tmp_path / "usage.db")}, "log": {"level": "debug"}}
    redline = await start_redline(home=tmp_path, environment=environment())
    try:
        editor = redline.editor
        await editor.initialize(initializationOptions={})
        editor.open("file:///project/a.py", "a = 1\n")
        for shape in KEYS:
            for server in servers:
                for api in _APIS:
                    name = f"{api}-{servers.index(server)}-{shape}"
                    settings: Json = settings_for(
                        url_of(server, api),
                        name=name,
                        key=f"KEY_{shape.upper()}",
                        api=api,
                    )
                    await redline.use({**settings, **store}, name=name)
                    error = await editor.error(
                        editor.edit("file:///project/a.py", lines(0, 1), apply="end")
                    )
                    assert error["code"] == -32803
                    assert "[redacted]" in error["message"] or "key" in error["message"]
        await editor.shut_down()
        await redline.process.gone()
    except BaseException:
        await kill(redline)
        raise
    said = "".join(json.dumps(message) for message in editor.heard)
    assert len(servers[1].replies) >= 2 * len(KEYS)
    assert leaked(said) == []
    assert leaked(redline.process.complaints) == []
    assert leaked(written_below(tmp_path)) == []


async def ran(home: Path, *arguments: str) -> str:
    """Run a command to its end; return all that it wrote."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "redline", *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=home,
        env={**clean_environment(home), **environment()},
    )
    async with asyncio.timeout(WAIT_S):
        output, _ = await child.communicate()
    assert child.returncode != 0
    return output.decode()


def write_config(path: Path, servers: list[ModelServer], *, deep: str) -> None:
    """Describe every model; a tier is filled by the one that is named."""
    text = [f'[tiers]\ndeep = "{deep}"', '[log]\nlevel = "debug"\nfile = "r.log"']
    for shape in KEYS:
        for number, server in enumerate(servers):
            for api in _APIS:
                text += [
                    f'[models."{api}-{number}-{shape}"]',
                    f'api = "{api}"',
                    f'url = "{url_of(server, api)}"',
                    'name = "m"',
                    f'key = {{ env = "KEY_{shape.upper()}" }}',
                ]
    path.write_text("\n".join(text))


@pytest.mark.parametrize("form", [(), ("--json",)])
async def test_the_doctor(
    tmp_path: Path, servers: list[ModelServer], form: tuple[str, ...]
) -> None:
    """Not in its report, for people or for programs."""
    config = tmp_path / "config.toml"
    write_config(config, servers, deep="responses-http-0-plain")

    said = await ran(tmp_path, "doctor", "--config", str(config), *form)

    assert "refused" in said
    assert leaked(said) == []


@pytest.mark.parametrize(
    ("number", "api", "shape"),
    [
        (0, "responses-socket", "plain"),
        (0, "responses-http", "jwt"),
        (1, "responses-socket", "jwt"),
        (1, "responses-http", "plain"),
    ],
)
async def test_a_review(
    tmp_path: Path, servers: list[ModelServer], number: int, api: str, shape: str
) -> None:
    """Not in what it shows, its log, or the store.

    Every shape by each way is in `test_the_language_server`.
    """
    config = tmp_path / "config.toml"
    write_config(config, servers, deep=f"{api}-{number}-{shape}")
    (tmp_path / "a.py").write_text("def a(b=[]):\n    return b\n")

    said = await ran(tmp_path, "review", "--config", str(config), "a.py")

    assert "key" in said or "[redacted]" in said
    assert leaked(said) == []
    assert leaked(written_below(tmp_path)) == []


async def _echo_in_a_finding(reply: Reply) -> None:
    """Report a fault, and repeat the key in the words about it."""
    echoed = echo_key(reply.peer.server.authorizations[-1])["message"]
    finding = {
        "file": "a.py",
        "quote": "def a(b=[]):",
        "severity": "high",
        "category": "correctness",
        "title": f"Shared default: {echoed}",
        "explanation": f"All calls share it. {echoed}",
    }
    reply.answer(json.dumps({"findings": [finding]}))


@pytest.mark.parametrize("form", ["text", "json", "markdown", "sarif"])
async def test_a_finding(tmp_path: Path, form: str) -> None:
    """Not in a report, which is kept or uploaded, nor in the store."""
    server = ModelServer(_echo_in_a_finding, Behaviour())
    await server.listen()
    config = tmp_path / "config.toml"
    write_config(config, [server], deep="responses-http-0-plain")
    (tmp_path / "a.py").write_text("def a(b=[]):\n    return b\n")
    words = ("--config", str(config), "--format", form, "--fail-on", "low", "a.py")
    try:
        said = await ran(tmp_path, "review", *words)
    finally:
        await server.aclose()

    assert "Shared default" in said
    assert leaked(said) == []
    assert leaked(written_below(tmp_path)) == []
