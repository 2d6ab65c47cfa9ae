"""tiktoken's o200k_base encoding, from ranks that are shipped with Redline.

tiktoken itself would fetch them from the network at first use. Loading takes about 0.5
s and 70 MB, 0.13 s of it without releasing the interpreter lock (CPython 3.11, tiktoken
0.14), so it belongs in another process or an idle moment, which the caller chooses.
"""

from __future__ import annotations

import base64
import hashlib
import lzma
from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING

from redline.errors import DamagedEncodingError

if TYPE_CHECKING:
    from tiktoken import Encoding

NAME = "o200k_base"

SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""Hash of the unpacked ranks, as in tiktoken (`tiktoken_ext/openai_public.py`)."""

_SHIPPED = files("redline.prompts") / "encodings" / f"{NAME}.tiktoken.xz"

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

_DAMAGED = f"The token ranks of {NAME} that are shipped with Redline are damaged."


def load_encoding() -> Encoding:
    """Unpack, verify and build the encoding, without special tokens.

    Raises:
        DamagedEncodingError: If the shipped ranks are not the ones tiktoken uses.
    """
    from tiktoken import Encoding

    return Encoding(
        name=NAME,
        pat_str=_PIECES,
        mergeable_ranks=_read_ranks(unpack(_SHIPPED.read_bytes())),
        special_tokens={},
    )


def load_counter() -> Callable[[str], int]:
    """Load the encoding as a function that returns a text's exact number of tokens."""
    encode = load_encoding().encode_ordinary
    return lambda text: len(encode(text))


def unpack(packed: bytes) -> bytes:
    """Unpack the ranks and verify their hash.

    Raises:
        DamagedEncodingError: If they cannot be unpacked or differ from tiktoken's.
    """
    try:
        unpacked = lzma.decompress(packed)
    except lzma.LZMAError as error:
        raise DamagedEncodingError(_DAMAGED) from error
    if hashlib.sha256(unpacked).hexdigest() != SHA256:
        raise DamagedEncodingError(_DAMAGED)
    return unpacked


def _read_ranks(unpacked: bytes) -> dict[bytes, int]:
    # Each line is one token in base64, a space, and its rank.
    pairs = map(bytes.split, unpacked.splitlines())
    return {base64.b64decode(token): int(rank) for token, rank in pairs}
