"""The life of a completion: requests of the editor, of ours, and their limits."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.assist.fake_model import FakeGeneration, FakeModel
from tests.assist.in_process import InThisProcess
from tests.assist.virtual_time import VirtualTimeLoop

from redline import keys_in_use
from redline.assist.editor.workspace import Workspace
from redline.assist.suggestions.complete.completions import Completions
from redline.assist.suggestions.complete.document_state import (
    CompletionItem,
    OpenRequest,
)
from redline.assist.suggestions.complete.items import PopupSelection
from redline.checks.edit_question import CheckedFolders
from redline.errors import ModelServerError, RateLimitedError
from redline.keys_in_use import note_key
from redline.models.interface import Usage
from redline.settings.completion import CompletionSettings
from redline.text.document import ContentChange
from redline.text.position import Position, Range

URI = "file:///project/cart.py"


class OneModel:
    """The only model, or none."""

    is_ready = True

    def __init__(self, model: FakeModel | None) -> None:
        self.model = model

    def completer(self, language: str) -> FakeModel | None:
        return self.model


async def answered(request: OpenRequest) -> tuple[CompletionItem, ...] | None:
    """Wait for the answer to a request."""
    known: asyncio.Future[tuple[CompletionItem, ...] | None] = (
        asyncio.get_running_loop().create_future()
    )
    request.then(known.set_result)
    return await known


class Desk:
    """A document at a cursor, a model, and the completions between them."""

    def __init__(
        self,
        text: str,
        *,
        uri: str = URI,
        language: str = "python",
        has_model: bool = True,
    ) -> None:
        self.model = FakeModel(prices=(1.0, 1.0))
        self.settings = CompletionSettings()
        self.edited: set[int] = set()
        """Lines of running edits."""
        self.parser = InThisProcess()
        self.folders: CheckedFolders | None = None
        self.announced: list[int] = []
        """Versions for which more has arrived than the editor was answered."""
        self.workspace = Workspace()
        self.completions = Completions(
            self.workspace,
            OneModel(self.model if has_model else None),
            lambda: self.settings,
            cache_key="key",
            parser=self.parser,
            folders=lambda: self.folders,
            on_ready=lambda document: self.announced.append(document.version),
            is_edited=lambda uri, line: line in self.edited,
        )
        self.uri = uri
        self.version = 1
        self.at = Position(0, 0)
        before, _, after = text.partition("│")
        self.workspace.open(uri, language, 1, before + after)
        self._move(before)

    def _move(self, typed: str) -> None:
        n_lines = typed.count("\n")
        last = typed.rpartition("\n")[2]
        start = 0 if n_lines else self.at.character
        self.at = Position(self.at.line + n_lines, start + len(last))

    def change(self, *changes: tuple[Position, Position, str]) -> None:
        """Replace ranges, in one message."""
        self.version += 1
        self.workspace.change(
            self.uri,
            self.version,
            [ContentChange(range=Range(a, b), text=text) for a, b, text in changes],
        )

    def type(self, text: str) -> None:
        """Insert a text at the cursor."""
        self.change((self.at, self.at, text))
        self._move(text)

    def backspace(self, n_chars: int = 1) -> None:
        """Delete characters of the line."""
        start = Position(self.at.line, self.at.character - n_chars)
        self.change((start, self.at, ""))
        self.at = start

    def ask(
        self, *, is_invoked: bool = False, selection: PopupSelection | None = None
    ) -> tuple[CompletionItem, ...] | OpenRequest | None:
        """Request a completion."""
        return self.completions.request(
            self.uri, self.at, is_invoked=is_invoked, selection=selection
        )

    async def shown(self, *, is_invoked: bool = False) -> list[str] | None:
        """Request a completion and wait for the answer."""
        answer = self.ask(is_invoked=is_invoked)
        if isinstance(answer, OpenRequest):
            answer = await answered(answer)
        return None if answer is None else [item.text for item in answer]

    async def replied(self, reply: str, *, n: int | None = None) -> list[str] | None:
        """Request a completion, and let the model reply to it."""
        number = len(self.model.generations) if n is None else n
        asked = asyncio.ensure_future(self.shown())
        generation = await self.model.generation(number)
        assert generation.request.kind == "completion"
        generation.reply(reply)
        return await asked

    @property
    def pause(self) -> str:
        """Why no request is sent now."""
        return self.completions.pause

    @property
    def n_sent(self) -> int:
        """Requests to the model."""
        return self.completions.counter.total.requests


def run(work: Callable[[], Awaitable[None]]) -> None:
    """Run a test in virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(_awaited(work))


