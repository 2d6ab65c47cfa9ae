"""The search for related places as a process: `python -m` this module.

It reads a question from standard input, writes the answer to standard output and exits.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import closing

import msgspec

from redline.assist.review.related.outlines import Outlines
from redline.assist.review.related.related_place import RelatedQuestion
from redline.assist.review.related.related_search import find_related
from redline.process_limits import limit_memory, limited_time

SEARCH_LIMIT_S = 5.0
"""Time after which it answers with the places found so far."""

_WASTED_LIMIT_S = 9.0
"""Most time that files which cannot be parsed add to that."""

_END_LIMIT_S = 20.0
"""Time after which it exits in any case: its parent no longer waits for it."""

_NICENESS = 5
"""Lowers its priority below the developer's programs, but not so far that they stop it:
a review waits for it."""


def main() -> None:
    """Answer one question from standard input."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    limit_memory()
    with limited_time(_END_LIMIT_S):
        _answer()


def _answer() -> None:
    question = msgspec.json.decode(sys.stdin.buffer.read(), type=RelatedQuestion)
    began = time.monotonic()

    def is_late() -> bool:
        more_s = min(outlines.wasted_s, _WASTED_LIMIT_S)
        return time.monotonic() - began > SEARCH_LIMIT_S + more_s

    with closing(Outlines(is_late=is_late)) as outlines:
        places = find_related(
            question.scope, roots=question.roots, is_late=is_late, outline_of=outlines
        )
    sys.stdout.buffer.write(msgspec.json.encode(places))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
