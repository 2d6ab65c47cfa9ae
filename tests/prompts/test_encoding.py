"""The shipped encoding is tiktoken's own, and damage to it is seen."""

from __future__ import annotations

import base64
import hashlib
import lzma
import re
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tiktoken import Encoding

from redline.errors import DamagedEncodingError
from redline.prompts.encoding import NAME, load_counter, unpack

PACKED = (files("redline.prompts") / "encodings" / f"{NAME}.tokens.xz").read_bytes()
URL = f"https://openaipublic.blob.core.windows.net/encodings/{NAME}.tiktoken"


@pytest.fixture(scope="module")
def ranks() -> bytes:
    """The file that tiktoken would fetch, made of the shipped tokens."""
    return b"".join(
        b"%s %d\n" % (base64.b64encode(token), rank)
        for rank, token in enumerate(unpack(PACKED))
    )


@pytest.fixture(scope="module")
def theirs(ranks: bytes, tmp_path_factory: pytest.TempPathFactory) -> Encoding:
    """Load the encoding as tiktoken does, from its cache in place of the network."""
    cache: Path = tmp_path_factory.mktemp("tiktoken")
    (cache / hashlib.sha1(URL.encode()).hexdigest()).write_bytes(ranks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(cache))
        return tiktoken.get_encoding(NAME)


def test_the_ranks_are_those_tiktoken_asks_for(ranks: bytes) -> None:
    """The hash of the ranks stands in tiktoken's own source, beside the encoding."""
    spec = find_spec("tiktoken_ext.openai_public")
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text(encoding="utf-8")
    of_encoding = source[source.index(f"def {NAME}(") :]
    asked = re.search(r'expected_hash="([0-9a-f]{64})"', of_encoding)
    assert asked is not None
    assert hashlib.sha256(ranks).hexdigest() == asked[1]


@given(text=st.text(max_size=80))
def test_it_cuts_and_merges_as_tiktoken_does(
    text: str, encoding: Encoding, theirs: Encoding
) -> None:
    """Any text has the same tokens in our encoding and in tiktoken's."""
    assert encoding.encode_ordinary(text) == theirs.encode_ordinary(text)


def test_source_code_has_the_same_tokens(encoding: Encoding, theirs: Encoding) -> None:
    """The same on a text as it is really sent."""
    text = Path(tiktoken.__file__).read_text(encoding="utf-8")
    assert encoding.encode_ordinary(text) == theirs.encode_ordinary(text)


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        PACKED[:-100],
        PACKED[:5000] + b"\0" * 8 + PACKED[5008:],
        lzma.compress(b"\0\0\0\1\1!"),
    ],
    ids=["empty", "cut", "overwritten", "others"],
)
def test_damaged_ranks_are_refused(packed: bytes) -> None:
    """Ranks that are not exactly tiktoken's would count wrong without a sign."""
    with pytest.raises(DamagedEncodingError, match="damaged"):
        unpack(packed)


def test_nothing_is_special() -> None:
    """A text that spells a special token is counted as the text it is."""
    assert load_counter()("<|endoftext|>") > 1


def test_a_counter_counts() -> None:
    """The exact number for a known sentence."""
    assert load_counter()("hello world") == 2
