"""Messages between the server and its indexer, a separate process."""

from __future__ import annotations

import struct
from typing import Final

import msgspec
from msgspec import Struct

from redline.prompts.signatures import SignatureCandidate
from redline.syntax.outline import Outline

MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
"""Longer than any message; a greater length is invalid."""

HEAD: Final = struct.Struct("<I")
"""The length before each message."""


class Roots(Struct, frozen=True, tag=True):
    """To the indexer: the workspace folders."""

    uris: tuple[str, ...]
    without: frozenset[str] = frozenset()
    """URIs of files to skip, because an earlier indexer took too long on them."""


class OpenText(Struct, frozen=True, tag=True):
    """To the indexer: the current text of an open document. Answered by `Read`."""

    uri: str
    path: str
    """Its name in prompts."""
    language_id: str
    version: int
    text: str
    is_inside: bool = True
    """Whether it is in the workspace; else, nothing of it is for other documents."""


class Closed(Struct, frozen=True, tag=True):
    """To the indexer: a document was closed; the file on disk counts again."""

    uri: str


class Rescan(Struct, frozen=True, tag=True):
    """To the indexer: files on disk may have changed."""


class Lines(Struct, frozen=True, tag=True):
    """To the indexer: lines to count. Answered by `Counts`."""

    lines: tuple[str, ...]


class ReadingFile(Struct, frozen=True, tag=True):
    """From the indexer: the file that it reads until its next message."""

    uri: str


class Read(Struct, frozen=True, tag=True):
    """From the indexer: the outline of a document."""

    uri: str
    version: int
    outline: Outline


class FoundDefinitions(Struct, frozen=True, tag=True):
    """From the indexer: candidates for the names that a document calls, and the open
    documents related to it."""

    uri: str
    signatures: dict[str, tuple[SignatureCandidate, ...]]
    related: tuple[tuple[str, float], ...]
    """URIs of open documents and how much they share with it, closest first."""


class Counts(Struct, frozen=True, tag=True):
    """From the indexer: token counts of lines."""

    counts: dict[str, int]


class Scanned(Struct, frozen=True, tag=True):
    """From the indexer: all workspace files have been read."""

    n_files: int


ToIndexer = Roots | OpenText | Closed | Rescan | Lines
FromIndexer = ReadingFile | Read | FoundDefinitions | Counts | Scanned

_encoder = msgspec.msgpack.Encoder()


def encode(message: ToIndexer | FromIndexer) -> bytes:
    """Encode a message, preceded by its length."""
    body = _encoder.encode(message)
    return HEAD.pack(len(body)) + body
