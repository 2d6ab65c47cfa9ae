"""The encoding, loaded once for all tests of the room."""

from __future__ import annotations

import pytest
from tiktoken import Encoding

from redline.prompts.encoding import load_encoding


@pytest.fixture(scope="session")
def encoding() -> Encoding:
    """Load o200k_base from the shipped ranks."""
    return load_encoding()
