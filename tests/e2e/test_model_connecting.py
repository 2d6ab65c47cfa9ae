"""A model that cannot be reached, or that does not let us in."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from tests.e2e.conftest import Connect
from tests.e2e.editor_document import Json, lines
from tests.e2e.redline_session import KEY, Redline, settings_for
from tests.e2e.scripted_model import ScriptedModel

from redline.gateway.engines.script import Script, ScriptReply, ServerBehaviour
from redline.gateway.injected_faults import Refuse
from redline.gateway.refusals import Refusal

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/connecting.py"
TEXT = "a = 1\n"
EDITED = "a = 10\n"
REPLY = ScriptReply(text=EDITED)


async def outcome_of(redline: Redline) -> Json:
    """Ask for an edit that must be applied; returns its outcome."""
    editor = redline.editor
    editor.open(URI, TEXT)
    outcome: Json = await editor.result(editor.edit(URI, lines(0, 1), apply="end"))
    assert outcome["outcome"] == "applied"
    assert editor.text(URI) == EDITED
    return outcome


async def error_of(redline: Redline, cause: str) -> str:
    """Ask for an edit that must fail; returns what the editor shows."""
    editor = redline.editor
    editor.open(URI, TEXT)
    error = await editor.error(editor.edit(URI, lines(0, 1), apply="end"))
    assert (error["code"], error["data"]["cause"]) == (-32803, cause), error
    assert editor.text(URI) == TEXT
    message: str = error["message"]
    return message


def refusing(status: int, n: int = 50, **more: Any) -> ServerBehaviour:
    """A server that answers every upgrade to a WebSocket with a status."""
    return ServerBehaviour(upgrades=(Refusal(status=status, **more),) * n)


@pytest.mark.parametrize(
    ("status", "cause"), [(401, "authentication"), (403, "access-refused")]
)
async def test_a_server_that_refuses_the_key(
    redline: Redline, connect: Connect, status: int, cause: str
) -> None:
    """The key is to be checked; it is not shown."""
    model = await connect(Script(otherwise=REPLY, server=refusing(status)))
    message = await error_of(redline, cause)
    assert str(status) in message
    assert "redline doctor" in message
    assert model.tasks == [], "the code was not sent without a key that works"


@pytest.mark.parametrize("status", [426, 404, 405])
async def test_a_server_without_websockets(
    redline: Redline, connect: Connect, status: int
) -> None:
    """The same provider's HTTP carries the edits, and the status says so."""
    model = await connect(Script(otherwise=REPLY, server=refusing(status)))
    await outcome_of(redline)
    assert len(model.tasks) == 1
    assert model.n("opened") == 0
    status_now = await redline.editor.run_now("redline.status", {})
    assert status_now["connection"] == "fallback"
    assert "HTTP" in status_now["detail"]


async def test_no_websocket_and_no_answer_over_http(
    redline: Redline, connect: Connect
) -> None:
    """The error is that of the way which was tried last, once."""
    reply = ScriptReply(text=EDITED, faults=(Refuse(error=Refusal(status=500)),))
    await connect(Script(otherwise=reply, server=refusing(426)))
    await error_of(redline, "model-server")


async def test_a_server_that_is_busy(redline: Redline, connect: Connect) -> None:
    """429 at the door says how long to wait."""
    headers = {"retry-after": "9"}
    manners = refusing(429, headers=headers)
    await connect(Script(otherwise=REPLY, server=manners))
    assert "wait 9 s" in await error_of(redline, "rate-limited")


async def test_a_server_whose_sockets_fail(redline: Redline, connect: Connect) -> None:
    """500 at the door: the answer comes over HTTP."""
    model = await connect(Script(otherwise=REPLY, server=refusing(500)))
    await outcome_of(redline)
    assert len(model.tasks) == 1


async def test_a_server_that_comes_up_later(redline: Redline) -> None:
    """Not there at the start is an error that says so; once it is there, edits work."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    url = f"ws://127.0.0.1:{port}/v1/responses"
    await redline.use(settings_for(url, name="late"), name="late")
    message = await error_of(redline, "model-unavailable")
    assert f"Nothing is listening at 127.0.0.1:{port}" in message
    assert "redline doctor" in message
    down = await redline.editor.run_now("redline.status", {})
    assert down["connection"] == "down"
    late = ScriptedModel(Script(otherwise=REPLY), token=KEY, port=port)
    await late.listen()
    await outcome_of(redline)
    up = await redline.editor.run_now("redline.status", {})
    assert up["connection"] == "ready"
    await redline.use({}, name="scripted")
    await late.aclose()


async def test_a_server_that_goes_away(redline: Redline, connect: Connect) -> None:
    """A server that ends between two edits is as good as one that never was."""
    model = await connect(Script(otherwise=REPLY))
    await outcome_of(redline)
    await model.hang_up()
    await error_of(redline, "model-unavailable")


async def test_a_name_that_does_not_resolve(redline: Redline) -> None:
    """The sentence names the host and what to check."""
    url = "wss://model.invalid/v1/responses"
    await redline.use(settings_for(url, name="nowhere"), name="nowhere")
    message = await error_of(redline, "model-unavailable")
    assert "model.invalid" in message
    assert "resolved" in message
    await redline.use({}, name="scripted")


async def test_plain_text_to_another_machine(redline: Redline) -> None:
    """No code and no key go over it."""
    url = "ws://192.0.2.7/v1/responses"
    await redline.use(settings_for(url, name="plain"), name="plain")
    assert "wss://" in await error_of(redline, "insecure-endpoint")
    await redline.use({}, name="scripted")


async def test_a_key_that_is_missing(redline: Redline, connect: Connect) -> None:
    """The sentence names the variable, and there is no connection without a key."""
    model = await connect(Script(otherwise=REPLY), key="E2E_NO_SUCH_KEY")
    assert "E2E_NO_SUCH_KEY" in await error_of(redline, "key-missing")
    assert model.entries == []


async def test_a_key_that_is_wrong(redline: Redline, connect: Connect) -> None:
    """The server's own check refuses it."""
    model = await connect(Script(otherwise=REPLY), key="E2E_WRONG_KEY")
    assert "refused the key" in await error_of(redline, "authentication")
    assert model.entries == []
