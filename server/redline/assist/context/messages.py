"""What the server and its indexer, a process of its own, say to each other."""

from __future__ import annotations

import struct
from typing import Final

import msgspec
from msgspec import Struct

from redline.prompts.signatures import SignatureCandidate
from redline.syntax.outline import Outline

MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
"""More than any of ours; a length above it is no length."""

HEAD: Final = struct.Struct("<I")
"""Before each message, its length."""


class Roots(Struct, frozen=True, tag=True):
    """To the indexer: which folders the workspace has."""

    uris: tuple[str, ...]
    without: frozenset[str] = frozenset()
    """URIs of files that are not read: they took an earlier indexer too long."""


class OpenText(Struct, frozen=True, tag=True):
    """To the indexer: a document that is open, as it is now. Answered by `Read`."""

    uri: str
    path: str
    """As prompts name it."""
    language_id: str
    version: int
    text: str


class Closed(Struct, frozen=True, tag=True):
    """To the indexer: what is on disk counts again."""

    uri: str


class Rescan(Struct, frozen=True, tag=True):
    """To the indexer: files may have changed."""


class Lines(Struct, frozen=True, tag=True):
    """To the indexer: lines to count. Answered by `Counts`."""

    lines: tuple[str, ...]


class ReadingFile(Struct, frozen=True, tag=True):
    """From the indexer: what it reads until its next message."""

    uri: str


class Read(Struct, frozen=True, tag=True):
    """From the indexer: what a document holds."""

    uri: str
    version: int
    outline: Outline


class FoundDefinitions(Struct, frozen=True, tag=True):
    """From the indexer: what the names that a document calls may mean, and what else
    is open that has to do with it."""

    uri: str
    signatures: dict[str, tuple[SignatureCandidate, ...]]
    related: tuple[tuple[str, float], ...]
    """URIs of open documents and how much they share, the closest first."""


class Counts(Struct, frozen=True, tag=True):
    """From the indexer: the tokens of lines."""

    counts: dict[str, int]


class Scanned(Struct, frozen=True, tag=True):
    """From the indexer: the workspace's files are known."""

    n_files: int


ToIndexer = Roots | OpenText | Closed | Rescan | Lines
FromIndexer = ReadingFile | Read | FoundDefinitions | Counts | Scanned

_encoder = msgspec.msgpack.Encoder()


def encode(message: ToIndexer | FromIndexer) -> bytes:
    """Write a message, its length before it."""
    body = _encoder.encode(message)
    return HEAD.pack(len(body)) + body