async def _awaited(work: Callable[[], Awaitable[None]]) -> None:
    await work()


def test_one_reply_serves_many_keys() -> None:
    """Typing along sends nothing, and an acceptance is counted."""

    async def work() -> None:
        desk = Desk("x = │")
        assert await desk.replied("x = one + two\ny = 3") == ["one + two"]
        for key in "one":
            desk.type(key)
        assert await desk.shown() == [" + two"]
        desk.type(" + two")
        assert await desk.shown() == ["\ny = 3"]
        desk.type("\n")
        assert await desk.shown() == ["y = 3"]
        assert desk.n_sent == 1
        assert desk.completions.counter.total.accepted == 1
        await desk.completions.aclose()

    run(work)


def test_the_key_sends_the_request() -> None:
    """After an automatic request, keys send before the editor asks."""

    async def work() -> None:
        desk = Desk("f()│")
        assert await desk.shown() == []
        desk.type("\n")
        assert desk.n_sent == 1
        assert await desk.replied("x = 10", n=0) == ["x = 10"]
        assert desk.n_sent == 1
        await desk.completions.aclose()

    run(work)


def test_a_request_waits_for_no_turn_of_the_event_loop() -> None:
    """The model has the request when the change of the document has been handled."""

    async def work() -> None:
        desk = Desk("f()│")
        assert await desk.shown() == []
        desk.type("\n")
        assert len(desk.model.requests) == 1
        await desk.completions.aclose()

    run(work)


def test_overtaken_requests_are_answered() -> None:
    """The older of two requests is answered with null, the newer by the reply."""

    async def work() -> None:
        desk = Desk("re│")
        older = desk.ask()
        assert isinstance(older, OpenRequest)
        desk.type("t")
        newer = asyncio.ensure_future(desk.shown())
        await asyncio.sleep(0)
        assert older.is_answered
        assert older.items is None
        (await desk.model.generation()).reply("return a")
        assert await newer == ["urn a"]
        assert desk.n_sent == 1
        await desk.completions.aclose()

    run(work)


def test_a_contradicted_reply_is_replaced_at_once() -> None:
    """If the reply contradicts what was typed meanwhile, another one is requested."""

    async def work() -> None:
        desk = Desk("re│")
        desk.ask()
        desk.type("x")
        waiting = asyncio.ensure_future(desk.shown())
        (await desk.model.generation(0)).reply("return a")
        (await desk.model.generation(1)).reply("rexx = 1")
        assert await waiting == ["x = 1"]
        await desk.completions.aclose()

    run(work)


@pytest.mark.parametrize(
    ("text", "uri", "language"),
    [
        ("KEY = │", "file:///project/.env", "python"),
        ("-----BEGIN PRIVATE KEY-----\n│", URI, "python"),
        ('KEY = "sk-proj-4f9aK2mQ8xZ│7LwP3sT6vB1nR5yC0d"', URI, "python"),
        ("x = │<|cursor|>", URI, "python"),
    ],
)
def test_never_sent(text: str, uri: str, language: str) -> None:
    """Secret files, keys and marks of ours are not sent, even on request."""

    async def work() -> None:
        desk = Desk(text, uri=uri, language=language)
        assert await desk.shown(is_invoked=True) == []
        assert desk.n_sent == 0
        await desk.completions.aclose()

    run(work)


