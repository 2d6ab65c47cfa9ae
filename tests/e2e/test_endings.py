"""How a server ends: in order, silently, or by force. Nothing is left running."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from pathlib import Path

import pytest
from tests.e2e.conftest import Serve, Start
from tests.e2e.editor_document import lines
from tests.e2e.redline_session import ENVIRONMENT, Redline, settings_for, start_redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.server_process import start_process
from tests.e2e.wire_editor import APPLY_EDIT, WAIT_S, WireEditor, ignore

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

INVALID_REQUEST, REQUEST_CANCELLED = -32600, -32800
NOT_INITIALIZED = -32002

URI = "file:///project/end.py"
TEXT = "a = 1\nb = 2\n"
SCRIPT = Script(otherwise=ScriptReply(chunks=("a = 10\n", "b = 20\n")))

EDITOR = Path(__file__).with_name("editor_process.py")


async def at_work(redline: Redline, model: ScriptedModel) -> int:
    """Bring an edit to where the model writes; returns its request's id."""
    hold = model.hold("improve it", after=1)
    redline.editor.open(URI, TEXT)
    edit = redline.editor.edit(URI, lines(0, 2), apply="preview")
    await hold.reached()
    return edit


async def test_shutdown_with_work_in_flight(start: Start, serve: Serve) -> None:
    """The edit is answered before the shutdown, and the model's server is notified."""
    model = await serve(SCRIPT)
    redline = await start(model=model)
    editor = redline.editor
    edit = await at_work(redline, model)
    shutdown = editor.ask("shutdown", None)
    assert await editor.result(shutdown) is None
    assert (await editor.error(edit))["code"] == REQUEST_CANCELLED
    ids = [m["id"] for m in editor.heard if "method" not in m]
    assert ids.index(edit) < ids.index(shutdown)
    late = editor.edit(URI, lines(0, 2))
    assert (await editor.error(late))["code"] == INVALID_REQUEST
    editor.notify("exit", None)
    assert await redline.process.gone() == 0
    await model.until(lambda: model.n("stopped") == 1)
    assert editor.text(URI) == TEXT


async def test_shutdown_while_an_edit_is_applied(start: Start, serve: Serve) -> None:
    """An editor that is shutting down need not answer any more."""
    model = await serve(SCRIPT)
    redline = await start(model=model)
    editor = redline.editor
    editor.take_edit = ignore
    editor.open(URI, TEXT)
    edit = editor.edit(URI, lines(0, 2), apply="end")
    await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    await editor.shut_down()
    assert (await editor.error(edit))["code"] == REQUEST_CANCELLED
    assert await redline.process.gone() == 0


async def test_shutdown_right_after_the_handshake(start: Start) -> None:
    """Even while settings are read and models are looked for."""
    redline = await start(options=settings_for("ws://127.0.0.1:9/v1/responses"))
    await redline.editor.shut_down()
    assert await redline.process.gone() == 0


@pytest.mark.parametrize("how", ["exit", "end of input"])
async def test_an_editor_that_leaves_without_a_shutdown(
    start: Start, serve: Serve, how: str
) -> None:
    """The code says that it was not in order; everything has ended all the same."""
    model = await serve(SCRIPT)
    redline = await start(model=model)
    edit = await at_work(redline, model)
    if how == "exit":
        redline.editor.notify("exit", None)
    else:
        redline.editor.close()
    assert await redline.process.gone() == 1
    answers = [m for m in redline.editor.heard if m.get("id") == edit]
    assert len(answers) <= 1
    redline.editor.talk.asked = {
        number: asked
        for number, asked in redline.editor.talk.asked.items()
        if number != edit or answers
    }
    await model.until(lambda: model.n("stopped") == 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_signals(start: Start, serve: Serve, number: signal.Signals) -> None:
    """A signal is as good as an editor that has gone: work is cancelled, all ends."""
    model = await serve(SCRIPT)
    redline = await start(model=model)
    edit = await at_work(redline, model)
    redline.process.child.send_signal(number)
    assert (await redline.editor.error(edit))["code"] == REQUEST_CANCELLED
    assert await redline.process.gone() == 1
    await model.until(lambda: model.n("stopped") == 1)


async def test_the_server_is_killed(start: Start) -> None:
    """The built-in gateway, its child, does not stay behind."""
    redline = await start()
    editor = redline.editor
    editor.open(URI, "def a(x):\n    raise KeyError(x)\n")
    edit = editor.edit(URI, lines(0, 2), "add docstrings", apply="end")
    assert (await editor.result(edit))["outcome"] == "applied"
    redline.process.kill()
    # The end of standard error, which the gateway has inherited.
    assert await redline.process.gone() == -signal.SIGKILL


async def test_the_editor_is_killed(tmp_path: Path) -> None:
    """The server sees its input end, and goes with all that it has started."""
    process = await start_process(
        home=tmp_path,
        environment={},
        command=(sys.executable, str(EDITOR)),
    )
    assert process.child.stdout is not None
    async with asyncio.timeout(WAIT_S):
        assert await process.child.stdout.readline() == b"applied\n"
    process.kill()
    assert await process.gone() == -signal.SIGKILL


async def test_the_editor_s_process_is_killed_and_its_pipe_is_not(
    tmp_path: Path, serve: Serve
) -> None:
    """`processId` is watched: another process may hold the pipe open."""
    model = await serve(SCRIPT)
    sleeper = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE
    )
    redline = await start_redline(home=tmp_path)
    await redline.editor.initialize(
        processId=sleeper.pid, initializationOptions=settings_for(model)
    )
    await redline.editor.hear_method("redline/status")
    sleeper.kill()
    await sleeper.wait()
    assert await redline.process.gone() == 1
    redline.check()


