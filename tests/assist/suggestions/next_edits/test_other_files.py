"""Next edits in other files than the one that was edited, open or not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.assist.in_process import InThisProcess
from tests.assist.suggestions.next_edits.next_edit_services import next_edits_of

from redline.assist.editor.workspace import Workspace
from redline.assist.suggestions.next_edits.offered import OfferedEdit
from redline.settings.completion import NextEditSettings
from redline.text.document import ContentChange
from redline.text.position import Position, Range

CART = "def total(rows):\n    return len(rows)\n\n\nprint(total([]))\n"
MAIN = "from shop.cart import total\n\nprint(total([1]))\n"


class Project:
    """A workspace on the disk, whose `shop/cart.py` is open."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        self.folder = folder
        for path, text in {"shop/cart.py": CART, **files}.items():
            self.write(path, text)
        self.changed: list[str] = []
        self.settings = NextEditSettings()
        self.workspace = Workspace()
        self.workspace.change_roots(added=[folder.as_uri()], removed=())
        self.parser = InThisProcess()
        self.next_edits = next_edits_of(
            self.workspace,
            lambda: self.settings,
            parser=self.parser,
            on_change=self.changed.append,
        )
        self.versions: dict[str, int] = {}
        self.open("shop/cart.py")

    def uri(self, path: str) -> str:
        """Return the URI of a file."""
        return (self.folder / path).as_uri()

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")

    def open(self, path: str, language: str = "python") -> None:
        """Open a file in the editor."""
        text = (self.folder / path).read_text(encoding="utf-8")
        self.versions[path] = 1
        self.workspace.open(self.uri(path), language, 1, text)

    def change(self, path: str, where: Range, text: str) -> None:
        """Change an open file."""
        self.versions[path] += 1
        change = ContentChange(range=where, text=text)
        self.workspace.change(self.uri(path), self.versions[path], [change])

    async def rename(self) -> None:
        """Rename the function where it is defined, and wait for the search."""
        where = Range(Position(0, 4), Position(0, 9))
        self.change("shop/cart.py", where, "grand_total")
        self.offer("shop/cart.py", is_settled=True)
        await self.next_edits.found()

    def offer(self, path: str, *, is_settled: bool = False) -> OfferedEdit | None:
        """Return what is offered for a document."""
        return self.next_edits.next_edit(self.uri(path), None, is_settled=is_settled)

    def offers(self, path: str = "shop/cart.py") -> list[tuple[str, int]]:
        """Return the files and lines of all that is offered for a document."""
        return [
            (self.workspace.relative_path(file.document.uri), one.range.start.line)
            for file in self.next_edits.all_edits(self.uri(path))
            for one in file.edits
        ]

    def accept(self, path: str) -> None:
        """Apply the next edit in an open file, as an editor does."""
        offered = self.offer(path)
        assert offered is not None
        assert offered.document.uri == self.uri(path)
        self.change(path, offered.edit.range, offered.edit.text)


def run(work: Callable[[], Awaitable[None]]) -> None:
    """Run a test."""

    async def awaited() -> None:
        await work()

    asyncio.run(awaited())


def test_from_file_to_file(tmp_path: Path) -> None:
    """First the file at hand, then a file that is not open, which the user opens."""

    async def work() -> None:
        project = Project(tmp_path, {"main.py": MAIN})
        await project.rename()
        assert project.offers() == [("shop/cart.py", 4), ("main.py", 0), ("main.py", 2)]
        assert project.changed == [project.uri("shop/cart.py")]
        project.accept("shop/cart.py")
        elsewhere = project.offer("shop/cart.py")
        assert elsewhere is not None
        assert elsewhere.document.uri == project.uri("main.py")
        assert (elsewhere.is_open, elsewhere.n_left) == (False, 1)
        project.open("main.py")
        assert project.offers("main.py") == [("main.py", 0), ("main.py", 2)]
        project.accept("main.py")
        project.accept("main.py")
        assert project.offer("main.py") is None
        assert project.offer("shop/cart.py") is None
        await project.next_edits.aclose()

    run(work)