@pytest.mark.parametrize("language", ["markdown", "plaintext"])
def test_languages_that_are_off(language: str) -> None:
    """They are completed on request only."""

    async def work() -> None:
        desk = Desk("x = │", language=language)
        assert await desk.shown() == []
        assert desk.n_sent == 0
        desk.ask(is_invoked=True)
        assert desk.n_sent == 3
        await desk.completions.aclose()

    run(work)


@pytest.mark.parametrize(
    ("replies", "expected"),
    [
        (["x = one", "x = two", "x = three"], ["one", "two", "three"]),
        (["x = one", "x = one", "x = two"], ["one", "two"]),
        (["x = one", "", ""], ["one"]),
        (["", "", ""], []),
    ],
)
def test_a_choice_on_request(replies: list[str], expected: list[str]) -> None:
    """Three requests give as many different texts as they can."""

    async def work() -> None:
        desk = Desk("x = │")
        asked = asyncio.ensure_future(desk.shown(is_invoked=True))
        for number, reply in enumerate(replies):
            assert not asked.done()
            (await desk.model.generation(number)).reply(reply)
        assert sorted(await asked or []) == sorted(expected)
        assert desk.n_sent == 3
        await desk.completions.aclose()

    run(work)


def test_a_choice_adds_to_what_is_there() -> None:
    """A text that arrived before is the first, and a silent model is not awaited."""

    async def work() -> None:
        desk = Desk("x = │")
        assert await desk.replied("x = one") == ["one"]
        asked = asyncio.ensure_future(desk.shown(is_invoked=True))
        (await desk.model.generation(1)).reply("x = two")
        before_s = asyncio.get_running_loop().time()
        assert await asked == ["one", "two"]
        assert asyncio.get_running_loop().time() - before_s <= 1.5
        assert desk.n_sent == 3
        await desk.completions.aclose()

    run(work)


def test_a_choice_within_the_limits() -> None:
    """Requests that the user asks for count as others do."""

    async def work() -> None:
        desk = Desk("x = │")
        desk.settings = CompletionSettings(per_minute=2)
        asked = asyncio.ensure_future(desk.shown(is_invoked=True))
        (await desk.model.generation(0)).reply("x = one")
        assert await asked == ["one"]
        assert desk.n_sent == 2
        await desk.completions.aclose()

    run(work)


def test_large_documents_are_not_completed() -> None:
    """More than two million characters are data."""

    async def work() -> None:
        desk = Desk("x = │\n" + "y = 1\n" * 400_000)
        assert await desk.shown(is_invoked=True) == []
        assert desk.n_sent == 0
        await desk.completions.aclose()

    run(work)


def test_kinds_of_changes() -> None:
    """Undo, several cursors and pastes send nothing; three deletions do."""

    async def work() -> None:
        desk = Desk("x = abcdef│")
        await desk.replied("NO_EDITS")
        start, other = Position(0, 4), Position(0, 1)
        desk.change((start, Position(0, 10), "uvwxyz"))
        n_sent = desk.n_sent
        desk.change((start, Position(0, 10), "abcdef"))
        assert await desk.shown() == []
        desk.change((start, start, "1"), (other, other, "2"))
        assert await desk.shown() == []
        desk.at = Position(0, 12)
        desk.change((desk.at, desk.at, "z" * 300))
        desk.at = Position(0, 312)
        assert await desk.shown() == []
        assert desk.n_sent == n_sent
        for _ in range(2):
            desk.backspace()
            assert await desk.shown() == []
        assert desk.n_sent == n_sent
        desk.backspace()
        desk.ask()
        assert desk.n_sent == n_sent + 1
        await desk.completions.aclose()

    run(work)


@pytest.mark.parametrize(("n_chars", "is_paste"), [(1, False), (300, True)])
def test_after_a_pause(n_chars: int, is_paste: bool) -> None:
    """A paste, or one deletion, is completed 0.4 s later."""

    async def work() -> None:
        desk = Desk("x = ab│")
        desk.type("z" * n_chars) if is_paste else desk.backspace(n_chars)
        assert await desk.shown() == []
        assert desk.n_sent == 0
        await asyncio.sleep(0.4)
        desk.ask()
        assert desk.n_sent == 1
        await desk.completions.aclose()

    run(work)


