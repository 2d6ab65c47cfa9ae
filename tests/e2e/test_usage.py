"""Usage from a server's edits to a file, the status and `redline.stats`."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.e2e.conftest import Serve, Shared, Start
from tests.e2e.editor_document import Json, lines
from tests.e2e.redline_session import Redline, settings_for
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import WireEditor

from redline.gateway.engines.script import Script, ScriptReply, ScriptUsage

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/secret_place.py"
TEXT = "alpha = 1\nbravo = 2\ncharlie = 3\n"
SCRIPT = Script(otherwise=ScriptReply(text="bravo = sesame\n"))
INSTRUCTION = "open-the-door"
PRICED = "gpt-6-luna"
"""A model whose price is known: 0.10 and 0.50 dollars for a million tokens."""


def options(model: ScriptedModel, **store: object) -> Json:
    """Settings with a model of a known price."""
    return {**settings_for(model, name=PRICED), "store": store}


def file_in(home: Path) -> Path:
    """The default usage file of a server with that home."""
    (file,) = home.rglob("redline.sqlite3")
    return file


def rows(file: Path, question: str) -> list[Any]:  # Any: what was asked for.
    """Look into the file past our own code."""
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(question).fetchall()


async def edited(editor: WireEditor, **more: str) -> Json:
    """Have the second line edited."""
    edit = editor.edit(URI, lines(1, 2), INSTRUCTION, token=None, **more)
    outcome: Json = await editor.result(edit)
    return outcome


async def test_an_edit_that_is_undone_within_a_minute(
    start: Start, serve: Serve
) -> None:
    """It is in the file, in the status and in the measures; its text is nowhere."""
    model = await serve(SCRIPT)
    redline = await start(options=options(model))
    editor = redline.editor
    editor.open(URI, TEXT)
    assert (await edited(editor, sessionId="mine"))["outcome"] == "applied"
    editor.type(URI, lines(1, 2), "bravo = 2\n")
    assert editor.text(URI) == TEXT
    stats = await editor.run_now("redline.stats", {"by": ["tier"]})
    (totals,) = stats["totals"]
    assert (totals["tier"], totals["day"]) == ("fast", None)
    assert (totals["tasks"], totals["accepted"], totals["undone"]) == (1, 1, 1)
    assert totals["reworkShare"] == 1.0
    assert totals["inputTokens"] > 0
    assert totals["taskP50S"] > 0
    assert totals["cost"] == totals["costPerAccepted"] > 0
    status = await editor.run_now("redline.status", {})
    assert status["costToday"] == pytest.approx(totals["cost"])
    assert status["sessions"] == []
    await redline.end()
    file = file_in(redline.home)
    (row,) = rows(file, "SELECT id, model, outcome, undone_at, edited_at FROM tasks")
    assert row[:3] == ("mine", PRICED, "applied")
    assert row[3] is not None
    assert row[4] is None
    data = b"".join(each.read_bytes() for each in file.parent.iterdir())
    for text in ("sesame", "bravo", "alpha", INSTRUCTION, "secret_place", "project"):
        assert text.encode() not in data


async def test_an_absurd_count_is_not_counted(start: Start, serve: Serve) -> None:
    """The task is stored all the same, with what is estimated."""
    usage = ScriptUsage(input=2**80, output=3, cached=2**64)
    script = Script(otherwise=ScriptReply(text="bravo = sesame\n", usage=usage))
    redline = await start(options=options(await serve(script)))
    await redline.editor.hear(
        lambda m: (
            m.get("method") == "redline/status" and m["params"]["costToday"] is not None
        )
    )
    redline.editor.open(URI, TEXT)
    assert (await edited(redline.editor))["outcome"] == "applied"
    question = "SELECT input_n_tokens, cached_n_tokens, output_n_tokens FROM tasks"
    ((n_input, n_cached, n_output),) = rows(file_in(redline.home), question)
    assert 0 < n_input < 10_000
    assert (n_cached, n_output) == (0, len("bravo = sesame\n") // 4)


async def test_completions(start: Start, serve: Serve) -> None:
    """Their sums are in the file when the server has ended, and no text is."""
    usage = ScriptUsage(input=800, cached=500, output=40)
    script = Script(otherwise=ScriptReply(text="bravo = sesame", usage=usage))
    complete = {"complete": {"enabled": True}}
    redline = await start(options={**options(await serve(script)), **complete})
    await redline.hear_of(PRICED)
    editor = redline.editor
    editor.open(URI, "alpha = 1\nbravo = ")
    at = {"line": 1, "character": 8}
    params = {"textDocument": {"uri": URI}, "position": at}
    params["context"] = {"triggerKind": 2}
    shown = editor.ask("textDocument/inlineCompletion", params)
    (item,) = (await editor.result(shown))["items"]
    assert item["insertText"] == "sesame"

    def is_paid(message: Json) -> bool:
        is_status = message.get("method") == "redline/status"
        return is_status and message["params"]["completions"]["cost"] > 0

    await editor.hear(is_paid)
    stats = await editor.run_now("redline.stats", {})
    (unasked,) = stats["unasked"]
    assert (unasked["kind"], unasked["tier"]) == ("completion", "fast")
    assert (unasked["requests"], unasked["shown"], unasked["atOnce"]) == (1, 1, 0)
    await redline.end()
    sums = "tier, model, requests, shown, at_once, input_tokens, cached_tokens, cost"
    question = f"SELECT {sums} FROM unasked WHERE kind = 'completion'"
    (row,) = rows(file_in(redline.home), question)
    assert row[:7] == ("fast", PRICED, 1, 1, 0, 800, 500)
    assert row[7] == pytest.approx((300 * 0.1 + 500 * 0.01 + 40 * 0.5) / 1e6)


@pytest_asyncio.fixture(loop_scope="session")
async def storing(
    shared: Shared, serve: Serve, tmp_path: Path
) -> AsyncIterator[Redline]:
    """A server that tests share, with a usage file of the test's own."""
    store = {"file": str(tmp_path / "usage.sqlite3")}
    settings = {**settings_for(await serve(SCRIPT), name="fast"), "store": store}
    async with shared.with_settings(settings) as redline:
        yield redline