def test_an_open_file_is_read_as_it_is_in_the_editor(tmp_path: Path) -> None:
    """Also when it was never saved."""

    async def work() -> None:
        project = Project(tmp_path, {"main.py": MAIN})
        project.open("main.py")
        start = Position(0, 0)
        project.change("main.py", Range(start, start), "# new\n")
        await project.rename()
        assert project.offers()[1:] == [("main.py", 1), ("main.py", 3)]
        offered = project.next_edits.all_edits(project.uri("shop/cart.py"))[1]
        assert offered.is_open
        await project.next_edits.aclose()

    run(work)


@pytest.mark.parametrize("way", ["undo", "type on", "reject", "rename again"])
def test_what_withdraws_them(tmp_path: Path, way: str) -> None:
    """Offers elsewhere do not outlive the change that they follow from."""

    async def work() -> None:
        project = Project(tmp_path, {"main.py": MAIN})
        await project.rename()
        project.changed.clear()
        name = Range(Position(0, 4), Position(0, 15))
        if way == "undo":
            project.change("shop/cart.py", name, "total")
        elif way == "type on":
            project.change("shop/cart.py", Range(name.end, name.end), "x")
        elif way == "reject":
            offered = project.offer("shop/cart.py")
            assert offered is not None
            project.next_edits.dismissed(offered.id, "rejected")
        else:
            project.change("shop/cart.py", name, "whole")
            project.offer("shop/cart.py", is_settled=True)
            await project.next_edits.found()
            texts = {
                one.text
                for file in project.next_edits.all_edits(project.uri("shop/cart.py"))
                for one in file.edits
            }
            assert texts == {"whole"}
            return
        assert project.offers() == []
        assert project.uri("shop/cart.py") in project.changed
        await project.next_edits.aclose()

    run(work)


def test_a_rejection_holds_for_all_files(tmp_path: Path) -> None:
    """Rejected in one file, it is not offered again in the others."""

    async def work() -> None:
        project = Project(tmp_path, {"main.py": MAIN})
        await project.rename()
        project.accept("shop/cart.py")
        offered = project.offer("shop/cart.py")
        assert offered is not None
        project.next_edits.dismissed(offered.id, "rejected")
        project.open("main.py")
        assert project.offers() == project.offers("main.py") == []
        await project.next_edits.aclose()

    run(work)


def test_a_file_that_changed_since_it_was_read(tmp_path: Path) -> None:
    """What was found in it is not offered any more."""

    async def work() -> None:
        project = Project(tmp_path, {"main.py": MAIN})
        await project.rename()
        project.write("main.py", "# nothing here\n")
        assert project.offers() == [("shop/cart.py", 4)]
        await project.next_edits.aclose()

    run(work)


def test_where_nothing_is_offered(tmp_path: Path) -> None:
    """In ignored files, languages that are off, and files outside of the workspace."""

    async def work() -> None:
        files = {
            ".redlineignore": "private/\n",
            "private/main.py": MAIN,
            "secrets.py": "x = 1\n",
            "web/main.ts": "import { total } from '../shop/cart';\n",
        }
        project = Project(tmp_path, files)
        project.open("private/main.py")
        await project.rename()
        assert project.offers() == [("shop/cart.py", 4)]
        await project.next_edits.aclose()

    run(work)


def test_the_search_ends_too_late(tmp_path: Path) -> None:
    """What it finds for a change that was taken back is dropped."""

    async def work() -> None:
        project = Project(tmp_path, {"main.py": MAIN})
        project.parser.may_work.clear()
        where = Range(Position(0, 4), Position(0, 9))
        project.change("shop/cart.py", where, "grand_total")
        project.offer("shop/cart.py", is_settled=True)
        back = Range(Position(0, 4), Position(0, 15))
        project.change("shop/cart.py", back, "total")
        project.parser.may_work.set()
        await project.next_edits.found()
        assert project.offers() == []
        await project.next_edits.aclose()

    run(work)
