"""Lines that a model has rewritten: only what is sure to be meant is changed."""

from __future__ import annotations

import pytest

from redline.next_edits.rewrite import rewritten
from redline.next_edits.sights import SeenFile, Sight

OLD = """\
def total(rows):
    value = 0
    for row in rows:
        value += row.price
    print(value)

    log(value)
    return value
"""
FILE = SeenFile(
    uri="file:///a.py",
    path="a.py",
    lines=["import log\n", *OLD.splitlines(keepends=True), "END = 1\n"],
)
SIGHT = Sight(file=FILE, first=1, end=9)


def offered(
    text: str, *, is_whole: bool = True, cursor_line: int = 4
) -> list[tuple[int, str, str]]:
    """Return the line, the old and the new text of each change."""
    patches = rewritten(text, SIGHT, cursor_line, is_whole=is_whole, why="it")
    return [(p.edit.range.start.line, p.edit.old, p.edit.text) for p in patches]


def changed(old: str, new: str) -> str:
    assert OLD.count(old) == 1
    return OLD.replace(old, new)


PRICE = "value += row.price"


@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (OLD, []),
        (changed(PRICE, PRICE + " * rate"), [(4, "", " * rate")]),
        (changed("def total(rows)", "def total(rows, rate)"), [(1, "", ", rate")]),
        (changed("    value = 0\n", ""), [(2, "    value = 0\n", "")]),
        (
            changed("    value = 0\n", "    value = 0\n    n = 0\n"),
            [(3, "", "    n = 0\n")],
        ),
        # Two changes: the nearest to the cursor first.
        (
            changed("def total(rows)", "def total(rows, rate)").replace(
                PRICE, PRICE + " * rate"
            ),
            [(4, "", " * rate"), (1, "", ", rate")],
        ),
        (changed("def total", "import x\ndef total"), [(1, "", "import x\n")]),
    ],
)
def test_changes_before_lines_that_stay(
    text: str, expected: list[tuple[int, str, str]], is_whole: bool
) -> None:
    assert offered(text, is_whole=is_whole) == expected


@pytest.mark.parametrize("n_lines", range(9))
@pytest.mark.parametrize("is_whole", [True, False])
def test_a_missing_tail_is_not_deleted(n_lines: int, is_whole: bool) -> None:
    """However early a rewrite ends."""
    lines = OLD.splitlines(keepends=True)[:n_lines]
    assert offered("".join(lines), is_whole=is_whole) == []
    assert offered("".join(lines)[:-3], is_whole=False) == []


def test_a_change_at_the_end() -> None:
    """It is sure only if the model has ended by itself, and has not left lines out."""
    text = changed("return value", "return value * 2")
    assert offered(text) == [(8, "", " * 2")]
    assert offered(text, is_whole=False) == []
    assert offered(changed("    log(value)\n    return value\n", "    end()\n")) == []


def test_a_change_before_too_few_lines() -> None:
    """The cut text may go on otherwise: one line that comes again is no proof."""
    text = OLD.partition("    print")[0].replace("for row in rows", "for row in all")
    assert offered(text + "    pri", is_whole=False) == []
    more = text + "    print(value)\n\n"
    assert offered(more + "    log", is_whole=False) == [(3, "rows", "all")]


def test_the_order_of_imports() -> None:
    """It is none of a model's business; another order of code may be meant."""

    def n_offered(one: str, other: str) -> int:
        lines = [f"{one}\n", f"{other}\n", "f()\n", "g()\n"]
        file = SeenFile(uri="file:///a.py", path="a.py", lines=lines)
        sight = Sight(file=file, first=0, end=4)
        text = f"{other}\n{one}\nf()\ng()\n"
        return len(rewritten(text, sight, 0, is_whole=True, why="it"))

    assert n_offered("import b", "import a") == 0
    assert n_offered("b = 1", "a = 1") == 2


def test_line_ends_of_the_file() -> None:
    lines = [f"x{n} = 1\r\n" for n in range(4)]
    file = SeenFile(uri="file:///a.py", path="a.py", lines=lines)
    text = "x0 = 1\nx1 = 2\nnew = 1\nx2 = 1\nx3 = 1\n"
    (patch,) = rewritten(
        text, Sight(file=file, first=0, end=4), 0, is_whole=True, why="it"
    )
    assert patch.new == ("x1 = 2\r\n", "new = 1\r\n")
