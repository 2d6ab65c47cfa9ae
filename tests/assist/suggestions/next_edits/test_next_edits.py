"""The life of next edits: when rules run, and what ends an offer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from tests.assist.in_process import InThisProcess
from tests.assist.suggestions.next_edits.next_edit_services import next_edits_of
from tests.assist.virtual_time import VirtualTimeLoop

from redline.assist.editor.workspace import Workspace
from redline.assist.suggestions.next_edits.next_edits import SETTLE_S
from redline.assist.suggestions.next_edits.offered import OfferedEdit
from redline.settings.completion import NextEditSettings
from redline.text.document import ContentChange
from redline.text.position import Position, Range

URI = "file:///project/cart.py"
TEXT = """def cost(rows):
    total = 0
    total += 1
    print(total)
    return total
"""


class Desk:
    """A document, and its next edits."""

    def __init__(self, text: str = TEXT, uri: str = URI) -> None:
        self.settings = NextEditSettings()
        self.changed: list[str] = []
        self.edited: set[int] = set()
        self.workspace = Workspace()
        self.next_edits = next_edits_of(
            self.workspace,
            lambda: self.settings,
            parser=InThisProcess(),
            on_change=self.changed.append,
            is_edited=lambda uri, line: line in self.edited,
        )
        self.uri = uri
        self.version = 1
        self.workspace.open(uri, "python", 1, text)

    def change(self, line: int, start: int, end: int, text: str) -> None:
        """Replace a part of a line."""
        self.version += 1
        where = Range(Position(line, start), Position(line, end))
        change = ContentChange(range=where, text=text)
        self.workspace.change(self.uri, self.version, [change])

    def rename(self) -> None:
        """Rename the variable where it is defined, key by key."""
        self.change(1, 4, 9, "")
        for number, key in enumerate("grand_total"):
            self.change(1, 4 + number, 4 + number, key)

    async def pause(self) -> None:
        """Let the change settle."""
        await asyncio.sleep(2 * SETTLE_S)

    def offered(self, *, is_settled: bool = False) -> OfferedEdit | None:
        """Return the next edit at the end of what was typed."""
        return self.next_edits.next_edit(self.uri, None, is_settled=is_settled)

    def lines(self) -> list[int]:
        """Return the lines of all offers."""
        return [
            one.range.start.line
            for file in self.next_edits.all_edits(self.uri)
            for one in file.edits
        ]

    def accept(self) -> None:
        """Apply the next edit, as an editor does."""
        offered = self.offered()
        assert offered is not None
        where = offered.edit.range
        start, end = where.start, where.end
        self.change(start.line, start.character, end.character, offered.edit.text)


def run(work: Callable[[], Awaitable[None]]) -> None:
    """Run a test in virtual time."""

    async def awaited() -> None:
        await work()

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(awaited())


def test_an_offer_comes_when_the_user_pauses() -> None:
    """Not while keys come; then once, and the accepted one makes room for the next."""

    async def work() -> None:
        desk = Desk()
        desk.rename()
        assert desk.offered() is None
        await desk.pause()
        assert desk.changed == [URI]
        for line, n_left in ((2, 2), (3, 1), (4, 0)):
            offered = desk.offered()
            assert offered is not None
            assert offered.edit.range.start.line == line
            assert offered.n_left == n_left
            desk.accept()
        assert desk.offered() is None
        await desk.pause()
        assert desk.offered() is None
        await desk.next_edits.aclose()

    run(work)


TWICE = """def cost(rows):
    total = 0
    print(total, rows, total)
    return total + total
