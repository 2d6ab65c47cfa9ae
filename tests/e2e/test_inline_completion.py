"""Inline completion at the editor's wire: ghost text, the popup, and privacy."""

from __future__ import annotations

import copy
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.e2e.conftest import Serve, Shared, Start, sharing
from tests.e2e.editor_document import Json
from tests.e2e.redline_session import Redline, settings_for
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import CAPABILITIES

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When
from redline.gateway.injected_faults import Cut

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/cart.py"
URIS = (f"file:///project/cart{n}.py" for n in itertools.count())
"""No reply for one test's document is shown in another's."""
METHOD = "textDocument/inlineCompletion"


def capable(**inline: Any) -> Json:
    """Return the capabilities of an editor with ghost text."""
    capabilities = copy.deepcopy(CAPABILITIES)
    capabilities["textDocument"]["inlineCompletion"] = inline
    return capabilities


def saying(text: str) -> Script:
    return Script(otherwise=ScriptReply(text=text, chunk_chars=3))


class Typist:
    """Types into a document and requests completions, as an editor does."""

    def __init__(self, redline: Redline, text: str, uri: str = URI) -> None:
        self.editor = redline.editor
        self.uri = uri
        self.line = text.count("\n")
        self.character = len(text.rpartition("\n")[2])
        self.editor.open(uri, text)

    def type(self, text: str) -> None:
        """Insert a text in the cursor's line."""
        at = {"line": self.line, "character": self.character}
        self.editor.type(self.uri, {"start": at, "end": at}, text)
        self.character += len(text)

    def ask(self, method: str = METHOD, *, kind: int = 2) -> int:
        """Request a completion at the cursor."""
        at = {"line": self.line, "character": self.character}
        params = {
            "textDocument": {"uri": self.uri},
            "position": at,
            "context": {"triggerKind": kind},
        }
        return self.editor.ask(method, params)

    async def shown(self, *, kind: int = 2) -> list[str]:
        """Request a completion and return its texts."""
        result = await self.editor.result(self.ask(kind=kind))
        return [item["insertText"] for item in result["items"]]


async def connected(
    start: Start, model: ScriptedModel, capabilities: Json, **initialize: object
) -> Redline:
    """Start a server that completes by a model."""
    options = {**settings_for(model, checks={}), "complete": {"enabled": True}}
    redline = await start(options=options, capabilities=capabilities, **initialize)
    await redline.hear_of("scripted")
    return redline


Complete = Callable[..., Awaitable[Redline]]


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def shared_completing(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Shared]:
    """The server of `complete`."""
    folder = tmp_path_factory.mktemp("completing")
    async with sharing(folder, capable(), "models", "tiers") as shared:
        yield shared


@pytest_asyncio.fixture(loop_scope="session")
async def complete(
    shared_completing: Shared,
    serve: Serve,  # Its models end after the server has other settings.
) -> AsyncIterator[Complete]:
    """Have a server that tests share complete by a model: `complete(model, folder)`.

    A test with failures needs a server of its own, which remembers them.
    """
    async with AsyncExitStack() as stack:

        async def complete(
            model: ScriptedModel, folder: Path | None = None, *, per_minute: int = 600
        ) -> Redline:
            settings = settings_for(model, name="fast", checks={})
            settings["complete"] = {"enabled": True, "per_minute": per_minute}
            if folder is None:
                there = shared_completing.with_settings(settings)
            else:
                there = shared_completing.in_folder(folder, settings)
            return await stack.enter_async_context(there)

        yield complete


@pytest_asyncio.fixture(loop_scope="session")
async def popup(
    shared: Shared,
    serve: Serve,  # Its models end after the server has other settings.
) -> AsyncIterator[Complete]:
    """Have the server of an editor without ghost text complete: `popup(model)`."""
    async with AsyncExitStack() as stack:

        async def popup(model: ScriptedModel) -> Redline:
            settings = settings_for(model, name="fast", checks={})
            settings["complete"] = {"enabled": True}
            return await stack.enter_async_context(shared.with_settings(settings))

        yield popup