async def test_requests_before_the_handshake(tmp_path: Path) -> None:
    """They are refused, notifications dropped, and the handshake works afterwards."""
    redline = await start_redline(home=tmp_path, environment=ENVIRONMENT)
    editor = redline.editor
    editor.open(URI, TEXT)
    error = await editor.error(editor.run("redline.status"))
    assert error["code"] == NOT_INITIALIZED
    await editor.initialize()
    again = await editor.error(editor.ask("initialize", {"capabilities": {}}))
    assert again["code"] == INVALID_REQUEST
    assert (await editor.error(editor.edit(URI, lines(0, 1))))["data"]["cause"] == (
        "unknown-document"
    )
    await redline.end()


async def test_messages_that_are_none(start: Start, serve: Serve) -> None:
    """Invalid bodies are answered or dropped; the connection continues."""
    redline = await start(model=await serve(SCRIPT))
    editor = redline.editor
    for body in (b"{]", b"[]", b"7", b'{"jsonrpc":"2.0"}', b'{"id":null}', b"\xff\xfe"):
        editor.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    await editor.run_now("redline.status", {})
    refusals = [m for m in editor.heard if m.get("id") is None and "error" in m]
    assert refusals
    for refusal in refusals:
        assert refusal["error"]["code"] in (-32700, -32600)
        editor.heard.remove(refusal)


async def test_bytes_that_are_no_message(tmp_path: Path) -> None:
    """The connection cannot go on: the server ends, and its log says why."""
    redline = await start_redline(home=tmp_path)
    await redline.editor.initialize()
    redline.editor.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert await redline.process.gone() == 1
    redline.check()
    assert "no header field" in redline.process.log.read_text()


async def test_tcp(tmp_path: Path, serve: Serve) -> None:
    """The same over TCP: an edit, then an editor that hangs up."""
    model = await serve(SCRIPT)
    process = await start_process(
        "--tcp", "127.0.0.1:0", home=tmp_path, environment=ENVIRONMENT
    )
    announced = await process.complains("\n")
    found = re.fullmatch(r"redline listens on port (\d+)\n", announced)
    assert found is not None
    port = int(found[1])
    editor = WireEditor(*await asyncio.open_connection("127.0.0.1", port))
    redline = Redline(process, editor, tmp_path)
    await editor.initialize(initializationOptions=settings_for(model))
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, lines(0, 2), apply="end")
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == "a = 10\nb = 20\n"
    editor.close()
    assert await process.gone() == 1
    redline.check()


async def test_tcp_in_order(tmp_path: Path) -> None:
    """Shutdown and exit end the process over TCP too."""
    process = await start_process(
        "--tcp", "localhost:0", home=tmp_path, environment=ENVIRONMENT
    )
    port = int((await process.complains("\n")).split()[-1])
    editor = WireEditor(*await asyncio.open_connection("127.0.0.1", port))
    redline = Redline(process, editor, tmp_path)
    await editor.initialize()
    await redline.end()
    editor.close()