"""


def test_the_places_of_a_rename_in_one_line_are_taken_together() -> None:
    """They are one edit; if one is changed by hand, the other is still offered."""

    async def work() -> None:
        desk = Desk(TWICE)
        desk.rename()
        offered = desk.offered(is_settled=True)
        assert offered is not None
        assert offered.edit.old == "total, rows, total"
        assert offered.edit.text == "grand_total, rows, grand_total"
        assert offered.n_left == 1
        desk.accept()
        assert desk.lines() == [3, 3]
        await desk.next_edits.aclose()
        desk = Desk(TWICE)
        desk.rename()
        assert desk.offered(is_settled=True) is not None
        desk.change(2, 10, 15, "grand_total")
        offered = desk.offered()
        assert offered is not None
        assert (offered.edit.old, offered.n_left) == ("total", 1)
        assert offered.edit.range.start == Position(2, 29)
        await desk.next_edits.aclose()

    run(work)


def test_an_editor_that_reports_what_it_has_done_is_believed_for_all_places() -> None:
    """Its report of an edit counts for all places of the line."""

    async def work() -> None:
        desk = Desk(TWICE)
        desk.rename()
        offered = desk.offered(is_settled=True)
        assert offered is not None
        desk.next_edits.accepted(offered.id)
        assert desk.lines() == [3, 3]
        await desk.next_edits.aclose()

    run(work)


def test_an_editor_that_knows_that_the_change_has_settled() -> None:
    """It gets the offer at once; the id stays while the offer does."""

    async def work() -> None:
        desk = Desk()
        desk.rename()
        offered = desk.offered(is_settled=True)
        assert offered is not None
        desk.next_edits.shown(offered.id)
        desk.change(0, 0, 0, "import os\n")
        again = desk.offered()
        assert again is not None
        assert (again.id, again.edit.range.start.line) == (offered.id, 3)
        desk.next_edits.accepted(again.id)
        assert desk.lines() == [4, 5]
        await desk.next_edits.aclose()

    run(work)


def test_in_a_class_that_is_too_long_for_the_loop() -> None:
    """A process finds what follows; what the user then types makes it void."""
    methods = "".join(
        f"    def m{number}(self, rows):\n        return rows + {number}\n\n"
        for number in range(300)
    )
    text = f"class Cart:\n{methods}    def cost(self):\n        total = 0\n"
    text += "        return total\n"
    line = text.count("\n") - 2

    async def work() -> None:
        desk = Desk(text)
        desk.change(line, 8, 13, "whole")
        assert desk.offered(is_settled=True) is None
        await desk.next_edits.found()
        assert desk.lines() == [line + 1]
        assert desk.changed == [URI]
        desk.change(line, 8, 13, "sum_of")
        assert desk.offered(is_settled=True) is None
        desk.change(line, 14, 14, "s")
        await desk.next_edits.found()
        assert desk.lines() == []
        await desk.next_edits.aclose()

    run(work)


def test_undo_withdraws_the_offers() -> None:
    """Taking the change back leaves nothing that follows from it."""

    async def work() -> None:
        desk = Desk()
        desk.rename()
        await desk.pause()
        assert desk.lines() == [2, 3, 4]
        desk.change(1, 4, 15, "total")
        assert desk.lines() == []
        await desk.pause()
        assert desk.lines() == []

    run(work)


def test_a_rejected_offer_stays_away() -> None:
    """Also after unrelated edits, and the others of the chain with it."""

    async def work() -> None:
        desk = Desk()
        desk.rename()
        offered = desk.offered(is_settled=True)
        assert offered is not None
        desk.next_edits.dismissed(offered.id, "rejected")
        desk.next_edits.dismissed(offered.id, "rejected")
        assert desk.lines() == []
        await asyncio.sleep(10)
        desk.change(1, 15, 15, " ")
        await desk.pause()
        assert desk.lines() == []

    run(work)


def test_an_ignored_offer_makes_room_for_the_next() -> None:
    """It is only skipped."""

    async def work() -> None:
        desk = Desk()
        desk.rename()
        offered = desk.offered(is_settled=True)
        assert offered is not None
        desk.next_edits.dismissed(offered.id, "ignored")
        assert desk.lines() == [3, 4]
        await desk.next_edits.aclose()

    run(work)


@pytest.mark.parametrize(("is_shown", "lines"), [(False, [2, 3, 4]), (True, [3, 4])])
def test_only_a_visible_offer_is_ignored(is_shown: bool, lines: list[int]) -> None:
    """Two times count as a rejection."""

    async def work() -> None:
        desk = Desk()
        for _ in range(2):
            desk.rename()
            offered = desk.offered(is_settled=True)
            assert offered is not None
            if is_shown:
                desk.next_edits.shown(offered.id)
            desk.next_edits.dismissed(offered.id, "ignored")
            desk.change(1, 4, 15, "total")
            await asyncio.sleep(100)
        desk.rename()
        desk.offered(is_settled=True)
        assert desk.lines() == lines
        await desk.next_edits.aclose()

    run(work)


def test_turning_them_off_withdraws_the_offers() -> None:
    """Also the code actions of other editors."""

    async def work() -> None:
        desk = Desk()
        desk.rename()
        assert desk.offered(is_settled=True) is not None
        desk.settings = NextEditSettings(enabled=False)
        assert desk.offered() is None
        assert desk.lines() == []
        await desk.next_edits.aclose()

    run(work)


def test_where_nothing_is_offered() -> None:
    """In secret files, where it is off, and for edits that are not the user's."""

    async def work() -> None:
        secret = Desk(uri="file:///project/.env")
        secret.rename()
        assert secret.offered(is_settled=True) is None
        off = Desk()
        off.settings = NextEditSettings(enabled=False)
        off.rename()
        assert off.offered(is_settled=True) is None
        language = Desk()
        language.settings = NextEditSettings(off=("python",))
        language.rename()
        assert language.offered(is_settled=True) is None
        ours = Desk()
        ours.edited.add(1)
        ours.rename()
        assert ours.offered(is_settled=True) is None
        assert ours.next_edits.next_edit("file:///x", None, is_settled=True) is None
        closed = Desk()
        closed.rename()
        closed.workspace.close(URI)
        await closed.pause()
        assert closed.offered() is None
        for desk in (secret, off, language, ours):
            await desk.next_edits.aclose()

    run(work)
