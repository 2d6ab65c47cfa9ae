"""Replies whose lines begin with their numbers, as tools print them."""

from __future__ import annotations

import pytest
from tests.text.conftest import ReadReply

GO = (
    "package a\n\ntype B struct {\n\tn int\n}\n\nvar c = 1\n",
    "func (b *B) D() int {\n\treturn b.n\n}\n",
    "\nfunc (b *B) E() int {\n\tif b.n > 1 {\n\t\treturn 1\n\t}\n\treturn 0\n}\n",
)
GO_NEW = "func (b *B) D() int {\n\tb.n++\n\treturn b.n\n}\n"
PYTHON = (
    "import a\n" * 7 + "def b(c):\n",
    "    d = a.e(c)\n    return d\n",
    "\n\ndef f():\n    if a:\n        return 1\n",
)
PYTHON_NEW = "    d = a.e(c)\n    if d:\n        a.g(d)\n    return d\n"
RUBY = (
    "class A\n" + "  attr_reader :b\n" * 96 + "\n",
    "  def c\n    @b + 1\n  end\n",
    "end\n",
)
RUBY_NEW = "  def c\n    return 0 unless @b\n\n    @b + 1\n  end\n"
RUST = (
    "use std::fs;\n" * 8,
    "fn a(b: u8) -> u8 {\n    b + 1\n}\n",
    "\nfn c() {\n    if d() {\n        e();\n    }\n}\n",
)
RUST_NEW = (
    "fn a(b: u8) -> u8 {\n    if b > 9 {\n        return b;\n    }\n    b + 1\n}\n"
)
FILES = {"go": GO, "python": PYTHON, "ruby": RUBY, "rust": RUST}


def numbered(text: str, first: int, form: str) -> str:
    """Write a number in front of each line."""
    lines = enumerate(text.splitlines(), first)
    return "".join(f"{form.format(number)}{line}\n" for number, line in lines)


@pytest.mark.parametrize(
    ("language", "text", "first"),
    [
        ("go", GO_NEW, 8),
        ("python", PYTHON_NEW, 9),
        ("ruby", RUBY_NEW, 99),
        ("rust", RUST_NEW, 9),
    ],
)
@pytest.mark.parametrize(
    "form",
    [
        "{:<4}",
        "{:<6}",
        "{:>4} ",
        "{:>4}  ",
        "{}\t",
        "lib/a-b.x:{}:",
        "{} ",
        "{:<3}| ",
        "{}: ",
        "{:<4}: ",
        "|{}|",
        "| {}| ",
        "|{:<3}| ",
    ],
)
def test_numbers_are_removed(
    read_reply: ReadReply, language: str, text: str, first: int, form: str
) -> None:
    """Whether or not they fill a column of one width."""
    before, target, after = FILES[language]
    reply = numbered(text, first, form)
    found = read_reply(
        reply, before=before, target=target, after=after, language=language
    )
    assert (found.is_understood, "".join(found.lines or ())) == (True, text)


def test_a_blank_first_line_has_its_number_alone(read_reply: ReadReply) -> None:
    before, target, after = PYTHON
    new = f"\n{PYTHON_NEW}"
    found = read_reply(
        numbered(new, 9, "{:>4}\t"), before=before, target=target, after=after
    )
    assert found.is_understood, found.problems
    assert "".join(found.lines or ()).lstrip("\n") == PYTHON_NEW