async def test_ghost_text_while_typing(complete: Complete, serve: Serve) -> None:
    """One request to the model serves every key that agrees with its reply."""
    model = await serve(saying("total = price * count\nreturn total"))
    redline = await complete(model)
    before = (await redline.editor.run_now("redline.status", {}))["completions"]
    text = "def cost(price, count):\n    total = "
    typist = Typist(redline, text, uri=next(URIS))
    assert await typist.shown() == ["price * count"]
    for key in "price":
        typist.type(key)
        assert (await typist.shown())[0].endswith(" * count")
    typist.type(" * count")
    assert await typist.shown() == ["\n    return total"]
    assert model.n("create") == 1
    completions = (await redline.editor.run_now("redline.status", {}))["completions"]
    # All but the first come from the one reply.
    names = ("requests", "shown", "atOnce")
    assert [completions[name] - before[name] for name in names] == [1, 7, 6]
    assert completions["cost"] == 0


async def test_the_request_is_sent_with_the_key(
    complete: Complete, serve: Serve
) -> None:
    """The model is asked before the editor asks, and once for both."""
    model = await serve(saying("x = one + two"))
    redline = await complete(model)
    typist = Typist(redline, "f()", uri=next(URIS))
    # The statement is complete; the request shows that this editor asks by itself.
    assert await typist.shown() == []
    typist.type("\n")
    await model.until(lambda: model.n("create") == 1)
    typist.line, typist.character = 1, 0
    assert await typist.shown() == ["x = one + two"]
    # Two are sent if the first is silent for long.
    assert model.n("create") <= 2


async def test_overtaken_and_cancelled_requests(
    complete: Complete, serve: Serve
) -> None:
    """Each request is answered once, and the reply serves the next one."""
    model = await serve(saying("y = first + second"))
    hold = model.hold_model("fast", after=0)
    redline = await complete(model)
    typist = Typist(redline, "y = ", uri=next(URIS))
    overtaken = typist.ask()
    await hold.reached()
    cancelled = typist.ask()
    redline.editor.cancel(cancelled)
    assert await redline.editor.result(overtaken) is None
    assert (await redline.editor.error(cancelled))["code"] == -32800
    waiting = typist.ask()
    hold.release()
    result = await redline.editor.result(waiting)
    assert [item["insertText"] for item in result["items"]] == ["first + second"]
    # Three requests of the editor; two of ours, if the first is silent for long.
    assert model.n("create") <= 2


async def test_the_popup_of_other_editors(popup: Complete, serve: Serve) -> None:
    """An editor without ghost text gets one item, as soon as there is one."""
    model = await serve(saying("total = price * count"))
    redline = await popup(model)
    typist = Typist(redline, "total = pri", uri=next(URIS))
    result = await redline.editor.result(typist.ask("textDocument/completion"))
    while not result["items"]:
        assert result["isIncomplete"]
        result = await redline.editor.result(typist.ask("textDocument/completion"))
    (item,) = result["items"]
    assert item["label"] == "price * count"
    assert item["textEdit"]["range"]["start"] == {"line": 0, "character": 8}
    assert item["textEdit"]["newText"] == "price * count"
    assert item["insertTextMode"] == 1, "the client indents no line"


async def test_a_popup_does_not_wait_for_the_model(
    popup: Complete, serve: Serve
) -> None:
    """It is answered without items while the model is silent, and asked for again."""
    model = await serve(saying("total = price * count"))
    hold = model.hold_model("fast", after=0)
    redline = await popup(model)
    typist = Typist(redline, "total = pri", uri=next(URIS))
    asked = typist.ask("textDocument/completion")
    await hold.reached()
    assert await redline.editor.result(asked) == {"isIncomplete": True, "items": []}
    hold.release()


async def test_an_empty_budget(complete: Complete, serve: Serve) -> None:
    """Nothing is sent, and the status says why."""
    model = await serve(saying("x = 1"))
    redline = await complete(model, per_minute=0)
    typist = Typist(redline, "x = ")
    assert await typist.shown() == []
    assert await typist.shown(kind=1) == []
    assert model.n("create") == 0
    completions = (await redline.editor.run_now("redline.status", {}))["completions"]
    assert completions["pause"] == "minute"