def test_after_an_undo_and_several_cursors() -> None:
    """A reply of before shows after an undo; a key after several cursors sends."""

    async def work() -> None:
        desk = Desk("x = │")
        assert await desk.replied("x = one + two") == ["one + two"]
        start, other, end = Position(0, 4), Position(0, 1), Position(0, 8)
        desk.change((start, start, "abcd"))
        desk.change((start, end, ""))
        assert await desk.shown() == ["one + two"]
        n_sent = desk.n_sent
        desk.change((start, start, "1"), (other, other, "2"))
        desk.at = Position(0, 6)
        assert await desk.shown() == []
        assert desk.n_sent == n_sent
        desk.type("3")
        desk.ask()
        assert desk.n_sent == n_sent + 1
        await desk.completions.aclose()

    run(work)


def test_an_ignored_file(tmp_path: Path) -> None:
    """Nothing of it is sent, even on request."""
    (tmp_path / ".redlineignore").write_text("cart.py\n")

    async def work() -> None:
        desk = Desk("x = │", uri=(tmp_path / "cart.py").as_uri())
        desk.workspace.change_roots(added=[tmp_path.as_uri()], removed=())
        assert await desk.shown(is_invoked=True) == []
        assert await desk.shown() == []
        assert desk.n_sent == 0
        await desk.completions.aclose()

    run(work)


def test_leaving_the_line_and_typing_to_the_end() -> None:
    """The reply is found again; typing its last character accepts it."""

    async def work() -> None:
        desk = Desk("x = │\ny = 1\n")
        assert await desk.replied("x = one") == ["one"]
        home, desk.at = desk.at, Position(1, 5)
        desk.ask()
        desk.at = home
        assert await desk.shown() == ["one"]
        n_sent = desk.n_sent
        for key in "one":
            desk.type(key)
        assert await desk.shown() == []
        assert desk.n_sent == n_sent
        assert desk.completions.counter.total.accepted == 1
        await desk.completions.aclose()

    run(work)


def test_a_text_that_was_typed_against_twice() -> None:
    """It is not shown again at its place."""

    async def work() -> None:
        desk = Desk("x = │")
        assert await desk.replied("x = one + two") == ["one + two"]
        for _ in range(2):
            desk.type("z")
            desk.ask()
            desk.backspace()
            last = await desk.shown()
        assert last == []
        await desk.completions.aclose()

    run(work)


def python_in(folder: Path) -> CheckedFolders:
    """Write a project with an environment of Python that has one module."""
    environment = {
        ".venv/pyvenv.cfg": f"home = {folder}/base/bin\nversion = 3.12.1\n",
        ".venv/lib/python3.12/site-packages/web-2.0.dist-info/METADATA": "",
        "base/lib/python3.12/os.py": "",
    }
    for name, text in environment.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return CheckedFolders(roots=(folder.as_uri(),))


def test_an_import_is_checked_before_it_is_shown(tmp_path: Path) -> None:
    """One of what does not exist is not shown, however long the check takes."""

    async def work() -> None:
        desk = Desk("import│", uri=(tmp_path / "cart.py").as_uri())
        desk.workspace.change_roots(added=[tmp_path.as_uri()], removed=())
        desk.folders = python_in(tmp_path)
        desk.parser.may_work.clear()
        asked = asyncio.ensure_future(desk.shown())
        (await desk.model.generation()).reply("import nonexisting_mod\nx = 1")
        await asyncio.sleep(5)
        assert not asked.done()
        desk.parser.may_work.set()
        assert await asked == []
        desk.type(" ")
        assert await desk.replied("import os") == ["os"]
        await desk.completions.aclose()

    run(work)


def test_a_name_is_typed_instead_of_another(tmp_path: Path) -> None:
    """The reply is read on behind it without a request, and imports are checked."""

    async def work() -> None:
        desk = Desk("│", uri=(tmp_path / "cart.py").as_uri())
        desk.workspace.change_roots(added=[tmp_path.as_uri()], removed=())
        desk.folders = python_in(tmp_path)
        reply = "import os as one\nimport nonexisting_mod\ntotal = sum(rates)"
        assert await desk.replied(reply) == ["import os as one"]
        desk.type("import os as two\n")
        assert await desk.shown() == []
        desk.type("import os\namount = ")
        assert await desk.shown() == ["sum(rates)"]
        assert desk.n_sent == 1
        await desk.completions.aclose()

    run(work)


