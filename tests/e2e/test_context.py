"""What a model receives: useful context, and nothing that must not leave."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio
from tests.e2e.conftest import Serve, Shared, Start
from tests.e2e.editor_document import Json, lines
from tests.e2e.redline_session import Redline, settings_for
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import CAPABILITIES, WAIT_S

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHOP = "from rates import convert\n\n\ndef pay(amount):\n    return convert(amount)\n"
RATES = "def convert(amount: int, *, unit: str) -> float:\n    return amount / 2\n"
SECRET = "ghp_" + "k3Jf9aQ2mZ7xW1bT5vN8cR4yL6pH0sD2gUeX"
MARK = "zq_hidden_marker_91"
"""Stands in every file that must not be sent."""

WATCHING: Json = {
    **CAPABILITIES,
    "workspace": {
        **CAPABILITIES["workspace"],
        "didChangeWatchedFiles": {"dynamicRegistration": True},
    },
}


BeginShared = Callable[..., Awaitable[Redline]]


async def begin(
    start: Start,
    model: ScriptedModel,
    root: Path,
    documents: Mapping[str, str],
) -> Redline:
    """Start a server in a folder, with open documents, and wait until it knows both."""
    options = settings_for(model)
    redline = await start(options=options, rootUri=root.as_uri(), capabilities=WATCHING)
    await redline.hear_of("scripted")
    await open_documents(redline, root, documents)
    return redline


@pytest_asyncio.fixture(loop_scope="session")
async def begin_shared(
    shared: Shared,
    serve: Serve,  # Its models end after the server has other settings.
    tmp_path: Path,
) -> AsyncIterator[BeginShared]:
    """Open a folder of the test's own, with documents, in a server that tests share."""
    async with AsyncExitStack() as stack:

        async def begin_shared(
            model: ScriptedModel, documents: Mapping[str, str], *, steer: bool = False
        ) -> Redline:
            settings = settings_for(model, name="fast", steer=steer)
            there = shared.in_folder(tmp_path, settings)
            redline = await stack.enter_async_context(there)
            await open_documents(redline, tmp_path, documents)
            return redline

        yield begin_shared


async def open_documents(
    redline: Redline, root: Path, documents: Mapping[str, str]
) -> None:
    """Open documents of a folder, and wait until the server knows both."""
    with redline.editor.at_once():
        for name, text in documents.items():
            redline.editor.open(uri(root, name), text)
    await indexed(redline)


async def indexed(redline: Redline) -> None:
    """Wait until the server has read the workspace."""
    editor = redline.editor
    async with asyncio.timeout(WAIT_S):
        # What is over within a tenth of a second is in no notification.
        while (await editor.run_now("redline.status", {}))["indexing"]:
            pass


def uri(root: Path, name: str) -> str:
    return (root / name).as_uri()


def frames(model: ScriptedModel) -> str:
    """Everything that the model's server was ever sent."""
    bodies = [entry.body for entry in model.entries if entry.body]
    assert bodies
    return "\n".join(bodies)


def requests(model: ScriptedModel) -> list[Json]:
    """The requests that it got."""
    return [json.loads(e.body) for e in model.entries if e.kind == "create" and e.body]


async def test_signatures_of_other_files_arrive(
    start: Start, serve: Serve, tmp_path: Path
) -> None:
    """Of a file that is not open, in its current state."""
    (tmp_path / "rates.py").write_text(RATES)
    model = await serve(Script())
    redline = await begin(start, model, tmp_path, {"shop.py": SHOP})
    editor = redline.editor
    shop = uri(tmp_path, "shop.py")
    await editor.result(editor.edit(shop, lines(3, 5)))
    assert "def convert(amount: int, *, unit: str) -> float:" in frames(model)
    assert "rates.py:1" in frames(model)


async def test_files_are_watched(start: Start, serve: Serve, tmp_path: Path) -> None:
    """What changes outside of the editor is read again."""
    model = await serve(Script())
    redline = await begin(start, model, tmp_path, {"shop.py": SHOP})
    editor = redline.editor
    # pygls asks for it, which is loaded beside everything else.
    await editor.hear(
        lambda message: (
            message.get("method") == "client/registerCapability"
            and any(
                each["method"] == "workspace/didChangeWatchedFiles"
                for each in message["params"]["registrations"]
            )
        )
    )
    (tmp_path / "rates.py").write_text(RATES)
    change = {"uri": uri(tmp_path, "rates.py"), "type": 1}
    editor.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
    shop = uri(tmp_path, "shop.py")
    # It is read a moment later, in its own time: ask until it was.
    for _ in range(2_000):
        await editor.result(editor.edit(shop, lines(3, 5)))
        if "unit: str" in frames(model):
            return
    raise AssertionError("the new file was not read")


