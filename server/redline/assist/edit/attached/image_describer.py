"""Describes the images of an edit in words, for a model that does not read images."""

from __future__ import annotations

from redline.assist.edit.session.session import EditSession
from redline.assist.tiers.text_answer import TextAnswer
from redline.errors import AttachmentError
from redline.keys_in_use import without_known_keys
from redline.models.interface import GenerationRequest, Model

MAX_CHARS = 12_000
"""Longest description; the prompt asks for six hundred words."""


async def describe_images(
    session: EditSession, request: GenerationRequest, model: Model
) -> None:
    """Have the images of a request described for a session.

    Cancelling is safe: the generation is stopped, and what it cost is counted.

    Raises:
        ModelError: If the model did not answer.
        AttachmentError: If there is no description.
    """
    title = model.describe().title
    session.offer.report(f"{title} reads the image")
    answer = TextAnswer(MAX_CHARS)
    try:
        async with model.start(request) as generation:
            await answer.read(generation)
    finally:
        session.account.asked_beside(answer.cost(model, request))
    finish = answer.finish
    if finish is not None and finish.error is not None:
        raise finish.error
    text = without_known_keys(answer.text.strip())
    if finish is None or finish.reason != "completed" or not text:
        raise AttachmentError(
            f"{title}, the model of the tier `vision`, did not describe the image.",
            remedy="Try again, or add the tag of a tier whose model reads images.",
        )
    session.describe_images(text, title)
