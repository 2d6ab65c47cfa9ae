"""Redline as a client of LiteLLM's proxy, which is in front of aimock."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.editor_document import Json, lines
from tests.e2e.redline_session import Redline
from tests.e2e.server_process import clean_environment
from tests.outside.commands import Desk
from tests.outside.conftest import KEY, Serve
from tests.outside.programs import PROGRAM_S, node_program, program

TEXT = "def f(a):\n    return a\n"
EDITED = "def f(b):\n    return b\n"
LONG = "def f(x):\n" + "    x = x\n" * 3_000
STEERABLE = "gpt-6-luna"
PATIENT = {"first_delta_s": 600, "stall_s": 600}
"""Limits that no test waits for."""

FIXTURES = [
    {"match": {"userMessage": said}, "response": {"content": content}}
    for said, content in [("rename a to b", EDITED), ("rewrite", LONG)]
]


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A proxy; its base URL over HTTP. It starts slowly: one for all tests."""
    home = tmp_path_factory.mktemp("proxy")
    ports = free_ports(2)
    file = home / "fixtures.json"
    file.write_text(json.dumps({"fixtures": FIXTURES}))
    upstream = f"http://127.0.0.1:{ports[0]}/v1"
    config = home / "config.json"
    config.write_text(json.dumps(settings(upstream)))
    aimock = [node_program("llmock"), "--port", str(ports[0]), "--fixtures", str(file)]
    litellm = [program("litellm", "litellm"), "--config", str(config)]
    running = [
        start([*aimock, "--latency", "30"], home),
        start([*litellm, "--host", "127.0.0.1", "--port", str(ports[1])], home),
    ]
    base = f"http://127.0.0.1:{ports[1]}"
    try:
        wait_for(f"{base}/health/liveliness", running)
        yield f"{base}/v1"
    finally:
        for process in running:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def settings(upstream: str) -> Json:
    """Chat models by way of `hosted_vllm`, and one whose requests are passed on."""
    routes = {"m": "hosted_vllm/m", STEERABLE: "hosted_vllm/m", "passed": "openai/m"}
    where = {"api_base": upstream, "api_key": "x"}
    return {
        "model_list": [
            {"model_name": name, "litellm_params": {"model": route, **where}}
            for name, route in routes.items()
        ],
        "general_settings": {"master_key": KEY},
    }


def free_ports(n_ports: int) -> list[int]:
    """Return ports that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n_ports)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def start(words: list[str], home: Path) -> subprocess.Popen[bytes]:
    """Start a server that says nothing."""
    environment = {**clean_environment(home), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    silent = subprocess.DEVNULL
    return subprocess.Popen(
        words,
        stdin=silent,
        stdout=silent,
        stderr=silent,
        cwd=home,
        env=environment,
        start_new_session=True,
    )


def wait_for(url: str, running: list[subprocess.Popen[bytes]]) -> None:
    """Wait until an address answers."""
    for _ in range(int(10 * PROGRAM_S)):
        assert all(process.poll() is None for process in running)
        try:
            urllib.request.urlopen(url).close()
            return
        except urllib.error.URLError:
            time.sleep(0.1)
    raise AssertionError(f"{url} does not answer")


def endpoint(proxy: str, api: str) -> str:
    url = f"{proxy}/responses"
    return url if api == "responses-http" else url.replace("http", "ws", 1)


async def edit(desk: Desk, redline: Redline, instruction: str) -> Json:
    """Ask for an edit; returns the whole answer."""
    uri = (desk.project / "a.py").as_uri()
    redline.editor.open(uri, TEXT)
    request = redline.editor.edit(uri, lines(0, 2), instruction)
    return await redline.editor.answer(request)


APIS = ["responses-socket", "responses-http"]


@pytest.mark.parametrize("api", APIS)
async def test_an_edit(desk: Desk, serve: Serve, proxy: str, api: str) -> None:
    """A chat model behind the proxy."""
    redline = await serve(desk.settings(endpoint(proxy, api), api=api))
    answer = await edit(desk, redline, "rename a to b")
    assert answer["result"]["outcome"] == "applied", answer
    await redline.end()


@pytest.mark.parametrize("api", APIS)
async def test_a_redirect(desk: Desk, serve: Serve, proxy: str, api: str) -> None:
    """The proxy queues the steer behind an answer that takes minutes."""
    url = endpoint(proxy, api)
    redline = await serve(desk.settings(url, api=api, name=STEERABLE, limits=PATIENT))
    editor = redline.editor
    uri = (desk.project / "a.py").as_uri()
    editor.open(uri, TEXT)
    request = editor.edit(uri, lines(0, 2), "rewrite it", apply="preview")
    session = (await editor.hear_method("redline/edit/hunks"))["sessionId"]
    where = {"sessionId": session, "instruction": "rename a to b"}
    redirect = await editor.run_now("redline.redirect", where)
    assert redirect["how"] == "restarted"
    assert (await editor.result(request))["outcome"] == "offered"
    await editor.run_now("redline.accept", {"sessionId": session})
    assert editor.text(uri) == EDITED
    await redline.end()


async def test_a_close_with_a_reason(desk: Desk, serve: Serve, proxy: str) -> None:
    """It closes what it cannot pass on: the reason is shown, or HTTP is used."""
    url = endpoint(proxy, "responses-socket")
    redline = await serve(desk.settings(url, name="passed"))
    answer = await edit(desk, redline, "rename a to b")
    if "error" in answer:
        assert "ssl argument" in answer["error"]["message"]
    else:
        assert answer["result"]["outcome"] == "applied"
    await redline.end()


@pytest.mark.parametrize("api", APIS)
async def test_the_doctor_of_a_model_that_works(
    desk: Desk, proxy: str, api: str
) -> None:
    """No problem is made up."""
    desk.use_model(endpoint(proxy, api), api=api)
    ran = await desk.run("doctor", key=KEY)
    assert ran.code == 0, ran.said


@pytest.mark.parametrize("wrong", ["path", "base", "name"])
async def test_the_doctor_of_one_that_does_not(
    desk: Desk, proxy: str, wrong: str
) -> None:
    """What a failing edit sends its user to finds the fault."""
    url = endpoint(proxy, "responses-http")
    urls = {"path": f"{proxy}/nope", "base": proxy}
    name = "no-such-model" if wrong == "name" else "m"
    desk.use_model(urls.get(wrong, url), api="responses-http", name=name)
    ran = await desk.run("doctor", key=KEY)
    assert ran.code == 1, ran.said


@pytest.mark.parametrize("key", ["sk-wrong-0123456789abcdef", "not-the-key"])
@pytest.mark.parametrize("api", APIS)
async def test_the_doctor_of_a_wrong_key(
    desk: Desk, proxy: str, api: str, key: str
) -> None:
    """Without a database, the proxy answers it with status 400."""
    desk.use_model(endpoint(proxy, api), api=api)
    ran = await desk.run("doctor", key=key)
    assert ran.code == 1, ran.said
    assert "the key" in ran.said
    assert key not in ran.said
