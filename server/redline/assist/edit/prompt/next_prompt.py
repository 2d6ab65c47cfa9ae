"""The prompt that an instruction would be sent with, described before it is sent."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from redline.assist.edit.attached.image_cleaning import LONG_SIDE
from redline.assist.edit.attached.named_files import NamedFile
from redline.models.interface import ModelDescription
from redline.prompts.context import CountTokens
from redline.prompts.edit import EditTask, edit_prompt
from redline.prompts.window import WindowUse
from redline.routing.route import Tier

_PATCH_SIDE = 32
"""Pixels on each side of the square that a token stands for, where models count by
squares: platform.openai.com/docs/guides/images-vision."""

IMAGE_TOKENS = (LONG_SIDE // _PATCH_SIDE) ** 2
"""Estimated for each image: the largest that is sent. Its size is known only after it
was decoded, and what it takes differs by provider."""


class PromptParts(Struct, frozen=True, kw_only=True):
    """The size of the parts of a prompt, in tokens; about as exact as
    `TokenCounter.about`."""

    target: int
    """The range."""
    around: int
    """The code around the range."""
    context: int
    """What is shown of other places: signatures, imports, recent edits."""
    files: int
    """The files and definitions that the instruction names."""
    images: int


class NextPrompt(Struct, frozen=True, kw_only=True):
    """The prompt that an instruction would be sent with."""

    tier: Tier
    model: ModelDescription
    """The model of the tier."""
    use: WindowUse
    """All of it: besides the parts, the instructions of Redline and of the user."""
    parts: PromptParts
    assumes: tuple[str, ...]
    """What the instruction leaves open and is taken for granted, as sentences."""

    @property
    def summary(self) -> str:
        """The model and the size in a line for people; empty without a model."""
        if not self.model.is_model:
            return ""
        named = {
            "range": self.parts.target,
            "around it": self.parts.around,
            "context": self.parts.context,
            "files": self.parts.files,
            "images": self.parts.images,
        }
        parts = ", ".join(f"{name} {n:,}" for name, n in named.items() if n)
        share = f"{self.use.share:.0%}".replace("%", " %")
        return (
            f"To {self.model.name}: about {self.use.n_tokens:,} tokens, "
            f"{'under 1 %' if share == '0 %' else share} of its window"
            f"{f' ({parts})' if parts else ''}"
        )


def next_prompt(
    task: EditTask,
    *,
    tier: Tier,
    model: ModelDescription,
    files: Sequence[NamedFile],
    n_images: int,
    count: CountTokens,
) -> NextPrompt:
    """Describe the prompt of a task.

    Args:
        task: The task.
        tier: The tier that would carry it out.
        model: The model of that tier.
        files: What the instruction names; the task contains it.
        n_images: Images that are attached.
        count: Counts tokens.
    """
    prompt = edit_prompt(task)
    # Other models are sent none: at most a description in words.
    images = n_images * IMAGE_TOKENS if model.reads_images else 0
    texts = (prompt.instructions, *(each.text for each in prompt.chat_messages))
    return NextPrompt(
        tier=tier,
        model=model,
        use=WindowUse(
            n_tokens=sum(map(count, texts)) + images,
            context_tokens=model.context_tokens,
        ),
        parts=PromptParts(
            target=count(task.target),
            around=count(task.before) + count(task.after),
            context=task.context.n_tokens,
            files=sum(count(file.text) for file in files),
            images=images,
        ),
        assumes=task.assumes,
    )
