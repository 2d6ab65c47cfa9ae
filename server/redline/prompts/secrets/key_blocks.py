"""Finds private keys, whose lines are secret together."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from functools import lru_cache

from redline.prompts.secrets import formats
from redline.prompts.secrets.line import Span


@lru_cache(maxsize=8_192)
def may_be_of_key(line: str) -> bool:
    """Whether a line alone could be the first line of a key without a marker."""
    return (
        formats.KEY_RUN.search(line) is not None
        and formats.KEY_LINES.match(line + "\n") is not None
    )


def key_blocks(text: str, *, has_key_line: bool) -> Iterator[Span]:
    if "PRIVATE" in text:
        for block in formats.PRIVATE_KEY.finditer(text):
            body = block[1].strip(" \t\n\\rn\"',:.;+-")
            start = block.start(1) + block[1].find(body)
            if len(body) >= formats.MIN_KEY_CHARS:
                yield start, start + len(body)
    if not has_key_line:
        return
    for block in formats.KEY_LINES.finditer(text):
        start = block.start("body")
        yield start, start + len(block["body"].rstrip(" \t\n\"'"))


def encoded_keys(text: str) -> Iterator[Span]:
    """Find private keys in Base64 text, and those in PuTTY's format."""
    if formats.BASE64_START in text:
        for block in formats.BASE64_BLOCK.finditer(text):
            if _holds_private_key(block[0]):
                yield block.span()
    if "Private-Lines" in text:
        for block in formats.PUTTY_KEY.finditer(text):
            body = block[1].strip()
            start = block.start(1) + block[1].find(body)
            yield start, start + len(body)


def _holds_private_key(encoded: str) -> bool:
    """Whether Base64 text, which may be cut, decodes to a block of a private key."""
    whole = encoded.rstrip("=")
    decoded = base64.b64decode(whole[: len(whole) // 4 * 4])
    return b"PRIVATE KEY-----" in decoded or b"PRIVATE KEY BLOCK-----" in decoded
