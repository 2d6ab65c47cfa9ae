"""Tags of chat templates around an answer, with talk beside them."""

from __future__ import annotations

import pytest
from tests.text.conftest import ReadReply

GO = ("package a\n\n", "func (b *B) C() int {\n\treturn b.c\n}\n", "\nfunc d() {}\n")
GO_NEW = "func (b *B) C() int {\n\tb.e()\n\treturn b.c\n}\n"
PYTHON = (
    "class A:\n",
    "    def f(self):\n        return 1\n",
    "\n    def g(self):\n        return 2\n",
)
PYTHON_NEW = "    def f(self):\n        self.g()\n        return 1\n"
RUST = ("struct A;\n\n", "fn f() -> u8 {\n    1\n}\n", "\nfn g() {}\n")
RUST_NEW = "fn f() -> u8 {\n    g();\n    1\n}\n"


@pytest.mark.parametrize(
    ("language", "file", "new"),
    [("go", GO, GO_NEW), ("python", PYTHON, PYTHON_NEW), ("rust", RUST, RUST_NEW)],
)
@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("[CODE]", "[/CODE]"),
        ("[ANSWER]", "[/ANSWER]"),
        ("<code>", "</code>"),
        ("<output>", "</output>"),
        ("<answer>", "</answer>"),
    ],
)
@pytest.mark.parametrize(
    "form",
    [
        "[/INST] Sure, here is the code you asked for:\n\n{0}\n{1}{2}\n",
        "{0}\n{1}{2}\n\nIt calls the other function before it returns.\n",
        "[/INST] {0}\n{1}{2}\n\nIt calls the other function before it returns.\n",
        "Sure, here is the code:\n{0}\n{1}{2}\n\nIt calls the other function now.\n",
    ],
)
def test_talk_beside_the_tags_is_left_out(
    read_reply: ReadReply,
    language: str,
    file: tuple[str, str, str],
    new: str,
    opening: str,
    closing: str,
    form: str,
) -> None:
    before, target, after = file
    reply = form.format(opening, new, closing)
    found = read_reply(
        reply, target=target, before=before, after=after, language=language
    )
    assert (found.is_understood, "".join(found.lines or ())) == (True, new)


def test_code_behind_the_tags_is_no_talk(read_reply: ReadReply) -> None:
    """It may be the answer, and the block a quotation."""
    before, target, after = GO
    reply = f"<code>\n{target}</code>\n{GO_NEW}"
    found = read_reply(reply, target=target, before=before, after=after, language="go")
    assert "".join(found.lines or ()) == GO_NEW
