"""Recognizes test files by their paths, as the test runners of most languages do."""

from __future__ import annotations

import re

_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|testing)/"
    r"|(?:^|/)(?:test_[^/]*|conftest)\.py$"
    r"|[._-](?:test|spec)\.\w+$"
    r"|(?:^|/)[^/]*(?:Tests?|Spec)\.(?:java|cs|php|kt)$"
)


def is_test(path: str) -> bool:
    """Whether a file holds tests.

    Args:
        path: Relative, with `/`.
    """
    return _TEST.search(path) is not None