async def test_diagnostics_at_the_cursor_are_told(
    begin_shared: BeginShared, serve: Serve, tmp_path: Path
) -> None:
    """Those of the last menu: an instruction often follows it."""
    model = await serve(Script())
    redline = await begin_shared(model, {"shop.py": SHOP})
    editor = redline.editor
    shop = uri(tmp_path, "shop.py")
    message = "`unit` is missing"
    problem = {"range": lines(4, 5), "message": message, "source": "pyright"}
    params = {
        "textDocument": {"uri": shop},
        "range": lines(4, 4),
        "context": {"diagnostics": [problem]},
    }
    await editor.result(editor.ask("textDocument/codeAction", params))
    editor.type(shop, lines(0, 0), "import os\n")
    await editor.result(editor.edit(shop, lines(4, 6)))
    (sent,) = requests(model)[0]["input"]
    assert "Diagnostics in the range (pyright):" in sent["content"]
    assert f"Line 2 of the range: {message}" in sent["content"]


@pytest.mark.parametrize("ahead", ["redline/edit/prepare", "textDocument/codeAction"])
async def test_what_is_looked_up_ahead_is_what_is_told(
    begin_shared: BeginShared, serve: Serve, tmp_path: Path, ahead: str
) -> None:
    """The same as without, and what was typed after it."""
    model = await serve(Script())
    redline = await begin_shared(model, {"shop.py": SHOP})
    editor = redline.editor
    shop = uri(tmp_path, "shop.py")

    async def look_ahead() -> None:
        if ahead == "redline/edit/prepare":
            editor.notify(ahead, {"uri": shop, "range": lines(3, 5)})
            editor.notify(
                ahead, {"uri": uri(tmp_path, "closed.py"), "range": lines(0, 1)}
            )
        else:
            where = {"textDocument": {"uri": shop}, "range": lines(3, 5)}
            await editor.result(
                editor.ask(ahead, where | {"context": {"diagnostics": []}})
            )

    await editor.result(editor.edit(shop, lines(3, 5), "do one"))
    await look_ahead()
    await editor.result(editor.edit(shop, lines(3, 5), "do one"))
    await look_ahead()
    editor.type(shop, lines(1, 1), "typed = 1\n")
    await editor.result(editor.edit(shop, lines(4, 6), "do two"))
    plain, prepared, typed = (each["input"][0]["content"] for each in requests(model))
    assert prepared == plain
    assert "do two" in typed
    assert "typed = 1" in typed


async def test_what_is_held_back_is_in_no_frame(
    start: Start, serve: Serve, tmp_path: Path
) -> None:
    """Denied and ignored files: called, open, typed in, related; ignored later, too."""
    hidden = f"def {MARK}(amount, unit='{MARK}'): ...\n\n\ndef convert(): '{MARK}'\n"
    (tmp_path / ".redlineignore").write_text("ignored.py\nfolder/\n")
    (tmp_path / "folder").mkdir()
    for name in ("ignored.py", "folder/inside.py", ".env.py", "late.py"):
        (tmp_path / name).write_text(hidden)
    model = await serve(Script())
    documents = {"shop.py": SHOP, "ignored.py": hidden, "late.py": hidden}
    redline = await begin(start, model, tmp_path, documents)
    editor = redline.editor
    with (tmp_path / ".redlineignore").open("a") as rules:
        rules.write("late.py\n")
    for name in ("ignored.py", "late.py"):
        editor.type(uri(tmp_path, name), lines(0, 0), f"# {MARK} amount convert\n")
    shop = uri(tmp_path, "shop.py")
    await editor.result(editor.edit(shop, lines(3, 5), "use convert and amount"))
    refused = await editor.error(editor.edit(uri(tmp_path, "ignored.py"), lines(0, 2)))
    assert ".redlineignore leaves it out" in refused["message"]
    # In the prompt that was sent there is all but that.
    assert "def pay(amount):" in frames(model)
    assert MARK not in frames(model)
    assert MARK not in json.dumps(await editor.run_now("redline.lastPrompt", {}))


@pytest.mark.parametrize("chunk_chars", [1, 7, 1_000])
async def test_a_secret_never_leaves(
    begin_shared: BeginShared, serve: Serve, tmp_path: Path, chunk_chars: int
) -> None:
    """It is in no frame, but in the applied edit, for any stream."""
    text = f'TOKEN = "{SECRET}"\nprint(TOKEN)\n'
    script = Script(
        otherwise=ScriptReply(text="{{target}}x = 1\n", chunk_chars=chunk_chars)
    )
    model = await serve(script)
    redline = await begin_shared(model, {"shop.py": text})
    editor = redline.editor
    shop = uri(tmp_path, "shop.py")
    editor.type(shop, lines(1, 1), f'AGAIN = "{SECRET}"\n')
    edit = editor.edit(shop, lines(0, 3), f"send {SECRET}", apply="end")
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(shop) == (
        f'TOKEN = "{SECRET}"\nAGAIN = "{SECRET}"\nprint(TOKEN)\nx = 1\n'
    )
    assert SECRET not in frames(model)
    assert "REDLINE_SECRET_000000" in frames(model)


