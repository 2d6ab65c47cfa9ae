"""A provider that echoes the user's key: nobody ever sees it."""

from __future__ import annotations

import json
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from tests.e2e.editor_document import lines
from tests.e2e.redline_session import kill
from tests.models.model_server import ModelServer, Reply
from tests.outside.commands import Desk
from tests.outside.conftest import Hostile, Serve
from tests.outside.reviews import LISTS_REVIEWS, review_ended, start_review

KEYS = {
    "words": "correct-horse-battery-staple",
    "hex": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c",
    "uuid": "6ba7b810-9dad-41d1-80b4-00c04fd430c8",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJyZWRsaW5lIn0.c2lnbmF0dXJlLW9mLXRlc3Q",
    "google": "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
    "mistral": "q8Rk2LwZ0vXy7TbN4mJc1HdPs6GfUaE3",
}

TEXT = "def f(a=[]):\n    return a\n"

PART = 8
"""No part of a key that is as long may be seen."""


def echo(key: str) -> bytes:
    said = f"Incorrect API key provided: {key}. Find yours at https://x.example."
    error = {"message": said, "type": "invalid_request_error", "code": "invalid_key"}
    return json.dumps({"error": error}).encode()


async def echoing(hostile: Hostile, key: str, way: str, status: int) -> ModelServer:
    """Start a server that says it at the door, or in an event or a failed response
    to a client that was let in."""

    async def fail(reply: Reply) -> None:
        error = json.loads(echo(key))["error"]
        if way == "event":
            reply.send({"type": "error", "status": status, "error": error})
            return
        reply.begin()
        response = {"id": reply.response_id, "status": "failed", "error": error}
        reply.send({"type": "response.failed", "response": response})

    refusal = (status, {"Content-Type": "application/json"}, echo(key))
    return await hostile(fail, refusal=refusal if way == "refusal" else None)


def endpoint(server: ModelServer, api: str) -> str:
    return server.url if api == "responses-socket" else server.http_url


def parts(key: str) -> list[str]:
    return [key[at : at + PART] for at in range(len(key) - PART + 1)]


def assert_unseen(key: str, *texts: str) -> None:
    for text in texts:
        seen = [part for part in parts(key) if part in text]
        assert not seen, f"{seen} of the key in: {text[-2000:]}"


def everything_below(folder: Path) -> str:
    """The content of every file, databases included."""
    files = (path for path in folder.rglob("*") if path.is_file())
    text = "\n".join(path.read_bytes().decode(errors="replace") for path in files)
    for path in folder.rglob("*.sqlite3"):
        with closing(sqlite3.connect(path)) as database:
            text += "\n".join(database.iterdump())
    return text


WAYS = [
    ("responses-socket", "refusal", 401),
    ("responses-socket", "event", 400),
    ("responses-socket", "failed", 500),
    ("responses-http", "refusal", 401),
    ("responses-http", "refusal", 400),
    ("responses-http", "refusal", 500),
    ("responses-http", "event", 401),
]
CASES = [
    (shape, *WAYS[(number + step) % len(WAYS)])
    for number, shape in enumerate(KEYS)
    for step in (0, 3)
]
"""Every shape in two ways, and every way with a shape."""


@pytest.mark.parametrize(("shape", "api", "way", "status"), CASES)
async def test_in_the_editor(
    desk: Desk,
    serve: Serve,
    hostile: Hostile,
    shape: str,
    api: str,
    way: str,
    status: int,
) -> None:
    """An edit, an explanation and a review fail without a part of the key."""
    key = KEYS[shape]
    server = await echoing(hostile, key, way, status)
    settings = desk.settings(
        endpoint(server, api), api=api, log={"level": "debug"}, review={"retries": 0}
    )
    redline = await serve(
        settings, capabilities=LISTS_REVIEWS, environment={"OUTSIDE_KEY": key}
    )
    editor = redline.editor
    uri = desk.write("a.py", TEXT).as_uri()
    editor.open(uri, TEXT)
    edit = await editor.error(editor.edit(uri, lines(0, 2)))
    assert edit["code"] == -32803
    where = {"uri": uri, "range": lines(0, 2)}
    await editor.answer(editor.run("redline.explain", where))
    await review_ended(editor, await start_review(editor, uri))
    await editor.run_now("redline.status", {})
    await editor.shut_down()
    await redline.process.gone()
    heard = json.dumps(editor.heard, ensure_ascii=False)
    assert_unseen(key, heard, redline.process.complaints)
    assert_unseen(key, everything_below(desk.home))


@pytest.mark.parametrize(("shape", "api", "way", "status"), CASES)
async def test_on_the_command_line(
    desk: Desk, hostile: Hostile, shape: str, api: str, way: str, status: int
) -> None:
    """Nor by `doctor`, `review` and what they leave behind."""
    key = KEYS[shape]
    server = await echoing(hostile, key, way, status)
    desk.write("a.py", TEXT)
    desk.use_model(
        endpoint(server, api),
        api=api,
        tiers=("fast", "deep"),
        rest='[review]\nretries = 0\n[log]\nlevel = "debug"',
    )
    doctor = await desk.run("doctor", key=key)
    as_json = await desk.run("doctor", "--json", key=key)
    review = await desk.run("review", "--force", "a.py", key=key)
    assert review.code == 3
    assert_unseen(key, doctor.said, as_json.said, review.said)
    assert_unseen(key, everything_below(desk.home))


async def test_in_the_answer_of_a_review_that_is_killed(
    desk: Desk, serve: Serve, hostile: Hostile
) -> None:
    """What is stored of the unfinished answer, so that it can be resumed, has none."""
    key = KEYS["words"]
    finding = {
        "file": "a.py",
        "quote": "def f(a=[]):",
        "severity": "high",
        "category": "correctness",
        "title": f"The default list is shared, {key}",
        "explanation": f"All calls share it; {key} is why.",
        "fix": f"def f(a='{key}'):",
    }

    async def answer_half(reply: Reply) -> None:
        reply.begin()
        reply.delta(f'{{"findings": [{json.dumps(finding)}, {{"title": "{key}')
        await reply.gone.wait()

    server = await hostile(answer_half)
    settings = desk.settings(
        server.http_url, api="responses-http", background=True, review={"scouts": 0}
    )
    redline = await serve(
        settings, capabilities=LISTS_REVIEWS, environment={"OUTSIDE_KEY": key}
    )
    editor = redline.editor
    uri = desk.write("a.py", TEXT).as_uri()
    editor.open(uri, TEXT)
    await start_review(editor, uri)
    await editor.hear(lambda message: "default list" in json.dumps(message))
    await kill(redline)
    with closing(sqlite3.connect(desk.home / "store.sqlite3")) as database:
        steps = database.execute("SELECT body FROM review_steps").fetchall()
    stored = [zlib.decompress(body).decode(errors="replace") for (body,) in steps]
    assert any("The default list is shared" in text for text in stored)
    assert_unseen(key, *stored, json.dumps(editor.heard, ensure_ascii=False))
    assert_unseen(key, everything_below(desk.home))
