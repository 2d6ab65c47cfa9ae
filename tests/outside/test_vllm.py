"""Redline against the real vLLM, whose model recites texts: `make test-engines`.

It takes 6 GB and minutes to bring, and half a minute to start, so CI leaves it out.
"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Thread
from typing import IO, Any

import pytest
from tests.e2e.server_process import clean_environment
from tests.models.reader import Reading, read, request_for
from tests.outside.commands import Desk
from tests.outside.conftest import Serve
from tests.outside.programs import CLIENTS, program
from tests.outside.provider_session import (
    ANNOTATED,
    RECITED,
    Use,
    use_model,
    use_model_of_team,
)

from redline.errors import PromptTooLongError
from redline.models.build import build_model
from redline.models.interface import GenerationRequest, Model, ResumeRequest
from redline.settings.tree import LimitSettings, ModelSettings

pytestmark = [pytest.mark.engines, pytest.mark.timeout(600)]

WINDOW = 32_768
"""A byte of a prompt is a token."""

APIS = ("chat-completions", "anthropic", "responses-http")


@dataclass(frozen=True)
class Vllm:
    """A running server."""

    address: str

    def settings(self, api: str) -> dict[str, Any]:
        """Settings of a model of it."""
        paths = {"chat-completions": "chat/completions", "anthropic": "messages"}
        path = paths.get(api, "responses")
        return {
            "api": api,
            "url": f"{self.address}/v1/{path}",
            "name": "recites",
            "context_tokens": 28_000,
            "max_output_tokens": 4_000,
        }

    async def is_idle(self) -> bool:
        """Whether it generates nothing."""
        text = await asyncio.to_thread(self._metrics)
        running = [
            line for line in text.splitlines() if "num_requests_running{" in line
        ]
        assert running
        return all(float(line.split()[-1]) == 0 for line in running)

    def _metrics(self) -> str:
        with urllib.request.urlopen(f"{self.address}/metrics", timeout=60) as answer:
            read_all: bytes = answer.read()
        return read_all.decode()


@pytest.fixture(scope="module")
def vllm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vllm]:
    """Start it once for all tests."""
    home = tmp_path_factory.mktemp("vllm")
    answers, model = home / "answers.json", home / "recites"
    answers.write_text(json.dumps(RECITED))
    python = program("vllm/env", "python")
    subprocess.run([python, CLIENTS / "reciting_model.py", answers, model], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **clean_environment(home),
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
        "OMP_NUM_THREADS": "1",
        "VLLM_ENABLE_RESPONSES_API_STORE": "1",
    }
    words = (
        *(program("vllm/env", "vllm"), "serve", model, "--enforce-eager"),
        *("--served-model-name", "recites", "--dtype", "float32"),
        *("--max-model-len", str(WINDOW), "--host", "127.0.0.1", "--port", str(port)),
    )
    with subprocess.Popen(
        [str(word) for word in words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            wait_for(process.stdout, "Application startup complete")
            Thread(target=process.stdout.read, daemon=True).start()
            yield Vllm(address=f"http://127.0.0.1:{port}")
        finally:
            process.terminate()


def wait_for(output: IO[str], text: str) -> None:
    """Read a program's output up to the line that holds a text."""
    seen = []
    for line in output:
        seen.append(line)
        if text in line:
            return
    raise AssertionError(f"it has ended without saying {text}: {''.join(seen[-30:])}")


def model_of(vllm: Vllm, api: str, **more: Any) -> Model:
    """Build a model of it."""
    settings = ModelSettings(**{**vllm.settings(api), **more})
    return build_model("judged", settings, LimitSettings(), environ={})


async def ask(model: Model, text: str, **more: Any) -> Reading:
    """Run one generation to its end."""
    request = GenerationRequest(prompt=request_for(text).prompt, **more)
    async with asyncio.timeout(300), model.start(request) as generation:
        return await read(generation)


@pytest.mark.parametrize("api", APIS)
async def test_an_answer_a_cut_and_a_prompt_that_is_too_long(
    vllm: Vllm, api: str
) -> None:
    """Word for word; and its window is learnt from what it says."""
    model = model_of(vllm, api)
    whole = await ask(model, "annotate it")
    assert (whole.text, whole.reason) == (ANNOTATED, "completed")
    assert whole.finish is not None
    assert whole.finish.usage is not None
    assert whole.finish.usage.output_n_tokens > 1
    short = model_of(vllm, api, max_output_tokens=16)
    assert (await ask(short, "write values")).reason == "length"
    wide = model_of(vllm, api, context_tokens=100_000)
    error = (await ask(wide, "x" * 2 * WINDOW)).error
    assert isinstance(error, PromptTooLongError), error
    assert wide.describe().context_tokens < 100_000
    for each in (model, short, wide):
        await each.aclose()


async def test_a_background_response_is_resumed(vllm: Vllm) -> None:
    """The server says itself that it keeps responses, when it is first asked."""
    model = model_of(vllm, "responses-http")
    reading = await ask(model, "annotate it", background=True)
    assert reading.text == ANNOTATED
    assert model.describe().keeps_background
    assert reading.finish is not None
    assert reading.finish.response_id is not None
    request = ResumeRequest(response_id=reading.finish.response_id)
    async with asyncio.timeout(300), model.resume(request) as generation:
        assert (await read(generation)).text == ANNOTATED
    await model.aclose()


@pytest.mark.parametrize("use", [use_model, use_model_of_team])
@pytest.mark.parametrize("api", APIS)
async def test_a_session(
    desk: Desk, serve: Serve, vllm: Vllm, api: str, use: Use
) -> None:
    """The same as with every other provider, alone and behind a team's gateway."""
    await use(desk, serve, vllm.settings(api), is_idle=vllm.is_idle)


async def test_a_cache_salt_for_each_user(vllm: Vllm) -> None:
    model = model_of(vllm, "chat-completions", provider="vllm")
    for salt in ("a" * 64, "b" * 64, None):
        reading = await ask(model, "annotate it", cache_salt=salt)
        assert (reading.text, reading.reason) == (ANNOTATED, "completed")
    await model.aclose()