@pytest.mark.parametrize(
    ("uri", "text"),
    [
        ("file:///project/.env", "KEY = "),
        ("file:///project/keys.py", 'KEY = """-----BEGIN PRIVATE KEY-----\n'),
    ],
)
async def test_secrets_are_not_sent(
    complete: Complete, serve: Serve, uri: str, text: str
) -> None:
    """Nothing is sent from a secret file or beside a key, even on request."""
    model = await serve(saying("KEY = 1"))
    redline = await complete(model)
    typist = Typist(redline, text, uri=uri)
    assert await typist.shown(kind=1) == []
    assert model.n("create") == 0


async def test_recent_edits_are_shown_to_the_model(
    complete: Complete, serve: Serve, tmp_path: Path
) -> None:
    """What was changed in another file is in the prompt, after a pause of typing."""
    reply = ScriptReply(text="total = price", delay_s=0.05)
    model = await serve(Script(otherwise=reply))
    redline = await complete(model, tmp_path)
    other = Typist(redline, "from shop import ", uri=(tmp_path / "prices.py").as_uri())
    other.type("net_price")
    shown = "prices.py\n- from shop import \n+ from shop import net_price"
    # The server reads the edits in a pause, which begins after the last key. The delay
    # keeps the requests until then below the most a minute.
    for n in itertools.count():
        typist = Typist(redline, "total = ", uri=(tmp_path / f"cart{n}.py").as_uri())
        assert await typist.shown() == ["price"]
        (message,) = model.prompts[-1].chat_messages
        if shown in message.text:
            break