async def test_taken_back(storing: Redline) -> None:
    """The command counts as an undo."""
    editor = storing.editor
    editor.open(URI, TEXT)
    await edited(editor, sessionId="mine", apply="stream")
    await editor.run_now("redline.takeBack", {"sessionId": "mine"})
    (totals,) = (await editor.run_now("redline.stats", {"by": []}))["totals"]
    assert (totals["undone"], totals["reworked"]) == (1, 1)


async def test_offers_accepted_and_rejected(storing: Redline) -> None:
    """The session's tier is in the status while it waits."""
    editor = storing.editor
    editor.open(URI, TEXT)
    await edited(editor, sessionId="one", apply="preview")
    status = await editor.run_now("redline.status", {})
    (session,) = status["sessions"]
    assert (session["sessionId"], session["tier"]) == ("one", "fast")
    await editor.run_now("redline.reject", {"sessionId": "one"})
    await edited(editor, sessionId="two", apply="preview")
    await editor.run_now("redline.accept", {"sessionId": "two"})
    (totals,) = (await editor.run_now("redline.stats", {}))["totals"]
    assert totals["day"] is not None
    counted = [totals[name] for name in ("tasks", "accepted", "rejected", "reworked")]
    assert counted == [2, 1, 1, 0]


async def test_two_servers_on_one_file(
    start: Start, serve: Serve, tmp_path: Path
) -> None:
    """Each sees the tasks of both, and today's cost of both once it has written."""
    model = await serve(SCRIPT)
    file = tmp_path / "shared.sqlite3"
    both = [await start(options=options(model, file=str(file))) for _ in range(2)]
    for redline in both:
        redline.editor.open(URI, TEXT)
        for n in range(3):
            await edited(redline.editor)
            redline.editor.replace_all(URI, TEXT + f"x = {n}\n")
    first, second = both
    for redline in (first, second, first):
        (totals,) = (await redline.editor.run_now("redline.stats", {"by": []}))[
            "totals"
        ]
    assert totals["tasks"] == 6
    status = await second.editor.run_now("redline.status", {})
    assert status["costToday"] == pytest.approx(totals["cost"])
    for redline in both:
        await redline.end()
    assert rows(file, "SELECT count(*), count(DISTINCT run) FROM tasks") == [(6, 2)]


async def test_a_broken_store_breaks_no_edit(start: Start, serve: Serve) -> None:
    """The status says it, in a sentence, and no message box does."""
    model = await serve(SCRIPT)
    blocked = {"file": "/dev/null/usage.sqlite3"}
    redline = await start(options=options(model, **blocked))
    editor = redline.editor
    # A busy machine may report further problems, such as a late index, beside it.
    await editor.hear(
        lambda m: (
            m.get("method") == "redline/status"
            and any(
                problem.startswith("Usage is not stored for now: ")
                for problem in m["params"]["problems"]
            )
        )
    )
    editor.open(URI, TEXT)
    assert (await edited(editor))["outcome"] == "applied"
    error = await editor.error(editor.run("redline.stats", {}))
    assert error["data"]["cause"] == "store-unavailable"
    assert editor.all_of("window/showMessage") == []


async def test_switched_off(start: Start, serve: Serve) -> None:
    """No file, no cost, and an answer that says why."""
    redline = await start(options=options(await serve(SCRIPT), enabled=False))
    editor = redline.editor
    editor.open(URI, TEXT)
    await edited(editor)
    status = await editor.run_now("redline.status", {})
    assert status["costToday"] is None
    error = await editor.error(editor.run("redline.stats", {}))
    assert "store.enabled" in error["message"]
    await redline.end()
    assert list(redline.home.rglob("*.sqlite3")) == []


@pytest.mark.parametrize(
    "arguments",
    [{"since": "yesterday"}, {"by": ["model"]}, {"by": "tier"}, {"days": 3}],
)
async def test_stats_with_wrong_arguments(redline: Redline, arguments: Json) -> None:
    """A misspelt option is not ignored."""
    error = await redline.editor.error(redline.editor.run("redline.stats", arguments))
    assert error["code"] == -32602


async def test_stats_since_a_day_to_come(redline: Redline) -> None:
    """Nothing is no error."""
    stats = await redline.editor.run_now("redline.stats", {"since": "2999-01-01"})
    assert stats == {"since": "2999-01-01", "totals": [], "unasked": []}
