"""A real process serves one editor over stdio or TCP, and ends as it should."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from redline.lsp.jsonrpc.framing import frame
from redline.lsp.start.serving import SWITCH_INTERVAL_S

if TYPE_CHECKING:
    from .conftest import Process, Spawn

_INTERVALS = """
import sys
from redline.lsp.start.serving import run

def tell():
    print(sys.getswitchinterval())

async def main():
    tell()
    return 0

tell()
run(main())
tell()
"""


_WAITING = """
import asyncio, threading
from redline.lsp.start.serving import N_THREADS, run, serve_stdio
from tests.lsp.tiny_server import TinyServer

async def main():
    server = asyncio.create_task(serve_stdio(lambda to: TinyServer(to).endpoint))
    await asyncio.sleep(0)
    barrier = threading.Barrier(N_THREADS)
    waits = (asyncio.to_thread(barrier.wait, 60) for _ in range(N_THREADS))
    await asyncio.gather(*waits)
    return await server

run(main())
"""


_FINALIZING = """
import atexit, os, signal, sys, threading
from redline.lsp.start.serving import run, serve_stdio
from tests.lsp.tiny_server import TinyServer

def tell(event, arguments):
    if event == "cpython._PySys_ClearAuditHooks":
        os.write(2, b"finalized")

sys.addaudithook(tell)
code = run(serve_stdio(lambda transport: TinyServer(transport).endpoint))
os.kill(os.getpid(), signal.SIGINT)
atexit.register(os.write, 2, b"at exit\\n")
sys.exit(code)
"""


async def test_the_handshake_a_request_shutdown_and_exit(spawn: Spawn) -> None:
    server = await spawn()
    result = await server.initialize()
    assert result["serverInfo"] == {"name": "tiny", "version": "1"}
    assert result["capabilities"]["positionEncoding"] == "utf-16"
    server.say("tiny/echo", {"text": "ünïcödé"}, id="a")
    assert (await server.hear()) == {
        "jsonrpc": "2.0",
        "id": "a",
        "result": {"text": "ünïcödé"},
    }
    server.say("shutdown", id=2)
    assert (await server.hear()) == {"jsonrpc": "2.0", "id": 2, "result": None}
    server.say("exit")
    assert await server.end() == (0, "closed\n")


async def test_threads_that_compute_give_way_soon() -> None:
    """While a server runs, and no longer."""
    # In a process of its own: a server's end sees to the end of its process.
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _INTERVALS), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    before, meanwhile, after = map(float, output.split())
    assert meanwhile == pytest.approx(SWITCH_INTERVAL_S)
    assert before == after
    assert meanwhile < before


async def test_many_threads_may_wait_at_a_time() -> None:
    """However few processors there are, as for disks that do not answer."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _WAITING),
        env=os.environ | {"PYTHON_CPU_COUNT": "2"},
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await process.communicate()
    assert errors == b"closed\n"


