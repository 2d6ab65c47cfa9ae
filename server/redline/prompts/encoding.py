"""tiktoken's o200k_base encoding, from tokens that are shipped with Redline.

tiktoken itself would fetch them from the network at first use. Loading takes about 0.5
s and 70 MB, 0.13 s of it without releasing the interpreter lock (CPython 3.11, tiktoken
0.14), so it belongs in another process or an idle moment, which the caller chooses.
"""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import TYPE_CHECKING

from redline.errors import DamagedEncodingError

if TYPE_CHECKING:
    from tiktoken import Encoding

NAME = "o200k_base"

_SHA256 = "2f451f31d7403017d0b0dc6319ded23a09f33f573b1635c001fc6b91a1c21302"
"""Hash of the unpacked file."""

_SHIPPED = files("redline.prompts") / "encodings" / f"{NAME}.tokens.xz"
"""The tokens in the order of their ranks, which count from 0.

The unpacked file has the number of tokens (4 bytes, big-endian), the length of each in
one byte, and the bytes of all. tiktoken's own file has a line for each token, its bytes
in base64; that compresses to 340 kB more.
"""

_COUNT_BYTES = 4

_WORD_END = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_PIECES = "|".join(
    (
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_WORD_END}",
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_WORD_END}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
"""How o200k_base splits text before it merges bytes
(`tiktoken_ext/openai_public.py`)."""

_DAMAGED = f"The tokens of {NAME} that are shipped with Redline are damaged."


def load_encoding() -> Encoding:
    """Unpack, verify and build the encoding, without special tokens.

    Raises:
        DamagedEncodingError: If the shipped tokens are not the ones tiktoken uses.
    """
    from tiktoken import Encoding

    return Encoding(
        name=NAME,
        pat_str=_PIECES,
        mergeable_ranks={
            token: rank for rank, token in enumerate(unpack(_SHIPPED.read_bytes()))
        },
        special_tokens={},
    )


def load_counter() -> Callable[[str], int]:
    """Load the encoding as a function that returns a text's exact number of tokens."""
    encode = load_encoding().encode_ordinary
    return lambda text: len(encode(text))


def unpack(packed: bytes) -> Iterator[bytes]:
    """Unpack the tokens and verify their hash; they come in the order of their ranks.

    Raises:
        DamagedEncodingError: If they cannot be unpacked or differ from tiktoken's.
    """
    try:
        unpacked = lzma.decompress(packed)
    except lzma.LZMAError as error:
        raise DamagedEncodingError(_DAMAGED) from error
    if hashlib.sha256(unpacked).hexdigest() != _SHA256:
        raise DamagedEncodingError(_DAMAGED)
    return _tokens(unpacked)


def _tokens(unpacked: bytes) -> Iterator[bytes]:
    count = int.from_bytes(unpacked[:_COUNT_BYTES])
    start = _COUNT_BYTES + count
    for length in unpacked[_COUNT_BYTES:start]:
        yield unpacked[start : start + length]
        start += length
