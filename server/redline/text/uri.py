"""The two parts of a document's URI that count: what kind it is of, and its path."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit


class UriParts(NamedTuple):
    """As they are written, the path with its percent signs."""

    scheme: str
    path: str


def uri_parts(uri: str) -> UriParts:
    """Split a URI; what is none, as the name of some editor's buffer, is all path."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return UriParts("", uri)
    return UriParts(parts.scheme, parts.path)
