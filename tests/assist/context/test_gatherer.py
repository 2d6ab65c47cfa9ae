"""What is gathered around an edit, by the real indexer's process."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

import pytest

from redline.assist.actions.action import Diagnostic
from redline.assist.context.gatherer import ContextGatherer
from redline.assist.editor.workspace import Workspace
from redline.prompts.context import ContextItem
from redline.prompts.tokens import TokenCounter
from redline.text.document import ContentChange
from redline.text.position import Position, Range

SHOP = """\
from rates import convert


class Shop:
    def __init__(self, unit: str) -> None:
        self.unit = unit

    def pay(self, amount):
        return convert(amount, unit=self.unit)


def other():
    return Shop("x")
"""
RATES = "def convert(amount: int, *, unit: str) -> float:\n    return amount / 2\n"
PAY = range(7, 9)
LONG_WORD = "antidisestablishmentarianism\n"


class TellingCounter(TokenCounter):
    """Says when it has learnt something."""

    def __init__(self, news: asyncio.Event) -> None:
        super().__init__()
        self._news = news

    def learn(self, counts: Mapping[str, int]) -> None:
        super().learn(counts)
        self._news.set()


class Place:
    """A workspace on disk with its gatherer."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.workspace = Workspace()
        self.workspace.roots = (root.as_uri(),)
        self._news = asyncio.Event()
        self.counter = TellingCounter(self._news)
        self.gatherer = ContextGatherer(self.workspace, self.counter)
        self.gatherer.on_change = self._news.set

    def uri(self, path: str) -> str:
        """Name a file."""
        return (self.root / path).as_uri()

    def open(self, path: str, text: str) -> None:
        """Open a document."""
        self.workspace.open(self.uri(path), "python", 1, text)

    def type(self, path: str, line: int, text: str) -> None:
        """Put text at the start of a line."""
        document = self.workspace.document(self.uri(path))
        where = Range(Position(line, 0), Position(line, 0))
        change = ContentChange(range=where, text=text)
        self.workspace.change(document.uri, document.version + 1, [change])

    async def indexed(self) -> None:
        """Begin, and wait until the workspace is known."""
        self.gatherer.begin()
        await self.until_indexed()

    async def until_indexed(self) -> None:
        """Wait until the workspace is known."""
        await self.until(lambda: not self.gatherer.is_indexing)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until the indexer has said or done enough."""
        while not is_so():
            self._news.clear()
            await self._news.wait()

    def items(self, path: str, target: range) -> list[ContextItem]:
        """Look up what might help."""
        document = self.workspace.document(self.uri(path))
        gathered = self.gatherer.gather(document, target=target, shown=target)
        return list(gathered.items)

    def texts(self, path: str, target: range) -> dict[str, str]:
        """The same, its texts by kind."""
        return {item.kind: item.text for item in self.items(path, target)}


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    """A workspace with `rates.py` in it; afterwards nothing is left running."""
    (tmp_path / "rates.py").write_text(RATES)
    place = Place(tmp_path)
    yield place
    await place.gatherer.aclose()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert {task.get_name() for task in others} == set()


async def test_what_the_file_and_the_workspace_say(place: Place) -> None:
    """Imports, the enclosing code, and what it calls in a file that is not open."""
    place.open("shop.py", SHOP)
    await place.indexed()
    assert place.texts("shop.py", PAY) == {
        "import": "from rates import convert",
        "enclosing": "class Shop:\n    def __init__(self, unit: str) -> None:",
        "signature": "def convert(amount: int, *, unit: str) -> float:",
    }


async def test_near_a_cursor(place: Place) -> None:
    """What the shown lines and the rest of the file call, and open files beside it."""
    place.open("shop.py", SHOP)
    place.open("other.py", "from rates import convert\n\nunit = convert(1)\n")
    document = place.workspace.document(place.uri("shop.py"))
    assert place.gatherer.near_cursor(document, shown=range(11, 13)) is None
    await place.indexed()
    near = place.gatherer.near_cursor(document, shown=range(11, 13))
    assert near is not None
    texts = [item.text for item in near.signatures if item.kind == "signature"]
    assert texts == ["class Shop:", "def convert(amount: int, *, unit: str) -> float:"]
    assert [one.uri for one in near.related] == [place.uri("other.py")]
    assert place.gatherer.may_show_all(near.uris)
    (place.root / ".redlineignore").write_text("rates.py\n")
    assert not place.gatherer.may_show_all(near.uris)
    near = place.gatherer.near_cursor(document, shown=range(11, 13))
    assert near is not None
    texts = [item.text for item in near.signatures if item.kind == "signature"]
    assert texts == ["class Shop:"]


async def test_a_file_that_has_moved_is_not_shown(place: Place) -> None:
    """The indexer has not read the folders again, and it may be ignored where it is."""
    place.open("shop.py", SHOP)
    await place.indexed()
    document = place.workspace.document(place.uri("shop.py"))
    gathered = place.gatherer.gather(document, target=PAY, shown=PAY)
    near = place.gatherer.near_cursor(document, shown=PAY)
    assert near is not None
    assert place.gatherer.still_holds(gathered)
    assert place.gatherer.may_show_all(near.uris)
    (place.root / ".redlineignore").write_text("private/\n")
    (place.root / "private").mkdir()
    (place.root / "rates.py").rename(place.root / "private" / "rates.py")
    assert not place.gatherer.still_holds(gathered)
    assert not place.gatherer.may_show_all(near.uris)
    assert "signature" not in place.texts("shop.py", PAY)
    near = place.gatherer.near_cursor(document, shown=PAY)
    assert near is not None
    assert {item.path for item in near.signatures} <= {"", "shop.py"}


async def test_a_file_of_the_second_folder_is_shown(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    place.workspace.roots = (other.as_uri(), place.root.as_uri())
    place.open("shop.py", SHOP)
    await place.indexed()
    assert "signature" in place.texts("shop.py", PAY)
    (place.root / ".redlineignore").write_text("rates.py\n")
    assert "signature" not in place.texts("shop.py", PAY)


async def test_nothing_is_known_before_it_begins(place: Place) -> None:
    """No process is started for the engine that is no model."""
    place.open("shop.py", SHOP)
    assert place.items("shop.py", PAY) == []
    assert not place.gatherer.is_indexing


async def test_lines_that_moved_are_found(place: Place) -> None:
    """Before the file is read again: an instruction does not wait for it."""
    place.open("shop.py", SHOP)
    await place.indexed()
    place.type("shop.py", 1, "import os\nimport sys\n")
    texts = place.texts("shop.py", range(PAY.start + 2, PAY.stop + 2))
    assert texts["signature"].startswith("def convert(")
    assert texts["enclosing"].startswith("class Shop:")
    assert texts["recent-edit"] == "+ import os\n+ import sys"


async def test_related_open_files_are_shown(place: Place) -> None:
    """Those that share names with the document, the rarest first, and no other."""
    place.open("shop.py", SHOP)
    place.open("units.py", "unit = 'EUR'\nunits = [unit]\n")
    place.open("far.py", "zzz = 1\n")
    await place.indexed()
    items = place.items("shop.py", PAY)
    related = [item.source for item in items if item.kind == "open-file"]
    assert related == ["units.py"]


async def test_a_file_that_is_held_back_later_is_not_shown(place: Place) -> None:
    """Neither its signatures, nor its text, nor what was typed in it."""
    place.open("shop.py", SHOP)
    place.open("rates.py", RATES)
    await place.indexed()
    place.type("rates.py", 1, "    # amount, unit, convert\n")
    kinds = {item.kind for item in place.items("shop.py", PAY)}
    assert {"signature", "open-file", "recent-edit"} <= kinds
    (place.root / ".redlineignore").write_text("rates.py\n")
    kinds = {item.kind for item in place.items("shop.py", PAY)}
    assert kinds == {"import", "enclosing"}


@pytest.mark.parametrize("is_linked", [False, True])
async def test_a_file_outside_of_the_workspace_is_not_shown(
    place: Place, tmp_path_factory: pytest.TempPathFactory, is_linked: bool
) -> None:
    """Neither its signatures, nor its text, nor what was typed in it."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "prices.py").write_text(RATES)
    (place.root / "rates.py").unlink()
    folder = outside
    if is_linked:
        folder = place.root / "linked"
        folder.symlink_to(outside)
    path = str(folder / "prices.py")
    place.open("shop.py", SHOP)
    place.open(path, RATES)
    await place.indexed()
    place.type(path, 1, "    # amount, unit, convert\n")
    kinds = {item.kind for item in place.items("shop.py", PAY)}
    assert not kinds & {"signature", "open-file", "recent-edit"}
    # An edit of the file itself shows what it defines and what was typed.
    own = {item.kind for item in place.items(path, range(3, 4))}
    assert "recent-edit" in own


