"""What a completion's request shows, and what it keeps from key to key."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from redline.assist.editor.workspace import Workspace
from redline.assist.suggestions.complete.document_state import CompletedDocument
from redline.assist.suggestions.complete.request_writer import CompletionWriter
from redline.prompts.completion import NearbyCode
from redline.text.anchor import Splice
from redline.text.document import ContentChange
from redline.text.position import Position, Range

URI = "file:///project/cart.py"
LINES = [f"line_{number} = {number}\n" for number in range(200)]


class Desk:
    """An open document, and the writer of its requests."""

    def __init__(self, text: str, uri: str = URI) -> None:
        self.workspace = Workspace()
        self.workspace.open(uri, "python", 1, text)
        self.document = self.workspace.document(uri)
        self.state = CompletedDocument(self.document)
        self.document.on_splice = self._spliced
        self.writer = CompletionWriter(self.workspace, "key")

    def change(self, line: int, start: int, end: int, text: str) -> None:
        """Replace a part of a line."""
        replaced = Range(Position(line, start), Position(line, end))
        version = self.document.version + 1
        self.document.change(version, [ContentChange(range=replaced, text=text)])

    def prompt(self, line: int, character: int) -> str | None:
        """Return the text of a request; None: nothing may be sent."""
        place = self.state.place(Position(line, character))
        written = self.writer.write(self.document, line, place)
        if written is None:
            return None
        (message,) = written.request.prompt.chat_messages
        return message.text

    def _spliced(self, splice: Splice, old_lines: Sequence[str]) -> None:
        self.state.splice(splice, old_lines)


@pytest.mark.parametrize("line", [70, 99, 101, 130])
def test_a_change_of_another_line_is_sent(line: int) -> None:
    """The lines around are kept from key to key, until one of them changes."""
    desk = Desk("".join(LINES))
    assert "changed" not in (desk.prompt(100, 4) or "")
    desk.change(100, 4, 4, "s")
    shown = desk.prompt(100, 5) or ""
    assert "lines<|cursor|>_100" in shown
    desk.change(line, 0, 4, "changed")
    assert f"changed_{line}" in (desk.prompt(100, 5) or "")


def test_lines_of_another_document_are_not_sent() -> None:
    """Keys in two documents in turn."""
    desk = Desk("a = 1\nx = \n")
    other = "file:///project/other.py"
    desk.workspace.open(other, "python", 1, "b = 2\nx = \n")
    document = desk.workspace.document(other)
    assert "a = 1" in (desk.prompt(1, 4) or "")
    place = CompletedDocument(document).place(Position(1, 4))
    written = desk.writer.write(document, 1, place)
    assert written is not None
    (message,) = written.request.prompt.chat_messages
    assert "b = 2" in message.text
    assert "a = 1" not in message.text
    assert "a = 1" in (desk.prompt(1, 4) or "")


MANIFEST = '{"data": {\n"a": "Y29ycmVj"},\n"kind": '


@pytest.mark.parametrize("key", ["", '"Secret"'])
def test_a_cursor_line_that_makes_the_lines_above_secret(key: str) -> None:
    """A key may complete the sign that shows values of other lines as secrets."""
    desk = Desk(f"{MANIFEST}\n", uri="file:///project/a.json")
    assert "Y29ycmVj" in (desk.prompt(2, 8) or "")
    desk.change(2, 8, 8, key)
    shown = desk.prompt(2, 8 + len(key)) or ""
    assert ("Y29ycmVj" in shown) is (key == "")


def test_values_on_the_other_side_of_the_cursor() -> None:
    """What shows that they are secret is above the cursor, and they are below it."""
    text = '{"kind": "Secret",\n"data": {\n"a": "aG9yc2Vz",\n\n"b": "Y29ycmVj"}}\n'
    desk = Desk(text, uri="file:///project/a.json")
    shown = desk.prompt(3, 0) or ""
    assert '"b": "REDLINE_SECRET_' in shown
    assert "aG9yc2Vz" not in shown


def test_a_cursor_in_a_secret_that_another_line_shows() -> None:
    """Its parts would not be recognized, so nothing is sent."""
    desk = Desk(f'{MANIFEST}"Secret"\n', uri="file:///project/a.json")
    assert desk.prompt(1, 9) is None


GITHUB = "ghp_0123456789abcdefghijABCDEFGHIJ012345"


@pytest.mark.parametrize(
    ("line", "at", "is_sent"),
    [
        # Behind a password it is replaced; in it and before it nothing is sent.
        ('password = "correcthorsebattery"', -1, True),
        ('password = "correcthorsebattery"', 12, False),
        ('password = "correcthorsebattery"', 20, False),
        ('password = "correcthorsebattery"', 11, False),
        ('password = "correcthorsebattery"', None, True),
        # Typed without a closing one.
        ('password = "correcthorse', None, True),
        ('password = "corr', None, True),
        (f'token = "{GITHUB[:-1]}', None, False),
        (f'token = "{GITHUB[:12]}"', -1, False),
        (f'token = "{GITHUB[:8]}"', -1, True),
        ("key = 'AIzaSyA1b2c3d4e5", None, False),
        ("key = 'AKIA01234567", None, False),
        ('model = load("hf_small', None, True),
        ('name = "some pattern.added', None, True),
    ],
)
def test_a_cursor_at_a_secret(line: str, at: int | None, *, is_sent: bool) -> None:
    """The text before the cursor alone does not show that it is one."""
    desk = Desk(f"import os\n{line}\nx = 1\n")
    at = len(line) if at is None else at % len(line)
    prompt = desk.prompt(1, at)
    assert (prompt is not None) is is_sent
    assert "correcthorse" not in (prompt or "")


def test_a_key_that_is_typed_is_never_sent_whole() -> None:
    """Whatever key is pressed last."""
    for n in range(12, len(GITHUB)):
        assert Desk(f'token = "{GITHUB[:n]}\n').prompt(0, 9 + n) is None


@pytest.mark.parametrize(
    ("line", "character"), [(1, 12), (2, 0), (2, 4), (2, 16), (3, 1), (4, 0), (5, 5)]
)
def test_a_value_whose_name_is_on_another_line(line: int, character: int) -> None:
    """It is replaced wherever the cursor is."""
    desk = Desk('import x\npassword = (\n    "hunter2abc"\n)\n\nx = 1\n')
    shown = desk.prompt(line, character)
    assert shown is not None
    assert "hunter2abc" not in shown


def test_a_cursor_in_a_value_whose_name_is_on_another_line() -> None:
    """The parts of the value would not be recognized, so nothing is sent."""
    assert Desk('password = (\n    "hunter2abc"\n)\n').prompt(1, 9) is None


def test_a_name_that_is_typed_makes_the_next_line_secret() -> None:
    """The lines around are the same; the cursor's line has changed since."""
    desk = Desk('x = (\n    "hunter2abc"\n)\n')
    assert "hunter2abc" in (desk.prompt(0, 1) or "")
    desk.change(0, 0, 1, "password")
    shown = desk.prompt(0, 8)
    assert shown is not None
    assert "hunter2abc" not in shown


