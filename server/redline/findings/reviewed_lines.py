"""Which lines of a text were reviewed, as hashes: what has changed since is found
without keeping the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from redline.findings.scope import ReviewedFile, Span, joined
from redline.text.line_diff import diff_lines

_SIZE = 8

_NOT_REVIEWED = bytes(_SIZE)
"""In place of a line that no review has read."""


class ReviewedLines(msgspec.Struct, frozen=True, kw_only=True):
    """What a review has read, once it is done."""

    files: dict[str, bytes]
    """By URI: a hash of each line, in order."""


def reviewed_lines(
    files: Iterable[ReviewedFile], not_reviewed: Mapping[str, Sequence[Span]]
) -> ReviewedLines:
    """Record the lines of files that a review has read.

    Args:
        files: Those that it has read; lines outside of their spans are unchanged since
            the review before, or the last commit.
        not_reviewed: By URI, changed lines that it has not read.
    """
    return ReviewedLines(
        files={
            file.uri: _without(_hashes(file.text), not_reviewed.get(file.uri, ()))
            for file in files
        }
    )


def changed_spans(reviewed: bytes, text: str) -> tuple[Span, ...]:
    """Return the lines of a text that have changed since, and those around deletions.

    Args:
        reviewed: The hashes of the lines that were reviewed.
        text: The text now, with LF line ends.
    """
    new = _hashes(text)
    spans: list[Span] = []
    shift = 0
    for hunk in diff_lines(_split(reviewed), new):
        first = hunk.start + shift
        end = first + len(hunk.lines)
        shift += hunk.shift
        if first == end:
            first, end = max(0, first - 1), min(len(new), end + 1)
        spans.append((first, end))
    return joined(spans)


def _hashes(text: str) -> list[str]:
    lines = text.split("\n")
    if lines and not lines[-1]:
        del lines[-1]
    return [
        hashlib.blake2b(
            line.encode("utf-8", "surrogatepass"), digest_size=_SIZE
        ).hexdigest()
        for line in lines
    ]


def _split(reviewed: bytes) -> list[str]:
    return [reviewed[at : at + _SIZE].hex() for at in range(0, len(reviewed), _SIZE)]


def _without(hashes: Sequence[str], spans: Iterable[Span]) -> bytes:
    lines = [bytes.fromhex(each) for each in hashes]
    for first, end in spans:
        lines[first:end] = [_NOT_REVIEWED] * len(lines[first:end])
    return b"".join(lines)
