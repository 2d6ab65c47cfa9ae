"""Splits what is to be reviewed into parts that each fit a model's window.

A file that fits is shown whole. One that does not is shown around its lines in
question, hunk by hunk, and a hunk that does not fit is cut where the code is least
indented. Whatever is in no part is listed with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from redline.findings.scope import LeftOutFile, ReviewedFile, Span


class Excerpt(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of one file as a part shows them."""

    path: str
    language: str
    first_line: int
    """Index of its first line in the file, from 0."""
    text: str
    """Whole lines, LF line ends, none at the end."""
    is_whole: bool
    """Whether it is the whole file."""
    spans: tuple[Span, ...]
    """The lines in question among them, by their index in the file."""
    diff: str = ""
    """The hunks that are about these lines."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What is reviewed at a time."""

    excerpts: tuple[Excerpt, ...]
    n_tokens: int


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """All of it."""

    parts: tuple[Part, ...]
    left_out: tuple[LeftOutFile, ...] = ()
    """Files, or lines of them, that are in no part."""


def split(
    files: Sequence[ReviewedFile],
    *,
    budget: int,
    count: Callable[[str], int],
    max_parts: int,
) -> Parts:
    """Split files into parts; every line in question is in one of them or left out.

    Args:
        files: As gathered.
        budget: Bound for the code and the diff of a part together, in tokens.
        count: What a text costs; of two texts together, no less than both.
        max_parts: The most there may be; what is in those after it is left out.
    """
    raise NotImplementedError
