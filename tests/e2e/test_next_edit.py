"""Next edits at the editor's wire, without a model."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.e2e.conftest import Serve, Shared, Start, sharing
from tests.e2e.editor_document import Json
from tests.e2e.redline_session import Redline, settings_for
from tests.e2e.wire_editor import CAPABILITIES

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/cart.py"
TEXT = 'def cost(rows):\n    total = 0\n    print("𝄞", total)\n    return total\n'


def at(line: int, start: int, end: int) -> Json:
    return {
        "start": {"line": line, "character": start},
        "end": {"line": line, "character": end},
    }


def showing() -> Json:
    """Return the capabilities of an editor that shows next edits."""
    capabilities = copy.deepcopy(CAPABILITIES)
    capabilities["experimental"]["redline"]["nextEdit"] = True
    return capabilities


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def shared_showing(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Shared]:
    """The server of an editor that shows next edits; no model is asked for them."""
    async with sharing(tmp_path_factory.mktemp("showing"), showing()) as shared:
        yield shared


@pytest_asyncio.fixture(loop_scope="session")
async def shows(shared_showing: Shared) -> AsyncIterator[Redline]:
    """That server, as it is."""
    async with shared_showing.lend() as redline:
        yield redline


async def next_edits(redline: Redline, **more: Any) -> list[Json]:
    """Request the next edit at the end of the renamed word."""
    document = {"uri": URI, "version": redline.editor.documents[URI].version}
    params = {
        "textDocument": document,
        "position": {"line": 1, "character": 15},
        "context": {"triggerKind": 2, "reason": "idle"},
        **more,
    }
    result = await redline.editor.result(redline.editor.ask("redline/nextEdit", params))
    edits: list[Json] = result["edits"]
    return edits


async def test_a_rename_place_by_place(shows: Redline) -> None:
    """The server says when there is one; each accepted one leads to the next."""
    redline, editor = shows, shows.editor
    editor.open(URI, TEXT)
    editor.type(URI, at(1, 4, 9), "grand_total")
    await editor.hear_method("redline/nextEdit/changed")
    (first,) = await next_edits(redline)
    assert first["range"] == at(2, 16, 21)
    assert (first["text"], first["left"], first["display"]) == (
        "grand_total",
        1,
        "here",
    )
    assert first["cursor"] == {"line": 2, "character": 27}
    assert first["why"] == "`total` is now `grand_total`"
    editor.notify("redline/nextEdit/shown", {"id": first["id"]})
    editor.type(URI, first["range"], first["text"])
    command = first["command"]
    await editor.run_now(command["command"], command["arguments"][0])
    (second,) = await next_edits(redline)
    assert (second["range"], second["left"]) == (at(3, 11, 16), 0)
    old = {"uri": URI, "version": 1}
    assert await next_edits(redline, textDocument=old) == []
    editor.notify(
        "redline/nextEdit/dismissed", {"id": second["id"], "reason": "rejected"}
    )
    assert await next_edits(redline) == []


async def test_an_edit_far_away(shows: Redline) -> None:
    """The client first jumps there."""
    redline = shows
    text = TEXT.replace("    return", "    f()\n" * 60 + "    return")
    redline.editor.open(URI, text.replace('    print("𝄞", total)\n', ""))
    redline.editor.type(URI, at(1, 4, 9), "grand_total")
    (edit,) = await next_edits(redline)
    assert (edit["display"], edit["range"]) == ("jump", at(62, 11, 16))


async def test_code_actions_for_other_editors(redline: Redline) -> None:
    """One for the next place and one for all, which leave nothing to do."""
    editor = redline.editor
    editor.open(URI, TEXT)
    editor.type(URI, at(1, 4, 9), "grand_total")
    assert len(await next_edits(redline)) == 1
    params = {
        "textDocument": {"uri": URI},
        "range": at(0, 0, 0),
        "context": {"diagnostics": [], "only": ["refactor.rewrite.redline.nextEdit"]},
    }
    one, every = await editor.result(editor.ask("textDocument/codeAction", params))
    assert one["title"] == "Line 3: total → grand_total (1 of 2)"
    assert every["title"] == "`total` is now `grand_total`: all 2 places"
    changes = editor.apply({"edit": every["edit"]})
    assert changes is not None
    editor.tell(changes)
    assert editor.text(URI) == TEXT.replace("total", "grand_total")
    assert await editor.result(editor.ask("textDocument/codeAction", params)) == []
    assert editor.all_of("redline/nextEdit/changed") == []


def with_lenses() -> Json:
    """Return the capabilities of an editor with code lenses and ghost text."""
    capabilities = copy.deepcopy(CAPABILITIES)
    capabilities["workspace"]["codeLens"] = {"refreshSupport": True}
    capabilities["textDocument"]["inlineCompletion"] = {}
    return capabilities


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def shared_with_lenses(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Shared]:
    """The server of an editor that knows nothing of next edits, but has lenses."""
    async with sharing(tmp_path_factory.mktemp("lenses"), with_lenses()) as shared:
        yield shared


@pytest_asyncio.fixture(loop_scope="session")
async def has_lenses(shared_with_lenses: Shared) -> AsyncIterator[Redline]:
    """That server, as it is."""
    async with shared_with_lenses.lend() as redline:
        yield redline


async def lenses(redline: Redline) -> list[Json]:
    """Request the code lenses of the document."""
    params = {"textDocument": {"uri": URI}}
    found: list[Json] = await redline.editor.result(
        redline.editor.ask("textDocument/codeLens", params)
    )
    return found


async def test_a_code_lens_for_other_editors(has_lenses: Redline) -> None:
    """It is above the next place, applies that, and moves on to the one after it."""
    redline, editor = has_lenses, has_lenses.editor
    editor.open(URI, TEXT)
    assert await lenses(redline) == []
    editor.type(URI, at(1, 4, 9), "grand_total")
    await editor.hear(lambda m: m.get("method") == "workspace/codeLens/refresh")
    (lens,) = await lenses(redline)
    assert lens["range"] == at(2, 16, 21)
    command = lens["command"]
    assert command["title"] == "Next edit: total → grand_total (1 of 2)"
    await editor.run_now(command["command"], command["arguments"][0])
    (second,) = await lenses(redline)
    assert second["range"] == at(3, 11, 16)
    assert second["command"]["title"] == "Next edit: total → grand_total"
    # The edit of the first lens is done.
    await editor.run_now(command["command"], command["arguments"][0])
    arguments = second["command"]["arguments"][0]
    await editor.run_now(second["command"]["command"], arguments)
    assert editor.text(URI) == TEXT.replace("total", "grand_total")
    assert await lenses(redline) == []


async def test_a_hint_for_other_editors(shared_with_lenses: Shared) -> None:
    """It is in place of the lens, moves with the text, and goes with the file."""
    settings = settings_for(
        shared_with_lenses.model,
        name="fast",
        next_edits={"model": "none", "show": "hint"},
    )
    async with shared_with_lenses.with_settings(settings) as redline:
        editor = redline.editor
        editor.open(URI, TEXT)
        editor.type(URI, at(1, 4, 9), "grand_total")

        async def hints(n_heard: int) -> list[Json]:
            method = "textDocument/publishDiagnostics"
            message = await editor.hear_method(method, after=n_heard)
            found: list[Json] = message["diagnostics"]
            return found

        (hint,) = await hints(0)
        assert (hint["range"], hint["severity"]) == (at(2, 16, 21), 4)
        assert hint["message"] == "Next edit: total → grand_total"
        assert await lenses(redline) == []
        n_heard = len(editor.heard)
        editor.type(URI, at(0, 0, 0), "# Cart\n")
        (moved,) = await hints(n_heard)
        assert moved["range"] == at(3, 16, 21)
        n_heard = len(editor.heard)
        editor.close_document(URI)
        assert await hints(n_heard) == []


async def test_ghost_text_for_other_editors(has_lenses: Redline) -> None:
    """An edit that only inserts behind the cursor is an inline completion."""
    editor = has_lenses.editor
    before = (await editor.run_now("redline.status", {}))["nextEdits"]
    text = "a = load(1)\nb = load(2)\nc = load(3)\nd = load(4)\n"
    editor.open(URI, text)
    for line in (0, 1):
        editor.type(URI, at(line, 10, 10), ", strict=True")

    async def shown(line: int, character: int, *, kind: int = 1) -> list[Json]:
        params = {
            "textDocument": {"uri": URI},
            "position": {"line": line, "character": character},
            "context": {"triggerKind": kind},
        }
        asked = editor.ask("textDocument/inlineCompletion", params)
        items: list[Json] = (await editor.result(asked))["items"]
        return items

    (item,) = await shown(2, 9)
    assert item["insertText"] == "3, strict=True"
    assert item["range"] == at(2, 9, 10)
    assert [one["insertText"] for one in await shown(2, 10, kind=2)] == [
        ", strict=True"
    ]
    # Not behind the place, nor in another line.
    assert await shown(2, 11, kind=2) == []
    assert await shown(3, 10, kind=2) == []
    editor.type(URI, item["range"], item["insertText"])
    assert [one["insertText"] for one in await shown(3, 10, kind=2)] == [
        ", strict=True"
    ]
    status = (await editor.run_now("redline.status", {}))["nextEdits"]
    counts = [status[name] - before[name] for name in ("shown", "accepted")]
    assert counts == [2, 1]


async def test_a_rename_in_another_file(shared_showing: Shared, tmp_path: Path) -> None:
    """It is offered with its URI, without a version until it is open, in the client's
    units."""
    folder = tmp_path / "project"
    folder.mkdir()
    settings = settings_for(shared_showing.model, name="fast")
    async with shared_showing.in_folder(folder, settings) as redline:
        editor = redline.editor
        main = folder / "main.py"
        main.write_text('from cart import cost\n\nprint("𝄞", cost([]))\n')
        uri = (folder / "cart.py").as_uri()
        editor.open(uri, TEXT)
        editor.type(uri, at(0, 4, 8), "price")
        await editor.hear_method("redline/nextEdit/changed")
        params = {
            "textDocument": {"uri": uri, "version": editor.documents[uri].version},
            "position": {"line": 0, "character": 9},
            "context": {"triggerKind": 2, "reason": "idle"},
        }
        result = await editor.result(editor.ask("redline/nextEdit", params))
        (first,) = result["edits"]
        assert first["textDocument"] == {"uri": main.as_uri(), "version": None}
        assert (first["range"], first["old"], first["text"]) == (
            at(0, 17, 21),
            "cost",
            "price",
        )
        assert (first["display"], first["left"]) == ("jump", 1)
        editor.open(main.as_uri(), main.read_text())
        document = {"uri": main.as_uri(), "version": 1}
        there = params | {"textDocument": document, "position": at(0, 0, 0)["start"]}
        result = await editor.result(editor.ask("redline/nextEdit", there))
        assert result["edits"][0]["textDocument"] == document
        editor.type(main.as_uri(), at(0, 17, 21), "price")
        document = {
            "uri": main.as_uri(),
            "version": editor.documents[main.as_uri()].version,
        }
        result = await editor.result(
            editor.ask("redline/nextEdit", there | {"textDocument": document})
        )
        assert result["edits"][0]["range"] == at(2, 12, 16)


@pytest.mark.parametrize("is_changed", [True, False], ids=["changed", "same"])
async def test_an_action_for_a_file_that_is_not_open(
    shared_with_lenses: Shared, tmp_path: Path, *, is_changed: bool
) -> None:
    """It changes the file only if that is as it was when the action was offered: the
    editor has no version of it to compare."""
    folder = tmp_path / "project"
    folder.mkdir()
    settings = settings_for(shared_with_lenses.model, name="fast")
    async with shared_with_lenses.in_folder(folder, settings) as redline:
        editor = redline.editor
        main = folder / "main.ts"
        main.write_text('import { cost } from "./cart";\n\nf(cost([]));\n')
        uri = (folder / "cart.ts").as_uri()
        editor.open(
            uri,
            "export function cost(rows) {\n  return rows;\n}\n",
            language="typescript",
        )
        editor.type(uri, at(0, 16, 20), "price")
        await editor.hear(lambda m: m.get("method") == "workspace/codeLens/refresh")
        params = {
            "textDocument": {"uri": uri},
            "range": at(0, 0, 0),
            "context": {
                "diagnostics": [],
                "only": ["refactor.rewrite.redline.nextEdit"],
            },
        }
        actions = await editor.result(editor.ask("textDocument/codeAction", params))
        assert [one["title"] for one in actions] == [
            "main.ts, line 1: cost → price (1 of 2)",
            "`cost` is now `price`: all 2 places",
        ]
        if is_changed:
            main.write_text(f'import "mine";\n{main.read_text()}')
        for n_places, action in enumerate(actions, 1):
            assert "edit" not in action
            n_heard = len(editor.heard)
            editor.run(action["command"]["command"], *action["command"]["arguments"])
            if is_changed:
                shown = await editor.hear_method("window/showMessage", after=n_heard)
                assert "nothing was applied" in shown["message"]
            else:
                asked = await editor.hear_method("workspace/applyEdit", after=n_heard)
                (change,) = asked["edit"]["documentChanges"]
                assert change["textDocument"] == {"uri": main.as_uri(), "version": None}
                assert len(change["edits"]) == n_places
        assert bool(editor.all_of("workspace/applyEdit")) is not is_changed


async def test_nothing_in_a_secret_file(shows: Redline) -> None:
    """Also when the user asks for it."""
    editor = shows.editor
    uri = "file:///project/.env"
    editor.open(uri, TEXT)
    editor.type(uri, at(1, 4, 9), "grand_total")
    params = {
        "textDocument": {"uri": uri, "version": editor.documents[uri].version},
        "position": {"line": 1, "character": 15},
        "context": {"triggerKind": 1, "reason": "manual"},
    }
    result = await editor.result(editor.ask("redline/nextEdit", params))
    assert result == {"edits": []}


def saying(reply: str) -> Script:
    return Script(otherwise=ScriptReply(text=reply, chunk_chars=3))


async def test_a_model_is_asked_when_the_rules_have_nothing(
    start: Start, serve: Serve
) -> None:
    """Its answer is offered and counted; a request of the user waits for it."""
    reply = "H\n@@ cart.py\n-    return {0}\n+    return round({0})\n"
    model = await serve(saying(reply.format("total")))
    redline = await start(
        capabilities=showing(), options=settings_for(model, next_edits={})
    )
    editor = redline.editor
    await redline.hear_of("scripted")
    editor.open(URI, TEXT)
    editor.type(URI, at(1, 13, 13), ".0")
    await editor.hear_method("redline/nextEdit/changed")
    (first,) = await next_edits(redline)
    assert first["range"] == at(3, 11, 16)
    assert (first["old"], first["text"]) == ("total", "round(total)")
    assert (first["from"], first["left"]) == ("model", 0)
    editor.notify("redline/nextEdit/shown", {"id": first["id"]})
    model.say(saying("N"))
    editor.type(URI, first["range"], first["text"])
    status = (await editor.run_now("redline.status", {}))["nextEdits"]
    assert (status["requests"], status["shown"], status["accepted"]) == (1, 1, 1)
    invoked = {"triggerKind": 1, "reason": "manual"}
    assert await next_edits(redline, context=invoked) == []
    model.say(saying(reply.format("round(total)")))
    (again,) = await next_edits(redline, context=invoked)
    assert again["from"] == "model"


async def test_settings_that_are_read_again_lose_no_request(
    start: Start, serve: Serve
) -> None:
    """VS Code says that they have changed soon after it has started."""
    reply = "H\n@@ cart.py\n-    return total\n+    return round(total)\n"
    model = await serve(saying(reply))
    hold = model.hold_model("scripted", after=1)
    redline = await start(
        capabilities=showing(), options=settings_for(model, next_edits={})
    )
    editor = redline.editor
    await redline.hear_of("scripted")
    editor.open(URI, TEXT)
    editor.type(URI, at(1, 13, 13), ".0")
    await hold.reached()
    editor.notify("workspace/didChangeConfiguration", {"settings": None})
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    await editor.hear_method("redline/nextEdit/changed")
    (first,) = await next_edits(redline)
    assert first["from"] == "model"
