"""Reduces an image to the pixels that are sent.

It is decoded and written again, so that nothing else is sent: no place, no time and no
name of a camera or a person. It is scaled down to the size that providers read.

A small file can keep a decoder busy for hours, with a million of comments or of passes
over the same pixels. So a parser process does this, which can be killed.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.parsing.work import Work
from redline.prompts.message import PromptImage

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_PIXELS = 50_000_000
"""A small file can hold so many that decoding it takes all memory."""

LONG_SIDE = 1_568
"""Pixels on the longer side; providers scale larger images down."""

_MAX_SENT_BYTES = 3_500_000
"""Below 5 MB in base64, the least limit among providers."""

_FORMATS = ("PNG", "JPEG", "WEBP", "GIF")


class CleanedImage(Struct, frozen=True):
    """What is sent of an image, or why nothing is."""

    image: PromptImage | None = None
    problem: str = ""
    """The end of a sentence whose subject is the image."""


def clean_image(data: bytes) -> CleanedImage:
    """Return an image of the size that is sent, with its pixels and nothing else."""
    # Imported when the first image is attached: it takes 50 ms.
    from PIL import Image, ImageOps

    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as opened:
            if opened.width * opened.height > MAX_PIXELS:
                return CleanedImage(
                    problem=f"has more than {MAX_PIXELS // 1_000_000} million pixels"
                )
            is_photo = opened.format == "JPEG"
            # The first frame of an animation, turned as its metadata say.
            image = ImageOps.exif_transpose(opened)
            image.thumbnail((LONG_SIDE, LONG_SIDE))
            return CleanedImage(_written(image, is_photo=is_photo))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return CleanedImage(problem="is not a png, jpeg, webp or gif")


CLEAN_IMAGE: Work[bytes, CleanedImage] = Work(
    function="redline.assist.edit.attached.image_cleaning:clean_image",
    result=CleanedImage,
)
"""Clean an image; the argument is the file."""


def _written(image: Image, *, is_photo: bool) -> PromptImage:
    if not is_photo:
        data = _encoded(image.convert("RGBA"), "PNG")
        if len(data) <= _MAX_SENT_BYTES:
            return PromptImage(media_type="image/png", data=data)
    return PromptImage(
        media_type="image/jpeg", data=_encoded(image.convert("RGB"), "JPEG")
    )


def _encoded(image: Image, kind: str) -> bytes:
    file = io.BytesIO()
    # What was read beside the pixels would be written again.
    image.info.clear()
    image.save(file, kind)
    return file.getvalue()
