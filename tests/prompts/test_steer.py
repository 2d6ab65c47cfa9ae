"""A steered edit is read back as the edit it has become."""

from __future__ import annotations

from msgspec.structs import replace

from redline.prompts.edit import EditTask, edit_prompt, read_edit_task, steer_text
from redline.prompts.message import ChatMessage, Prompt

TASK = EditTask(
    instruction="add docstrings",
    path="a.py",
    language="python",
    before="",
    target="x = 1\n",
    after="",
)


def conversation(*turns: ChatMessage) -> Prompt:
    prompt = edit_prompt(TASK)
    return Prompt(
        instructions=prompt.instructions,
        chat_messages=(*prompt.chat_messages, *turns),
    )


def test_the_last_instruction_counts() -> None:
    """What was written in between is no instruction."""
    prompt = conversation(
        ChatMessage(role="assistant", text="x = 1"),
        ChatMessage(role="user", text=steer_text("sort\n```\nlines\n```")),
    )
    assert read_edit_task(prompt) == replace(TASK, instruction="sort\n```\nlines\n```")


def test_a_steer_brings_its_own_assumptions() -> None:
    """Those of the instruction that it replaces no longer hold."""
    first = replace(TASK, assumes=("Only `f` changes.",))
    steers = [steer_text("improve it", ["Only `g` changes."]), steer_text("sort")]
    seen = []
    for steer in steers:
        prompt = edit_prompt(first)
        turns = (*prompt.chat_messages, ChatMessage(role="user", text=steer))
        task = read_edit_task(replace(prompt, chat_messages=turns))
        assert task is not None
        seen.append((task.instruction, task.assumes))
    assert seen == [("improve it", ("Only `g` changes.",)), ("sort", ())]


def test_another_message_ends_the_edit() -> None:
    """A conversation that goes elsewhere is no edit any more."""
    prompt = conversation(ChatMessage(role="user", text="And how are you?"))
    assert read_edit_task(prompt) is None
