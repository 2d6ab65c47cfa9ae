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

_SHA256 = "586596a3fab8d4c965fc5ee6b12a0bc0aa8add0edfb123959eb290dcecf2ad7d"
"""Hash of the unpacked file."""

_SHIPPED = files("redline.prompts") / "encodings" / f"{NAME}.tokens.xz"
"""The tokens in the order of their ranks, which count from 0.

The unpacked file has the tokens of one byte; then, of each later token, the ranks of
the two that it joins, in three bytes. Bytes of one weight stand together: the first of
all left parts, those of all right parts, the second ones, the third ones. This takes
106 kB less than the tokens themselves, and 450 kB less than tiktoken's own file.
"""

_N_BYTES = 256
"""Tokens of one byte."""

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
    tokens = [bytes((byte,)) for byte in unpacked[:_N_BYTES]]
    yield from tokens
    n_joined = (len(unpacked) - _N_BYTES) // 6
    columns = [
        unpacked[start : start + n_joined]
        for start in range(_N_BYTES, len(unpacked), n_joined)
    ]
    for left0, right0, left1, right1, left2, right2 in zip(*columns, strict=True):
        left = tokens[left0 << 16 | left1 << 8 | left2]
        right = tokens[right0 << 16 | right1 << 8 | right2]
        tokens.append(left + right)
        yield tokens[-1]
