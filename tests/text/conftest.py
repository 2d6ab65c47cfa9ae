"""What the tests of this room share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from redline.text.document import Document
from redline.text.position import Encoding


@pytest.fixture
def make_document() -> Callable[[str], Document]:
    """Open documents as a client that counts UTF-16 does."""

    def make(text: str) -> Document:
        return Document(
            uri="file:///a.py",
            language_id="python",
            version=1,
            text=text,
            encoding=Encoding.UTF_16,
        )

    return make
