"""A `redline:` comment ends where its language ends it, and goes as a whole."""

from __future__ import annotations

import pytest

from redline.assist.actions.comment import (
    instruction_at,
    instructions_in,
    range_of_comment,
)
from redline.text.instruction_comment import CommentFilter, read_comment
from redline.text.lines import split_lines


@pytest.mark.parametrize(
    ("text", "instruction", "left"),
    [
        ("{/* redline: b */}\n<h1>a</h1>\n", "b", "<h1>a</h1>\n"),
        ("  {/* redline: b\n      c */}\n<h1/>\n", "b\nc", "<h1/>\n"),
        ("  {/* redline: b */ x}\n", "b", "  { x}\n"),
        ("<p>{/* redline: b */}</p>\n", "b", "<p>{}</p>\n"),
        ("void f() {/* redline: b */}\n", "b", "void f() {}\n"),
        ("{{- /* redline: b */ -}}\na: 1\n", "b", "a: 1\n"),
        ("a: {{/* redline: b */}} 1\n", "b", "a: 1\n"),
        ("f(1, /* redline: b */ 2);\n", "b", "f(1, 2);\n"),
        ("f(1,/* redline: b */2);\n", "b", "f(1,2);\n"),
        ("/* redline: b\n* c **/ int a;\n", "b\nc", "int a;\n"),
        ("int a; /* redline: b\n c */\n", "b\nc", "int a;\n"),
        ("<p>a</p> <!-- redline: b --> <p>c</p>\n", "b", "<p>a</p> <p>c</p>\n"),
        ("<!-- redline: b\n\nc\n-->\n<p/>\n", "b\nc", "<p/>\n"),
        ("  {# redline: b #}\n<p/>\n", "b", "<p/>\n"),
        ("{#- redline: b -#}\n<p/>\n", "b", "<p/>\n"),
        ("<%# redline: b %>\n<p/>\n", "b", "<p/>\n"),
        ("<%-- redline: b --%>\n<p/>\n", "b", "<p/>\n"),
        ("<% a # redline: b %>\n", "b", "<% a %>\n"),
        ("<?php // redline: b ?>\n", "b", "<?php ?>\n"),
        ("{{-- redline: b --}}\n<p/>\n", "b", "<p/>\n"),
        ("{{!-- redline: b --}}\n<p/>\n", "b", "<p/>\n"),
        ("{{! redline: b }}\n<p/>\n", "b", "<p/>\n"),
        ("@* redline: b *@\n<p/>\n", "b", "<p/>\n"),
        ("-# redline: b\n%p a\n", "b", "%p a\n"),
        ("<# redline: b #>\n$a = 1\n", "b", "$a = 1\n"),
        ("--[[ redline: b ]]\nlocal a\n", "b", "local a\n"),
        ("(* redline: b\n *)\nlet a = 1\n", "b", "let a = 1\n"),
        ("{- redline: b -}\na = 1\n", "b", "a = 1\n"),
        ("/*\n * redline: b\n * c\n */\nint a;\n", "b\nc", "int a;\n"),
        ("{/*\n  redline: b\n*/}\n<p/>\n", "b", "<p/>\n"),
        ("<!--\nredline: b\n-->\n<p/>\n", "b", "<p/>\n"),
        ("REM redline: b\nrem c\necho a\n", "b\nc", "echo a\n"),
        ("@rem redline: b\necho a\n", "b", "echo a\n"),
        (":: redline: b\necho a\n", "b", "echo a\n"),
    ],
)
def test_the_comment_is_read_and_removed(
    text: str, instruction: str, left: str
) -> None:
    """Code behind its end, or the signs around it, are no part of the instruction."""
    lines = split_lines(text)
    (comment,) = instructions_in(lines)
    assert comment.text == instruction
    for line in range(comment.first, comment.last + 1):
        assert instruction_at(lines, line) == comment
    removal = CommentFilter(read_comment(lines, range_of_comment(lines, comment)))
    assert "".join(removal.feed(lines)) == left


@pytest.mark.parametrize(
    "text",
    [
        "/* redline: b\nint a;\n",
        "f(); /* redline: b\n// c\n",
        "{/*\n */}\nredline: b\n",
        "/* a\nredline: b\n*/\n",
        "/* */\nredline: b\n",
        "the theorem redline: b\n",
        "std:: redline: b\n",
    ],
)
def test_without_an_end_or_a_beginning_it_is_none(text: str) -> None:
    """The rest of the file does not count as the instruction."""
    assert not instructions_in(split_lines(text))
