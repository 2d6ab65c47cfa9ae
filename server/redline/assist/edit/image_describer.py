"""Describes the images of an edit in words, for a model that does not read images."""

from __future__ import annotations

from redline.assist.edit.cost import cost_of_generation
from redline.assist.edit.session import EditSession
from redline.errors import AttachmentError
from redline.keys_in_use import without_known_keys
from redline.models.interface import (
    Delta,
    Finish,
    Generation,
    GenerationRequest,
    Model,
    Restart,
)

MAX_CHARS = 12_000
"""Longest description; the prompt asks for six hundred words."""


async def describe_images(
    session: EditSession, request: GenerationRequest, model: Model
) -> None:
    """Have the images of a request described for a session.

    Cancelling is safe: the generation is stopped, and what it cost is counted.

    Args:
        session: The session that the images are attached to.
        request: The images, and what to describe.
        model: A model that reads images.

    Raises:
        ModelError: If the model did not answer.
        AttachmentError: If there is no description.
    """
    title = model.describe().title
    session.offer.report(f"{title} reads the image")
    description = _Description()
    try:
        async with model.start(request) as generation:
            await description.read(generation)
    finally:
        usage = description.finish.usage if description.finish else None
        n_chars = len(description.text)
        cost = cost_of_generation(model, request, usage, n_chars=n_chars)
        session.account.image_described(cost)
    finish = description.finish
    if finish is not None and finish.error is not None:
        raise finish.error
    text = without_known_keys(description.text.strip())
    if finish is None or finish.reason != "completed" or not text:
        raise AttachmentError(
            f"{title}, the model of the tier `vision`, did not describe the image.",
            remedy="Try again, or add the tag of a tier whose model reads images.",
        )
    session.describe_images(text, title)


class _Description:
    """The text of one description, and its end."""

    def __init__(self) -> None:
        self.text = ""
        self.finish: Finish | None = None

    async def read(self, generation: Generation) -> None:
        async for event in generation:
            match event:
                case Delta(kind="text"):
                    self.text = (self.text + event.text)[:MAX_CHARS]
                case Restart():
                    self.text = event.text[:MAX_CHARS]
                case Finish():
                    self.finish = event
                case _:
                    pass