async def test_other_files_are_shown_to_the_model(
    complete: Complete, serve: Serve, tmp_path: Path
) -> None:
    """What is called, and the open file that shares the most names; no ignored one."""
    files = {
        "rates.py": "def convert(amount: int, *, unit: str) -> float:\n    ...\n",
        "hidden.py": "def convert_all(amounts):\n    ...\n",
        "notes.py": "convert_notes = 1\n",
        ".redlineignore": "hidden.py\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    model = await serve(saying("y = 2"))
    redline = await complete(model, tmp_path)
    for name in ("hidden.py", "notes.py"):
        Typist(redline, files[name], uri=(tmp_path / name).as_uri())
    head = "x = convert(1) + convert_all([]) + convert_notes\n"
    typist = Typist(redline, f"{head}y = ", uri=(tmp_path / "cart.py").as_uri())
    text = ""
    # The first request does not wait for them.
    while "Defined in rates.py" not in text:
        typist.type("(")
        await typist.shown(kind=1)
        (message,) = model.prompts[-1].chat_messages
        text = message.text
    assert "def convert(amount: int, *, unit: str) -> float:" in text
    assert "Part of notes.py:\n```\nconvert_notes = 1\n```" in text
    assert "convert_all(amounts)" not in text


async def test_a_failing_model(start: Start, serve: Serve) -> None:
    """A failure shows nothing and says nothing; the next key works."""
    model = await serve(Script(otherwise=ScriptReply(failed="server_error")))
    redline = await connected(start, model, capable())
    typist = Typist(redline, "x = ")
    assert await typist.shown() == []
    model.say(saying("x = 10"))
    typist.type(" ")
    assert await typist.shown() == ["10"]
    assert redline.editor.all_of("window/showMessage") == []


async def test_a_connection_that_breaks(start: Start, serve: Serve) -> None:
    """A reply that ends in the middle shows nothing and says nothing."""
    model = await serve(saying("x = first + second\ny = third"))
    hold = model.hold_model("scripted", after=2)
    redline = await connected(start, model, capable())
    typist = Typist(redline, "x = ")
    asked = typist.ask()
    await hold.reached()
    await model.hang_up()
    assert (await redline.editor.result(asked))["items"] == []
    typist.type("z")
    assert await typist.shown() == []
    assert redline.editor.all_of("window/showMessage") == []


async def test_the_key_after_a_cut(start: Start, serve: Serve) -> None:
    """A socket that is cut in a reply is replaced, and the next key shows its text.

    The request is sent again if nothing of the reply has been read.
    """
    cut = ScriptReply(chunks=("x = fir", "st\n"), faults=(Cut(at=5),))
    rule = ScriptRule(when=When(nth=1), reply=cut)
    model = await serve(Script(rules=(rule,), otherwise=ScriptReply(text="x = zone")))
    redline = await connected(start, model, capable())
    typist = Typist(redline, "x = ")
    assert await typist.shown() in ([], ["zone"])
    typist.type("z")
    assert await typist.shown() == ["one"]
    assert redline.editor.all_of("window/showMessage") == []


async def test_more_of_an_answer_is_announced(start: Start, serve: Serve) -> None:
    """A client that asked for it hears that a block has become longer."""
    model = await serve(saying("y = x\nreturn y"))
    hold = model.hold_model("scripted", after=3)
    capabilities = capable()
    capabilities["experimental"] = {"redline": {"status": True}}
    capabilities["experimental"]["redline"]["inline"] = {"refresh": True}
    redline = await connected(start, model, capabilities)
    typist = Typist(redline, "def f(x):\n    ")
    assert await typist.shown() == ["y = x"]
    hold.release()
    changed = await redline.editor.hear_method("redline/inline/changed")
    assert changed == {"uri": URI, "version": 1}
    assert await typist.shown() == ["y = x\n    return y"]
    assert model.n("create") == 1


async def test_a_dismissed_text(complete: Complete, serve: Serve) -> None:
    """The client reports it, and the text does not come back."""
    model = await serve(saying("x = one + two"))
    redline = await complete(model)
    typist = Typist(redline, "x = ", uri=next(URIS))
    assert await typist.shown() == ["one + two"]
    redline.editor.notify("redline/inline/dismissed", {"uri": typist.uri})
    assert await typist.shown() == []


async def test_an_import_of_nothing(
    complete: Complete, serve: Serve, tmp_path: Path
) -> None:
    """There is no such module beside the file, so it is not shown."""
    model = await serve(saying("from .no_such_module import name"))
    redline = await complete(model, tmp_path)
    typist = Typist(redline, "from", uri=(tmp_path / "cart.py").as_uri())
    assert await typist.shown() == []
    assert model.n("create") == 1


async def test_dynamic_registration(start: Start, serve: Serve) -> None:
    """An editor that can register it is asked to; the static capability is left out."""
    model = await serve(saying("x = 1"))
    redline = await connected(start, model, capable(dynamicRegistration=True))
    params = await redline.editor.hear(
        lambda message: (
            message.get("method") == "client/registerCapability"
            and message["params"]["registrations"][0]["method"] == METHOD
        )
    )
    assert params["params"]["registrations"][0]["id"] == "redline-inline-completion"
    # Turned off, it is taken back.
    redline.editor.settings = {**settings_for(model), "complete": {"enabled": False}}
    redline.editor.notify("workspace/didChangeConfiguration", {"settings": None})
    params = await redline.editor.hear_method("client/unregisterCapability")
    (gone,) = params["unregisterations"]
    assert gone == {"id": "redline-inline-completion", "method": METHOD}
    # A language that is turned off stays registered: it is completed on request.
    n_heard = len(redline.editor.heard)
    off = {"enabled": True, "off": ["python"]}
    redline.editor.settings = {**settings_for(model), "complete": off}
    redline.editor.notify("workspace/didChangeConfiguration", {"settings": None})
    params = await redline.editor.hear_method(
        "client/registerCapability", after=n_heard
    )
    assert [one["method"] for one in params["registrations"]] == [METHOD]
    typist = Typist(redline, "x = ")
    assert await typist.shown() == []
    assert await typist.shown(kind=1) == ["1"]


@pytest.mark.parametrize(
    ("encoding", "character"), [("utf-8", 13), ("utf-16", 11), ("utf-32", 10)]
)
async def test_line_ends_and_units(
    start: Start, serve: Serve, encoding: str, character: int
) -> None:
    """Columns are in the client's units, and lines end as in the document."""
    model = await serve(saying('s = "𝄞" + f(\n    a,\n)'))
    capabilities = capable()
    capabilities["general"] = {"positionEncodings": [encoding]}
    redline = await connected(start, model, capabilities)
    typist = Typist(redline, 'a = 1\r\ns = "𝄞" + ')
    typist.line, typist.character = 1, character
    result = await redline.editor.result(typist.ask())
    (item,) = result["items"]
    assert item["insertText"] == "f(\r\n    a,\r\n)"
    assert item["range"]["start"] == {"line": 1, "character": character}
