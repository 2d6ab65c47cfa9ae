"""Recent edits in the prompt of a completion: which, and when."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.assist.virtual_time import VirtualTimeLoop

from redline.assist.context.recent_edits import RecentEdit
from redline.assist.editor.workspace import Workspace
from redline.assist.privacy.timely_rules import TimelyRules
from redline.assist.suggestions.complete.document_state import CompletedDocument
from redline.assist.suggestions.complete.edits_at_pause import MAX_CHARS, EditsAtPause
from redline.assist.suggestions.complete.request_writer import (
    CompletionWriter,
    invents_secret,
)
from redline.text.document import Document
from redline.text.position import Position

CART = "def total():\n    return 2\n# end\n"


class Desk:
    """Two documents, and the edits that were made there."""

    def __init__(self, folder: Path) -> None:
        self.workspace = Workspace()
        self.workspace.change_roots(added=[folder.as_uri()], removed=())
        self.cart = self.open(folder / "cart.py", CART)
        self.main = self.open(folder / "main.py", "import cart\nx = \n\n\n\n")
        self.edits: list[RecentEdit] = []
        self.recent = EditsAtPause(self.workspace, lambda: self.edits, TimelyRules())

    def open(self, path: Path, text: str) -> Document:
        """Open a document."""
        self.workspace.open(path.as_uri(), "python", 1, text)
        return self.workspace.document(path.as_uri())

    def edited(
        self, document: Document, line: int, text: str, secrets: tuple[str, ...] = ()
    ) -> None:
        """Record an edit, written as removed and added lines."""
        written = text.split("\n")
        edit = RecentEdit(
            document=document,
            lines=range(line, line + 1),
            above="",
            old=tuple(each[2:] for each in written if each[0] == "-"),
            new=tuple(each[2:] for each in written if each[0] == "+"),
            secrets=secrets,
        )
        self.edits.append(edit)

    def pause(self) -> None:
        """Type, and pause."""

        async def work() -> None:
            self.recent.note_key(asyncio.get_running_loop().time())
            await asyncio.sleep(1.5)

        with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
            runner.run(work())

    def texts(self, line: int) -> list[str]:
        """Return what is shown for a cursor in the second document."""
        return [text for _, text in self.recent.texts(self.main, line)]


def test_edits_of_all_documents_are_shown(tmp_path: Path) -> None:
    """With their paths, the newest last."""
    desk = Desk(tmp_path)
    desk.edited(desk.main, 0, "- import carts\n+ import cart")
    desk.edited(desk.cart, 1, "-     return 1\n+     return 2")
    desk.pause()
    assert desk.texts(4) == [
        "main.py\n- import carts\n+ import cart",
        "cart.py\n-     return 1\n+     return 2",
    ]


@pytest.mark.parametrize(
    ("line", "shown"), [(0, 1), (1, 0), (2, 0), (3, 0), (4, 0), (5, 1)]
)
def test_the_line_of_the_cursor_is_not_shown(
    tmp_path: Path, line: int, shown: int
) -> None:
    """It is half written, and follows in the prompt; a key in the next line, or a new
    line, continues the same edit."""
    desk = Desk(tmp_path)
    edit = RecentEdit(
        document=desk.main, lines=range(2, 4), above="", old=(), new=("x = ", "y")
    )
    desk.edits.append(edit)
    desk.pause()
    assert len(desk.texts(line)) == shown
    assert len(desk.recent.texts(desk.cart, line)) == 1


@pytest.mark.parametrize("is_closed", [True, False])
def test_a_file_that_is_ignored_or_closed_is_not_shown_any_more(
    tmp_path: Path, is_closed: bool
) -> None:
    """Not even until the next pause."""
    desk = Desk(tmp_path)
    desk.edited(desk.cart, 1, "-     return 1\n+     return 2")
    desk.pause()
    assert len(desk.texts(4)) == 1
    if is_closed:
        desk.recent.forget(desk.cart)
    else:
        (tmp_path / ".redlineignore").write_text("cart.py\n")
    assert desk.texts(4) == []


def test_the_text_stays_while_the_user_types(tmp_path: Path) -> None:
    """A provider caches the prompt up to what changes; a pause renews it."""
    desk = Desk(tmp_path)

    async def work() -> None:
        loop = asyncio.get_running_loop()
        for _ in range(5):
            desk.recent.note_key(loop.time())
            assert desk.texts(1) == []
            desk.edited(desk.cart, 1, "+ y")
            await asyncio.sleep(0.9)
        await asyncio.sleep(0.2)
        assert desk.texts(1) == ["cart.py\n+ y"] * 5
        desk.edited(desk.cart, 1, "+ z")
        await asyncio.sleep(100)
        assert len(desk.texts(1)) == 5

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(work())


def test_edits_of_a_closed_document_are_not_shown(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.edited(desk.cart, 1, "+ y")
    desk.edited(desk.main, 3, "+ y = 1")
    desk.pause()
    desk.recent.forget(desk.cart)
    assert desk.texts(0) == ["main.py\n+ y = 1"]


def test_a_large_edit_is_left_out(tmp_path: Path) -> None:
    """Smaller and older ones are shown; all together have a limit."""
    desk = Desk(tmp_path)
    desk.edited(desk.cart, 1, "+ a")
    desk.edited(desk.main, 3, "+ " + "b" * MAX_CHARS)
    desk.pause()
    assert desk.texts(1) == ["cart.py\n+ a"]
    for number in range(8):
        desk.edited(desk.cart, 1, f"+ {number} " + "c" * 300)
    desk.pause()
    texts = desk.texts(1)
    assert sum(map(len, texts)) <= MAX_CHARS
    assert [text.split()[2] for text in texts[1:]] == ["5", "6", "7"]
    assert texts[0] == "cart.py\n+ a"


def test_ignored_files_are_not_shown(tmp_path: Path) -> None:
    (tmp_path / ".redlineignore").write_text("cart.py\n")
    desk = Desk(tmp_path)
    desk.edited(desk.cart, 1, "+ y")
    desk.edited(desk.main, 3, "+ y = 1")
    desk.pause()
    assert desk.texts(0) == ["main.py\n+ y = 1"]


def test_other_files_outside_of_the_workspace_are_not_shown(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    desk = Desk(folder)
    outside = desk.open(tmp_path / "notes.py", "y = 2\n")
    desk.edited(outside, 0, "+ y = 2")
    desk.edited(desk.main, 3, "+ y = 1")
    desk.pause()
    assert desk.texts(0) == ["main.py\n+ y = 1"]
    ((_, text),) = desk.recent.texts(outside, 4)[:1]
    assert text == "notes.py\n+ y = 2"


def test_secrets_in_them_are_replaced(tmp_path: Path) -> None:
    """Also one that the user has just deleted; a private key is left out whole."""
    key = "sk-proj-" + "aB3dE5gH7jK9mN1pQ3sT5vW7"
    desk = Desk(tmp_path)
    desk.edited(desk.cart, 1, f'-     KEY = "{key}"\n+     return 2')
    desk.edited(desk.main, 3, "- -----BEGIN PRIVATE KEY-----\n- MIIE")
    desk.pause()
    writer = CompletionWriter(desk.workspace, "key")
    recent = desk.recent.texts(desk.main, 1)
    place = CompletedDocument(desk.main).place(Position(1, 4))
    written = writer.write(desk.main, 1, place, recent)
    assert written is not None
    (message,) = written.request.prompt.chat_messages
    assert "Recent edits" in message.text
    assert "cart.py" in message.text
    assert key not in message.text
    assert "MIIE" not in message.text
    assert written.secrets.secrets
    # They are of another file, so a reply with one of them is not shown.
    assert invents_secret("x = REDLINE_SECRET_000000", "main.py", written.secrets)


def test_what_lines_around_them_show_to_be_secret_is_replaced(tmp_path: Path) -> None:
    """Everywhere in the prompt; the edit has no sign of it."""
    desk = Desk(tmp_path)
    desk.edited(desk.cart, 1, "-   a: paddle-otter", secrets=("paddle-otter",))
    desk.pause()
    writer = CompletionWriter(desk.workspace, "key")
    recent, known = desk.recent.texts(desk.main, 1), desk.recent.secrets
    place = CompletedDocument(desk.main).place(Position(1, 4))
    written = writer.write(desk.main, 1, place, recent, known=known)
    assert written is not None
    (message,) = written.request.prompt.chat_messages
    assert "cart.py\n-   a: REDLINE_SECRET_000000" in message.text
    assert "paddle" not in message.text


def test_the_values_of_a_manifest_are_replaced_around_the_cursor(
    tmp_path: Path,
) -> None:
    """No line alone shows that they are secret; inside of one, nothing is sent."""
    desk = Desk(tmp_path)
    text = "kind: Secret\ndata:\n  a: Y29ycmVj\n  b: aG9yc2Vz\n  c: YmF0dGVy\n"
    manifest = desk.open(tmp_path / "a.yaml", text)
    writer = CompletionWriter(desk.workspace, "key")
    state = CompletedDocument(manifest)
    assert writer.write(manifest, 3, state.place(Position(3, 8))) is None
    written = writer.write(manifest, 3, state.place(Position(3, 13)))
    assert written is not None
    (message,) = written.request.prompt.chat_messages
    assert "kind: Secret\ndata:\n  a: REDLINE_SECRET_000000\n" in message.text
    assert not any(x in message.text for x in ("Y29ycmVj", "aG9yc2Vz", "YmF0dGVy"))