def test_a_name_above_the_lines_that_are_sent() -> None:
    """Lines around those are searched, too."""
    lines = [f"line_{number} = {number}\n" for number in range(100)]
    text = "".join(lines)
    desk = Desk(f'password = "hunter2abc"\n{text}f("hunter2abc")\n\n')
    shown = desk.prompt(102, 0) or ""
    assert 'password = "' not in shown
    assert 'f("REDLINE_SECRET_000000")' in shown


def test_an_entry_far_below_the_line_that_makes_it_secret() -> None:
    """The lines around do not show it, but the one that encloses them does."""
    values = [f'    "paddle{number}-otter",\n' for number in range(500)]
    text = "".join(["API_KEYS = [\n", *values[:400], "\n", *values[400:], "]\n"])
    shown = Desk(text).prompt(401, 0)
    assert shown is not None
    assert "REDLINE_SECRET_000000" in shown
    assert "paddle" not in shown


def test_a_cursor_in_an_entry_far_below_the_line_that_makes_it_secret() -> None:
    """Neither half of the value is sent."""
    values = [f'    "paddle{number}-otter",\n' for number in range(500)]
    desk = Desk("".join(["API_KEYS = [\n", *values, "]\n"]))
    assert desk.prompt(400, 10) is None


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (".env", "TOKEN={}"),
        ("deploy.yaml", "token: {}"),
        ("run.sh", "export TOKEN={}"),
        ("a.py", 'headers = "Bearer {}'),
        ("a.py", "headers = '{}"),
    ],
)
def test_nothing_is_sent_while_a_key_is_typed(name: str, line: str) -> None:
    """It is too short to be found as a key. In code, a name is not one."""
    typed = line.format(GITHUB[:14])
    desk = Desk(f"{typed}\n", uri=f"file:///project/{name}")
    assert desk.prompt(0, len(typed)) is None
    assert Desk(f"x = {GITHUB[:14]}\n").prompt(0, len("x = ") + 14) is not None


def test_a_secret_in_the_name_of_a_file() -> None:
    """It is replaced: of the file itself, of others, and for a model that fills in."""
    desk = Desk("x = 1\n", uri=f"file:///project/{GITHUB}.py")
    nearby = NearbyCode(path=f"{GITHUB}/b.py", text="y = 1", kind="part")
    place = desk.state.place(Position(0, 5))
    written = desk.writer.write(desk.document, 0, place, nearby=[nearby])
    assert written is not None
    prompt = written.request.prompt
    assert GITHUB not in repr(prompt)
    assert "File: REDLINE_SECRET_000000.py\n" in prompt.chat_messages[0].text
    assert prompt.gap is not None
    assert prompt.gap.nearby[0].path == "REDLINE_SECRET_000000/b.py"
