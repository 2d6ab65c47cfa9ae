"""Replies whose opening fence nothing closes: they may be cut off."""

from __future__ import annotations

import pytest
from tests.text.conftest import ReadReply

PYTHON = "class A:\n    def f(self, x):\n        y = self.g(x)\n        return y\n"
PYTHON_NEW = (
    "    def f(self, x):\n        if x:\n            return self.g(x)\n"
    "        self.h()\n"
)
JAVASCRIPT = "  a.open(b);\n  a.write(b);\n"
JAVASCRIPT_NEW = "  a.open(b);\n  a.write(b);\n  a.close(b);\n"
RUBY = "  x = a.b\n  x.c\n"
RUBY_NEW = "  return a if a.d?\n\n  a.b.c\n"
GO = "\tb := a.c()\n\treturn b\n"
GO_NEW = "\tb := a.c()\n\tb.d()\n\treturn b.e()\n"


@pytest.mark.parametrize(
    ("language", "target", "new"),
    [
        ("python", PYTHON.split("\n", 1)[1], PYTHON_NEW),
        (
            "python",
            PYTHON.split("\n", 1)[1],
            PYTHON_NEW.replace("self.h", "return self.h"),
        ),
        ("javascript", JAVASCRIPT, JAVASCRIPT_NEW),
        ("ruby", RUBY, RUBY_NEW),
        ("go", GO, GO_NEW),
    ],
)
@pytest.mark.parametrize("above", ["", "\u201cHere you go:\u201d\n\n", "Sure:\n"])
def test_a_text_with_its_last_statement_is_whole(
    read_reply: ReadReply, language: str, target: str, new: str, above: str
) -> None:
    reply = f"{above}```{language}\n{new}"
    found = read_reply(reply, target=target, language=language)
    assert (found.is_understood, "".join(found.lines or ())) == (True, new)


def test_the_range_s_own_exit_is_whole_without_a_line_end(
    read_reply: ReadReply,
) -> None:
    reply = f"```go\n{GO_NEW}".rstrip("\n")
    found = read_reply(reply, target=GO, language="go")
    assert (found.is_understood, "".join(found.lines or ())) == (True, GO_NEW)


@pytest.mark.parametrize(
    ("language", "target", "new"),
    [
        # In an inner block, in the middle of a line, in a bracket.
        (
            "python",
            PYTHON.split("\n", 1)[1],
            "    def f(self, x):\n        if x:\n            self.g(x)\n",
        ),
        (
            "python",
            PYTHON.split("\n", 1)[1],
            "    def f(self, x):\n        return self.g",
        ),
        (
            "python",
            PYTHON.split("\n", 1)[1],
            "    def f(self, x):\n        # Call g.\n",
        ),
        (
            "python",
            PYTHON.split("\n", 1)[1],
            "    def f(self, x):\n        y = self.g(x)",
        ),
        ("python", PYTHON.split("\n", 1)[1], "    @cached\n"),
        ("javascript", JAVASCRIPT, "  a.open(b);\n  a.write(\n"),
        ("javascript", JAVASCRIPT, "  if (b) {\n    a.open(b);\n"),
        ("go", GO, "\tb := a.c()\n\treturn c"),
        ("go", GO, "\tb := a.c()\n\tb.d()"),
        # Any line may be the last one.
        ("yaml", "a:\n  b: 1\n  c: 2\n", "a:\n  b: 2\n"),
        (
            "css",
            "a {\n  top: 1px;\n}\nb {\n}\n",
            "a {\n  top: 2px;\n}\nb {\n  top: 0;\n",
        ),
    ],
)
def test_a_text_that_may_be_cut_off_is_held(
    read_reply: ReadReply, language: str, target: str, new: str
) -> None:
    found = read_reply(f"```{language}\n{new}", target=target, language=language)
    assert not found.is_understood