async def test_diagnostics_in_the_range(place: Place) -> None:
    """Only those, from any source, at their current places."""
    place.open("shop.py", SHOP)

    def at(line: int, message: str, source: str) -> Diagnostic:
        where = Range(Position(line, 0), Position(line, 4))
        return Diagnostic(range=where, message=message, source=source, code="E1")

    reported = [
        at(8, "wrong\nunit", "ruff"),
        at(7, "untyped", "mypy"),
        at(11, "x", "ruff"),
    ]
    place.gatherer.note_diagnostics(place.uri("shop.py"), 1, reported)
    place.type("shop.py", 0, "\n")
    items = place.items("shop.py", range(8, 10))
    diagnostics = {i.source: i.text for i in items if i.kind == "diagnostic"}
    assert diagnostics == {
        "ruff": "Line 2 of the range: wrong unit [E1]",
        "mypy": "Line 1 of the range: untyped [E1]",
    }
    place.gatherer.note_diagnostics(place.uri("shop.py"), 2, [])
    assert "diagnostic" not in {i.kind for i in place.items("shop.py", range(8, 10))}


async def test_lines_are_counted_by_the_process(place: Place) -> None:
    """With the real ranks; until then they are estimated."""
    place.open("shop.py", SHOP)
    assert place.counter.unknown(SHOP)
    await place.indexed()
    place.gatherer.learn(LONG_WORD)
    await place.until(lambda: not place.counter.unknown(SHOP + LONG_WORD))
    assert place.counter.about(LONG_WORD) == 7


async def test_a_process_that_dies_is_started_again(place: Place) -> None:
    """With the next document, and sent everything; after a few times not again."""
    place.open("shop.py", SHOP)
    await place.indexed()
    for number in range(5):
        if (pid := place.gatherer.pid) is None:
            break
        os.kill(pid, signal.SIGKILL)
        await place.until(lambda: place.gatherer.pid != pid)
        place.open(f"m{number}.py", "x = 1\n")
        await place.until_indexed()
        assert "signature" in place.texts("shop.py", PAY)
    assert number == 3
    # What was known stays known.
    assert "signature" in place.texts("shop.py", PAY)