def test_what_is_dismissed_is_not_shown_again() -> None:
    """Neither the text nor the rest of it, from this reply or another one."""

    async def work() -> None:
        desk = Desk("x = │")
        assert await desk.replied("x = one + two") == ["one + two"]
        desk.completions.dismissed(desk.uri)
        assert await desk.replied("x = one + two") == []
        desk.type("one")
        assert await desk.shown() == []
        assert desk.n_sent == 2
        await desk.completions.aclose()

    run(work)


def test_nothing_is_dismissed() -> None:
    """Where nothing is shown, or no document is open, it changes nothing."""

    async def work() -> None:
        desk = Desk("x = │")
        desk.completions.dismissed(desk.uri)
        desk.completions.dismissed("file:///elsewhere.py")
        assert await desk.replied("x = one + two") == ["one + two"]
        await desk.completions.aclose()

    run(work)


def test_a_block_with_an_error_in_its_last_line() -> None:
    """It is shown without that line; so it is if it arrived before."""

    async def work() -> None:
        desk = Desk("def f(x):\n    │")
        reply = "y = x\n    z = y\n    return = = z"
        assert await desk.replied(reply) == ["y = x\n    z = y"]
        desk.type("y")
        assert await desk.shown() == [" = x\n    z = y"]
        desk.type(" = x\n    z = y\n    ")
        desk.ask()
        assert desk.n_sent == 2
        await desk.completions.aclose()

    run(work)


def test_more_than_was_answered_is_announced() -> None:
    """An editor that was answered with a part of a block may ask again."""

    async def work() -> None:
        desk = Desk("def f(x):\n    │")
        asked = asyncio.ensure_future(desk.shown())
        generation = await desk.model.generation()
        generation.write("y = x\n")
        assert await asked == ["y = x"]
        assert desk.announced == []
        generation.write("return y\n")
        generation.finish()
        await asyncio.sleep(0.1)
        assert desk.announced == [1]
        assert await desk.shown() == ["y = x\n    return y"]
        assert desk.n_sent == 1
        await desk.completions.aclose()

    run(work)


def test_nothing_is_announced_for_another_text() -> None:
    """What arrives after a key is for the editor's next request."""

    async def work() -> None:
        desk = Desk("def f(x):\n    │")
        asked = asyncio.ensure_future(desk.shown())
        generation = await desk.model.generation()
        generation.write("y = x\n")
        assert await asked == ["y = x"]
        desk.type("y")
        generation.write("return y\n")
        generation.finish()
        await asyncio.sleep(0.1)
        assert desk.announced == []
        await desk.completions.aclose()

    run(work)


def test_keys_of_one_message() -> None:
    """Neighbouring insertions that an editor sends together are typed text."""

    async def work() -> None:
        desk = Desk("│")
        first, second = Position(0, 0), Position(0, 1)
        desk.change((first, first, "x"), (second, second, " "))
        desk.at = Position(0, 2)
        assert await desk.replied("x = 10") == ["= 10"]
        await desk.completions.aclose()

    run(work)


def test_deleted_text_is_not_shown_again_for_a_minute() -> None:
    """What the user took back is not offered at once."""

    async def work() -> None:
        desk = Desk("x = │")
        assert await desk.replied("x = one + two") == ["one + two"]
        desk.type("one + two")
        desk.backspace(len("one + two"))
        assert await desk.shown() == []
        await asyncio.sleep(61)
        assert await desk.shown() == ["one + two"]
        await desk.completions.aclose()

    run(work)


