"""A redirect, whatever the model's server makes of `response.steer`."""

from __future__ import annotations

import pytest
from tests.e2e.editor_document import Json, lines
from tests.e2e.redline_session import Redline
from tests.outside.commands import Desk
from tests.outside.conftest import Aimock, Hostile, Scripted, Serve
from tests.outside.raw_model import (
    endless,
    first_then,
    ignored,
    refused_behind,
    refused_flat,
)

TEXT = "def f(a):\n    return a\n"
REDIRECTED = "def f(b):\n    return b\n"

STEERABLE = "gpt-6-luna"
"""A name by which steering could be assumed."""

PATIENT = {"first_delta_s": 600, "stall_s": 600}
"""Limits that no test waits for: what depends on them hangs."""


async def redirected(desk: Desk, redline: Redline) -> Json:
    """Begin an edit, redirect it once it writes, and take what comes of it."""
    editor = redline.editor
    uri = (desk.project / "a.py").as_uri()
    editor.open(uri, TEXT)
    edit = editor.edit(uri, lines(0, 2), "rewrite it", apply="preview")
    began = await editor.hear_method("redline/edit/hunks")
    where = {"sessionId": began["sessionId"], "instruction": "rename a to b"}
    redirect: Json = await editor.run_now("redline.redirect", where)
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "offered"
    await editor.run_now("redline.accept", {"sessionId": began["sessionId"]})
    assert editor.text(uri) == REDIRECTED
    return redirect


@pytest.mark.parametrize(
    ("on_steer", "name", "api"),
    [
        (refused_flat, STEERABLE, "responses-socket"),
        (refused_behind, STEERABLE, "responses-socket"),
        (ignored, STEERABLE, "responses-socket"),
        (ignored, "plain", "responses-socket"),
        (ignored, STEERABLE, "responses-http"),
    ],
)
async def test_a_server_that_cannot_be_steered(
    desk: Desk, serve: Serve, hostile: Hostile, on_steer: object, name: str, api: str
) -> None:
    """The edit starts over with the new instruction, and the old answer is left."""
    began = endless("def f(x):\n", on_steer)  # type: ignore[arg-type]
    server = await hostile(first_then(began, REDIRECTED), has_lanes=False)
    url = server.url if api == "responses-socket" else server.http_url
    redline = await serve(desk.settings(url, api=api, name=name, limits=PATIENT))
    redirect = await redirected(desk, redline)
    assert redirect["how"] == "restarted"


async def test_a_long_answer_is_left_rather_than_steered(
    desk: Desk, serve: Serve, gateway: Scripted
) -> None:
    """A steer takes effect behind the item that is written; this one takes hours."""
    endless_item = {"text": "def f(x):\n", "repeat": 100_000, "tokens_per_s": 40}
    script = {
        "rules": [{"when": {"nth": 1}, "reply": endless_item}],
        "otherwise": {"text": REDIRECTED},
    }
    model = await gateway(script)
    settings = desk.settings(model.url, name=STEERABLE, limits=PATIENT)
    redirect = await redirected(desk, await serve(settings))
    assert redirect["how"] == "restarted"


async def test_aimock_that_queues_what_it_does_not_know(
    desk: Desk, serve: Serve, aimock: Aimock
) -> None:
    """As LiteLLM does: the steer waits behind an answer that takes minutes."""
    long_answer = "def f(x):\n" + "    x = x\n" * 3_000
    fixtures = [
        {"match": {"userMessage": said}, "response": {"content": content}}
        for said, content in [("rename a to b", REDIRECTED), ("rewrite", long_answer)]
    ]
    url = await aimock(fixtures, "--latency", "50")
    redline = await serve(desk.settings(url, name=STEERABLE, limits=PATIENT))
    redirect = await redirected(desk, redline)
    assert redirect["how"] == "restarted"
