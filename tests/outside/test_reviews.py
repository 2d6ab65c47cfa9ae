"""Reviews that could not be read, were not finished, or were cut by a kill."""

from __future__ import annotations

import json
import os

import pytest
from tests.e2e.editor_document import Json
from tests.e2e.redline_session import kill
from tests.e2e.wire_editor import WireEditor
from tests.models.model_server import Reply
from tests.outside.commands import Desk
from tests.outside.conftest import Hostile, Serve
from tests.outside.raw_model import always
from tests.outside.reviews import (
    LISTS_REVIEWS,
    review_ended,
    start_review,
)

FAULTY = "def f(a=[]):\n    return a\n"
PROSE = ("Lorem ipsum dolor sit amet, ", "consectetur adipiscing elit.")

N_KILLS = 12


def shown(editor: WireEditor) -> str:
    """All that the editor was shown or could show."""
    return json.dumps(editor.heard, ensure_ascii=False)


@pytest.mark.parametrize("api", ["responses-socket", "responses-http"])
async def test_an_answer_that_cannot_be_read_is_not_a_clean_review(
    desk: Desk, serve: Serve, hostile: Hostile, api: str
) -> None:
    """The editor says that the file was not reviewed, never that it is fine."""
    server = await hostile(always(*PROSE))
    url = server.url if api == "responses-socket" else server.http_url
    settings = desk.settings(url, api=api, review={"retries": 0})
    redline = await serve(settings, capabilities=LISTS_REVIEWS)
    uri = desk.write("a.py", FAULTY).as_uri()
    redline.editor.open(uri, FAULTY)
    review_id = await start_review(redline.editor, uri)
    ended = await review_ended(redline.editor, review_id)
    await redline.editor.run_now("redline.status", {})
    assert ended["state"] != "done"
    assert ended["message"]
    assert "othing was found" not in shown(redline.editor)
    await redline.end()


async def test_nor_is_it_on_the_command_line(desk: Desk, hostile: Hostile) -> None:
    """The exit code is 3, and no line says that there are no findings."""
    server = await hostile(always(*PROSE))
    desk.use_model(server.url, tiers=("fast", "deep"), rest="[review]\nretries = 0")
    desk.write("a.py", FAULTY)
    ran = await desk.run("review", "--force", "a.py")
    assert ran.code == 3, ran.said
    assert "No findings in all of" not in ran.out
    assert "a.py" in ran.out


def ordinary(number: int) -> str:
    """A file of ordinary size."""
    body = (f"def f{n}(a, b):\n    return a * {n} + b\n\n\n" for n in range(60))
    return f'"""Module {number}."""\n\n\n' + "".join(body)


async def left_out(desk: Desk, *words: str) -> list[Json]:
    """Review all; returns what was left out, on which the exit code depends."""
    ran = await desk.run(
        "review", "--force", "--format", "json", "--fail-on", "critical", *words
    )
    assert ran.report["findings"] is not None, ran.err
    wanted = 3 if ran.report["leftOut"] else 0
    assert ran.code == wanted, (ran.report["leftOut"], ran.err)
    found: list[Json] = ran.report["leftOut"]
    return found


async def test_too_many_parts(desk: Desk) -> None:
    """What the limit of parts leaves out is no green build."""
    desk.configure("[review]\npart_tokens = 1000\nmax_parts = 2\n")
    names = [f"m{number}.py" for number in range(12)]
    for number, name in enumerate(names):
        desk.write(name, ordinary(number))
    await left_out(desk, *names)


async def test_too_many_parts_for_a_model(desk: Desk, hostile: Hostile) -> None:
    """Nor with a model, which does have such a limit."""
    server = await hostile(always('{"findings": []}'))
    limits = "[review]\nretries = 0\npart_tokens = 1000\nmax_parts = 2"
    desk.use_model(server.url, tiers=("fast", "deep"), rest=limits)
    names = [f"m{number}.py" for number in range(6)]
    for number, name in enumerate(names):
        desk.write(name, ordinary(number))
    assert await left_out(desk, *names)


async def test_a_line_that_is_too_long(desk: Desk) -> None:
    """One minified file beside an ordinary one."""
    desk.write("a.py", FAULTY)
    desk.write("long.py", "x = '" + "word " * 100_000 + "'\n")
    await left_out(desk, "a.py", "long.py")


async def test_a_name_that_is_not_utf_8(desk: Desk) -> None:
    """A file that cannot be named is left out, and that counts."""
    desk.write("a.py", FAULTY)
    desk.write(os.fsdecode(b"caf\xe9.py"), FAULTY)
    await left_out(desk, ".")


async def test_a_kill_right_after_the_answer(
    desk: Desk, serve: Serve, hostile: Hostile
) -> None:
    """A review whose id was answered is there after a restart, each of them."""

    async def silent(reply: Reply) -> None:
        await reply.gone.wait()

    server = await hostile(silent)
    uri = desk.write("a.py", FAULTY).as_uri()
    settings = desk.settings(server.http_url, api="responses-http")
    promised = []
    for _ in range(N_KILLS):
        redline = await serve(settings, capabilities=LISTS_REVIEWS)
        redline.editor.open(uri, FAULTY)
        promised.append(await start_review(redline.editor, uri))
        await kill(redline)
    redline = await serve(settings, capabilities=LISTS_REVIEWS)
    listed = await redline.editor.run_now("redline.reviews", {})
    known = {review["reviewId"] for review in listed["reviews"]}
    assert [each for each in promised if each not in known] == []


async def test_shutdown_ends_the_progress_of_a_review(
    desk: Desk, serve: Serve, hostile: Hostile
) -> None:
    """Editors spin for ever otherwise."""

    async def silent(reply: Reply) -> None:
        await reply.gone.wait()

    server = await hostile(silent)
    settings = desk.settings(server.http_url, api="responses-http")
    redline = await serve(settings, capabilities=LISTS_REVIEWS)
    editor = redline.editor
    uri = desk.write("a.py", FAULTY).as_uri()
    editor.open(uri, FAULTY)
    review_id = await start_review(editor, uri)
    await editor.hear_method("$/progress")
    await editor.shut_down()
    await redline.process.gone()
    kinds = [params["value"]["kind"] for params in editor.all_of("$/progress")]
    assert kinds.count("begin") == kinds.count("end") > 0, review_id