def test_failures_pause() -> None:
    """A refusal by rate pauses for five seconds; nothing is shown meanwhile."""

    async def work() -> None:
        desk = Desk("x = │")
        asked = asyncio.ensure_future(desk.shown())
        (await desk.model.generation()).fail(RateLimitedError("slow", model="fake"))
        assert await asked == []
        desk.type("a")
        assert await desk.shown() == []
        assert desk.n_sent == 1
        assert desk.pause == "failures"
        await asyncio.sleep(6)
        assert desk.pause == ""
        assert await desk.replied("x = abc") == ["bc"]
        await desk.completions.aclose()

    run(work)


def test_one_failure_does_not_pause() -> None:
    """The next key works."""

    async def work() -> None:
        desk = Desk("x = │")
        asked = asyncio.ensure_future(desk.shown())
        (await desk.model.generation()).fail(ModelServerError("no", model="fake"))
        assert await asked == []
        desk.type("a")
        assert await desk.replied("x = abc") == ["bc"]
        await desk.completions.aclose()

    run(work)


def test_limits() -> None:
    """The limits of a minute and of a day end the requests, not the answers."""

    async def work() -> None:
        desk = Desk("x = │")
        desk.settings = CompletionSettings(per_minute=1)
        assert await desk.replied("x = one + two") == ["one + two"]
        assert desk.pause == "minute"
        desk.type("zz")
        assert await desk.shown() == []
        desk.backspace(2)
        assert await desk.shown() == ["one + two"]
        await asyncio.sleep(61)
        desk.type("ww")
        asked = asyncio.ensure_future(desk.shown())
        generation = await desk.model.generation(1)
        generation.write("x = ww1")
        generation.finish(usage=Usage(input_n_tokens=2_000_000))
        assert await asked == ["1"]
        await asyncio.sleep(61)
        assert desk.pause == "day"
        desk.type("yy")
        assert await desk.shown() == []
        assert desk.n_sent == 2
        await desk.completions.aclose()

    run(work)


@pytest.mark.parametrize(("calm", "quiet_s"), [("normal", 0.12), ("calm", 0.6)])
def test_calmness(calm: str, quiet_s: float) -> None:
    """New text waits for a pause in typing; text that is shown stays."""

    async def work() -> None:
        desk = Desk("x =│")
        desk.settings = CompletionSettings(calm=calm)  # type: ignore[arg-type]
        loop = asyncio.get_running_loop()
        desk.type(" ")
        began = loop.time()
        assert await desk.replied("x = one + two") == ["one + two"]
        assert loop.time() - began == pytest.approx(quiet_s)
        desk.type("o")
        began = loop.time()
        assert await desk.shown() == ["ne + two"]
        assert loop.time() == began
        await desk.completions.aclose()

    run(work)


def test_a_reply_that_ends_waits_for_the_other() -> None:
    """A reply that is typed to its end does not hide one that is still silent."""

    async def work() -> None:
        desk = Desk("x = │")
        asked = asyncio.ensure_future(desk.shown())
        first = await desk.model.generation(0)
        await asyncio.sleep(0.5)
        desk.type("1")
        overtaken, asked = asked, asyncio.ensure_future(desk.shown())
        assert await overtaken is None
        second = await desk.model.generation(1)
        first.reply("x = 10")
        assert await asked == ["0"]
        desk.type("0")
        asked = asyncio.ensure_future(desk.shown())
        await asyncio.sleep(0.1)
        assert not asked.done()
        second.reply("x = 10 + y")
        assert await asked == [" + y"]
        await desk.completions.aclose()

    run(work)


def test_blocks_wait_for_their_lines() -> None:
    """A block is answered whole, or after 0.15 s with the lines that are there."""

    async def work() -> None:
        desk = Desk("def f(x):\n    │")
        asked = asyncio.ensure_future(desk.shown())
        generation = await desk.model.generation()
        generation.write("y = x\n")
        began = asyncio.get_running_loop().time()
        assert await asked == ["y = x"]
        assert asyncio.get_running_loop().time() - began == pytest.approx(0.15)
        generation.write("return y")
        generation.finish()
        await asyncio.sleep(0)
        await desk.completions.aclose()

    run(work)


