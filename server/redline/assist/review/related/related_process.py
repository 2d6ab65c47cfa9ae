"""The search for related places as a process: `python -m` this module.

It reads a question from standard input, writes the answer to standard output and exits.
"""

from __future__ import annotations

import os
import sys
import time

import msgspec

from redline.assist.review.related.related_place import RelatedQuestion
from redline.assist.review.related.related_search import find_related
from redline.process_limits import limit_memory, limited_time

SEARCH_LIMIT_S = 5.0
"""Time after which it answers with the places found so far."""

_END_LIMIT_S = 20.0
"""Time after which it exits in any case: its parent no longer waits for it."""

_NICENESS = 10
"""Lowers its priority below the developer's programs."""


def main() -> None:
    """Answer one question from standard input."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    limit_memory()
    with limited_time(_END_LIMIT_S):
        _answer()


def _answer() -> None:
    question = msgspec.json.decode(sys.stdin.buffer.read(), type=RelatedQuestion)
    end = time.monotonic() + SEARCH_LIMIT_S
    places = find_related(
        question.scope,
        roots=question.roots,
        is_late=lambda: time.monotonic() > end,
    )
    sys.stdout.buffer.write(msgspec.json.encode(places))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
