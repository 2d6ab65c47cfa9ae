"""Loads the images that are attached to an instruction.

An image is decoded and written again, so that nothing but its pixels is sent: no place,
no time and no name of a camera or a person. It is scaled down to the size that
providers read. Nothing of it is stored.
"""

from __future__ import annotations

import io
from base64 import b64decode
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.assist.workspace import display_name
from redline.errors import AttachmentError, HeldBackError, UnreadableFileError
from redline.files import read_file
from redline.prompts.message import PromptImage
from redline.text.uri import check_path_length, is_file, uri_path

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_IMAGES = 4
MAX_FILE_BYTES = 20_000_000
MAX_PIXELS = 50_000_000
"""A small file can hold so many that decoding it takes all memory."""

LONG_SIDE = 1_568
"""Pixels on the longer side; providers scale larger images down."""

_MAX_SENT_BYTES = 3_500_000
"""Below 5 MB in base64, the least limit among providers."""

_FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
_DATA = "data:"


def load_images(
    uris: Sequence[str], *, roots: Sequence[str], rules: IgnoreRules
) -> tuple[PromptImage, ...]:
    """Load images; call it in a thread.

    Args:
        uris: URIs of files, and `data:` URIs.
        roots: URIs of the workspace folders.
        rules: The ignore rules, which are those of all files.

    Raises:
        AttachmentError: If one cannot be read, is too large, or is no image.
        HeldBackError: If one must not be sent.
        InvalidArgumentsError: If its path is too long.
    """
    if len(uris) > MAX_IMAGES:
        raise AttachmentError(f"At most {MAX_IMAGES} images can be attached.")
    return tuple(_load(uri, roots, rules) for uri in uris)


def _load(uri: str, roots: Sequence[str], rules: IgnoreRules) -> PromptImage:
    if uri.startswith(_DATA):
        return clean_image(_decoded(uri), name="The attached image")
    check_path_length(uri)
    name = display_name(uri)
    if not is_file(uri):
        raise AttachmentError(f"{name} is not a file, so it is not attached.")
    if (reason := rules.reason(uri, roots)) is not None:
        raise HeldBackError(f"{name} is not sent to a model: {reason}.")
    paths = [Path(uri_path(root)) for root in roots if is_file(root)]
    try:
        data = read_file(Path(uri_path(uri)), max_bytes=MAX_FILE_BYTES, roots=paths)
    except UnreadableFileError as exc:
        raise AttachmentError(f"{name} is not attached: {exc.reason}.") from exc
    return clean_image(data, name=name)


def clean_image(data: bytes, *, name: str) -> PromptImage:
    """Return an image of the size that is sent, with its pixels and nothing else.

    Args:
        data: The file.
        name: Its name, for messages.

    Raises:
        AttachmentError: If it is no image of a known kind, or too large.
    """
    # Imported when the first image is attached: it takes 50 ms.
    from PIL import Image, ImageOps

    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as opened:
            if opened.width * opened.height > MAX_PIXELS:
                raise AttachmentError(
                    f"{name} has more than {MAX_PIXELS // 1_000_000} million pixels."
                )
            is_photo = opened.format == "JPEG"
            # The first frame of an animation, turned as its metadata say.
            image = ImageOps.exif_transpose(opened)
            image.thumbnail((LONG_SIDE, LONG_SIDE))
            return _written(image, is_photo=is_photo)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as exc:
        raise AttachmentError(f"{name} is not a png, jpeg, webp or gif.") from exc


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


def _decoded(uri: str) -> bytes:
    head, comma, body = uri.partition(",")
    if not comma or not head.endswith(";base64"):
        raise AttachmentError("A data URI of an image must be in base64.")
    if len(body) > MAX_FILE_BYTES * 4 // 3 + 4:
        raise AttachmentError("The attached image is larger than 20 MB.")
    try:
        return b64decode(body, validate=True)
    except ValueError as exc:
        raise AttachmentError("A data URI of an image must be in base64.") from exc
