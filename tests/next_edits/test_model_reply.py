"""The form of a model's answer, and where its patches belong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runs import n_runs

from redline.next_edits.journal import UserChange
from redline.next_edits.model_reply import (
    MAX_PATCHES,
    Eagerness,
    LinePatch,
    ModelReply,
    read_reply,
)
from redline.next_edits.patches import place
from redline.next_edits.sights import (
    MAX_SITES,
    NotedPlace,
    SeenFile,
    Sight,
    sites,
    window,
)
from redline.text.document import ContentChange, Document
from redline.text.position import Encoding, Position

PATH = "shop/cart.py"
ONE = f"@@ {PATH}\n-    return a\n+    return a + b\n"


def patch(old: str, new: str, path: str = PATH) -> LinePatch:
    return LinePatch(path=path, old=tuple(old.split("\n")), new=tuple(new.split("\n")))


FIRST = patch("    return a", "    return a + b")

REPLIES: dict[str, tuple[str, ModelReply]] = {
    "one patch": (f"H\n{ONE}", ModelReply(confidence="H", patches=(FIRST,))),
    "no edit": ("N", ModelReply(confidence="N")),
    "no letter": (ONE, ModelReply()),
    "a refusal": ("I'm sorry, but I cannot do that.", ModelReply()),
    "nothing": ("", ModelReply()),
    "a fence": (
        f"```\nM\n{ONE}```\n",
        ModelReply(confidence="M", patches=(FIRST,)),
    ),
    "thoughts": (
        f"<think>\nH\nis it?</think>\nL\n{ONE}",
        ModelReply(confidence="L", patches=(FIRST,)),
    ),
    "talk before and behind": (
        f"Here is the edit:\nH\n{ONE}\nThis adds b.",
        ModelReply(confidence="H", patches=(FIRST,)),
    ),
    "line ends of Windows": (
        f"H\n{ONE}".replace("\n", "\r\n"),
        ModelReply(confidence="H", patches=(FIRST,)),
    ),
    "lines that stay": (
        f"H\n@@ {PATH}\n import os\n+import re\n\n x = 1\n",
        ModelReply(
            confidence="H",
            patches=(patch("import os\n\nx = 1", "import os\nimport re\n\nx = 1"),),
        ),
    ),
    "a deletion": (
        f"H\n@@ {PATH} @@\n-    pass\n",
        ModelReply(
            confidence="H", patches=(LinePatch(path=PATH, old=("    pass",), new=()),)
        ),
    ),
    "no path": (
        "H\n@@\n-a\n+b\n",
        ModelReply(confidence="H", patches=(patch("a", "b", path=""),)),
    ),
    "only new lines": (f"H\n@@ {PATH}\n+import re\n", ModelReply(confidence="H")),
    "the second has no place": (
        f"H\n{ONE}@@ {PATH}\n+x\n{ONE}",
        ModelReply(confidence="H", patches=(FIRST,)),
    ),
    "a line without its sign": (
        f"H\n@@ {PATH}\n-a\n+b(\nc)\n",
        ModelReply(confidence="H"),
    ),
    "too many": (
        "H\n" + ONE * 5,
        ModelReply(confidence="H", patches=(FIRST,) * MAX_PATCHES),
    ),
}


@pytest.mark.parametrize(("text", "reply"), REPLIES.values(), ids=REPLIES.keys())
def test_answers(text: str, reply: ModelReply) -> None:
    """What is not in the form is dropped, with all after it."""
    assert read_reply(text, is_whole=True) == reply


def test_the_last_patch_of_a_cut_answer_is_dropped() -> None:
    """It may lack lines, and would then delete what they replace."""
    second = "@@ shop/cart.py\n-    x = 1\n-    y = 2\n+    x = 2\n"
    cut = read_reply(f"H\n{ONE}{second}", is_whole=False)
    assert cut.patches == (FIRST,)
    assert read_reply(f"H\n{ONE}", is_whole=False).patches == ()


@settings(max_examples=n_runs(60), deadline=None)
@given(st.lists(st.sampled_from(["H", "N", "@@ a", "-x", "+y", " z", "", "`", "t"])))
def test_any_answer_is_read(lines: list[str]) -> None:
    """Each patch has a place and changes something."""
    for one in read_reply("\n".join(lines), is_whole=True).patches:
        assert one.old
        assert one.old != one.new


@pytest.mark.parametrize(
    ("letter", "eagerness", "is_shown"),
    [("H", "low", True), ("M", "low", False), ("M", "normal", True),
     ("L", "normal", False), ("L", "high", True), ("N", "high", False)],
)  # fmt: skip
def test_how_sure_it_must_be(letter: str, eagerness: Eagerness, is_shown: bool) -> None:
    """`N` is never an edit, and `L` only for those who want every guess."""
    assert read_reply(f"{letter}\n{ONE}", is_whole=True).is_shown_at(eagerness) is (
        is_shown
    )


# Places.


def seen(text: str, path: str = PATH) -> SeenFile:
    lines = Document(
        uri=f"file:///{path}",
        language_id="python",
        version=1,
        text=text,
        encoding=Encoding.UTF_32,
    ).snapshot()
    return SeenFile(uri=f"file:///{path}", path=path, lines=lines.lines)


def applied(text: str, made: LinePatch, cursor: Position) -> str | None:
    """Place a patch in a whole text, and carry it out as an editor does."""
    file = seen(text)
    sight = Sight(file=file, first=0, end=len(file.lines))
    placed = place(made, [sight], cursor, why="")
    if placed is None:
        return None
    document = Document(
        uri="a", language_id="", version=1, text=text, encoding=Encoding.UTF_32
    )
    change = ContentChange(range=placed.edit.range, text=placed.edit.text)
    document.change(2, [change])
    assert document.snapshot().text_in(placed.edit.range) is not None
    return document.snapshot().text


START = Position(0, 0)
PLACED: dict[str, tuple[str, LinePatch, Position, str | None]] = {
    "a line": ("a\nb\n", patch("b", "c"), START, "a\nc\n"),
    "Windows": ("a\r\nb\r\n", patch("a", "a\nx"), START, "a\r\nx\r\nb\r\n"),
    "mixed line ends": (
        "a\r\nb\nc\r\nd\n", patch("a\nb\nc", "a\nx\nc"), START,
        "a\r\nx\nc\r\nd\n",
    ),
    "the ends of replaced lines": (
        "a\nb\r\nc\r\n", patch("a\nb", "x\ny\nz"), START, "x\ny\r\nz\r\nc\r\n",
    ),
    "an added line between mixed ones": (
        "a\nb\r\nc\n", patch("b\nc", "b\nx\nc"), START, "a\nb\r\nx\r\nc\n",
    ),
    "an added line above": ("a\nb\r\n", patch("b", "x\nb"), START, "a\nx\r\nb\r\n"),
    "the last line": ("a\nb", patch("b", "b\nc"), START, "a\nb\nc"),
    "a deletion": (
        "a\nb\nc\n", LinePatch(path=PATH, old=("b",), new=()), START, "a\nc\n",
    ),
    "twice: the nearer": (
        "x\n" * 3 + "y\n" + "x\n", patch("x", "z"), Position(3, 0), "x\nx\nz\ny\nx\n",
    ),
    "other blanks": ("    a\n", patch("  a", "b"), START, None),
    "not there": ("a\n", patch("b", "c"), START, None),
    "another file": ("a\n", patch("a", "b", path="x.py"), START, None),
    "no path": ("a\n", patch("a", "b", path=""), START, "b\n"),
    "the order of imports": (
        "import b\nimport a\n", patch("import b\nimport a", "import a\nimport b"),
        START, None,
    ),
    "another order of code": (
        "x = 1\ny = 2\n", patch("x = 1\ny = 2", "y = 2\nx = 1"), START,
        "y = 2\nx = 1\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "made", "cursor", "after"), PLACED.values(), ids=PLACED.keys()
)
def test_places(
    text: str, made: LinePatch, cursor: Position, after: str | None
) -> None:
    """The old lines stand there exactly, or there is no edit."""
    assert applied(text, made, cursor) == after


def test_the_edit_is_as_small_as_its_tokens() -> None:
    """Only the words that change are replaced."""
    file = seen("def f():\n    return total\n")
    sight = Sight(file=file, first=0, end=2)
    made = patch("    return total", "    return grand_total")
    placed = place(made, [sight], START, why="")
    assert placed is not None
    assert (placed.edit.old, placed.edit.text) == ("total", "grand_total")
    assert placed.edit.range.start == Position(1, 11)


def test_only_what_was_shown_can_be_changed() -> None:
    """The same line elsewhere in the file is not."""
    file = seen("x\n" * 3 + "y\n")
    assert place(
        patch("y", "z"), [Sight(file=file, first=0, end=3)], START, why=""
    ) is (None)


FOLDERS = [
    (PATH, ["one", "two"], "one"),
    ("", ["one", "two"], "one"),
    (PATH, ["other", "two"], "two"),
    (PATH, ["other", "two", "one"], None),
]


@pytest.mark.parametrize(("path", "folders", "folder"), FOLDERS)
def test_a_path_of_several_documents(
    path: str, folders: list[str], folder: str | None
) -> None:
    """It means the one with the cursor, or else none of them."""
    sights = [
        Sight(
            file=SeenFile(
                uri=f"file:///{one}",
                path="other.py" if one == "other" else PATH,
                lines=["x\n"] * 8,
            ),
            first=0,
            end=8,
        )
        for one in folders
    ]
    placed = place(patch("x", "y", path), sights, Position(5, 0), why="")
    assert (placed.uri if placed else None) == (folder and f"file:///{folder}")
    if folder == "one":
        assert placed is not None
        assert placed.first == 5


# What is shown.


def shown_at(file: SeenFile, line: int) -> Sight:
    shown = window(file, line)
    assert shown is not None
    return shown


def change(first: int, old: str, new: str) -> UserChange:
    return UserChange(first=first, old=(old,), new=(new,), at_s=0.0)


def test_places_that_the_last_changes_are_about() -> None:
    """Uses of the replaced name outside of the window: near ones, then other files."""
    lines = ["x\n"] * 200
    for line in (60, 10, 150, 21):
        lines[line] = "use(total)\n"
    lines[20] = "grand_total = 0\n"
    file, other = seen("".join(lines)), seen("a\ntotal\n", "other.py")
    shown = shown_at(file, 20)
    assert (shown.first, shown.end) == (5, 36)
    found = sites(
        shown, 20, [file, other], [change(20, "total = 0\n", "grand_total = 0\n")], ()
    )
    assert [(one.file.path, one.first, one.end) for one in found] == [
        (PATH, 57, 64),
        (PATH, 147, 154),
        ("other.py", 0, 3),
    ]


def test_places_of_a_changed_definition_and_further_ones() -> None:
    """They do not overlap, and there are four at most."""
    lines = ["x\n"] * 200
    lines[20] = "def cost(a, b):\n"
    lines[100] = "cost(1)\n"
    file = seen("".join(lines))
    uri = file.uri
    spots = [NotedPlace(uri, 22), NotedPlace(uri, 102), NotedPlace("file:///x", 3)]
    spots += [NotedPlace(uri, line) for line in range(120, 190, 10)]
    found = sites(
        shown_at(file, 20),
        20,
        [file],
        [change(20, "def cost(a):\n", "def cost(a, b):\n")],
        spots,
    )
    assert [one.first for one in found] == [97, 117, 127, 137]
    assert len(found) == MAX_SITES


WINDOWS: dict[str, tuple[list[str], tuple[int, int] | None]] = {
    "few lines": (["x\n"] * 3, (0, 3)),
    "many lines": (["x\n"] * 50, (0, 17)),
    "a long line above": (["x" * 5_000, "x\n", "y\n"], (1, 3)),
    "a long line below": (["x\n", "x\n", "y" * 5_000], (0, 2)),
    "long lines": (["x" * 1_500] * 9, (0, 3)),
    "the cursor's line is long": (["x\n", "x" * 1_000_000, "x\n"], None),
    "no such line": (["x\n"], None),
}


@pytest.mark.parametrize(("lines", "shown"), WINDOWS.values(), ids=WINDOWS.keys())
def test_the_size_of_the_window(
    lines: list[str], shown: tuple[int, int] | None
) -> None:
    """Whole lines, with a bound of characters above and below."""
    sight = window(SeenFile(uri="a", path="a", lines=lines), 1)
    assert (sight and (sight.first, sight.end)) == shown


class CountedLines(list[str]):
    """Lines that count how often one is read."""

    n_read = 0

    def __getitem__(self, key):  # type: ignore[no-untyped-def]
        self.n_read += 1
        return super().__getitem__(key)


def test_the_search_for_uses_is_bounded() -> None:
    """In characters of all files, whatever the number of names."""
    names = " ".join(f"name{number}" for number in range(5_000))
    lines = CountedLines(["x = 1\n"] * 100_000)
    files = [
        SeenFile(uri=f"file:///{number}", path=str(number), lines=lines)
        for number in range(21)
    ]
    shown = shown_at(files[0], 20)
    lines.n_read = 0
    assert sites(shown, 20, files, [change(20, f"{names}\n", "gone\n")], ()) == []
    assert lines.n_read <= 10_001


def test_a_place_behind_the_end_is_not_shown() -> None:
    """The file has become shorter since it was noted."""
    file = seen("x\n" * 60)
    spots = [NotedPlace(file.uri, 1_000), NotedPlace(file.uri, 50)]
    found = sites(shown_at(file, 10), 10, [file], (), spots)
    assert [one.first for one in found] == [47]