async def test_the_interpreter_is_not_finalized_under_its_threads() -> None:
    """Native code in a thread may crash then. A second signal changes nothing."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _FINALIZING),
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await process.communicate()
    assert (process.returncode, errors) == (1, b"closed\nat exit\n")


async def test_a_megabyte_comes_and_goes_whole(tiny: Process) -> None:
    text = "0123456789" * 100_000
    tiny.say("tiny/echo", {"text": text}, id=1)
    assert (await tiny.hear())["result"] == {"text": text}


async def test_shutdown_with_work_in_flight_answers_it_first(tiny: Process) -> None:
    for request_id in (1, 2):
        tiny.say("tiny/wait", {}, id=request_id)
        assert (await tiny.hear())["method"] == "tiny/waiting"
    tiny.say("shutdown", id=3)
    answers = [await tiny.hear() for _ in range(3)]
    assert [a["id"] for a in answers] == [1, 2, 3]
    assert [a["error"]["code"] for a in answers[:2]] == [-32800] * 2
    tiny.say("exit")
    assert await tiny.end() == (0, "closed\n")


async def test_exit_without_shutdown_is_code_1(tiny: Process) -> None:
    tiny.say("exit")
    assert await tiny.end() == (1, "closed\n")


async def test_an_editor_that_closes_its_end_ends_the_server(tiny: Process) -> None:
    tiny.say("tiny/wait", {}, id=1)
    await tiny.hear()
    assert tiny.child.stdin is not None
    tiny.child.stdin.close()
    code, log = await tiny.end()
    assert code == 1
    assert log == "closed\n"


async def test_an_editor_that_dies_inside_a_message_is_noted(tiny: Process) -> None:
    tiny.write(b"Content-Length: 100\r\n\r\n{")
    assert tiny.child.stdin is not None
    tiny.child.stdin.close()
    code, log = await tiny.end()
    assert code == 1
    assert "ended inside a message" in log


async def test_garbage_ends_the_server_with_a_clear_line(tiny: Process) -> None:
    tiny.say("tiny/echo", {}, id=1)
    tiny.write(b"GET / HTTP/1.1\r\n\r\n")
    assert (await tiny.hear())["id"] == 1
    code, log = await tiny.end()
    assert code == 1
    assert "The editor sent bytes that are no header field." in log


async def test_a_signal_winds_up_too(tiny: Process) -> None:
    tiny.child.send_signal(signal.SIGTERM)
    assert await tiny.end() == (1, "closed\n")


async def test_stray_output_goes_to_standard_error(tiny: Process) -> None:
    tiny.say("tiny/print", {}, id=1)
    assert (await tiny.hear())["id"] == 1
    log = await tiny.log_until("stray child")
    assert "stray print" in log
    assert "stray write" in log
    tiny.say("tiny/echo", {}, id=2)
    assert (await tiny.hear())["id"] == 2


async def test_a_thread_that_hangs_does_not_keep_the_process(tiny: Process) -> None:
    tiny.say("tiny/hang", {}, id=1)
    await tiny.hear()
    tiny.say("shutdown", id=2)
    await tiny.hear()
    tiny.say("exit")
    code, log = await tiny.end()
    assert code == 0
    assert "a thread hangs" in log


async def test_the_death_of_the_editors_process_is_noticed(spawn: Spawn) -> None:
    # Its pipes stay open: the test holds them.
    pretended_editor = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE
    )
    server = await spawn()
    params = {"processId": pretended_editor.pid, "capabilities": {}}
    server.say("initialize", params, id=0)
    await server.hear()
    pretended_editor.kill()
    await pretended_editor.wait()
    assert await server.end() == (1, "closed\n")


async def test_an_editor_that_stops_reading_stops_nothing_else(tiny: Process) -> None:
    # Nothing is read here until the server says, on standard error, that it has seen
    # the congestion, and has then still begun and ended a second request.
    tiny.say("tiny/flood", {"atMost": 100_000}, id=1)
    await tiny.log_until("flooded")
    tiny.say("tiny/flood", {"atMost": 100_000}, id=2)
    await tiny.log_until("flooded")
    dropped, answers = 0, dict[int, int]()
    while len(answers) < 2:
        message = await tiny.hear()
        if message.get("method") == "tiny/drop":
            dropped += 1
        else:
            answers[message["id"]] = message["result"]["n"]
    assert sum(answers.values()) == dropped
    # A pipe holds 64 KiB, the server as much, and this test's reader twice as much.
    assert dropped < 1000


async def test_regular_files_serve_as_standard_streams(
    spawn: Spawn, tmp_path: Path
) -> None:
    script = [
        {"id": 0, "method": "initialize", "params": {}},
        {"method": "initialized", "params": {}},
        {"id": 1, "method": "tiny/echo", "params": {"n": 1}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    said, heard = tmp_path / "said", tmp_path / "heard"
    said.write_bytes(
        b"".join(frame(json.dumps(message).encode()) for message in script)
    )
    with said.open("rb") as stdin, heard.open("wb") as stdout:
        server = await spawn(stdin=stdin, stdout=stdout)
        assert await server.end() == (0, "closed\n")
    assert heard.read_bytes().endswith(frame(b'{"jsonrpc":"2.0","id":2,"result":null}'))


async def test_one_socket_may_be_both_streams(spawn: Spawn) -> None:
    ours, theirs = socket.socketpair()
    server = await spawn(stdin=theirs.fileno(), stdout=theirs.fileno())
    theirs.close()
    reader, writer = await asyncio.open_connection(sock=ours)
    for request_id, method in enumerate(["initialize", "tiny/echo"]):
        message = {"id": request_id, "method": method, "params": {}}
        writer.write(frame(json.dumps(message).encode()))
        header = await reader.readuntil(b"\r\n\r\n")
        body = await reader.readexactly(int(header.split(b":")[1]))
        assert json.loads(body)["id"] == request_id
    writer.close()
    await writer.wait_closed()
    assert await server.end() == (1, "closed\n")


async def test_tcp_serves_one_editor_and_ends_with_it(spawn: Spawn) -> None:
    server = await spawn("tcp")
    port = int((await server.log_until("port")).split()[1])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(frame(b'{"id":0,"method":"initialize","params":{}}'))
    assert await reader.readuntil(b"\r\n\r\n")
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)
    writer.close()
    await writer.wait_closed()
    code, log = await server.end()
    assert code == 1
    assert log == "closed\n"


async def test_a_tcp_server_that_nobody_connects_to_can_be_ended(spawn: Spawn) -> None:
    server = await spawn("tcp")
    await server.log_until("port")
    os.kill(server.child.pid, signal.SIGTERM)
    assert await server.end() == (1, "closed\n")