def test_the_popup_selection() -> None:
    """An item continues the selected item in its range, or there is none."""

    async def work() -> None:
        desk = Desk("console.l│")
        await desk.replied("console.log(value)")
        selection = PopupSelection(start=7, end=9, text=".log")
        answer = desk.ask(selection=selection)
        assert isinstance(answer, tuple)
        (item,) = answer
        assert (item.text, item.start.character, item.end.character) == (
            ".log(value)",
            7,
            9,
        )
        other = PopupSelection(start=7, end=9, text=".warn")
        assert desk.ask(selection=other) == ()
        await desk.completions.aclose()

    run(work)


def test_secrets_are_restored() -> None:
    """The model sees a placeholder, and the user the value."""

    async def work() -> None:
        secret = "sk-proj-4f9aK2mQ8xZ7LwP3sT6vB1nR5yC0d"
        desk = Desk(f'KEY = "{secret}"\nuse(│')
        asked = asyncio.ensure_future(desk.shown())
        generation = await desk.model.generation()
        assert secret not in generation.prompt
        generation.reply('use("REDLINE_SECRET_000000")')
        assert await asked == [f'"{secret}")']
        await desk.completions.aclose()

    run(work)


@pytest.mark.parametrize(
    ("api", "expected"), [("fim", ["f(1)"]), ("chat-completions", ["1)"])]
)
def test_the_form_of_replies(api: str, expected: list[str]) -> None:
    """A model that fills in the middle continues at the cursor; others repeat the
    line."""

    async def work() -> None:
        desk = Desk("f(│)")
        desk.model.api = api
        assert await desk.replied("f(1)") == expected
        await desk.completions.aclose()

    run(work)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("use('{key}')", []),
        ("use(\n    1,\n    '{key}',\n)", []),
        ("use('{base64}')", []),
        ("use(REDLINE_SECRET_000000)", []),
    ],
)
def test_a_key_that_the_model_repeats(
    monkeypatch: pytest.MonkeyPatch, reply: str, expected: list[str]
) -> None:
    """An API key in use is not shown, in any form, nor a placeholder without one."""
    key = "b1946ac92492d2347c6235b4d2611184"
    monkeypatch.setattr(keys_in_use, "_known", keys_in_use._KnownKeys())
    note_key(key)

    async def work() -> None:
        desk = Desk("use(│")
        encoded = base64.b64encode(key.encode()).decode()
        assert await desk.replied(reply.format(key=key, base64=encoded)) == expected
        await desk.completions.aclose()

    run(work)


def test_a_secret_that_the_model_invents() -> None:
    """It is not shown: nothing like it is in the text."""

    async def work() -> None:
        desk = Desk('KEY = "│"')
        secret = "sk-live-4f9aD83kLmQ2vX7tR1wZ0pB6"
        assert await desk.replied(f'KEY = "{secret}"') == []
        desk.type("plain")
        assert await desk.replied('KEY = "plain_name"') == ['_name"']
        await desk.completions.aclose()

    run(work)


