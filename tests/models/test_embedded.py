"""The built-in gateway: it starts, answers, is restarted, and never outlives us."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.models.reader import ask, read

from redline.errors import ModelUnavailableError
from redline.models.embedded import (
    COMMAND,
    TOKEN_VARIABLE,
    GatewayProcess,
    embedded_gateway,
)
from redline.models.interface import GenerationRequest
from redline.models.sockets.responses_socket import ResponsesSocket
from redline.prompts.edit import EditTask, edit_prompt
from redline.settings.tree import LimitSettings

# Announces what its environment and its arguments say; ends with its input.
STUB = """
import json, os, signal, sys, time
how, variable = sys.argv[1:]
if how == "silent end":
    sys.exit(3)
if how == "chatter":
    print("Hello!", flush=True)
if how == "long line":
    print("x" * 100_000, flush=True)
if how == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(json.dumps({"url": os.environ[variable] + str(os.getpid())}), flush=True)
sys.stdin.read()
if how == "stubborn":
    time.sleep(60)
"""

Stub = Callable[[str], GatewayProcess]


@pytest.fixture
async def stub() -> AsyncIterator[Stub]:
    """Start children that imitate one aspect of a gateway."""
    made: list[GatewayProcess] = []

    def start(how: str) -> GatewayProcess:
        process = GatewayProcess(
            command=(sys.executable, "-c", STUB, how, TOKEN_VARIABLE)
        )
        made.append(process)
        return process

    yield start
    for process in made:
        await process.aclose()


@pytest.fixture
def process() -> GatewayProcess:
    """Describe the real child, which the model starts."""
    return GatewayProcess()


@pytest.fixture
async def gateway(process: GatewayProcess) -> AsyncIterator[ResponsesSocket]:
    """Start the real one."""
    made = embedded_gateway(LimitSettings(), process=process)
    yield made
    await made.aclose()
    this = asyncio.current_task()
    assert [task for task in asyncio.all_tasks() if task is not this] == []


def is_running(pid: int) -> bool:
    """Whether a process is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def pid_of(process: GatewayProcess) -> int:
    """Read a stub's process id, which it announces behind its token."""
    address = await process.address()
    return int(address.url.removeprefix(address.token.reveal()))


def edit_request(instruction: str) -> GenerationRequest:
    """Write the request of an edit."""
    task = EditTask(
        instruction=instruction,
        path="names.py",
        language="python",
        before="",
        target='def greet(name):\n    return "Hello " + name\n',
        after="",
    )
    return GenerationRequest(prompt=edit_prompt(task), task=task)


async def test_real_gateway_answers(gateway: ResponsesSocket) -> None:
    """The child is started, found and used, and says that it is no model."""
    await gateway.warm()
    assert gateway.status().state == "ready"
    async with gateway.start(edit_request("rename greet to welcome")) as generation:
        reading = await read(generation)
    assert reading.reason == "completed"
    assert "def welcome(name):" in reading.text
    assert not gateway.describe().is_model
    assert gateway.describe().name == "rules"
    probe = await gateway.probe()
    assert probe.reachable
    gateway.activity()


async def test_real_gateway_is_restarted(
    gateway: ResponsesSocket, process: GatewayProcess
) -> None:
    """When the child dies, the next generation finds a new one."""
    assert (await ask(gateway)).reason == "completed"
    address = await process.address()
    pid = process.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert (await ask(gateway)).reason == "completed"
    assert (await process.address()) != address


async def test_real_gateway_wants_its_token(
    gateway: ResponsesSocket, process: GatewayProcess
) -> None:
    """Another program on this machine is refused."""
    from websockets.asyncio.client import connect
    from websockets.exceptions import InvalidStatus

    address = await process.address()
    with pytest.raises(InvalidStatus) as refused:
        await connect(address.url, proxy=None)
    assert refused.value.response.status_code in (401, 403)


async def test_one_child_for_many(stub: Stub) -> None:
    """Concurrent callers get the same child."""
    process = stub("fine")
    pids = await asyncio.gather(*(pid_of(process) for _ in range(5)))
    assert len(set(pids)) == 1


async def test_token_is_fresh_each_time(stub: Stub) -> None:
    """A new child has a new token."""
    process = stub("fine")
    first = await process.address()
    await process.distrust(first)
    second = await process.address()
    assert first.token.reveal() != second.token.reveal()
    await process.distrust(first)
    assert await process.address() == second


async def test_child_is_gone_after_close(stub: Stub) -> None:
    """Closing ends the child; closing twice is fine; nothing starts afterwards."""
    process = stub("fine")
    pid = await pid_of(process)
    await process.aclose()
    await process.aclose()
    assert not is_running(pid)
    with pytest.raises(ModelUnavailableError, match="shutting down"):
        await process.address()


async def test_stubborn_child_is_killed(stub: Stub) -> None:
    """A child that ignores the end of its input and SIGTERM is killed."""
    process = stub("stubborn")
    pid = await pid_of(process)
    await process.aclose()
    assert not is_running(pid)


@pytest.mark.parametrize("how", ["silent end", "chatter", "long line"])
async def test_child_that_does_not_announce(stub: Stub, how: str) -> None:
    """A child that does not say where it listens is ended and reported."""
    process = stub(how)
    with pytest.raises(ModelUnavailableError) as failed:
        await process.address()
    assert failed.value.remedy
    assert process.pid is None


async def test_child_that_cannot_be_run() -> None:
    """A missing program is an error of ours, with a remedy."""
    process = GatewayProcess(command=("/nonexistent/program",))
    with pytest.raises(ModelUnavailableError, match="could not be run"):
        await process.address()
    await process.aclose()


async def test_restarts_are_bounded(stub: Stub) -> None:
    """A child that keeps ending is not started for ever."""
    process = stub("silent end")
    for _ in range(5):
        with pytest.raises(ModelUnavailableError, match="ended or said"):
            await process.address()
    with pytest.raises(ModelUnavailableError, match="too often"):
        await process.address()


async def test_failure_is_the_generations(stub: Stub) -> None:
    """Without the child every generation says so; nothing hangs."""
    gateway = embedded_gateway(LimitSettings(), process=stub("silent end"))
    reading = await ask(gateway)
    assert type(reading.error) is ModelUnavailableError
    assert gateway.status().state == "down"
    await gateway.aclose()


PARENT = """
import asyncio, sys
from redline.models.embedded import GatewayProcess
async def main():
    process = GatewayProcess()
    await process.address()
    print(process.pid, flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


def test_child_ends_when_the_parent_is_killed(tmp_path: Path) -> None:
    """Not even SIGKILL leaves a gateway behind."""
    with subprocess.Popen(
        (sys.executable, "-c", PARENT),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as parent:
        assert parent.stdout is not None
        assert parent.stderr is not None
        child = int(parent.stdout.readline())
        assert is_running(child)
        parent.kill()
        # Both hold the other end of this pipe, so its end is the end of both.
        parent.stderr.read()


def test_command_does_not_look_in_the_working_folder(tmp_path: Path) -> None:
    """A `redline` in an untrusted workspace is not run instead of ours."""
    (tmp_path / "redline.py").write_text("raise SystemExit('theirs')")
    done: Any = subprocess.run(
        (*COMMAND[: COMMAND.index("gateway") + 1], "--help"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "theirs" not in done.stdout + done.stderr
