"""Code of other places in the prompt of a completion: which, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest
from tests.assist.virtual_time import VirtualTimeLoop

from redline.assist.context.gatherer import NearCursor
from redline.assist.editor.workspace import Workspace
from redline.assist.suggestions.complete.document_state import CompletedDocument
from redline.assist.suggestions.complete.nearby_at_pause import (
    MAX_FILE_CHARS,
    MAX_SIGNATURE_CHARS,
    NearbyAtPause,
)
from redline.assist.suggestions.complete.request_writer import (
    CompletionWriter,
    invents_secret,
)
from redline.prompts.context import ContextItem
from redline.text.document import Document
from redline.text.position import Position

FOLDER = "file:///project"


class Desk:
    """Open documents, and what is known of them."""

    def __init__(self) -> None:
        self.workspace = Workspace()
        self.workspace.change_roots(added=[FOLDER], removed=())
        self.signatures: list[ContextItem] = []
        self.related: list[Document] = []
        self.is_ignored = False
        self.n_chosen = 0
        self.main = self.open("main.py", "total = convert(price)\nx = \n")
        self.nearby = NearbyAtPause(self.workspace, self)

    def near_cursor(self, document: Document, *, shown: range) -> NearCursor:
        self.n_chosen += 1
        assert shown == range(document.n_lines)
        return NearCursor(
            signatures=tuple(self.signatures),
            related=tuple(self.related),
            uris=tuple(one.uri for one in self.related),
        )

    def may_show_all(self, uris: Sequence[str]) -> bool:
        return not (uris and self.is_ignored)

    def open(self, name: str, text: str) -> Document:
        """Open a document."""
        self.workspace.open(f"{FOLDER}/{name}", "python", 1, text)
        return self.workspace.document(f"{FOLDER}/{name}")

    def signature(self, name: str, text: str) -> None:
        """Have a definition found."""
        item = ContextItem(kind="signature", source=f"{name}:1", path=name, text=text)
        self.signatures.append(item)

    def key(self) -> None:
        """Type in the document."""
        now_s = asyncio.get_running_loop().time()
        self.nearby.note_cursor(self.main, 1, now_s)

    def code(self) -> list[tuple[str, str]]:
        """Return what is shown."""
        return [(each.path, each.text) for each in self.nearby.code(self.main)]

    async def chosen(self) -> list[tuple[str, str]]:
        """Type, and return what is shown behind the key."""
        self.key()
        await asyncio.sleep(1.5)
        return self.code()


def run(work: Callable[[], Awaitable[None]]) -> None:
    """Run a test in virtual time."""

    async def awaited() -> None:
        await work()

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(awaited())


def test_chosen_in_pauses() -> None:
    """Behind the first key, and then not while the user types."""

    async def work() -> None:
        desk = Desk()
        desk.signature("rates.py", "def convert(amount)")
        desk.key()
        assert desk.code() == []
        await asyncio.sleep(0.1)
        assert desk.code() == [("rates.py", "def convert(amount)")]
        desk.signature("rates.py", "def other()")
        for _ in range(50):
            desk.key()
            await asyncio.sleep(0.3)
        assert desk.n_chosen == 1
        await asyncio.sleep(1.0)
        assert desk.code() == [("rates.py", "def convert(amount)\ndef other()")]
        assert desk.nearby.code(desk.open("b.py", "")) == ()
        await asyncio.sleep(100)
        assert desk.n_chosen == 2

    run(work)


def test_nothing_of_a_closed_document_is_shown() -> None:
    """Not even until the next pause."""

    async def work() -> None:
        desk = Desk()
        rates = desk.open("rates.py", "def convert(price):\n    return 1\n")
        desk.related = [rates]
        assert len(await desk.chosen()) == 1
        desk.nearby.forget(desk.open("other.py", ""))
        assert len(desk.code()) == 1
        desk.nearby.forget(rates)
        desk.related = []
        for _ in range(10):
            desk.key()
            assert desk.code() == []
            await asyncio.sleep(0.3)

    run(work)


def test_the_most_related_part_of_each_file() -> None:
    """The part that shares the rarest names, within the limit."""

    async def work() -> None:
        desk = Desk()
        filler = "".join(f"value_{n} = {n}\n" for n in range(96))
        desk.related = [
            desk.open("rates.py", filler + "def convert(price):\n    return 1\n"),
            desk.open("other.py", filler),
            desk.open("copy.py", "total = convert(price)\nx = \n"),
            desk.main,
        ]
        ((path, text),) = await desk.chosen()
        assert path == "rates.py"
        assert text == "def convert(price):\n    return 1"
        desk.related = [
            desk.open(f"long_{n}.py", f"convert_{n} = price\n" + "y\n" * 2_000)
            for n in range(50)
        ]
        texts = [text for _, text in await desk.chosen()]
        assert texts
        assert sum(map(len, texts)) <= MAX_FILE_CHARS

    run(work)


def test_signatures_have_a_limit() -> None:
    """The nearest come first."""

    async def work() -> None:
        desk = Desk()
        for number in range(100):
            desk.signature(f"{number % 2}.py", f"def name_{number}({'a' * 80})")
        shown = await desk.chosen()
        assert [path for path, _ in shown] == ["0.py", "1.py"]
        assert "name_0" in shown[0][1]
        assert sum(len(text) for _, text in shown) <= MAX_SIGNATURE_CHARS

    run(work)


def test_a_file_that_becomes_ignored() -> None:
    """Nothing that was chosen is shown any more."""

    async def work() -> None:
        desk = Desk()
        desk.related = [desk.open("rates.py", "def convert(price):\n    return 1\n")]
        assert await desk.chosen()
        desk.is_ignored = True
        assert desk.code() == []

    run(work)


def test_closed_documents() -> None:
    """They are released, and nothing is chosen after the end."""

    async def work() -> None:
        desk = Desk()
        desk.signature("rates.py", "def convert(amount)")
        assert await desk.chosen()
        desk.key()
        desk.nearby.forget(desk.main)
        assert desk.code() == []
        await asyncio.sleep(5)
        desk.key()
        desk.nearby.close()
        await asyncio.sleep(5)
        assert desk.n_chosen == 1

    run(work)


@pytest.mark.parametrize("is_part", [False, True])
def test_secrets_in_them_are_replaced(*, is_part: bool) -> None:
    """And a reply with one of them is not shown; a private key is left out whole."""

    async def work() -> None:
        key = "sk-proj-" + "aB3dE5gH7jK9mN1pQ3sT5vW7"
        texts = [f'def convert(price="{key}")', "price = '-----BEGIN PRIVATE KEY-----'"]
        desk = Desk()
        for name, text in zip("ab", texts, strict=True):
            if is_part:
                desk.related.append(desk.open(f"{name}.py", f"{text}\n"))
            else:
                desk.signature(f"{name}.py", text)
        await desk.chosen()
        code = desk.nearby.code(desk.main)
        assert len(code) == 2
        writer = CompletionWriter(desk.workspace, "key")
        place = CompletedDocument(desk.main).place(Position(1, 4))
        written = writer.write(desk.main, 1, place, nearby=code)
        assert written is not None
        (message,) = written.request.prompt.chat_messages
        gap = written.request.prompt.gap
        assert gap is not None
        assert "def convert(price=" in message.text
        assert [each.path for each in gap.nearby] == ["a.py"]
        assert key not in message.text + gap.nearby[0].text
        assert "PRIVATE KEY" not in message.text
        assert invents_secret("x = REDLINE_SECRET_000000", "main.py", written.secrets)
        assert invents_secret("x = REDLINE_SECRET_000009", "main.py", written.secrets)
        assert not invents_secret("x = REDLINE_SECRET", "main.py", written.secrets)

    run(work)


def test_a_part_far_below_the_line_that_makes_it_secret() -> None:
    """Its values are replaced."""

    async def work() -> None:
        desk = Desk()
        entries = [f"  entry{number}: paddle{number}-otter" for number in range(400)]
        entries[300] = "  convert: otter-paddle price total"
        text = "\n".join(["kind: Secret", "stringData:", *entries, ""])
        desk.related.append(desk.open("deploy.yaml", text))
        await desk.chosen()
        code = desk.nearby.code(desk.main)
        assert "convert" in code[0].text
        writer = CompletionWriter(desk.workspace, "key")
        place = CompletedDocument(desk.main).place(Position(1, 4))
        written = writer.write(desk.main, 1, place, nearby=code)
        assert written is not None
        (message,) = written.request.prompt.chat_messages
        assert "convert: REDLINE_SECRET" in message.text
        assert "paddle" not in message.text

    run(work)