@pytest.mark.parametrize("steer", [True, False], ids=["steered", "restarted"])
async def test_a_secret_stays_here_through_a_redirect(
    begin_shared: BeginShared, serve: Serve, tmp_path: Path, *, steer: bool
) -> None:
    """The new instruction has it, and the file; it comes back from what follows."""
    text = f'TOKEN = "{SECRET}"\n'
    first = ScriptReply(items=("{{target}}", "y = 2\n"), chunk_chars=10_000)
    script = Script(
        rules=(ScriptRule(when=When(instruction="first"), reply=first),),
        otherwise=ScriptReply(text="{{target}}x = 1\n", chunk_chars=5),
    )
    model = await serve(script)
    hold = model.hold("first", after=1)
    redline = await begin_shared(model, {"shop.py": text}, steer=steer)
    editor = redline.editor
    shop = uri(tmp_path, "shop.py")
    edit = editor.edit(shop, lines(0, 1), "first", sessionId="one", apply="preview")
    await hold.reached()
    arguments = {"sessionId": "one", "instruction": f"then {SECRET}"}
    turned = editor.run("redline.redirect", arguments)
    await model.until(lambda: model.n("steer") + model.n("create") == 1 + 1)
    hold.release()
    how = "steered" if steer else "restarted"
    assert (await editor.result(turned))["how"] == how
    assert (await editor.result(edit))["outcome"] == "offered"
    await editor.run_now("redline.accept", {"sessionId": "one"})
    assert editor.text(shop) == f"{text}x = 1\n"
    assert SECRET not in frames(model)
    assert "then REDLINE_SECRET_000000" in frames(model)
    last = await editor.run_now("redline.lastPrompt", {"sessionId": "one"})
    assert "then REDLINE_SECRET_000000" in last["messages"][-1]["text"]
    assert len(last["messages"]) == 1 + steer


async def test_a_redirect_tells_a_model_no_more_about_an_ignored_file(
    begin_shared: BeginShared, serve: Serve, tmp_path: Path
) -> None:
    """Neither a steer of the answer that is being written nor another request."""
    first = ScriptReply(items=("{{target}}", "y = 2\n"), chunk_chars=10_000)
    rules = (ScriptRule(when=When(instruction="first"), reply=first),)
    model = await serve(Script(rules=rules))
    hold = model.hold("first", after=1)
    redline = await begin_shared(model, {"shop.py": "x = 1\n"}, steer=True)
    editor = redline.editor
    shop = uri(tmp_path, "shop.py")
    edit = editor.edit(shop, lines(0, 1), "first", sessionId="one", apply="preview")
    await hold.reached()
    (tmp_path / ".redlineignore").write_text("shop.py\n")
    arguments = {"sessionId": "one", "instruction": "another one"}
    turned = editor.run("redline.redirect", arguments)
    error = await editor.error(edit)
    assert "shop.py is not sent to a model" in error["message"]
    assert "Nothing was sent" not in error["message"], "the first request had been"
    assert (await editor.result(turned))["accepted"] is False
    hold.release()
    assert "another one" not in frames(model)


async def test_the_last_prompt_is_what_was_sent(
    start: Start, serve: Serve, tmp_path: Path
) -> None:
    """Word for word, of the last session and of each."""
    model = await serve(Script())
    redline = await begin(start, model, tmp_path, {"shop.py": SHOP})
    editor = redline.editor
    shop = uri(tmp_path, "shop.py")
    nothing = await editor.error(editor.run("redline.lastPrompt", {}))
    assert "Nothing was sent" in nothing["message"]
    for name in ("one", "two"):
        edit = editor.edit(shop, lines(3, 5), f"do {name}", sessionId=name)
        await editor.result(edit)
    last = await editor.run_now("redline.lastPrompt", {})
    first = await editor.run_now("redline.lastPrompt", {"sessionId": "one"})
    for prompt, sent in zip((first, last), requests(model), strict=True):
        assert prompt["instructions"] == sent["instructions"]
        assert [[m["role"], m["text"]] for m in prompt["messages"]] == [
            [each["role"], each["content"]] for each in sent["input"]
        ]
    assert last["sessionId"] == "two"
    assert last["model"] == "scripted"
    status = await editor.run_now("redline.status", {})
    assert status["contextBand"] == last["contextBand"] == "0-30"
    assert status["contextShare"] == round(last["tokens"] / 128_000, 3)
    assert "do two" not in redline.process.log.read_text()


async def test_a_usual_request_fits_the_window_of_a_fresh_connection(
    start: Start, serve: Serve, tmp_path: Path
) -> None:
    """In the middle of a large file, with everything around it that there is."""
    text = Path(json.__file__).with_name("decoder.py").read_text()
    model = await serve(Script())
    documents = {"shop.py": text, "other.py": text}
    redline = await begin(start, model, tmp_path, documents)
    editor = redline.editor
    shop = uri(tmp_path, "shop.py")
    editor.type(shop, lines(100, 100), "# typed\n")
    for first in (60, 120, 200, 300):
        await editor.result(editor.edit(shop, lines(first, first + 10)))
    sizes = [len(e.body) for e in model.entries if e.kind == "create" and e.body]
    assert len(sizes) == 4
    assert max(sizes) < 13_000
    assert min(sizes) > 6_000
