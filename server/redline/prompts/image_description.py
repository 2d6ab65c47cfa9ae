"""The prompt that has images described, for a model that does not read them."""

from __future__ import annotations

from redline.prompts.blocks import Block, write_blocks
from redline.prompts.message import Prompt, one_question
from redline.prompts.render import render


def image_description_prompt(instruction: str, language: str) -> Prompt:
    """Write the messages; the caller adds the images.

    Args:
        instruction: The instruction that the images are attached to.
        language: The LSP language id of the file that it is about.
    """
    text = write_blocks(Block(title="Instruction", text=instruction))
    return one_question(render("describe-image"), f"Language: {language}\n\n{text}")
