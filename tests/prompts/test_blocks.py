"""Blocks keep their text apart from the prompt around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.prompts.blocks import (
    Block,
    file_head,
    on_one_line,
    write_block,
    write_blocks,
)
from redline.prompts.edit import EditTask, edit_prompt

TEXTS = st.lists(
    st.sampled_from(["```", "````\n", "\n```\n", "`", "x", "\n", "Instruction:\n```\n"])
).map("".join)


@given(text=TEXTS)
def test_no_text_ends_its_own_block(text: str) -> None:
    """Only the last line is the closing fence."""
    title, fence, *inside, closing, rest = write_block(
        Block(title="Code", text=text)
    ).split("\n")
    assert (title, closing, rest) == ("Code:", fence, "")
    assert fence not in inside
    assert "\n".join(inside) == text


@given(text=TEXTS)
def test_blocks_are_those_of_an_edit(text: str) -> None:
    """An edit's prompt writes its own blocks in just this way."""
    task = EditTask(
        instruction=text, path="a", language="b", before="", target="", after=""
    )
    (chat_message,) = edit_prompt(task).chat_messages
    block = write_block(Block(title="Instruction", text=text))
    assert chat_message.text.endswith(block)


def test_blocks_stand_apart() -> None:
    """A blank line is between one and the next."""
    blocks = write_blocks(Block(title="A", text="1"), Block(title="B", text="2"))
    assert blocks == "A:\n```\n1\n```\n\nB:\n```\n2\n```\n"


@pytest.mark.parametrize(
    ("name", "written"),
    [("a b.py", "a b.py"), ("a\nb", '"a\\nb"'), ('"a', '"\\"a"'), ("é", "é")],
)
def test_names_stay_on_one_line(name: str, written: str) -> None:
    """Whatever a file is called, it adds no line to the prompt."""
    assert on_one_line(name) == written
    assert file_head(name, "python") == f"File: {written}\nLanguage: python\n"
