"""Loads the images that are attached to an instruction; nothing of them is stored."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from redline.assist.edit.attached.image_cleaning import CLEAN_IMAGE
from redline.assist.editor.workspace import display_name
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import (
    AttachmentError,
    InvalidArgumentsError,
    ParserEndedError,
    UnreadableFileError,
)
from redline.files import leads_out, read_file
from redline.parsing.work import WorkRunner
from redline.prompts.message import PromptImage
from redline.text.uri import check_path_length, is_file, uri_path

MAX_IMAGES = 4
MAX_FILE_BYTES = 20_000_000

_DATA = "data:"


class _ImageFile(NamedTuple):
    name: str
    """For messages, the beginning of a sentence."""
    data: bytes


async def load_images(
    uris: Sequence[str],
    *,
    roots: Sequence[str],
    rules: IgnoreRules,
    parser: WorkRunner,
) -> tuple[PromptImage, ...]:
    """Load images.

    Args:
        uris: URIs of files, and `data:` URIs.
        roots: URIs of the workspace folders.
        rules: The ignore rules, which are those of all files.
        parser: Decodes the images.

    Raises:
        AttachmentError: If one cannot be read, is too large, or is no image.
        HeldBackError: If one must not be sent.
    """
    if len(uris) > MAX_IMAGES:
        raise AttachmentError(f"At most {MAX_IMAGES} images can be attached.")
    files = [await asyncio.to_thread(_load, uri, roots, rules) for uri in uris]
    return tuple([await _cleaned(file, parser) for file in files])


def look_again_at_images(
    uris: Sequence[str], *, roots: Sequence[str], rules: IgnoreRules
) -> None:
    """Refuse loaded images that must not be sent now; blocks, so call it in a thread.

    An image that is gone, such as a temporary one, was loaded when it was there.

    Raises:
        AttachmentError: If one has become a link that leads out of the workspace.
        HeldBackError: If one must not be sent.
    """
    folders = [str(uri_path(root)) for root in roots if is_file(root)]
    for uri in filter(is_file, uris):
        name = display_name(uri)
        rules.refuse(uri, roots, name)
        if leads_out(str(uri_path(uri)), folders):
            raise AttachmentError(
                f"{name} is not attached: it is a link that leads out of the folder."
            )


def _load(uri: str, roots: Sequence[str], rules: IgnoreRules) -> _ImageFile:
    if uri.startswith(_DATA):
        return _ImageFile("The attached image", _decoded(uri))
    try:
        check_path_length(uri)
    except InvalidArgumentsError as exc:
        raise AttachmentError(str(exc)) from exc
    name = display_name(uri)
    if not is_file(uri):
        raise AttachmentError(f"{name} is not a file, so it is not attached.")
    rules.refuse(uri, roots, name)
    paths = [Path(uri_path(root)) for root in roots if is_file(root)]
    try:
        data = read_file(Path(uri_path(uri)), max_bytes=MAX_FILE_BYTES, roots=paths)
    except UnreadableFileError as exc:
        raise AttachmentError(f"{name} is not attached: {exc.reason}.") from exc
    return _ImageFile(name, data)


async def _cleaned(file: _ImageFile, parser: WorkRunner) -> PromptImage:
    try:
        cleaned = await parser.run(CLEAN_IMAGE, file.data)
    except ParserEndedError as exc:
        raise AttachmentError(
            f"{file.name} could not be decoded: {exc.reason}."
        ) from exc
    if cleaned.image is None:
        raise AttachmentError(f"{file.name} {cleaned.problem}.")
    return cleaned.image


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
