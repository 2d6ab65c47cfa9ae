"""URIs of documents, and what some editors have in their place."""

from __future__ import annotations

import pytest

from redline.text.uri import uri_parts


@pytest.mark.parametrize(
    ("uri", "scheme", "path"),
    [
        ("file:///a%20b/c.py?x#y", "file", "/a%20b/c.py"),
        ("file://host/c.py", "file", "/c.py"),
        ("untitled:Untitled-1", "untitled", "Untitled-1"),
        ("", "", ""),
        ("diff://[a/b.py", "", "diff://[a/b.py"),
        ("x://a\u2100b/c.py", "", "x://a\u2100b/c.py"),
    ],
)
def test_a_uri_is_split_whatever_it_is(uri: str, scheme: str, path: str) -> None:
    assert uri_parts(uri) == (scheme, path)