def test_a_key_of_the_document_may_be_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The user has put it there; the model is sent a placeholder."""
    key = "b1946ac92492d2347c6235b4d2611184"
    monkeypatch.setattr(keys_in_use, "_known", keys_in_use._KnownKeys())
    note_key(key)

    async def work() -> None:
        desk = Desk(f"a = '{key}'\nuse(│")
        assert await desk.replied("use('REDLINE_SECRET_000000')") == [f"'{key}')"]
        assert key not in desk.model.generations[0].prompt
        await desk.completions.aclose()

    run(work)


def test_without_a_model() -> None:
    """Only what the file itself repeats is shown."""

    async def work() -> None:
        line = "self.endpoint.register(Handler, timeout_s=1.0)\n"
        desk = Desk(line * 2 + "self.endpoint.register(│", has_model=False)
        assert await desk.shown() == ["Handler, timeout_s=1.0)"]
        desk.type("x")
        assert await desk.shown() == []
        await desk.completions.aclose()

    run(work)


@pytest.mark.parametrize("is_invoked", [True, False])
def test_a_secret_file_without_a_model(is_invoked: bool) -> None:
    """Nothing is shown there either, although nothing would be sent."""

    async def work() -> None:
        line = "self.endpoint.register(Handler, timeout_s=1.0)\n"
        text = line * 2 + "self.endpoint.register(│"
        desk = Desk(text, uri="file:///project/.env", has_model=False)
        assert await desk.shown(is_invoked=is_invoked) == []
        await desk.completions.aclose()

    run(work)


def test_the_region_of_an_edit() -> None:
    """Nothing is sent or shown there, not even on request or if the edit came later."""

    async def work() -> None:
        desk = Desk("a = 1\nx = │")
        asked = asyncio.ensure_future(desk.shown())
        generation = await desk.model.generation()
        desk.edited = {1}
        generation.reply("x = one")
        assert await asked == []
        assert await desk.shown(is_invoked=True) == []
        desk.type("z")
        assert desk.n_sent == 1
        desk.backspace()
        desk.edited = {0}
        assert await desk.shown(is_invoked=True) == ["one"]
        await desk.completions.aclose()

    run(work)


def test_a_closed_document() -> None:
    """Its request is answered, and its reply is stopped."""

    async def work() -> None:
        desk = Desk("x = │")
        asked = asyncio.ensure_future(desk.shown())
        generation = await desk.model.generation()
        desk.workspace.close(URI)
        assert await asked is None
        assert generation.is_stopped
        assert await desk.shown() == []
        await desk.completions.aclose()

    run(work)


def test_crlf_documents() -> None:
    """Lines end as in the document."""

    async def work() -> None:
        desk = Desk("a = 1\r\nx = f(│")
        assert await desk.replied("x = f(\n    a,\n)") == ["\r\n    a,\r\n)"]
        await desk.completions.aclose()

    run(work)


def test_fifty_keys() -> None:
    """Fifty keys in five seconds, and a right model whose first delta takes 0.3 s: six
    requests at most, and each request of the editor is answered, once."""

    async def work() -> None:
        text = (
            "for item in self.items:\n    total = sum(item.price * item.count, start)"
        )
        desk = Desk("│")
        loop = asyncio.get_running_loop()
        replying: set[FakeGeneration] = set()
        answers: list[asyncio.Future[list[str] | None]] = []
        for at, key in enumerate(text[:50]):
            desk.type(key)
            answers.append(asyncio.ensure_future(desk.shown()))
            await asyncio.sleep(0.1)
            for one in set(desk.model.generations) - replying:
                replying.add(one)
                above = text[: at + 1].rpartition("\n")[0]
                loop.call_later(0.2, one.reply, text.removeprefix(f"{above}\n"))
        shown = [await answer for answer in answers]
        assert desk.n_sent <= 6
        # Only the keys before the first delta are overtaken.
        assert shown[:3].count(None) == shown.count(None) <= 3
        for at, items in enumerate(shown[3:], start=4):
            assert items
            assert items[0]
            assert text[at:].lstrip().startswith(items[0].lstrip())
        await desk.completions.aclose()

    run(work)


def test_replies_of_all_documents_are_bounded() -> None:
    """The replies of the document that was not changed for longest go first."""

    async def work() -> None:
        desk = Desk("x = │")
        desk.settings = CompletionSettings(per_minute=600)
        assert await desk.replied("x = first") == ["first"]
        first = desk.uri
        for number in range(5):
            desk.uri = f"file:///project/other_{number}.py"
            desk.workspace.open(desk.uri, "python", 1, "")
            desk.at, desk.version = Position(0, 0), 1
            for row in range(52):
                desk.type(f"\nx{row} = ")
                await desk.replied(f"x{row} = 10")
        n_sent = desk.n_sent
        desk.uri, desk.at = first, Position(0, 4)
        desk.ask()
        assert desk.n_sent == n_sent + 1
        desk.uri, desk.at = "file:///project/other_4.py", Position(52, 6)
        assert await desk.shown() == ["10"]
        assert desk.n_sent == n_sent + 1
        await desk.completions.aclose()

    run(work)
